#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "traces/model/trace.hpp"

namespace gradwire {

/// The part of a trace that a workload is made of.
struct ChosenIteration {
  std::int32_t index = 0;  ///< into Trace::iterations
  BackwardMark backward;
  std::vector<const Gradient*> gradients;  ///< in the trace's order; the trace must outlive this
  std::int32_t device = 0;                 ///< of all gradients
};

/// Throws InputError when `trace` shows a way of training that is not modelled; plain DDP is.
void refuse_unmodelled_training(const Trace& trace, const std::string& name);

/// Iteration `index` of `trace` with what a workload needs of it. Throws InputError, one sentence
/// with what to do, when the iteration or its backward pass is not there, or its gradients are
/// missing, on several devices, without sizes or of unknown element type.
ChosenIteration choose_iteration(const Trace& trace, const std::string& name, std::int32_t index);

/// Elements of a gradient, from its count or its shape; absent when the trace tells neither.
std::optional<Elements> elements_of(const Gradient& gradient);

}  // namespace gradwire
