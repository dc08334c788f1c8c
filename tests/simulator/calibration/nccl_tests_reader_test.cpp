#include "simulator/calibration/nccl_tests_reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/input_file.hpp"
#include "tests/simulator/calibration/tables.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using test::all_reduce_output;
using test::input_error_of;
using test::table_end;
using test::table_header;
using test::table_row;
using ::testing::HasSubstr;

/// Two nodes of two GPUs: all-gathers of 4 kB and 8 kB, each rank giving a fourth.
std::string small_output() {
  return table_header("all_gather_perf", 2, 2) + table_row(4096, 4, 10.0, 0.75, "none") +
         table_row(8192, 4, 16.0, 0.75, "none") + table_end();
}

std::string with_row(const std::string& row) {
  return table_header("all_reduce_perf", 2, 2) + row + "\n" + table_end();
}

TEST(NcclTestsReader, ReadsRowsRanksAndHosts) {
  const auto tables = read_nccl_tests(small_output(), "a.txt");
  ASSERT_EQ(tables.size(), 1U);
  const CollectiveTable& table = tables[0];
  EXPECT_EQ(table.header.test, "all_gather");
  EXPECT_EQ(table.header.hosts, (std::vector<std::string>{"host0", "host0", "host1", "host1"}));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[1].size.count(), 8192);
  EXPECT_EQ(table.rows[1].count.count(), 512);
  EXPECT_NEAR(table.rows[1].out_of_place.time.count(), 16e-6, 1e-15);
  EXPECT_TRUE(table.notes.empty());
  const TableIdentity identity = identify_table(table, {});
  EXPECT_EQ(identity.kind, CollectiveKind::kAllGather);
  EXPECT_EQ(identity.ranks, 4);
  EXPECT_EQ(identity.nodes, 2);
  EXPECT_TRUE(identity.inferred.empty());
}

TEST(NcclTestsReader, ReadsSeveralJobsWithOtherLinesBetween) {
  const std::string text = "host0:36600:36600 [0] NCCL INFO Bootstrap : Using hsn0\n" +
                           all_reduce_output(2, 2, 20.0, 1000.0) +
                           "2024-04-29 18:41:24 job 2 begins, rank 0\n" + small_output();
  const auto tables = read_nccl_tests(text, "a.txt");
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].header.test, "all_reduce");
  EXPECT_EQ(tables[0].rows.size(), 20U);
  EXPECT_EQ(tables[1].header.test, "all_gather");
  EXPECT_EQ(tables[1].header.ranks(), 4);
}

TEST(NcclTestsReader, CutAtAnyByteItRefusesOrGivesRowsOfTheWhole) {
  const std::string whole = small_output();
  const auto rows = read_nccl_tests(whole, "a.txt")[0].rows;
  std::size_t refused = 0;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    try {
      const auto tables = read_nccl_tests(whole.substr(0, length), "a.txt");
      ASSERT_EQ(tables.size(), 1U);
      ASSERT_LE(tables[0].rows.size(), rows.size());
      for (std::size_t i = 0; i < tables[0].rows.size(); ++i) {
        const TableRow& row = tables[0].rows[i];
        EXPECT_EQ(row.size, rows[i].size) << length;
        EXPECT_EQ(row.out_of_place.time, rows[i].out_of_place.time) << length;
        EXPECT_EQ(row.in_place->time, rows[i].in_place->time) << length;
      }
      if (tables[0].rows.size() < rows.size()) {
        EXPECT_FALSE(tables[0].notes.empty()) << length;
      }
    } catch (const InputError& error) {
      ++refused;
      EXPECT_THAT(error.what(), HasSubstr("a.txt")) << length;
    }
  }
  EXPECT_GT(refused, table_header("all_gather_perf", 2, 2).size());
}

