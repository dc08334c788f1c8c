#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gradwire {

/// What the header of a .npy file says, a Python dictionary of these three (NumPy, "NPY format",
/// numpy/lib/format.py).
struct NpyHeader {
  std::string descr;  ///< the type of an element: "<f4"
  bool fortran_order = false;
  std::vector<std::int64_t> shape;  ///< none below 0; empty for a scalar
};

/// Reads the dictionary, any padding of blanks behind it. `source` names the file. Throws
/// InputError.
NpyHeader parse_npy_header(std::string_view text, const std::string& source);

/// `text` for a message: at most 40 bytes of it, what is no printable ASCII as '?'.
std::string printable_text(std::string_view text);

}  // namespace gradwire
