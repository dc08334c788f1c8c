#pragma once

#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/errors.hpp"

namespace gradwire {

/// Values as bytes for another process of the same program: no versions, no byte order. A type is
/// told by `each_field(value, field)`, which calls `field` on every member, so that both directions
/// name the members once. A struct of plain values goes as it lies in memory: one with padding does
/// not always give the same bytes.
class ByteWriter {
 public:
  template <class T>
  void operator()(const T& value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else {
      each_field(value, *this);
    }
  }
  void operator()(const std::string& text) {
    (*this)(text.size());
    bytes_ += text;
  }
  template <class T>
  void operator()(const std::vector<T>& values) {
    (*this)(values.size());
    for (const T& value : values) (*this)(value);
  }
  template <class T>
  void operator()(const std::optional<T>& value) {
    (*this)(value.has_value());
    if (value) (*this)(*value);
  }

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what a ByteWriter wrote; fewer bytes than that are a bug (GW_CHECK).
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  void operator()(T& value) {
    if constexpr (std::is_trivially_copyable_v<T>) {
      std::memcpy(&value, take(sizeof value).data(), sizeof value);
    } else {
      each_field(value, *this);
    }
  }
  void operator()(std::string& text) {
    std::size_t size = 0;
    (*this)(size);
    text = take(size);
  }
  template <class T>
  void operator()(std::vector<T>& values) {
    std::size_t size = 0;
    (*this)(size);
    values.clear();
    for (std::size_t i = 0; i < size; ++i) (*this)(values.emplace_back());
  }
  template <class T>
  void operator()(std::optional<T>& value) {
    bool present = false;
    (*this)(present);
    value.reset();
    if (present) (*this)(value.emplace());
  }

 private:
  std::string_view take(std::size_t size) {
    GW_CHECK(size <= bytes_.size(), "fewer bytes than announced");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string_view bytes_;
};

}  // namespace gradwire
