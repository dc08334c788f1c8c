#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradwire {

/// The dims of an operator's first input as "Input Dims" writes them: one tensor, or a list of
/// tensors.
struct InputDims {
  std::vector<std::vector<std::int64_t>> tensors;
  bool is_list = false;  ///< the first input is a list of tensors, [[[2873320]], ...]
};

/// Reads "Input Dims" ("[[64, 3, 7, 7], []]"). Absent when there is no first input or it is not of
/// this form.
std::optional<InputDims> parse_first_input_dims(std::string_view json);

/// The first string of "Input type" ("[\"float\", \"\"]"); absent when there is none.
std::optional<std::string> parse_first_input_type(std::string_view json);

/// Elements of all tensors of the first input together. `[]` is a list of tensors in older files
/// and no scalar: it tells nothing. Absent when no tensor tells its size, or the sum does not fit.
std::optional<std::int64_t> total_elements(const InputDims& dims);

/// Product of `dims`; 1 for none. Absent when it is negative or does not fit.
std::optional<std::int64_t> element_count(const std::vector<std::int64_t>& dims);

}  // namespace gradwire
