#include "compressors/reference/simulated_collective.hpp"

#include <cstdint>

#include "compressors/reference/float16.hpp"

namespace gradwire {
namespace {

template <class Value, class Add>
WireMessage sum_of(const std::vector<WireMessage>& contributions, Add add) {
  std::vector<Value> sum = values_of<Value>(contributions.front());
  for (std::size_t rank = 1; rank < contributions.size(); ++rank) {
    const std::vector<Value> other = values_of<Value>(contributions[rank]);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = add(sum[i], other[i]);
  }
  return make_message(contributions.front().type, sum);
}

WireMessage all_reduce(const std::vector<WireMessage>& contributions) {
  switch (contributions.front().type) {
    case DType::kFloat32:
      return sum_of<float>(contributions, [](float a, float b) { return a + b; });
    case DType::kFloat16:
      return sum_of<std::uint16_t>(contributions, [](std::uint16_t a, std::uint16_t b) {
        return float16_bits(float_of_float16(a) + float_of_float16(b));
      });
    case DType::kBfloat16:
      return sum_of<std::uint16_t>(contributions, [](std::uint16_t a, std::uint16_t b) {
        return bfloat16_bits(float_of_bfloat16(a) + float_of_bfloat16(b));
      });
    default:
      GW_CHECK(false, "no sum of this type is defined");
      return {};
  }
}

}  // namespace

WireMessage collective_result(CollectiveKind kind, const std::vector<WireMessage>& contributions) {
  GW_CHECK(!contributions.empty(), "no rank takes part");
  const WireMessage& first = contributions.front();
  for (const WireMessage& message : contributions) {
    GW_CHECK(message.type == first.type, "the ranks send different types");
    GW_CHECK(message.bytes.size() == first.bytes.size(), "the ranks send different lengths");
  }
  if (kind == CollectiveKind::kAllReduce) return all_reduce(contributions);
  GW_CHECK(kind == CollectiveKind::kAllGather, "another collective than the known two");
  WireMessage gathered{first.type, {}};
  for (const WireMessage& message : contributions) {
    gathered.bytes.insert(gathered.bytes.end(), message.bytes.begin(), message.bytes.end());
  }
  return gathered;
}

}  // namespace gradwire
