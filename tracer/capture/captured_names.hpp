#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gradwire {

/// Numbers the kernel names of a capture from 0, each content once. A pointer seen before costs a
/// comparison with what it pointed to then: a profiler may use the memory for another name. Bounded
/// by kMaxNames names of kMaxNameBytes together; later ones get the number of kNoRoom.
class CapturedNames {
 public:
  CapturedNames() = default;
  ~CapturedNames();
  CapturedNames(const CapturedNames&) = delete;
  CapturedNames& operator=(const CapturedNames&) = delete;

  struct Entry {
    std::uint32_t index = 0;
    bool is_new = false;    ///< to be written before its first use
    std::string_view name;  ///< cut at kMaxNameSize
  };

  /// Gets the memory; false: the system has none.
  bool open();

  /// A null `name` is "".
  Entry number_of(const char* name);

  static constexpr std::size_t kMaxNameSize = 32U << 10U;
  static constexpr std::size_t kMaxNames = 1U << 18U;
  static constexpr std::size_t kMaxNameBytes = 64U << 20U;
  static constexpr std::string_view kNoRoom = "(one of more names than the tracer keeps)";

 private:
  struct Kept {
    std::uint64_t hash;
    std::uint32_t begin;  ///< in texts_
    std::uint32_t size;
  };
  struct Known {
    const char* pointer = nullptr;
    std::uint32_t index = 0;
  };

  std::string_view text(std::uint32_t index) const;
  Entry find_or_add(std::string_view name);

  static constexpr std::size_t kSlots = 2 * kMaxNames;
  static constexpr std::size_t kKnownPointers = 8192;

  char* texts_ = nullptr;
  std::size_t texts_size_ = 0;
  Kept* kept_ = nullptr;
  std::uint32_t* slots_ = nullptr;  ///< index + 1 by hash, open addressing; 0 is empty
  std::uint32_t count_ = 0;
  std::array<Known, kKnownPointers> known_{};
};

}  // namespace gradwire
