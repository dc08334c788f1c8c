#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "base/dtype.hpp"
#include "base/errors.hpp"

namespace gradwire {

/// What one rank hands to one collective, or gets from it: elements of one type, back to back, in
/// the byte order of the machine.
struct WireMessage {
  DType type = DType::kFloat32;
  std::vector<std::byte> bytes;

  bool operator==(const WireMessage&) const = default;
};

/// `values` as the bytes of a message. `Value` is as long as an element of `type`.
template <class Value>
WireMessage make_message(DType type, const std::vector<Value>& values) {
  GW_CHECK(element_size(type) == Bytes{sizeof(Value)}, "another element size");
  const auto bytes = std::as_bytes(std::span{values});
  return {type, {bytes.begin(), bytes.end()}};
}

/// The elements of a message. `Value` is as long as an element of its type.
template <class Value>
std::vector<Value> values_of(const WireMessage& message) {
  GW_CHECK(element_size(message.type) == Bytes{sizeof(Value)}, "another element size");
  std::vector<Value> values(message.bytes.size() / sizeof(Value));
  if (!values.empty()) std::memcpy(values.data(), message.bytes.data(), message.bytes.size());
  return values;
}

}  // namespace gradwire
