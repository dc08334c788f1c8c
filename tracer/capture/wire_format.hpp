#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace gradwire {

/// Protobuf's wire format, written into memory that is large enough: the caller sees to that
/// (protobuf.dev/programming-guides/encoding). A scalar of 0 is left out, as proto3 does.
class WireWriter {
 public:
  explicit WireWriter(unsigned char* to) : at_(to) {}

  unsigned char* at() const { return at_; }

  void raw_varint(std::uint64_t value) {
    while (value >= 0x80U) {
      *at_++ = static_cast<unsigned char>(value | 0x80U);
      value >>= 7U;
    }
    *at_++ = static_cast<unsigned char>(value);
  }

  /// uint32, uint64, bool, enum; a negative int32 or int64 as its two's complement of 64 bits.
  void number(std::uint32_t field, std::uint64_t value) {
    if (value != 0) present_number(field, value);
  }
  void present_number(std::uint32_t field, std::uint64_t value) {
    raw_varint(field << 3U);
    raw_varint(value);
  }

  /// sint64.
  void zigzag(std::uint32_t field, std::int64_t value) {
    number(field,
           (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63U));
  }

  void bytes(std::uint32_t field, std::string_view value) {
    if (!value.empty()) present_bytes(field, value);
  }
  void present_bytes(std::uint32_t field, std::string_view value) {
    raw_varint(field << 3U | 2U);
    raw_varint(value.size());
    if (!value.empty()) std::memcpy(at_, value.data(), value.size());
    at_ += value.size();
  }

  void raw_byte(char value) { *at_++ = static_cast<unsigned char>(value); }

  /// A message between begin and end; `end` moves its bytes when its length needs more than one.
  unsigned char* begin_message(std::uint32_t field) {
    raw_varint(field << 3U | 2U);
    return at_++;
  }
  void end_message(unsigned char* begin) {
    const std::size_t size = static_cast<std::size_t>(at_ - begin) - 1;
    if (size < 0x80U) {
      *begin = static_cast<unsigned char>(size);
      return;
    }
    std::size_t extra = 0;
    for (std::size_t left = size >> 7U; left != 0; left >>= 7U) ++extra;
    std::memmove(begin + 1 + extra, begin + 1, size);
    at_ = begin;
    raw_varint(size);
    at_ += size;
  }

 private:
  unsigned char* at_;
};

}  // namespace gradwire
