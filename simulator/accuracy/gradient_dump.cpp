#include "simulator/accuracy/gradient_dump.hpp"

#include <fmt/format.h>

#include <limits>
#include <memory>

#include "base/errors.hpp"
#include "simulator/accuracy/npy_file.hpp"
#include "traces/importers/parameter_list.hpp"

namespace gradwire {
namespace {

/// Elements of all parameters; at least 2^63 - 1 where they are more than that.
std::int64_t elements_of(const std::vector<ParameterShape>& parameters) {
  std::int64_t sum = 0;
  for (const ParameterShape& parameter : parameters) {
    const std::int64_t elements = TensorShape{parameter.shape}.elements().count();
    if (__builtin_add_overflow(sum, elements, &sum)) {
      return std::numeric_limits<std::int64_t>::max();
    }
  }
  return sum;
}

void check_file(const NpyFile& file, const NpyFile& first, std::size_t parameters,
                std::int64_t elements, const std::filesystem::path& list) {
  if (file.columns() != elements) {
    throw InputError(fmt::format(
        "{}: has {} elements an iteration; the {} parameters of {} have {}, and as many are "
        "accepted (of several iterations a row each)",
        file.name(), file.columns(), parameters, list.string(), elements));
  }
  if (file.rows() != first.rows()) {
    throw InputError(
        fmt::format("{}: has {} iterations and {} has {}; the same of every rank is accepted",
                    file.name(), file.rows(), first.name(), first.rows()));
  }
}

}  // namespace

RecordedGradients open_gradient_dump(const std::vector<std::filesystem::path>& rank_files,
                                     const std::filesystem::path& parameters) {
  if (rank_files.empty()) throw InputError("gradients: no file found; one a rank is accepted");
  const std::vector<ParameterShape> list = read_parameter_list(parameters);
  const std::int64_t elements = elements_of(list);
  RecordedGradients gradients;
  for (const ParameterShape& parameter : list) {
    gradients.names.push_back(parameter.name);
    gradients.shapes.push_back({parameter.shape});
  }
  const auto files = std::make_shared<std::vector<NpyFile>>();
  for (const std::filesystem::path& path : rank_files) {
    const NpyFile& file = files->emplace_back(path);
    check_file(file, files->front(), list.size(), elements, parameters);
    if (file.dtype() == DType::kFloat16) gradients.stored_as_float16 = true;
  }
  gradients.ranks = static_cast<int>(files->size());
  gradients.iterations = static_cast<int>(files->front().rows());
  gradients.read = [files](int iteration) {
    std::vector<std::vector<float>> all_ranks;
    for (NpyFile& file : *files) all_ranks.push_back(file.row(iteration));
    return all_ranks;
  };
  return gradients;
}

}  // namespace gradwire