TEST(NcclTestsReader, RefusesRowsWithFileAndLine) {
  // The column names are line 11, the row line 13.
  const auto refusal = [](const std::string& row) {
    return input_error_of([&] { read_nccl_tests(with_row(row), "a.txt"); });
  };
  EXPECT_THAT(refusal("4096 1024 float sum -1 -5.0 0.41 0.61 0 10.0 0.41 0.61 0"),
              HasSubstr("a.txt:13: time: \"-5.0\" found"));
  EXPECT_THAT(refusal("4096 1024 float sum -1 0.00 0.41 0.61 0 10.0 0.41 0.61 0"),
              HasSubstr("a.txt:13: time: 0 us"));
  EXPECT_THAT(refusal("-4096 1024 float sum -1 10.0 0.41 0.61 0 10.0 0.41 0.61 0"),
              HasSubstr("a.txt:13: size: \"-4096\""));
  EXPECT_THAT(refusal("4096 1024 float sum -1 nan 0.41 0.61 0 10.0 0.41 0.61 0"),
              HasSubstr("a.txt:13: time: \"nan\""));
  EXPECT_THAT(refusal("4096 1024 float sum -1 10.0 0.41"), HasSubstr("a.txt:13: 7 columns found"));
  EXPECT_THAT(refusal("4096 1024 float sum -1 10.0 0.41 0.61 0 10.0 0.41 0.61 0 7"),
              HasSubstr("a.txt:13: 14 columns found"));
  EXPECT_THAT(input_error_of([] { read_nccl_tests("4096 1024 1 1 1 1 1\n", "a.txt"); }),
              HasSubstr("a.txt:1: a row of numbers"));
  EXPECT_THAT(input_error_of([] { read_nccl_tests("size,count,type,time\n", "a.txt"); }),
              HasSubstr("a.txt:1: no column algbw"));
  EXPECT_THAT(input_error_of([] { read_nccl_tests("", "a.txt"); }), HasSubstr("no table"));
}

TEST(NcclTestsReader, LeavesOutEmptySizesAndKeepsWhatHasNoValidation) {
  const auto tables =
      read_nccl_tests(table_header("all_reduce_perf", 2, 2) +
                          "0 0 float sum -1 7.5 0.00 0.00 0 7.4 0.00 0.00 0\n"
                          "4096 1024 float sum -1 10.0 0.41 0.61 N/A 10.0 0.41 0.61 N/A\n"
                          "8192 2048 float sum -1 10.0 0.82 1.23 0 N/A N/A N/A N/A\n"
                          "16384 4096 float sum -1 10.0 1.64 2.46 3 10.0 1.64 2.46 0\n" +
                          table_end(),
                      "a.txt");
  ASSERT_EQ(tables[0].rows.size(), 3U);
  EXPECT_FALSE(tables[0].rows[0].out_of_place.wrong);
  EXPECT_FALSE(tables[0].rows[1].in_place.has_value());
  EXPECT_TRUE(tables[0].rows[2].out_of_place.wrong);
  EXPECT_FALSE(tables[0].rows[2].in_place->wrong);
  EXPECT_EQ(tables[0].notes, std::vector<std::string>{"rows of size 0 are left out: 1"});
}

TEST(NcclTestsReader, ReadsOlderColumnsAndLaunchersPrefixes) {
  const std::string text =
      "[1,0]<stdout>:#       size         count    type   time   algbw   busbw    error\n"
      "[1,0]<stdout>:        4096          1024   float   10.0    0.41    0.61    2e-07\n";
  const auto tables = read_nccl_tests(text, "all-reduce.txt");
  ASSERT_EQ(tables[0].rows.size(), 1U);
  EXPECT_FALSE(tables[0].rows[0].out_of_place.wrong);
  EXPECT_FALSE(tables[0].rows[0].in_place.has_value());
  const TableIdentity identity = identify_table(tables[0], {std::nullopt, 4, std::nullopt});
  EXPECT_EQ(identity.kind, CollectiveKind::kAllReduce);
}

/// Comma-separated all-reduces of n ranks, without a word on what they are.
std::string bare_table(int ranks) {
  std::string text = "size,count,type,redop,root,time,algbw,busbw,#wrong\n";
  for (std::int64_t size = 1 << 20; size <= 1 << 30; size *= 2) {
    const double algorithm = 100.0;
    text += fmt::format("{},{},float,sum,-1,{:.3f},{:.2f},{:.2f},0\n", size, size / 4,
                        static_cast<double>(size) / algorithm * 1e-3, algorithm,
                        algorithm * 2.0 * (ranks - 1) / ranks);
  }
  return text;
}

