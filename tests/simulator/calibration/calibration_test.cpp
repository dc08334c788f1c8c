#include "simulator/calibration/calibration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "base/input_file.hpp"
#include "platforms/model/cluster.hpp"
#include "simulator/calibration/nccl_tests_reader.hpp"
#include "simulator/collectives/registry.hpp"
#include "simulator/report/calibration_report.hpp"
#include "tests/simulator/calibration/tables.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using test::all_reduce_output;
using test::input_error_of;
using test::table_end;
using test::table_header;
using test::table_row;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<IdentifiedTable> tables_of(const std::string& text, const std::string& file = "a.txt") {
  std::vector<IdentifiedTable> tables;
  for (const CollectiveTable& table : read_nccl_tests(text, file)) {
    tables.push_back({table, identify_table(table, {})});
  }
  return tables;
}

Calibration calibration_of(const std::string& text,
                           TablePlacement placement = TablePlacement::kOutOfPlace) {
  return calibrate(tables_of(text), {}, placement);
}

IperfRun tcp_run(double bits_per_second) {
  IperfRun run;
  run.file = "i.json";
  run.streams = 1;
  run.duration = Seconds{10};
  run.received = BitsPerSecond{bits_per_second};
  run.intervals = {BitsPerSecond{bits_per_second}};
  run.least_round_trip = Seconds{60e-6};
  run.mean_round_trip = Seconds{1e-3};
  return run;
}

TEST(Calibration, TheRingOfAnAllReduceGivesBackItsLink) {
  // 4 ranks on 4 nodes, NICs of 1250 bytes/us (10 Gbps) and 20 us a message: 2 * 3 messages take
  // 120 us, and 2 * 3/4 bytes cross a NIC a byte: 1250 / 1.5 bytes of size a us.
  const Calibration calibration = calibration_of(all_reduce_output(4, 1, 120.0, 1250.0 / 1.5));
  ASSERT_EQ(calibration.fits.size(), 1U);
  EXPECT_EQ(calibration.fits[0].pieces.size(), 1U);
  ASSERT_TRUE(calibration.nic.has_value());
  // Times are printed to 0.1 ns.
  EXPECT_NEAR(calibration.nic->link.bandwidth.count(), 1e10, 1e10 * 1e-5);
  EXPECT_NEAR(calibration.nic->link.latency.count(), 20e-6, 20e-6 * 1e-4);
  EXPECT_EQ(calibration.nodes, 4);
  EXPECT_EQ(calibration.gpus_per_node, 1);
  EXPECT_FALSE(calibration.intra.has_value());
}

TEST(Calibration, GivesBackTheLinkOfOurOwnClosedForms) {
  // The same link through the closed forms of simulator/collectives, whose chunks are whole
  // elements (at most 4 bytes of a 1 kB message).
  const LinkSpec link{BitsPerSecond{2.5e10}, Seconds{7e-6}};
  const std::vector<std::pair<CollectiveKind, std::string>> rings{
      {CollectiveKind::kAllReduce, "ring"},
      {CollectiveKind::kAllGather, "ring"},
      {CollectiveKind::kReduceScatter, "ring"}};
  for (const auto& [kind, algorithm] : rings) {
    const int ranks = 6;
    CollectiveFit fit;
    fit.kind = kind;
    fit.ranks = ranks;
    std::vector<SizedTime> points;
    for (std::int64_t size = 6144; size < (std::int64_t{1} << 28); size *= 2) {
      CollectiveCall call;
      call.kind = kind;
      call.element_size = Bytes{4};
      // Of an all-gather what each rank gives, of the others what it holds.
      call.elements = Elements{kind == CollectiveKind::kAllGather ? size / 4 / ranks : size / 4};
      const auto schedule = find_algorithm(kind, algorithm).make(call, {ranks, 1, 1});
      points.push_back({Bytes{size}, schedule->closed_form_on_nodes(link, link)});
    }
    const auto pieces = fit_pieces(points);
    ASSERT_EQ(pieces.size(), 1U) << name_of(kind);
    EXPECT_NEAR(fit.bus_bandwidth(pieces[0])->count(), 2.5e10, 1e7) << name_of(kind);
    EXPECT_NEAR(fit.round_latency(pieces[0]).count(), 7e-6, 1e-8) << name_of(kind);
  }
}

