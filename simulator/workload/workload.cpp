#include "simulator/workload/workload.hpp"

namespace gradwire {

Elements Workload::total_elements() const {
  Elements total{0};
  for (const ReadyGradient& gradient : gradients) total += gradient.elements;
  return total;
}

Bytes Workload::total_bytes() const {
  Bytes total{0};
  for (const ReadyGradient& gradient : gradients) total += gradient.bytes();
  return total;
}

}  // namespace gradwire
