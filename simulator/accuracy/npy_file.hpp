#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/dtype.hpp"

namespace gradwire {

/// A .npy file (format 1.0, 2.0 or 3.0) of little-endian float32 or float16 in C order, read a row
/// at a time: docs/formats/gradients.md. A 1-D array is one row.
class NpyFile {
 public:
  /// Throws InputError naming the file where it is missing, no such file, of another type, order or
  /// number of dimensions, without elements, or longer or shorter than its shape says.
  explicit NpyFile(const std::filesystem::path& path);

  const std::string& name() const { return name_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  DType dtype() const { return dtype_; }

  /// Row `index` (0 .. rows()-1). Throws InputError when the file has shrunk meanwhile.
  std::vector<float> row(std::int64_t index);

 private:
  std::string read_bytes(std::int64_t begin, std::int64_t count);
  std::string read_header(std::int64_t size);
  void set_type(const std::string& descr);
  void set_shape(const std::vector<std::int64_t>& shape);
  void check_size(std::int64_t found) const;

  std::string name_;
  std::ifstream stream_;
  std::int64_t begin_ = 0;  // byte of the first element
  DType dtype_ = DType::kUnknown;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
};

}  // namespace gradwire