TEST(Calibration, TablesOfOneNodeAreTheLinkInsideIt) {
  const Calibration calibration =
      calibration_of(all_reduce_output(1, 4, 30.0, 1e5) + all_reduce_output(2, 4, 200.0, 1e4));
  // 2 * 3/4 * 1e5 bytes/us, 5 us a message; 2 * 7/8 * 1e4 bytes/us.
  EXPECT_NEAR(calibration.intra->link.bandwidth.bytes_per_second(), 1.5e11, 1.5e11 * 1e-4);
  EXPECT_NEAR(calibration.intra->link.latency.count(), 5e-6, 5e-9);
  EXPECT_NEAR(calibration.nic->link.bandwidth.bytes_per_second(), 1.75e10, 1.75e10 * 1e-4);
  EXPECT_EQ(calibration.nodes, 2);
  EXPECT_EQ(calibration.gpus_per_node, 4);
  EXPECT_THAT(calibration.notes, Contains(HasSubstr("bus bandwidth differs by rank count")));
}

TEST(Calibration, SaysWhatTheNicHasIfNodesReduceFirst) {
  // Two nodes of four: 2 * 1/2 bytes a byte between nodes, 2 * 7/8 in a ring of all ranks.
  const Calibration several = calibration_of(all_reduce_output(2, 4, 200.0, 1e4));
  EXPECT_THAT(several.notes,
              Contains(HasSubstr("1 bytes a byte crossed a NIC, not the ring's 1.75, "
                                 "and its bandwidth is 80 Gbps")));
  const Calibration single = calibration_of(all_reduce_output(8, 1, 200.0, 1e4));
  EXPECT_THAT(single.notes, Not(Contains(HasSubstr("crossed a NIC"))));
}

TEST(Calibration, SaysWhatOneSizeOrOneRankCountCannotTell) {
  const Calibration one = calibration_of(table_header("all_reduce_perf", 2, 1) +
                                         table_row(1 << 20, 1, 1000.0, 1.0) + table_end());
  EXPECT_TRUE(one.fits[0].pieces.empty());
  EXPECT_FALSE(one.nic.has_value());
  EXPECT_THAT(one.fits[0].notes, Contains(HasSubstr("one size")));
  EXPECT_THAT(one.notes, Contains(HasSubstr("one rank count, 2")));
  std::ostringstream nowhere;
  EXPECT_THAT(input_error_of([&] { write_calibrated_cluster(one, nowhere); }),
              HasSubstr("no file determines the bandwidth"));
  const Calibration two =
      calibration_of(table_header("all_reduce_perf", 2, 1) + table_row(1 << 20, 1, 1000.0, 1.0) +
                     table_row(1 << 21, 1, 1900.0, 1.0) + table_end());
  EXPECT_THAT(two.fits[0].notes, Contains(HasSubstr("two sizes")));
  EXPECT_TRUE(two.nic.has_value());
}

TEST(Calibration, RepeatedRowsGiveTheirMedianAndTheirSpread) {
  std::string text = table_header("all_reduce_perf", 2, 1);
  for (std::int64_t size = 1 << 20; size <= 1 << 24; size *= 2) {
    for (const double factor : {1.0, 3.0, 1.0}) {
      text += table_row(size, 1, factor * static_cast<double>(size) / 1000.0, 1.0);
    }
  }
  const Calibration calibration = calibration_of(text + table_end());
  EXPECT_EQ(calibration.fits[0].points.size(), 5U);
  EXPECT_NEAR(calibration.nic->link.bandwidth.bytes_per_second(), 1e9, 1e5);
  EXPECT_THAT(calibration.fits[0].notes, Contains(HasSubstr("differ up to 3.00 times")));
}

TEST(Calibration, LatencyThatLargeMessagesDoNotTellIsOfSmallerOnes) {
  // 50 us below 1 MB; above, times in proportion to size.
  std::string text = table_header("all_reduce_perf", 2, 1);
  for (std::int64_t size = 1024; size <= 1 << 28; size *= 2) {
    const double bytes = static_cast<double>(size);
    text += table_row(size, 1, size < (1 << 20) ? 50.0 + bytes / 1e3 : bytes / 1e4, 1.0);
  }
  const Calibration calibration = calibration_of(text + table_end());
  EXPECT_NEAR(calibration.nic->link.bandwidth.bytes_per_second(), 1e10, 1e7);
  EXPECT_NEAR(calibration.nic->link.latency.count(), 25e-6, 1e-7);  // two messages
  EXPECT_THAT(calibration.nic->latency_source, HasSubstr("larger sizes do not tell it"));
}

