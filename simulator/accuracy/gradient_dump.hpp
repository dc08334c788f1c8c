#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "compressors/spec/scheme.hpp"

namespace gradwire {

/// Gradients as the ranks of one job computed them in consecutive iterations, before any exchange.
struct RecordedGradients {
  std::vector<std::string> names;   ///< of the tensors
  std::vector<TensorShape> shapes;  ///< in the order of the elements, one a name
  int ranks = 0;
  int iterations = 0;
  /// Some rank's were stored as float16: what that lost is not seen here.
  bool stored_as_float16 = false;
  /// The gradients of one iteration (0 .. iterations-1), one a rank: all tensors one behind the
  /// other, each row by row.
  std::function<std::vector<std::vector<float>>(int iteration)> read;
};

/// Opens .npy files, one a rank in the order of the ranks, of the tensors that the parameter list
/// names (docs/formats/gradients.md). Iterations are read when they are asked for; `read` throws
/// InputError when a file has shrunk. Throws InputError naming the file that is wrong in itself,
/// has another number of elements than the list or another number of iterations than the first.
RecordedGradients open_gradient_dump(const std::vector<std::filesystem::path>& rank_files,
                                     const std::filesystem::path& parameters);

}  // namespace gradwire
