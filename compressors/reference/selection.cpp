#include "compressors/reference/selection.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gradwire {
namespace {

WireMessage index_message(const std::vector<std::int64_t>& indices, std::int64_t index_bytes) {
  if (index_bytes == 8) return make_message(DType::kInt64, indices);
  std::vector<std::int32_t> narrow;
  for (const std::int64_t index : indices) {
    GW_CHECK(index <= std::numeric_limits<std::int32_t>::max(), "too many elements for 4 bytes");
    narrow.push_back(static_cast<std::int32_t>(index));
  }
  return make_message(DType::kInt32, narrow);
}

std::vector<std::int64_t> indices_of(const WireMessage& message) {
  if (message.type == DType::kInt64) return values_of<std::int64_t>(message);
  const std::vector<std::int32_t> narrow = values_of<std::int32_t>(message);
  return {narrow.begin(), narrow.end()};
}

}  // namespace

float selection_magnitude(float value) {
  const float magnitude = std::fabs(value);
  return std::isfinite(magnitude) ? magnitude : std::numeric_limits<float>::max();
}

Selection::Selection(const ReferenceSetting& setting, Memory memory) {
  if (setting.transfers.empty()) return;
  k_ = setting.transfers.front().elements.count();
  if (setting.transfers.size() > 1) index_bytes_ = setting.transfers[1].element_size.count();
  if (memory == Memory::kOfWhatWasNotSent) {
    memory_.resize(static_cast<std::size_t>(setting.elements().count()));
  }
}

std::vector<WireMessage> Selection::encode(int, std::span<const float> gradient, int) {
  std::vector<float> vector(gradient.begin(), gradient.end());
  for (std::size_t i = 0; i < memory_.size(); ++i) vector[i] += memory_[i];
  indices_ = select(vector, k_);
  GW_CHECK(static_cast<std::int64_t>(indices_.size()) == k_, "another number of elements");

  std::vector<float> values;
  for (const std::int64_t index : indices_) {
    values.push_back(vector[static_cast<std::size_t>(index)]);
    vector[static_cast<std::size_t>(index)] = 0.0F;
  }
  if (!memory_.empty()) memory_ = std::move(vector);
  std::vector<WireMessage> messages = {make_message(DType::kFloat32, values)};
  if (index_bytes_ != 0) messages.push_back(index_message(indices_, index_bytes_));
  return messages;
}

void Selection::decode(int, const std::vector<WireMessage>& results, int ranks,
                       std::span<float> averaged) {
  const std::vector<float> values = values_of<float>(results.front());
  const std::vector<std::int64_t> places = index_bytes_ == 0 ? indices_ : indices_of(results[1]);
  std::fill(averaged.begin(), averaged.end(), 0.0F);
  for (std::size_t i = 0; i < values.size(); ++i) {
    averaged[static_cast<std::size_t>(places[i])] += values[i];
  }
  for (float& value : averaged) value /= static_cast<float>(ranks);
}

}  // namespace gradwire
