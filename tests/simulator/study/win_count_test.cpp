#include "simulator/study/win_count.hpp"

#include <gtest/gtest.h>

namespace gradwire {
namespace {

StudyRow row_with(double speedup, std::size_t grid = 0) {
  StudyRow row;
  row.key.grid = grid;
  Verdict verdict;
  verdict.baseline = "float32";
  verdict.speedup = speedup;
  row.verdicts.push_back(verdict);
  return row;
}

TEST(WinCount, CountsWithATieBandOfThreePercentEitherSide) {
  const std::vector<StudyRow> rows = {row_with(0.5), row_with(0.97), row_with(0.98),
                                      row_with(1.0), row_with(1.02), row_with(1.03),
                                      row_with(1.2), row_with(2.0)};
  const WinCount count = count_wins(rows_of(rows, 0), "float32");
  // 0.97 and 1.03 are outside: a tie is less than 3 % away.
  EXPECT_EQ(count.losses, 2U);
  EXPECT_EQ(count.ties, 3U);
  EXPECT_EQ(count.wins, 3U);
  EXPECT_DOUBLE_EQ(count.share(), 3.0 / 8.0);
  EXPECT_EQ(count.best, &rows[7]);
  EXPECT_EQ(count.worst, &rows[0]);
  EXPECT_EQ(count.median_winner, &rows[6]);
  EXPECT_EQ(count.median_loser, &rows[0]);  // the lower of two
}

TEST(WinCount, ALossIsTheNetworksWhereSendingTakesLongerThanWhatItReplaces) {
  // 100 ms of compute; DDP leaves 50 ms exposed. Both cells take 200 ms.
  StudyRow sends = row_with(0.75);
  sends.breakdown.compute = Seconds{0.1};
  sends.verdicts[0].baseline_time = Seconds{0.15};
  StudyRow encodes = sends;
  sends.breakdown.exposed_bandwidth = Seconds{0.06};
  sends.breakdown.encode = Seconds{0.04};
  encodes.breakdown.exposed_bandwidth = Seconds{0.01};
  encodes.breakdown.encode = Seconds{0.09};
  const std::vector<StudyRow> rows = {sends, encodes};
  const WinCount count = count_wins(rows_of(rows, 0), "float32");
  EXPECT_EQ(count.losses, 2U);
  EXPECT_EQ(count.losses_to_network, 1U);
}

TEST(WinCount, LeavesOutOtherBaselinesAndOtherGrids) {
  const std::vector<StudyRow> rows = {row_with(2.0, 0), row_with(2.0, 1), StudyRow{}};
  EXPECT_EQ(count_wins(rows_of(rows, 0), "float32").cells(), 1U);
  EXPECT_EQ(count_wins(rows_of(rows, 0), "fp16").cells(), 0U);
  EXPECT_EQ(count_wins(rows_of(rows, 0), "fp16").best, nullptr);
  EXPECT_EQ(count_wins(rows_of(rows, 0), "fp16").share(), 0.0);
}

}  // namespace
}  // namespace gradwire
