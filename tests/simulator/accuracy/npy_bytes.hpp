#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace gradwire::test {

/// A .npy file around this dictionary, padded as numpy.save pads it: the elements begin at a
/// multiple of 64 bytes. `major`: the format, 1 to 3.
inline std::string npy_bytes(std::string header, std::string_view elements, int major = 1) {
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t before = 8 + length_bytes;
  while ((before + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += '\0';
  for (std::size_t i = 0; i < length_bytes; ++i) {
    bytes += static_cast<char>((header.size() >> (8 * i)) & 0xff);
  }
  return bytes.append(header).append(elements);
}

/// Little-endian, as this machine is (the test of bytes written by hand tells).
inline std::string float_bytes(const std::vector<float>& values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// float32 in C order; `shape` as Python writes it: "(2, 3)".
inline std::string npy_floats(const std::string& shape, const std::vector<float>& values) {
  return npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }",
                   float_bytes(values));
}

}  // namespace gradwire::test
