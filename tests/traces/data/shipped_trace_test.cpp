// The trace in traces/data/ against the figures of its source (provenance.md beside it).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "simulator/workload/trace_summary.hpp"
#include "traces/importers/registry.hpp"
#include "traces/model/trace_codec.hpp"

namespace gradwire {
namespace {

const std::filesystem::path kTrace =
    std::filesystem::path{GRADWIRE_SOURCE_DIR} / "traces/data/v100-resnet50-b32/trace.gwt";
const std::filesystem::path kPublicFile = std::filesystem::path{GRADWIRE_SHARED_DIR} /
                                          "traces-public/kineto-resnet50-v100-torch1.9-nw4.json.gz";

class ShippedTrace : public testing::Test {
 protected:
  TraceSummary summary_ = summarise_trace(import_trace(kTrace, {.strict = true}), "shipped", {});
};

TEST_F(ShippedTrace, IsSmallerThanAMegabyte) {
  EXPECT_LT(std::filesystem::file_size(kTrace), 1'000'000U);
}

TEST_F(ShippedTrace, HasSixCompleteIterationsAndMarksOne) {
  ASSERT_EQ(summary_.iterations.size(), 6U);
  EXPECT_TRUE(std::all_of(summary_.iterations.begin(), summary_.iterations.end(),
                          [](const auto& iteration) { return iteration.complete; }));
  EXPECT_EQ(std::count_if(summary_.iterations.begin(), summary_.iterations.end(),
                          [](const auto& iteration) { return iteration.representative; }),
            1);
  const Trace trace = read_trace(kTrace).trace;
  ASSERT_TRUE(summary_.representative);
  EXPECT_TRUE(trace.iterations[*summary_.representative].representative);
}

// Figures of the source: 1478 kernels an iteration, 557 of the backward pass, 64.56 ms of them in
// 67.22 ms (medians, to the hundredth).
TEST_F(ShippedTrace, HasTheKernelsOfItsSource) {
  ASSERT_TRUE(summary_.median);
  EXPECT_EQ(summary_.median->kernels, 1478.0);
  EXPECT_EQ(summary_.median->backward_kernels, 557.0);
  EXPECT_NEAR(summary_.median->backward_kernel_busy.value().count(), 64.56e-3, 0.0051e-3);
  EXPECT_NEAR(summary_.median->backward_span.count(), 67.22e-3, 0.0051e-3);
  EXPECT_EQ(summary_.kernels_without_launch, 0U);
  EXPECT_EQ(summary_.kernels_outside_iterations, 0U);
}

TEST_F(ShippedTrace, HasAllParametersWithShapesAndAReadyTimeOfTheirOwn) {
  ASSERT_TRUE(summary_.parameters);
  EXPECT_EQ(summary_.parameters->parameters, 161U);
  EXPECT_EQ(summary_.parameters->with_own_kernel, 161U);
  EXPECT_EQ(summary_.parameters->elements, Elements{25'557'032});
  const Trace trace = read_trace(kTrace).trace;
  EXPECT_EQ(trace.gradients.size(), 6U * 161U);
  for (const Gradient& gradient : trace.gradients) {
    EXPECT_FALSE(gradient.shape.empty());
    EXPECT_EQ(gradient.dtype, DType::kFloat32);
  }
}

// The five all-reduces of the same model in a trace of two ranks (hta-resnet50-ddp2-a100-rank0).
TEST_F(ShippedTrace, GivesAWorkloadWithTheBucketsThatDdpMakes) {
  ASSERT_TRUE(summary_.workload) << testing::PrintToString(summary_.missing);
  std::vector<std::int64_t> elements;
  for (const Bucket& bucket : summary_.buckets) elements.push_back(bucket.elements.count());
  EXPECT_THAT(elements,
              testing::ElementsAre(2'049'000, 7'875'584, 6'563'840, 6'637'568, 2'431'040));
}

TEST_F(ShippedTrace, SaysWhereItComesFrom) {
  using testing::HasSubstr;
  const Provenance& provenance = summary_.provenance;
  EXPECT_THAT(provenance.source, HasSubstr("pytorch/kineto"));
  EXPECT_THAT(provenance.source, HasSubstr("tb_plugin/samples/resnet50_num_workers_4/"
                                           "worker0.1623213129365.pt.trace.json.gz"));
  EXPECT_THAT(provenance.source, HasSubstr("3e633b5fde9d"));
  EXPECT_EQ(provenance.licence, "BSD-3-Clause");
  EXPECT_THAT(provenance.made_by, HasSubstr("gradwire import"));
  EXPECT_THAT(provenance.left_out, testing::Contains("call stacks"));
}

TEST_F(ShippedTrace, IsWhatImportingThePublicFileGives) {
  if (!std::filesystem::exists(kPublicFile)) {
    GTEST_SKIP() << "the public trace is not at hand: " << kPublicFile;
  }
  Trace imported = import_trace(kPublicFile, {.strict = true}).trace;
  const Trace shipped = read_trace(kTrace).trace;
  imported.provenance = shipped.provenance;  // the command line's part
  EXPECT_TRUE(imported == shipped);
}

}  // namespace
}  // namespace gradwire
