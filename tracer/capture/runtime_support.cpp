// What compiled C++ calls in libstdc++, which a traced process must not be given a second copy of
// (and which asks for a newer libc than that of GPU nodes). Nothing here throws or ends the
// process: memory is waited for, and a thread that cannot go on stops.
#include <unistd.h>

#include <cstdlib>
#include <new>

#include "tracer/capture/complain.hpp"

namespace {

void* memory_of(std::size_t size) {
  for (void* bytes = nullptr;; usleep(10'000)) {
    bytes = std::malloc(size == 0 ? 1 : size);
    if (bytes != nullptr) return bytes;
  }
}

[[noreturn]] void stop_thread(const char* what) {
  gradwire::complain("a bug of gradwire: %s; recording stops", what);
  for (;;) pause();
}

}  // namespace

void* operator new(std::size_t size) { return memory_of(size); }
void* operator new[](std::size_t size) { return memory_of(size); }
void operator delete(void* bytes) noexcept { std::free(bytes); }
void operator delete[](void* bytes) noexcept { std::free(bytes); }
void operator delete(void* bytes, std::size_t /*size*/) noexcept { std::free(bytes); }
void operator delete[](void* bytes, std::size_t /*size*/) noexcept { std::free(bytes); }

// The names are those of the C++ ABI and of libstdc++.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" void __cxa_pure_virtual() { stop_thread("a pure virtual function was called"); }

namespace std {

void __throw_length_error(const char* what) { stop_thread(what); }
void __throw_bad_alloc() { stop_thread("no memory"); }
void __throw_bad_array_new_length() { stop_thread("an array is too long"); }
void __throw_logic_error(const char* what) { stop_thread(what); }
void __throw_out_of_range(const char* what) { stop_thread(what); }
void __throw_out_of_range_fmt(const char* what, ...) { stop_thread(what); }
void __throw_bad_function_call() { stop_thread("an empty function was called"); }

}  // namespace std
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
