#include "simulator/scenario/what_if_text.hpp"

#include <gtest/gtest.h>

#include "compressors/spec/registry.hpp"
#include "simulator/scenario/compression_cost.hpp"
#include "simulator/scenario/what_if.hpp"
#include "simulator/study/compressor_choice.hpp"
#include "simulator/study/estimator.hpp"
#include "simulator/study/what_if_effect.hpp"
#include "tests/support/clusters.hpp"
#include "tests/support/thrown.hpp"
#include "tests/support/workloads.hpp"

namespace gradwire {
namespace {

constexpr const char* kV100 = "Tesla V100-SXM2-16GB";

/// Two matrices over 25 ms on eight nodes of one GPU, 10 Gbps and 25 us.
Scenario two_matrices() {
  Scenario scenario;
  scenario.workload = test::workload_of({{10, 600'000}, {20, 400'000}}, 25);
  Workload& workload = scenario.workload.edit();
  workload.gradients[0].shape = {600, 1000};
  workload.gradients[1].shape = {400, 1000};
  workload.batch = 32;
  workload.backward_busy = Seconds{20e-3};
  workload.kernel_classes = {{"gemm", Seconds{20e-3}, {Seconds{8e-3}, Seconds{16e-3}}}};
  scenario.cluster = test::flat_cluster(8, 10e9, 25e-6);
  scenario.workers = 8;
  return scenario;
}

Scenario compressed(const std::string& scheme, CompressionMode mode = CompressionMode::kSerial) {
  Scenario scenario = two_matrices();
  scenario.compression = choose_compressor(scheme, scenario, kV100, mode, {}).compression;
  return scenario;
}

Scenario asked(const Scenario& scenario, const std::string& text) {
  return with_what_ifs(scenario, parse_what_ifs(text, "--what-if"));
}

double milliseconds(const Scenario& scenario) { return recurrence_time(scenario).count() * 1e3; }

std::string refusal(const std::string& text) {
  return test::input_error_of([&] { (void)parse_what_ifs(text, "--what-if"); });
}

TEST(WhatIfText, SeveralAreAppliedInTheirOrder) {
  const std::vector<WhatIf> what_ifs = parse_what_ifs(" compute=2 ; encode=4;", "--what-if");
  ASSERT_EQ(what_ifs.size(), 2U);
  EXPECT_EQ(what_ifs[0].text, "compute=2");
  EXPECT_EQ(what_ifs[1].text, "encode=4");
  EXPECT_TRUE(parse_what_ifs("", "--what-if").empty());
  EXPECT_TRUE(parse_what_ifs("  ", "--what-if").empty());
}

TEST(WhatIfText, EachVerbChangesWhatItNames) {
  const Scenario base = compressed("powersgd:rank=4");
  const Compression& own = base.compression;
  EXPECT_NEAR(asked(base, "compute=2").workload->backward_span.count(), 12.5e-3, 1e-12);
  EXPECT_EQ(asked(base, "compute=2").compression.encode, own.encode);
  // 20 ms of kernels, 5 ms of gaps.
  EXPECT_NEAR(asked(base, "compute=2,gaps=kept").workload->backward_span.count(), 15e-3, 1e-12);
  EXPECT_NEAR(asked(base, "kernels=gemm:4").workload->backward_span.count(), 10e-3, 1e-12);
  EXPECT_EQ(asked(base, "compute=2,codec=scaled").compression.encode, own.encode / 2.0);
  EXPECT_EQ(asked(base, "encode=4").compression.encode, own.encode / 4.0);
  EXPECT_EQ(asked(base, "encode=4").compression.decode, own.decode);
  EXPECT_EQ(asked(base, "decode=4").compression.decode, own.decode / 4.0);
  EXPECT_EQ(asked(base, "codec=4").compression.decode, own.decode / 4.0);
  EXPECT_EQ(asked(base, "payload=0.5").compression.payload_factor, 0.5);
  EXPECT_EQ(asked(base, "bandwidth=25Gbps").cluster.nic.bandwidth, BitsPerSecond{25e9});
  EXPECT_EQ(asked(base, "bandwidth=x2").cluster.nic.bandwidth, BitsPerSecond{20e9});
  EXPECT_EQ(asked(base, "latency=10us").cluster.nic.latency, Seconds{10e-6});
  EXPECT_NEAR(asked(base, "latency=x0.4").cluster.nic.latency.count(), 10e-6, 1e-18);
  EXPECT_EQ(asked(base, "workers=4").workers, 4);
  EXPECT_EQ(asked(base, "gpus-per-node=3").cluster.nodes, 3);  // 8 GPUs at least
  EXPECT_EQ(asked(base, "bucket-cap=2MB").caps.rest, Bytes{2'000'000});
  EXPECT_EQ(asked(base, "first-bucket=2MB").caps.first, Bytes{2'000'000});
  EXPECT_NEAR(asked(base, "accumulate=3").workload->backward_span.count(), 75e-3, 1e-12);
  EXPECT_NEAR(asked(base, "overlap=off").workload->gradients[0].ready.count(), 25e-3, 1e-12);
  EXPECT_EQ(asked(base, "mode=overlapped").compression.mode, CompressionMode::kOverlapped);
  EXPECT_NEAR(asked(base, "batch=64").workload->backward_span.count(), 50e-3, 1e-12);
  EXPECT_NEAR(asked(base, "batch=64,fixed=0.5").workload->backward_span.count(), 37.5e-3, 1e-12);
  EXPECT_EQ(asked(base, "slowdown=1.5").overlap_slowdown, 1.5);
  EXPECT_EQ(asked(two_matrices(), "dtype=fp16").workload->total_bytes(), Bytes{2'000'000});
}

TEST(WhatIfText, EveryVerbIsReadByItsOwnForm) {
  const std::vector<std::string> forms = {
      "compute=2",         "kernels=gemm:2",  "encode=2",
      "decode=2",          "codec=2",         "costs-of=topk:fraction=0.01,index_bytes=8",
      "payload=2",         "bandwidth=x2",    "latency=x2",
      "workers=2",         "gpus-per-node=2", "bucket-cap=1MiB",
      "first-bucket=1MiB", "accumulate=2",    "overlap=off",
      "mode=serial",       "dtype=bf16",      "batch=16",
      "slowdown=1.2"};
  ASSERT_EQ(forms.size(), what_if_verbs().size());
  for (std::size_t i = 0; i < forms.size(); ++i) {
    EXPECT_EQ(forms[i].substr(0, forms[i].find('=')), what_if_verbs()[i].name);
    EXPECT_EQ(parse_what_ifs(forms[i], "--what-if").size(), 1U) << forms[i];
  }
}

TEST(WhatIfText, CostsFollowTheWorkersTheModeAndTheBuckets) {
  // signSGD decodes a message of every rank: the costs at 4 workers are those of asking for 4.
  const Scenario at_eight = compressed("signsgd");
  Scenario at_four = two_matrices();
  at_four.workers = 4;
  at_four.compression =
      choose_compressor("signsgd", at_four, kV100, CompressionMode::kSerial, {}).compression;
  const Scenario moved = asked(at_eight, "workers=4");
  EXPECT_LT(moved.compression.decode, at_eight.compression.decode);
  EXPECT_EQ(moved.compression.decode, at_four.compression.decode);

  const Scenario overlapped = compressed("powersgd:rank=4", CompressionMode::kOverlapped);
  EXPECT_DOUBLE_EQ(milliseconds(asked(compressed("powersgd:rank=4"), "mode=overlapped")),
                   milliseconds(overlapped));
  const Scenario small = asked(overlapped, "bucket-cap=1MB; first-bucket=1MB");
  EXPECT_EQ(small.compression.buckets.size(), 2U);
  EXPECT_NO_THROW(check_scenario(small));
}

TEST(WhatIfText, FactorsOnCostsOutliveWhatIsRederived) {
  const Scenario base = compressed("signsgd");
  const Scenario first = asked(base, "encode=2; decode=4; workers=4");
  const Scenario last = asked(base, "workers=4; encode=2; decode=4");
  EXPECT_NEAR(first.compression.encode.count(), last.compression.encode.count(), 1e-15);
  EXPECT_NEAR(first.compression.decode.count(), last.compression.decode.count(), 1e-15);
}

TEST(WhatIfText, TheCostsOfAnotherCompressorLeaveWhatIsSent) {
  const Scenario base = compressed("powersgd:rank=4");
  const Scenario swapped = asked(base, "costs-of=signsgd");
  const Scenario signs = compressed("signsgd");
  EXPECT_EQ(swapped.compression.encode, signs.compression.encode);
  EXPECT_EQ(swapped.compression.decode, signs.compression.decode);
  EXPECT_EQ(wire_bytes_of(swapped), wire_bytes_of(base));
  EXPECT_EQ(describe_compressor(swapped, kV100).standing, "assumed");
}

TEST(WhatIfText, GivenTimesStayWhateverTheWorkers) {
  Scenario scenario = two_matrices();
  GivenCost given;
  given.encode = Seconds{3e-3};
  given.decode = Seconds{2e-3};
  scenario.compression =
      choose_compressor("signsgd", scenario, kV100, CompressionMode::kSerial, given).compression;
  EXPECT_EQ(asked(scenario, "workers=4").compression.decode, Seconds{2e-3});
  EXPECT_EQ(asked(scenario, "mode=overlapped").compression.buckets.size(), 2U);
}

TEST(WhatIfText, ContradictionsAreRefused) {
  EXPECT_EQ(refusal("bandwidth=10Gbps; bandwidth=25Gbps"),
            "--what-if: bandwidth=25Gbps: contradicts \"bandwidth=10Gbps\" in front of it; one of "
            "both is accepted");
  EXPECT_NE(refusal("bandwidth=x2; bandwidth=25Gbps").find("contradicts"), std::string::npos);
  EXPECT_NE(refusal("mode=serial; mode=overlapped").find("contradicts"), std::string::npos);
  EXPECT_NE(refusal("overlap=off; mode=overlapped").find("contradicts"), std::string::npos);
  EXPECT_NE(refusal("mode=overlapped; overlap=off").find("contradicts"), std::string::npos);
  EXPECT_EQ(parse_what_ifs("bandwidth=25Gbps; bandwidth=x2; compute=2; compute=2", "").size(), 4U);
}

TEST(WhatIfText, WhatIsNoWhatIfIsRefusedWithItsPlace) {
  EXPECT_NE(refusal("speed=2").find("\"speed\" found; accepted: compute, kernels"),
            std::string::npos);
  EXPECT_NE(refusal("compute=0").find("a factor of 0 found; above 0"), std::string::npos);
  EXPECT_NE(refusal("compute=-2").find("above 0"), std::string::npos);
  EXPECT_NE(refusal("compute=nan").find("above 0"), std::string::npos);
  EXPECT_NE(refusal("compute=inf").find("above 0"), std::string::npos);
  EXPECT_NE(refusal("compute=2x").find("\"2x\" found"), std::string::npos);
  EXPECT_NE(refusal("compute").find("\"\" found"), std::string::npos);
  EXPECT_NE(refusal("compute=2,gaps=maybe").find("accepted: scaled, kept"), std::string::npos);
  EXPECT_NE(refusal("compute=2,gap=kept").find("an option \"gap\" found"), std::string::npos);
  EXPECT_NE(refusal("encode=2,gaps=kept").find("an option \"gaps\" found"), std::string::npos);
  EXPECT_NE(refusal("kernels=gemm").find("no class found"), std::string::npos);
  EXPECT_NE(refusal("bandwidth=25").find("25"), std::string::npos);
  EXPECT_NE(refusal("workers=0").find("a whole number from 1"), std::string::npos);
  EXPECT_NE(refusal("batch=8,fixed=2").find("a share from 0 to 1"), std::string::npos);
  EXPECT_NE(refusal("slowdown=0.5").find("1 or more"), std::string::npos);
  EXPECT_NE(refusal("overlap=on").find("off is accepted"), std::string::npos);
  EXPECT_NE(refusal("dtype=int3").find("accepted: float32"), std::string::npos);
  EXPECT_NE(refusal("costs-of=gzip").find("gzip"), std::string::npos);
  EXPECT_NE(refusal("compute=2;;encode=2").find("nothing found between"), std::string::npos);
}

TEST(WhatIfText, WhatMeansNothingForAScenarioIsRefused) {
  const auto refused = [](const Scenario& scenario, const char* text) {
    return test::input_error_of([&] { (void)asked(scenario, text); });
  };
  Scenario no_batch = two_matrices();
  no_batch.workload.edit().batch.reset();
  EXPECT_NE(refused(no_batch, "batch=64").find("--recorded-batch"), std::string::npos);
  EXPECT_NE(refused(compressed("signsgd"), "costs-of=fp16").find("a cast"), std::string::npos);
  EXPECT_NE(refused(compressed("signsgd"), "dtype=fp16").find("float32"), std::string::npos);
  Scenario uneven = two_matrices();
  uneven.compute_factors.assign(8, 1.0);
  EXPECT_NE(refused(uneven, "workers=4").find("uneven ranks"), std::string::npos);
  Scenario shuffled = two_matrices();
  shuffled.ring_order = {1, 0, 2, 3, 4, 5, 6, 7};
  EXPECT_NE(refused(shuffled, "workers=4").find("shuffled rings"), std::string::npos);
  Scenario slow = two_matrices();
  slow.cluster.slow_nics = {{0, 0.5}};
  EXPECT_NE(refused(slow, "gpus-per-node=2").find("slow NICs"), std::string::npos);
  Scenario busy = two_matrices();
  busy.conditions.background.resize(1);
  EXPECT_NE(refused(busy, "gpus-per-node=2").find("background traffic"), std::string::npos);
  Scenario failing = two_matrices();
  failing.conditions.events.resize(1);
  EXPECT_NE(refused(failing, "gpus-per-node=2").find("link events"), std::string::npos);
}

TEST(WhatIfText, WhatOnlyACompressorHasChangesNothingWithoutOne) {
  const Scenario base = two_matrices();
  for (const char* text : {"mode=overlapped", "costs-of=signsgd", "codec=2"}) {
    EXPECT_EQ(milliseconds(asked(base, text)), milliseconds(base)) << text;
  }
}

TEST(WhatIfEffects, TellTheTimeBeforeAndAfterEachAndWarnOfIdleOnes) {
  const Scenario base = compressed("powersgd:rank=4");
  const std::vector<WhatIfEffect> effects =
      what_if_effects(base, parse_what_ifs("compute=2; bandwidth=x1; encode=2", "--what-if"));
  ASSERT_EQ(effects.size(), 3U);
  EXPECT_DOUBLE_EQ(effects[0].before.count(), recurrence_time(base).count());
  EXPECT_DOUBLE_EQ(effects[1].before.count(), effects[0].after.count());
  EXPECT_DOUBLE_EQ(effects[2].after.count(),
                   recurrence_time(asked(base, "compute=2; encode=2")).count());
  EXPECT_EQ(warnings_of(effects),
            std::vector<std::string>{"what if bandwidth=x1: changes nothing here"});
}

}  // namespace
}  // namespace gradwire
