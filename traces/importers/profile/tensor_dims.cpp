#include "traces/importers/profile/tensor_dims.hpp"

#include <charconv>

#include "traces/importers/json_scan.hpp"

namespace gradwire {
namespace {

/// Reads nested arrays of whole numbers; `at` stands after what was read.
class DimsReader {
 public:
  explicit DimsReader(std::string_view json) : json_(json) {}

  bool take(char wanted) {
    at_ = skip_space(json_, at_);
    if (at_ >= json_.size() || json_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  /// The numbers of one array up to its `]`; absent when something else stands in it.
  std::optional<std::vector<std::int64_t>> numbers() {
    std::vector<std::int64_t> values;
    if (take(']')) return values;
    do {
      at_ = skip_space(json_, at_);
      std::int64_t value = 0;
      const char* end = json_.data() + json_.size();
      const auto [stop, error] = std::from_chars(json_.data() + at_, end, value);
      if (error != std::errc{}) return std::nullopt;
      at_ = static_cast<std::size_t>(stop - json_.data());
      values.push_back(value);
    } while (take(','));
    if (!take(']')) return std::nullopt;
    return values;
  }

 private:
  std::string_view json_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<InputDims> parse_first_input_dims(std::string_view json) {
  DimsReader reader(json);
  if (!reader.take('[') || !reader.take('[')) return std::nullopt;
  InputDims dims;
  if (!reader.take('[')) {
    auto tensor = reader.numbers();
    if (!tensor) return std::nullopt;
    dims.tensors.push_back(std::move(*tensor));
    return dims;
  }
  dims.is_list = true;
  do {
    auto tensor = reader.numbers();
    if (!tensor) return std::nullopt;
    dims.tensors.push_back(std::move(*tensor));
  } while (reader.take(',') && reader.take('['));
  return dims;
}

std::optional<std::string> parse_first_input_type(std::string_view json) {
  const std::size_t open = skip_space(json, 0);
  if (open >= json.size() || json[open] != '[') return std::nullopt;
  const std::size_t quote = skip_space(json, open + 1);
  if (quote >= json.size() || json[quote] != '"') return std::nullopt;
  const std::size_t end = json.find('"', quote + 1);
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(json.substr(quote + 1, end - quote - 1));
}

std::optional<std::int64_t> total_elements(const InputDims& dims) {
  std::optional<std::int64_t> total;
  for (const auto& tensor : dims.tensors) {
    const auto count = element_count(tensor);
    if (!count || tensor.empty()) continue;
    std::int64_t sum = 0;
    if (__builtin_add_overflow(total.value_or(0), *count, &sum)) return std::nullopt;
    total = sum;
  }
  return total;
}

std::optional<std::int64_t> element_count(const std::vector<std::int64_t>& dims) {
  std::int64_t product = 1;
  for (const std::int64_t dim : dims) {
    if (dim < 0 || __builtin_mul_overflow(product, dim, &product)) return std::nullopt;
  }
  return product;
}

}  // namespace gradwire
