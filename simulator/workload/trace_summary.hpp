#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.hpp"
#include "base/units.hpp"
#include "simulator/workload/bucketing.hpp"
#include "simulator/workload/workload.hpp"
#include "traces/importers/importer.hpp"
#include "traces/model/trace.hpp"

namespace gradwire {

/// What one iteration of a trace holds. A kernel belongs where its launch is.
struct IterationSummary {
  std::int64_t number = 0;  ///< as the profiler counts it
  bool representative = false;
  bool inferred = false;
  bool complete = true;
  Seconds length{0};                 ///< of the mark: on the host, when the profiler marked it
  std::size_t kernels = 0;           ///< compute and communication
  std::size_t copies = 0;            ///< memcpy and memset
  std::size_t backward_kernels = 0;  ///< compute kernels that the backward passes launched
  std::size_t backward_passes = 0;
  /// Union of the backward kernels, without and with copies and memsets; both absent when the trace
  /// holds no kernels.
  std::optional<Seconds> backward_kernel_busy;
  std::optional<Seconds> backward_busy;
  Seconds backward_span{0};  ///< first start to last end of the backward passes
};

/// Medians over the complete iterations that have a backward pass (the mean of the middle two when
/// their count is even).
struct MedianSummary {
  std::size_t iterations = 0;
  double kernels = 0.0;
  double backward_kernels = 0.0;
  std::optional<Seconds> backward_kernel_busy;
  std::optional<Seconds> backward_busy;
  Seconds backward_span{0};
};

/// Device work of one class.
struct KernelClassSummary {
  KernelCategory category = KernelCategory::kCompute;
  std::size_t kernels = 0;  ///< in the whole trace
  Seconds time{0};          ///< sum of durations, in the whole trace
  /// Medians over complete iterations; absent without any.
  std::optional<double> kernels_per_iteration;
  std::optional<Seconds> time_per_iteration;
};

/// The parameters as the gradients of the representative iteration show them.
struct ParameterSummary {
  std::size_t parameters = 0;
  std::size_t named = 0;
  std::size_t sized = 0;
  std::optional<Elements> elements;  ///< absent unless all have a size
  std::optional<Bytes> bytes;        ///< absent unless all have a size and an element type
  std::size_t with_own_kernel = 0;   ///< ready with a kernel of their own (Gradient::own_kernel)
};

/// Communications of one kind.
struct CommunicationSummary {
  CollectiveKind collective = CollectiveKind::kOpaque;
  DType dtype = DType::kUnknown;
  std::optional<std::int32_t> group_size;
  std::size_t count = 0;  ///< in the whole trace
  /// Elements that each one takes in, in the representative iteration (in the whole trace without
  /// one), in order; absent where the trace does not tell.
  std::vector<std::optional<Elements>> sizes;
};

/// What a trace holds, what can be made of it and what is missing: all that `inspect` shows.
struct TraceSummary {
  std::string name;
  std::string format;
  std::vector<DeviceFacts> devices;
  std::vector<Fact> software;
  std::optional<std::int32_t> rank;
  std::optional<std::int32_t> world_size;
  std::optional<std::int64_t> batch_size;  ///< samples an iteration
  Provenance provenance;
  std::vector<Parallelism> parallelism;

  std::size_t kernels = 0;
  std::size_t kernels_outside_iterations = 0;
  std::size_t kernels_without_launch = 0;
  std::vector<KernelClassSummary> kernel_classes;  ///< one for each category, in order
  std::vector<IterationSummary> iterations;
  std::optional<std::size_t> representative;  ///< index into iterations
  std::optional<MedianSummary> median;
  std::optional<Seconds> iteration_period;
  std::optional<ParameterSummary> parameters;
  std::vector<CommunicationSummary> communications;

  BucketCaps caps;
  std::optional<Workload> workload;  ///< absent where `missing` says why
  std::vector<Bucket> buckets;       ///< of the workload
  std::vector<Defect> defects;       ///< of the import
  std::vector<std::string> missing;  ///< what the trace does not tell, one sentence each
};

/// Looks through a whole trace; `name` stands for it in messages. A trace that gives no workload is
/// summarised all the same. Throws InputError for caps of zero bytes.
TraceSummary summarise_trace(const Imported& imported, const std::string& name,
                             const BucketCaps& caps);

}  // namespace gradwire
