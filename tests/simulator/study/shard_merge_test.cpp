#include "simulator/study/shard_merge.hpp"

#include <gmock/gmock.h>

#include <set>

#include "base/errors.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr JournalOwner kOwner{1, 2, 24};

/// 24 cells, three at a time with the same baselines.
StudySpec eight_baselines() {
  StudySpec spec;
  spec.workloads.resize(2);
  GridSpec grid;
  grid.workloads = {0, 1};
  grid.workers = {8, 16};
  grid.bandwidths = {BitsPerSecond{1e9}, BitsPerSecond{1e10}};
  grid.latencies = {Seconds{1e-5}};
  grid.compressors = {"none", "fp16", "signsgd"};
  spec.grids.push_back(grid);
  return spec;
}

TEST(StudyShard, EveryCellIsInOneShard) {
  StudySpec spec = eight_baselines();
  spec.grids.push_back(spec.grids[0]);
  spec.grids.back().encode_divisors = {1.0, 2.0};
  for (const std::size_t count : {1, 2, 3, 5, 7, 16, 17, 71, 72, 100}) {
    std::set<std::size_t> seen;
    std::size_t cells = 0;
    for (std::size_t index = 1; index <= count; ++index) {
      for (const std::size_t cell : cells_of(spec, {index, count})) {
        seen.insert(cell);
        ++cells;
      }
    }
    EXPECT_EQ(cells, 72U) << count;
    EXPECT_EQ(seen.size(), 72U) << count;
    EXPECT_EQ(*seen.rbegin(), 71U) << count;
  }
}

TEST(StudyShard, CellsWithTheSameBaselinesStayTogether) {
  const StudySpec spec = eight_baselines();
  EXPECT_THAT(cells_of(spec, {1, 5}), testing::ElementsAre(0, 1, 2, 15, 16, 17));
  EXPECT_THAT(cells_of(spec, {4, 5}), testing::ElementsAre(9, 10, 11));
}

TEST(StudyShard, NoShardIsEmptyThatCouldHaveACell) {
  const StudySpec spec = eight_baselines();
  EXPECT_THAT(cells_of(spec, {9, 9}), testing::ElementsAre(8, 17));
  EXPECT_THAT(cells_of(spec, {24, 24}), testing::ElementsAre(23));
  EXPECT_TRUE(cells_of(spec, {25, 25}).empty());
}

class ShardMerge : public testing::Test {
 protected:
  /// A file with the shard's cells but the last `open`.
  std::filesystem::path write(const StudyShard& shard, std::size_t open = 0,
                              const std::string& name = {}) {
    JournalCells known;
    const std::vector<std::size_t> cells = cells_of(spec_, shard);
    for (std::size_t i = 0; i + open < cells.size(); ++i) {
      known[cells[i]] = std::to_string(cells[i]);
    }
    std::filesystem::path path = folder_ / (name.empty() ? file_name_of(shard) : name);
    const CellJournal journal(path, kOwner, shard, known);
    return path;
  }

  std::string refusal(const std::vector<std::filesystem::path>& places) const {
    return test::input_error_of([&] { (void)merge_shards(spec_, kOwner, places); });
  }

  StudySpec spec_ = eight_baselines();
  const test::TemporaryFolder folder_;
};

TEST_F(ShardMerge, HasTheCellsOfAllShardsInAnyOrder) {
  const auto a = write({1, 3});
  const auto b = write({2, 3});
  const auto c = write({3, 3});
  const MergedShards merged = merge_shards(spec_, kOwner, {c, a, b});
  EXPECT_EQ(merged.count, 3U);
  EXPECT_EQ(merged.cells.size(), 24U);
  EXPECT_EQ(merged.cells.at(17), "17");
  EXPECT_EQ(merge_shards(spec_, kOwner, {folder_ / "."}).cells, merged.cells);
}

TEST_F(ShardMerge, NamesEveryMissingShard) {
  const auto path = write({2, 4});
  EXPECT_THAT(refusal({path}), AllOf(HasSubstr("shard 1/4"), HasSubstr("shard 3/4"),
                                     HasSubstr("shard 4/4"), Not(HasSubstr("shard 2/4"))));
}

TEST_F(ShardMerge, NamesAShardThatHasNotEndedAndItsFirstOpenCell) {
  const auto whole = write({1, 2});
  const auto open = write({2, 2}, 2);
  // Shard 2/2 has baselines 1, 3, 5 and 7: 12 cells, the last of which are 21, 22 and 23.
  try {
    (void)merge_shards(spec_, kOwner, {whole, open});
    ADD_FAILURE() << "it was merged";
  } catch (const IncompleteError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("shard 2/2 ("), HasSubstr(open.string()),
                                    HasSubstr("10 of its 12 cells"), HasSubstr("cell 22"),
                                    Not(HasSubstr("shard 1/2"))));
  }
  // One that is missing too makes it a matter of the files given.
  EXPECT_THAT(refusal({open}), AllOf(HasSubstr("shard 1/2 is in none"), HasSubstr("shard 2/2 (")));
}

TEST_F(ShardMerge, RefusesShardsOfTwoCountsAndOneShardTwice) {
  const auto a = write({1, 2});
  const auto b = write({2, 2});
  const auto third = write({3, 3});
  EXPECT_THAT(refusal({a, b, third}), AllOf(HasSubstr("shard 3/3"), HasSubstr("2 shards")));
  const auto again = write({2, 2}, 0, "again");
  EXPECT_THAT(refusal({a, b, again}),
              AllOf(HasSubstr("shard 2/2"), HasSubstr("twice"), HasSubstr(again.string())));
}

TEST_F(ShardMerge, RefusesAFolderWithoutShards) {
  EXPECT_THAT(refusal({folder_ / "."}), HasSubstr("holds no shard-*.cells"));
}

}  // namespace
}  // namespace gradwire
