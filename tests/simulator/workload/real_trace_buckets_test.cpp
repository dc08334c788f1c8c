// The buckets made of real DDP traces against the all-reduces that the same traces recorded. Skips
// where the trace files are absent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "simulator/workload/bucketing.hpp"
#include "simulator/workload/gradient_schedule.hpp"
#include "simulator/workload/iteration_finder.hpp"
#include "tests/support/model_parameters.hpp"
#include "traces/importers/parameter_list.hpp"
#include "traces/importers/registry.hpp"

namespace gradwire {
namespace {

using ::testing::ElementsAre;

std::filesystem::path real_trace(const std::string& name) {
  return std::filesystem::path(GRADWIRE_SHARED_DIR) / "traces-public" / name;
}

std::vector<std::int64_t> bucket_elements(const Trace& trace) {
  const Workload workload = make_workload(trace, "real trace", {});
  std::vector<std::int64_t> elements;
  for (const Bucket& bucket : make_buckets(workload.gradients, BucketCaps{})) {
    elements.push_back(bucket.elements.count());
  }
  return elements;
}

/// Elements of the all-reduces of the representative iteration, in the order of their kernels.
std::vector<std::int64_t> recorded_elements(const Trace& trace) {
  const std::optional<std::int32_t> iteration = find_representative_iteration(trace);
  std::vector<std::int64_t> elements;
  for (const Communication& item : trace.communications) {
    if (item.collective == CollectiveKind::kAllReduce && item.iteration == iteration) {
      elements.push_back(item.in_elements.value_or(Elements{-1}).count());
    }
  }
  return elements;
}

TEST(RealTraceBuckets, OfResNet18InBfloat16AreTheAllReducesThatEightGpusRan) {
  const auto path = real_trace("tracelens-resnet18-ddp8-mi300x-rank0.json.gz");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
  const Trace trace = import_trace(path, ImportOptions{}).trace;
  EXPECT_THAT(bucket_elements(trace), ElementsAre(2'873'320, 8'816'192));
  EXPECT_EQ(bucket_elements(trace), recorded_elements(trace));
}

// The trace has no shapes, so the model's parameter list supplies them.
TEST(RealTraceBuckets, OfResNet50AreTheAllReducesThatTwoGpusRan) {
  const auto path = real_trace("hta-resnet50-ddp2-a100-rank0.json.gz");
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not here";
  Imported imported = import_trace(path, ImportOptions{});
  std::vector<ParameterShape> list;
  for (const test::Parameter& parameter : test::resnet50_parameters()) {
    list.push_back({parameter.name, parameter.shape, DType::kFloat32});
  }
  apply_parameter_list(list, "resnet50", imported.trace, imported.report);
  EXPECT_THAT(bucket_elements(imported.trace),
              ElementsAre(2'049'000, 7'875'584, 6'563'840, 6'637'568, 2'431'040));
  EXPECT_EQ(bucket_elements(imported.trace), recorded_elements(imported.trace));
}

}  // namespace
}  // namespace gradwire
