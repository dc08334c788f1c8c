// Over the shipped workloads and all schemes: at each root the times are equal, beside it they
// differ the way the answer says.
#include <gtest/gtest.h>

#include <filesystem>

#include "compressors/spec/registry.hpp"
#include "platforms/model/catalog.hpp"
#include "simulator/questions/break_even.hpp"
#include "simulator/study/compressor_choice.hpp"
#include "simulator/study/workload_file.hpp"

namespace gradwire {
namespace {

constexpr const char* kDevice = "Tesla V100-SXM2-32GB";

class EveryWorkload : public testing::TestWithParam<const char*> {
 protected:
  static BreakEvenQuestion question_of(const std::string& scheme, CompressionMode mode) {
    BreakEvenQuestion question;
    Scenario& scenario = question.scenario;
    WorkloadSource source;
    source.trace = std::filesystem::path{GRADWIRE_SOURCE_DIR} / "traces/data" / GetParam();
    scenario.workload = read_workload(source, {});
    if (!scenario.workload->batch) scenario.workload.edit().batch = 32;
    scenario.cluster = find_cluster("study-24x4-v100-10g");
    scenario.workers = 64;
    scenario.overlap_slowdown = 1.07;
    question.compression_at = [scheme, mode](const Scenario& at) {
      return choose_compressor(scheme, at, kDevice, mode, {}).compression;
    };
    scenario.compression = question.compression_at(scenario);
    return question;
  }

  /// How many roots were looked at.
  static int check(const BreakEvenQuestion& question, BreakEvenUnknown unknown) {
    if (why_unanswerable(question, unknown, BreakEvenGoal::kFaster)) return 0;
    const BreakEvenRange range = default_range(unknown, question.scenario);
    const BreakEven found = find_break_even(question, unknown, BreakEvenGoal::kFaster, range);
    const auto speedup = [&](double value) {
      return value_at(question, unknown, BreakEvenGoal::kFaster, value);
    };
    int roots = 0;
    const auto check_root = [&](double inside, bool rising) {
      ++roots;
      if (is_whole(unknown)) {
        const double outside = inside + (rising ? -1.0 : 1.0);
        EXPECT_GT(speedup(inside), 1.0) << inside;
        EXPECT_LE(speedup(outside), 1.0 + 1e-9) << outside;
        return;
      }
      EXPECT_NEAR(speedup(inside), 1.0, 1e-4) << inside;
      const double step = rising ? 1.0 + 1e-4 : 1.0 / (1.0 + 1e-4);
      EXPECT_GT(speedup(inside * step), 1.0) << inside;
      EXPECT_LT(speedup(inside / step), 1.0) << inside;
    };
    for (const BreakEvenInterval& interval : found.holds) {
      if (interval.from_is_root) check_root(interval.from, true);
      if (interval.to_is_root) check_root(interval.to, false);
    }
    EXPECT_EQ(found.holds_at(range.low), found.value_low > 1.0 + 1e-9);
    EXPECT_EQ(found.holds_at(range.high), found.value_high > 1.0 + 1e-9);
    return roots;
  }
};

TEST_P(EveryWorkload, TimesAreEqualAtARootAndDifferBesideIt) {
  int roots = 0;
  for (const SchemeEntry& entry : schemes()) {
    SCOPED_TRACE(entry.name);
    const BreakEvenQuestion question =
        question_of(std::string{entry.name}, CompressionMode::kSerial);
    for (const BreakEvenUnknown unknown :
         {BreakEvenUnknown::kBandwidth, BreakEvenUnknown::kCodec, BreakEvenUnknown::kBatch,
          BreakEvenUnknown::kWorkers, BreakEvenUnknown::kCompute}) {
      SCOPED_TRACE(name_of(unknown));
      roots += check(question, unknown);
    }
  }
  EXPECT_GE(roots, 10);
}

TEST_P(EveryWorkload, TheSameHoldsOfOverlappedCompression) {
  int roots = 0;
  for (const char* scheme : {"powersgd", "signsgd", "topk"}) {
    SCOPED_TRACE(scheme);
    const BreakEvenQuestion question = question_of(scheme, CompressionMode::kOverlapped);
    roots += check(question, BreakEvenUnknown::kBandwidth);
    roots += check(question, BreakEvenUnknown::kCodec);
  }
  EXPECT_GE(roots, 3);
}

INSTANTIATE_TEST_SUITE_P(Shipped, EveryWorkload,
                         testing::Values("v100-resnet50-b32/trace.gwt",
                                         "v100-resnet101-gradready/gradients.csv",
                                         "v100-bert-study/gradients.csv",
                                         "v100-bert-gradready/gradients.csv"));

}  // namespace
}  // namespace gradwire
