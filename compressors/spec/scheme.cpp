#include "compressors/spec/scheme.hpp"

#include <algorithm>

namespace gradwire {

Elements TensorShape::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : extents) product *= extent;
  return Elements{product};
}

Elements total_elements(const std::vector<TensorShape>& tensors) {
  Elements sum{0};
  for (const TensorShape& tensor : tensors) sum += tensor.elements();
  return sum;
}

Bytes wire_bytes(const std::vector<Transfer>& transfers) {
  Bytes sum{0};
  for (const Transfer& transfer : transfers) sum += transfer.bytes();
  return sum;
}

double compression_ratio(const Scheme& scheme, const std::vector<TensorShape>& tensors) {
  const Bytes payload = total_elements(tensors) * Bytes{4};
  return static_cast<double>(payload.count()) /
         static_cast<double>(wire_bytes(scheme.transfers(tensors)).count());
}

bool depends_on_shapes(const Scheme& scheme) {
  // So large that no threshold of a scheme takes the matrix for not worth compressing.
  constexpr std::int64_t kSide = std::int64_t{1} << 30;
  return scheme.work({{{kSide, kSide}}}, 2) != scheme.work({{{kSide * kSide}}}, 2);
}

bool carried_by_all_reduce(const std::vector<Transfer>& transfers) {
  return std::all_of(transfers.begin(), transfers.end(), [](const Transfer& transfer) {
    return transfer.kind == CollectiveKind::kAllReduce;
  });
}

}  // namespace gradwire
