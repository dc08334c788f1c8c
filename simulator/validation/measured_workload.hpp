#pragma once

#include "simulator/validation/validation_set.hpp"
#include "simulator/workload/workload.hpp"

namespace gradwire {

/// A workload of a set in two forms.
struct LoadedWorkload {
  Workload as_measured;  ///< its backward pass takes as long as measured without communication
  Workload as_listed;    ///< for Gloo's ranks: without what making gradients takes of a core
  double make = 0.0;     ///< that, in seconds of a core a gradient byte
};

/// Reads the trace. With AloneSpread::kScale both forms are the trace scaled to the measured length
/// and `make` is 0. With kBytes the difference to the trace is time of a core in proportion to the
/// bytes of gradients. What lies outside the pass is the set's, else what the trace tells. Throws
/// as `read_workload`, and InputError when the measured pass is shorter than the trace's where the
/// difference is to be spread by bytes.
LoadedWorkload load_workload(const MeasuredWorkload& source);

/// `workload` with its gradients in the order in which DDP puts them in its initial buckets: the
/// last registered parameter first. Each keeps its own ready time. Throws InputError when a
/// gradient has no name or `registration` lacks it.
Workload in_initial_order(Workload workload, const std::vector<std::string>& registration);

/// The lines of `path`. Throws InputError when it cannot be read.
std::vector<std::string> read_registration(const std::filesystem::path& path);

}  // namespace gradwire