TEST(Calibration, ThePlacementChoosesTheHalf) {
  std::string text = table_header("all_reduce_perf", 2, 1);
  for (std::int64_t size = 1 << 20; size <= 1 << 24; size *= 2) {
    const double out = static_cast<double>(size) / 1e3;
    text += fmt::format("{0} {1} float sum -1 {2:.3f} 1.00 1.00 0 {3:.3f} 2.00 2.00 N/A\n", size,
                        size / 4, out, out / 2.0);
  }
  EXPECT_NEAR(calibration_of(text).nic->link.bandwidth.bytes_per_second(), 1e9, 1e4);
  EXPECT_NEAR(calibration_of(text, TablePlacement::kInPlace).nic->link.bandwidth.bytes_per_second(),
              2e9, 1e4);
}

TEST(Calibration, IperfGivesTheNicWhereNoCollectiveCrossedOne) {
  const Calibration alone = calibrate({}, {tcp_run(9.4e9), tcp_run(9.1e9)}, {});
  EXPECT_EQ(alone.nic->link.bandwidth.count(), 9.1e9);
  EXPECT_NEAR(alone.nic->link.latency.count(), 30e-6, 1e-12);
  EXPECT_EQ(alone.nodes, 2);
  const Calibration both =
      calibrate(tables_of(all_reduce_output(4, 1, 120.0, 1250.0 / 1.5)), {tcp_run(9.1e9)}, {});
  EXPECT_NEAR(both.nic->link.bandwidth.count(), 1e10, 1e6);
  EXPECT_THAT(both.notes, Contains(HasSubstr("iperf3 received 9.1 Gbps")));
}

TEST(Calibration, SaysWhenUdpReachedWhatItWasAskedForAndWhenARunIsUnsteady) {
  IperfRun run = tcp_run(1e9);
  run.udp = true;
  run.target = BitsPerSecond{1e9};
  run.intervals = {BitsPerSecond{4e8}, BitsPerSecond{1.2e9}, BitsPerSecond{1.2e9}};
  const Calibration calibration = calibrate({}, {run}, {});
  EXPECT_THAT(calibration.notes, Contains(HasSubstr("the network may be faster")));
  EXPECT_THAT(calibration.notes, Contains(HasSubstr("unsteady")));
}

TEST(CalibratedCluster, ReadsBackAsTheLinksThatWereFitted) {
  const Calibration calibration =
      calibrate(tables_of(all_reduce_output(1, 4, 30.0, 1e5) + all_reduce_output(2, 4, 200.0, 1e4),
                          "odd \"name\"\\\n.txt"),
                {}, TablePlacement::kOutOfPlace);
  std::ostringstream text;
  write_calibrated_cluster(calibration, text);
  const Cluster cluster = parse_cluster(text.str(), "calibrated.txtpb");
  EXPECT_EQ(cluster.nodes, 2);
  EXPECT_EQ(cluster.gpus_per_node, 4);
  EXPECT_NEAR(cluster.nic.bandwidth.count() / calibration.nic->link.bandwidth.count(), 1.0, 1e-8);
  EXPECT_NEAR(cluster.nic.latency.count(), calibration.nic->link.latency.count(), 1e-12);
  EXPECT_NEAR(cluster.intra.bandwidth.count() / calibration.intra->link.bandwidth.count(), 1.0,
              1e-8);
  std::ostringstream of_one_node;
  write_calibrated_cluster(calibration_of(all_reduce_output(1, 4, 30.0, 1e5)), of_one_node);
  EXPECT_EQ(parse_cluster(of_one_node.str(), "calibrated.txtpb").nodes, 1);
}

TEST(Calibration, APolarisAllReduceHasTheBandwidthItsLastRowPrints) {
  const std::filesystem::path file = std::filesystem::path(GRADWIRE_SHARED_DIR) /
                                     "traces-public/nccl/polaris-nccl2_18-n2-all_reduce-set3.txt";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not here";
  const auto tables = tables_of(read_whole_file(file), file);
  const Calibration calibration = calibrate(tables, {}, TablePlacement::kOutOfPlace);
  ASSERT_EQ(calibration.fits.size(), 1U);
  EXPECT_GE(calibration.fits[0].pieces.size(), 2U);
  // A slope is no less than the bus bandwidth of the largest size by more than its residuals.
  const double printed = tables[0].table.rows.back().out_of_place.bus_gigabytes * 1e9;
  EXPECT_NEAR(calibration.nic->link.bandwidth.bytes_per_second(), printed, 0.1 * printed);
}

}  // namespace
}  // namespace gradwire
