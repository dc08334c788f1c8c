#include "simulator/report/cost_profile_table.hpp"

#include <gtest/gtest.h>

namespace gradwire {
namespace {

CostEntry entry_of(const char* scheme, std::int64_t elements, int ranks) {
  CostEntry entry;
  entry.scheme = {scheme, {}};
  entry.elements = Elements{elements};
  entry.tensors = 1;
  entry.ranks = ranks;
  return entry;
}

// 1 ms to encode 250,000 elements, 1 MB, and 3 ms to decode them: 0.25 GB/s. The samples lie within
// 0.2 and 0.6 ms: 0.8 ms of 4 ms, 20 %.
TEST(MeasuredTable, HasSpreadAndRateOfEncodeAndDecodeTogether) {
  CostEntry entry = entry_of("signsgd", 250'000, 8);
  entry.encode = Seconds{1e-3};
  entry.decode = Seconds{3e-3};
  entry.spread =
      MeasuredSpread{10, Seconds{0.9e-3}, Seconds{1.1e-3}, Seconds{2.8e-3}, Seconds{3.4e-3}};
  EXPECT_EQ(measured_table({entry}).rows().front(),
            (std::vector<std::string>{"signsgd", "250000", "1", "8", "1 ms", "3 ms", "10", "20.0",
                                      "0.25"}));
}

TEST(MeasuredTable, LeavesEmptyWhatIsNotKnown) {
  EXPECT_EQ(measured_table({entry_of("fp16", 4, 0)}).rows().front(),
            (std::vector<std::string>{"fp16", "4", "1", "any", "0 s", "0 s", "", "", ""}));
}

TEST(LargestOfEach, KeepsTheMostElementsOfASchemeAndNumberOfRanks) {
  const std::vector<CostEntry> kept =
      largest_of_each({entry_of("a", 1, 2), entry_of("a", 9, 2), entry_of("a", 3, 8),
                       entry_of("b", 5, 2), entry_of("a", 4, 2)});
  EXPECT_EQ(kept, (std::vector<CostEntry>{entry_of("a", 9, 2), entry_of("a", 3, 8),
                                          entry_of("b", 5, 2)}));
}

}  // namespace
}  // namespace gradwire
