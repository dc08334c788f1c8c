#include "simulator/accuracy/npy_file.hpp"

#include <fmt/format.h>

#include <bit>
#include <limits>

#include "base/errors.hpp"
#include "base/input_file.hpp"
#include "compressors/reference/float16.hpp"
#include "simulator/accuracy/npy_header.hpp"

namespace gradwire {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::int64_t kMaxHeader = 65536;  // bytes; numpy.save writes a hundred for two dimensions

/// The unsigned little-endian number in `bytes` of `text` from `begin` on.
std::uint32_t little_endian(std::string_view text, std::size_t begin, std::size_t bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value |= static_cast<std::uint32_t>(static_cast<unsigned char>(text[begin + i])) << (8 * i);
  }
  return value;
}

std::int64_t size_of(DType dtype) { return element_size(dtype)->count(); }

}  // namespace

NpyFile::NpyFile(const std::filesystem::path& path)
    : name_(path.string()), stream_(open_input(path)) {
  stream_.seekg(0, std::ios::end);
  const std::int64_t size = stream_.tellg();
  if (size < 0) {
    throw InputError(name_ + ": cannot be read from any place; a file on disk is accepted");
  }
  const NpyHeader header = parse_npy_header(read_header(size), name_);
  set_type(header.descr);
  if (header.fortran_order) {
    throw InputError(name_ +
                     ": is in Fortran order; C order is accepted (numpy.ascontiguousarray)");
  }
  set_shape(header.shape);
  check_size(size);
}

std::string NpyFile::read_bytes(std::int64_t begin, std::int64_t count) {
  std::string bytes(static_cast<std::size_t>(count), '\0');
  stream_.clear();
  stream_.seekg(begin);
  stream_.read(bytes.data(), count);
  if (stream_.gcount() != count) {
    throw InputError(fmt::format("{}: only {} of {} bytes at byte {} can be read", name_,
                                 stream_.gcount(), count, begin));
  }
  return bytes;
}

std::string NpyFile::read_header(std::int64_t size) {
  constexpr std::int64_t kVersionEnd = 8;
  const std::string start = read_bytes(0, std::min(size, kVersionEnd));
  if (!start.starts_with(kMagic) || size < kVersionEnd) {
    throw InputError(fmt::format(
        "{}: {}; a .npy file of one array, as numpy.save writes it, is accepted{}", name_,
        start.empty() ? "is empty" : fmt::format("begins with `{}`", printable_text(start)),
        start.starts_with("PK") ? " (this is a zip archive, as numpy.savez and torch.save write)"
                                : ""));
  }
  const int major = static_cast<unsigned char>(start[6]);
  const int minor = static_cast<unsigned char>(start[7]);
  if (major < 1 || major > 3 || minor != 0) {
    throw InputError(fmt::format("{}: is .npy format {}.{}; 1.0, 2.0 and 3.0 are accepted", name_,
                                 major, minor));
  }
  const std::int64_t length_bytes = major == 1 ? 2 : 4;
  const std::int64_t header_begin = kVersionEnd + length_bytes;
  if (size < header_begin) {
    throw InputError(fmt::format("{}: ends at byte {}, inside the .npy header", name_, size));
  }
  const std::int64_t length = little_endian(read_bytes(kVersionEnd, length_bytes), 0,
                                            static_cast<std::size_t>(length_bytes));
  if (length > kMaxHeader || length > size - header_begin) {
    throw InputError(fmt::format(
        "{}: says that its .npy header is {} bytes long; the file has {} behind that, and at most "
        "{} are accepted",
        name_, length, size - header_begin, kMaxHeader));
  }
  begin_ = header_begin + length;
  return read_bytes(header_begin, length);
}

void NpyFile::set_type(const std::string& descr) {
  if (descr == "<f4") {
    dtype_ = DType::kFloat32;
  } else if (descr == "<f2") {
    dtype_ = DType::kFloat16;
  } else {
    const char* what = "";
    if (descr.find('O') != std::string::npos) what = " (pickled Python objects)";
    if (descr.starts_with('>')) what = " (big-endian)";
    throw InputError(fmt::format(
        "{}: holds elements of type `{}`{}; '<f4' (float32) and '<f2' (float16), little-endian, "
        "are accepted",
        name_, printable_text(descr), what));
  }
}

void NpyFile::set_shape(const std::vector<std::int64_t>& shape) {
  if (shape.size() != 1 && shape.size() != 2) {
    throw InputError(fmt::format(
        "{}: has {} dimensions; 1 (the elements of one iteration) and 2 (iterations x elements) "
        "are accepted",
        name_, shape.size()));
  }
  rows_ = shape.size() == 1 ? 1 : shape.front();
  columns_ = shape.back();
  // An iteration's number is an int, and an element's index fits the 4 bytes of the wire.
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (rows_ < 1 || rows_ > kMost || columns_ < 1 || columns_ > kMost) {
    throw InputError(
        fmt::format("{}: holds {} iterations of {} elements; 1 to {} of each are accepted", name_,
                    rows_, columns_, kMost));
  }
}

void NpyFile::check_size(std::int64_t found) const {
  const std::int64_t row_bytes = columns_ * size_of(dtype_);
  std::int64_t wanted = 0;
  if (!__builtin_mul_overflow(rows_, row_bytes, &wanted) && wanted == found - begin_) return;
  throw InputError(fmt::format(
      "{}: has {} bytes behind its header; {} x {} elements of {} take {} of {}, and exactly as "
      "many are accepted",
      name_, found - begin_, rows_, columns_, name_of(dtype_), rows_, row_bytes));
}

std::vector<float> NpyFile::row(std::int64_t index) {
  GW_CHECK(index >= 0 && index < rows_, "a row of the file");
  const std::int64_t row_bytes = columns_ * size_of(dtype_);
  const std::string bytes = read_bytes(begin_ + index * row_bytes, row_bytes);
  std::vector<float> values(static_cast<std::size_t>(columns_));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = dtype_ == DType::kFloat32
                    ? std::bit_cast<float>(little_endian(bytes, 4 * i, 4))
                    : float_of_float16(static_cast<std::uint16_t>(little_endian(bytes, 2 * i, 2)));
  }
  return values;
}

}  // namespace gradwire
