#include "simulator/report/explanation_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <regex>
#include <sstream>

#include "compressors/spec/registry.hpp"
#include "simulator/report/breakdown_text.hpp"
#include "simulator/report/explanation_words.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Two ranks, 32 Mbps, 100,000 float32 ready after 25 ms; an all-reduce of e float32 takes e
/// microseconds.
ExplanationReport report_of(const char* scheme, Seconds latency = Seconds{0}) {
  Scenario scenario;
  scenario.workload = test::workload_of({{25, 100'000}}, 25);
  scenario.workload.edit().gradients[0].shape = {200, 500};
  scenario.cluster = test::flat_cluster(2, 32e6, latency.count());
  scenario.workers = 2;
  ExplanationReport report;
  report.workers = 2;
  report.bandwidth = scenario.cluster.nic.bandwidth;
  if (scheme != nullptr) {
    scenario.compression = {parse_scheme(scheme), Seconds{10e-3}, Seconds{5e-3}};
    report.compressor = scheme;
  }
  report.explanation = explain(scenario, Estimator::kRecurrence);
  return report;
}

TEST(ExplanationParagraph, SaysWhatBoundsTheTimeAndWhatWouldHelp) {
  const std::string text = explanation_paragraph(report_of(nullptr));
  EXPECT_THAT(text, HasSubstr("consists of 25 ms of compute and 100 ms of 1 collective: bytes on "
                              "the NICs, 32 Mbps most of all, with 80.0 % of it."));
  // 100 ms / 1.001 per thousandth step.
  EXPECT_THAT(text, HasSubstr("1 % more bandwidth (320 kbps) saves 999"));
  EXPECT_THAT(text, HasSubstr("1 % less compute (250 us) saves 250 us; 1 % less latency"));
  EXPECT_THAT(text, HasSubstr("nothing."));
  EXPECT_THAT(text, Not(HasSubstr("the compressor")));
  EXPECT_THAT(text, Not(HasSubstr("\n")));
}

TEST(ExplanationParagraph, SaysWhatACompressorCostsAndSaves) {
  // 25 + 10 + 3.125 + 5 ms for 125 ms.
  EXPECT_THAT(
      explanation_paragraph(report_of("signsgd")),
      HasSubstr("Against float32 without it (125 ms) the compressor costs 15 ms of encoding "
                "and decoding and saves 96.88 ms of exposed communication: 81.88 ms "
                "faster."));
}

TEST(ExplanationParagraph, SaysThatSequentialCollectivesEachPayTheLatency) {
  // P and Q of 4 * 200 and 4 * 500 elements: 2 rounds of 20 ms each.
  const std::string text = explanation_paragraph(report_of("powersgd:rank=4", Seconds{20e-3}));
  EXPECT_THAT(text, HasSubstr("An exchange is 2 all-reduces one after the other (P, Q), each of "
                              "which pays the latency again. The latency of 2 sequential "
                              "collectives is 80 ms of the path"));
  EXPECT_THAT(text, HasSubstr(": latency most of all"));
  EXPECT_THAT(explanation_paragraph(report_of("powersgd:rank=4")), Not(HasSubstr("sequential")));
}

TEST(ExplanationParagraph, OfOneWorkerHasNoNetworkInIt) {
  ExplanationReport report;
  Scenario scenario;
  scenario.workload = test::workload_of({{25, 100'000}}, 25);
  scenario.cluster = test::flat_cluster(2, 32e6, 0.0);
  report.explanation = explain(scenario, Estimator::kRecurrence);
  const std::string text = explanation_paragraph(report);
  EXPECT_THAT(text, HasSubstr("consists of 25 ms of compute: compute"));
  EXPECT_THAT(text, Not(HasSubstr("collective")));
}

TEST(LinkWords, NameTheOneLinkOrAllOfAKind) {
  LinkLoad load{
      0, {LinkKind::kNic, 3, true}, "the NIC of node 3, out", BitsPerSecond{2.5e9}, Bytes{1}};
  EXPECT_EQ(link_words({load, true}), "the NICs, 2.5 Gbps");
  EXPECT_EQ(link_words({load, false}), "the NIC of node 3, out, 2.5 Gbps");
  load.place = {LinkKind::kInner, 7, false};
  EXPECT_EQ(link_words({load, true}), "the links inside nodes, 2.5 Gbps");
}

TEST(CauseWords, NameWhatWasInFrontAndWhoCameLast) {
  PathSegment segment;
  EXPECT_EQ(cause_words(segment), "starts at once");
  segment.behind = "C0";
  segment.cause = Cause::kDependency;
  EXPECT_EQ(cause_words(segment), "needs C0");
  segment.last_to_arrive = 3;
  EXPECT_EQ(cause_words(segment), "rank 3 arrives last, needs C0");
  segment.last_to_arrive.reset();
  segment.behind_activity = Activity::kHost;
  EXPECT_EQ(cause_words(segment), "launched behind C0");
  segment.cause = Cause::kStreamOrder;
  EXPECT_EQ(cause_words(segment), "behind C0 on its stream");
}

TEST(ExplanationText, TheSharesSumToAHundredPercentWhateverTheParts) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponent(-6.0, 0.0);
  const auto time = [&] { return Seconds{std::pow(10.0, exponent(random))}; };
  ExplanationReport report = report_of("signsgd");
  for (int i = 0; i < 200; ++i) {
    Breakdown& parts = report.explanation.result.breakdown;
    parts = {time(), time(), time(), time(), time(), time(), time(), time()};
    report.explanation.result.backward_sync = parts.total();
    std::ostringstream out;
    write_text(report, out);
    const std::string text = out.str();
    const std::string table =
        text.substr(text.find("where the time goes"), text.find("Critical path:"));
    long permille = 0;
    const std::regex share(" ([0-9]+)\\.([0-9]) %  ");
    for (std::sregex_iterator found(table.begin(), table.end(), share), end; found != end;
         ++found) {
      permille += std::stol((*found)[1]) * 10 + std::stol((*found)[2]);
    }
    ASSERT_EQ(permille, 1000) << table;
  }
}

TEST(ExplanationText, AKinkIsShownWithBothSides) {
  ExplanationReport report = report_of(nullptr);
  report.explanation.slopes.ms_per_gbps = {-2.0, -1.0};
  std::ostringstream out;
  write_text(report, out);
  EXPECT_THAT(out.str(), HasSubstr("-1 ms per Gbps  a kink: -2 ms per Gbps towards less"));
}

TEST(ExplanationText, ALongPathIsCutAndThatIsSaid) {
  ExplanationReport report = report_of(nullptr);
  PathStep step = report.explanation.path.front();
  report.explanation.path.clear();
  for (int i = 0; i < 45; ++i) {
    step.segment.rank = i;  // steps of different ranks do not join
    report.explanation.path.push_back(step);
  }
  std::ostringstream out;
  write_text(report, out);
  EXPECT_THAT(out.str(), HasSubstr("... and 5 lines more; --json has every op"));
}

}  // namespace
}  // namespace gradwire
