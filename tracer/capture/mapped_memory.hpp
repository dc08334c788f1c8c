#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace gradwire {

/// `size` zero bytes of the system, at a page's begin, that cost memory only once they are written;
/// null when there are none. Never malloc: the traced program may be inside it.
inline void* map_memory(std::size_t size) {
  void* const bytes = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return bytes == MAP_FAILED ? nullptr : bytes;
}

inline void unmap_memory(void* bytes, std::size_t size) {
  if (bytes != nullptr) munmap(bytes, size);
}

}  // namespace gradwire
