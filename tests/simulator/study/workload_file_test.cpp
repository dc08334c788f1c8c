#include "simulator/study/workload_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"
#include "traces/importers/registry.hpp"
#include "traces/model/trace_codec.hpp"

namespace gradwire {
namespace {

using test::TemporaryFolder;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const std::filesystem::path kResNet50 =
    std::filesystem::path{GRADWIRE_SOURCE_DIR} / "traces/data/v100-resnet50-b32/trace.gwt";

constexpr const char* kRows =
    "parameter,shape,dtype,ready_us\nbias,10,float32,40\nweight,10x4,float32,100\n";

/// Lists of one job: 100 us, with and without a batch of 8.
class WorkloadFile : public testing::Test {
 protected:
  WorkloadSource list(const std::string& facts) const {
    WorkloadSource source;
    source.name = "job";
    source.trace = folder_.write("list.csv", facts + kRows);
    return source;
  }

  std::string fault(const std::function<void(WorkloadSource&)>& change) const {
    WorkloadSource source = list("# batch: 8\n");
    change(source);
    return test::input_error_of([&] { read_workload(source, {}); });
  }

  TemporaryFolder folder_;
};

double microseconds(Seconds time) { return time.count() * 1e6; }

TEST_F(WorkloadFile, WithoutABatchIsTheTracesOwn) {
  const Workload workload = read_workload(list("# batch: 8\n# source: a paper\n"), {});
  EXPECT_EQ(workload.name, "job");
  EXPECT_EQ(workload.batch, 8);
  EXPECT_DOUBLE_EQ(microseconds(workload.backward_span), 100.0);
  EXPECT_FALSE(workload.compute_band);
  EXPECT_EQ(read_workload(list(""), {}).batch, std::nullopt);
}

TEST_F(WorkloadFile, StandsAsTheTraceIsKnown) {
  const Workload measured = read_workload(kResNet50, {}, {});
  EXPECT_EQ(measured.compute_standing, "measured");
  EXPECT_THAT(measured.compute_basis,
              AllOf(HasSubstr("67.06 ms is measured"), HasSubstr("pytorch/kineto")));
  const Workload published = read_workload(list("# source: a paper\n"), {});
  EXPECT_EQ(published.compute_standing, "published");
  EXPECT_THAT(published.compute_basis, HasSubstr("from a paper"));
  EXPECT_EQ(read_workload(list(""), {}).compute_standing, "given");
  const Workload stated = read_workload(
      list("# source: a paper\n# standing: recalled\n# basis: figure 3, from memory\n"), {});
  EXPECT_EQ(stated.compute_standing, "recalled");
  EXPECT_THAT(stated.compute_basis, HasSubstr("figure 3, from memory"));
}

TEST_F(WorkloadFile, KeepsItsStandingInOurOwnFormat) {
  const auto standing = [this](const std::string& facts) {
    const Trace trace = import_trace(list(facts).trace, {}).trace;
    return read_workload(folder_.write("t.gwt", encode_trace(trace)), {}, {}).compute_standing;
  };
  EXPECT_EQ(standing(""), "given");
  EXPECT_EQ(standing("# source: a paper\n"), "published");
}

TEST_F(WorkloadFile, IsScaledFromTheBatchThatTheTraceStates) {
  WorkloadSource source = list("# batch: 8\n");
  source.batch = 4;
  const Workload workload = read_workload(source, {});
  EXPECT_DOUBLE_EQ(microseconds(workload.backward_span), 50.0);
  EXPECT_DOUBLE_EQ(microseconds(workload.gradients.front().ready), 20.0);
  EXPECT_EQ(workload.batch, 4);
  EXPECT_EQ(workload.compute_standing, "derived");
  source.batch_fixed_share = 0.5;  // 0.5 + 0.5 * 4 / 8
  EXPECT_DOUBLE_EQ(microseconds(read_workload(source, {}).backward_span), 75.0);
}

TEST_F(WorkloadFile, TakesARecordedBatchWhereTheTraceIsSilentAndSaysSo) {
  WorkloadSource source = list("");
  source.recorded_batch = 2;
  const Workload unscaled = read_workload(source, {});
  EXPECT_EQ(unscaled.batch, 2);
  EXPECT_EQ(unscaled.compute_standing, "given");
  EXPECT_THAT(unscaled.warnings, Contains(HasSubstr("that of 2 is as given")));
  EXPECT_THAT(unscaled.warnings, Not(Contains(HasSubstr("is unknown"))));
  source.batch = 6;
  EXPECT_NEAR(microseconds(read_workload(source, {}).backward_span), 300.0, 1e-9);
}

TEST_F(WorkloadFile, ScalesTheShippedTraceOfResNet50) {
  WorkloadSource source;
  source.trace = kResNet50;
  source.recorded_batch = 32;
  source.batch = 64;
  const Workload workload = read_workload(source, {});
  EXPECT_EQ(workload.name, "v100-resnet50-b32");
  EXPECT_NEAR(workload.backward_span.count(), 134.1e-3, 0.05e-3);  // twice 67.06 ms
  EXPECT_FALSE(workload.outside_backward);
}

TEST_F(WorkloadFile, TakesTheLengthOfABackwardPassAtTheBatchThatIsAskedFor) {
  WorkloadSource source = list("# batch: 8\n");
  source.batch = 64;
  source.backward = Seconds{500e-6};
  source.backward_source = "a table";
  const Workload workload = read_workload(source, {});
  EXPECT_DOUBLE_EQ(microseconds(workload.backward_span), 500.0);
  EXPECT_DOUBLE_EQ(microseconds(workload.gradients.front().ready), 200.0);
  EXPECT_EQ(workload.batch, 64);
  EXPECT_THAT(workload.compute_basis, HasSubstr("(a table)"));
}

TEST_F(WorkloadFile, TurnsABandOfTimesIntoFactorsAroundItsOwn) {
  WorkloadSource source = list("# batch: 8\n");
  source.batch = 16;  // 200 us
  source.backward_low = Seconds{180e-6};
  source.band_source = "a paper, recalled";
  const Workload low = read_workload(source, {});
  ASSERT_TRUE(low.compute_band);
  EXPECT_DOUBLE_EQ(low.compute_band->low_factor, 0.9);
  EXPECT_EQ(low.compute_band->high_factor, 1.0);
  EXPECT_EQ(low.compute_band->basis,
            "the backward pass takes between 180 us and 200 us, 200 us here (a paper, recalled)");
  source.backward_high = Seconds{190e-6};  // the whole band below the own time
  EXPECT_EQ(read_workload(source, {}).compute_band->high_factor, 1.0);
  source.backward_low = source.backward_high = Seconds{250e-6};
  EXPECT_EQ(read_workload(source, {}).compute_band->low_factor, 1.0);
  EXPECT_DOUBLE_EQ(read_workload(source, {}).compute_band->high_factor, 1.25);
}

TEST_F(WorkloadFile, RefusesABatchThatNobodyOrTwoState) {
  WorkloadSource silent = list("");
  silent.batch = 4;
  EXPECT_THAT(
      test::input_error_of([&] { read_workload(silent, {}); }),
      AllOf(HasSubstr("workload job: recorded_batch: none found"), HasSubstr("--recorded-batch")));
  EXPECT_THAT(fault([](WorkloadSource& s) { s.recorded_batch = 9; }),
              HasSubstr("recorded_batch: 9 found, but the trace states 8"));
}

TEST_F(WorkloadFile, RefusesValuesOutsideTheirRangeByTheirField) {
  EXPECT_THAT(fault([](WorkloadSource& s) { s.trace.clear(); }), HasSubstr("job: trace: none"));
  EXPECT_THAT(fault([](WorkloadSource& s) { s.batch = 0; }), HasSubstr("job: batch: 0 found"));
  EXPECT_THAT(fault([](WorkloadSource& s) { s.recorded_batch = -1; }),
              HasSubstr("recorded_batch: -1 found"));
  EXPECT_THAT(fault([](WorkloadSource& s) { s.backward = Seconds{0}; }),
              HasSubstr("backward: 0 s found"));
  EXPECT_THAT(fault([](WorkloadSource& s) { s.backward_low = Seconds{0}; }),
              HasSubstr("backward_low: 0 s found"));
  EXPECT_THAT(fault([](WorkloadSource& s) { s.backward_high = Seconds{0}; }),
              HasSubstr("backward_high: 0 s found"));
  EXPECT_THAT(fault([](WorkloadSource& s) { s.batch_fixed_share = 2.0; }),
              HasSubstr("batch_fixed_share: 2 found"));
}

TEST_F(WorkloadFile, RefusesFieldsThatMeanNothingAlone) {
  EXPECT_THAT(fault([](WorkloadSource& s) { s.backward_source = "x"; }),
              HasSubstr("backward_source: found without `backward`"));
  EXPECT_THAT(fault([](WorkloadSource& s) { s.band_source = "x"; }),
              HasSubstr("band_source: found without"));
  EXPECT_THAT(fault([](WorkloadSource& s) { s.backward_low = Seconds{1}; }),
              HasSubstr("band_source: none found"));
  EXPECT_THAT(fault([](WorkloadSource& s) { s.batch_fixed_share = 0.5; }),
              HasSubstr("batch_fixed_share: found where no batch is scaled"));
  EXPECT_THAT(fault([](WorkloadSource& s) {
                s.backward_low = Seconds{2};
                s.backward_high = Seconds{1};
                s.band_source = "x";
              }),
              HasSubstr("backward_low: 2 s found, above `backward_high` of 1 s"));
}

}  // namespace
}  // namespace gradwire