TEST(TableIdentity, RanksOfAnAllReduceFollowFromItsBandwidthsWhereOneNumberFits) {
  const auto few = read_nccl_tests(bare_table(8), "x.csv");
  const TableIdentity identity = identify_table(few[0], {});
  EXPECT_EQ(identity.kind, CollectiveKind::kAllReduce);
  EXPECT_EQ(identity.ranks, 8);
  EXPECT_EQ(identity.nodes, 0);
  EXPECT_EQ(identity.inferred.size(), 2U);
  // 2 * 255 / 256 of 100 GB/s is 199.22 +- 0.005, which 250 and 262 ranks would print too.
  const auto many = read_nccl_tests(bare_table(256), "x.csv");
  EXPECT_THAT(input_error_of([&] { identify_table(many[0], {}); }), HasSubstr("--ranks"));
  EXPECT_EQ(identify_table(many[0], {std::nullopt, 256, 4}).nodes, 64);
  EXPECT_EQ(identify_table(many[0], {std::nullopt, std::nullopt, 16}).ranks, 256);
}

TEST(TableIdentity, RefusesWhatTheColumnsContradict) {
  const auto gather = read_nccl_tests(small_output(), "a.txt");
  EXPECT_THAT(input_error_of([&] {
                identify_table(gather[0], {CollectiveKind::kAllReduce, std::nullopt, std::nullopt});
              }),
              HasSubstr("a.txt:11: --collective all_reduce found, but the table is of all_gather"));
  EXPECT_THAT(input_error_of([&] {
                identify_table(gather[0], {std::nullopt, 8, std::nullopt});
              }),
              HasSubstr("--ranks 8 found"));
  auto slower = gather;
  slower[0].rows[1].out_of_place.algorithm_gigabytes *= 2.0;
  EXPECT_THAT(input_error_of([&] { identify_table(slower[0], {}); }),
              HasSubstr("a.txt:14: algbw 1.02 GB/s found, but size over time is 0.51"));
  auto reduce = read_nccl_tests(bare_table(8), "x.csv");
  EXPECT_THAT(input_error_of([&] {
                identify_table(reduce[0], {CollectiveKind::kAllReduce, 16, std::nullopt});
              }),
              HasSubstr("x.csv:2: busbw"));
}

TEST(TableIdentity, AsksForTheCollectiveWhereTwoHaveTheSameColumns) {
  const auto tables = read_nccl_tests(
      table_header("", 2, 2) + table_row(4096, 4, 10.0, 0.75, "none") + table_end(), "a.txt");
  EXPECT_THAT(input_error_of([&] { identify_table(tables[0], {}); }),
              HasSubstr("all_gather, all_to_all; --collective says it"));
  auto named = tables;
  named[0].file = "folder/alltoall-n4.txt";
  EXPECT_EQ(identify_table(named[0], {}).kind, CollectiveKind::kAllToAll);
}

TEST(NcclTestsReader, ReadsEveryFileOfTheCollection) {
  const std::filesystem::path folder =
      std::filesystem::path(GRADWIRE_SHARED_DIR) / "traces-public" / "nccl";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not here";
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    SCOPED_TRACE(name);
    ++files;
    const auto tables = read_nccl_tests(read_whole_file(entry.path()), name);
    EXPECT_EQ(tables.size(), name.substr(0, 4) == "h100" ? 5U : 1U);
    for (const CollectiveTable& table : tables) {
      // Bandwidths of two decimals leave 128 and 256 ranks open.
      const bool alps = name.substr(0, 4) == "alps";
      TableClaims claims;
      if (alps) claims.ranks = std::stoi(name.substr(name.find("-n") + 2));
      const TableIdentity identity = identify_table(table, claims);
      EXPECT_EQ(identity.nodes == 0, alps);
      EXPECT_GE(table.rows.size(), 10U);
    }
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace gradwire
