#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "simulator/collectives/registry.hpp"

namespace gradwire {
namespace {

std::string page() {
  std::ifstream file(GRADWIRE_SOURCE_DIR "/docs/collectives.md");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(DocumentedFormulas, AreThoseOfEveryAlgorithm) {
  const std::string text = page();
  for (const AlgorithmEntry& entry : algorithms()) {
    EXPECT_THAT(text, testing::HasSubstr(fmt::format("\n| {} | {} | `{}` |", name_of(entry.kind),
                                                     entry.algorithm, entry.formula)));
  }
}

TEST(DocumentedFormulas, AreOfNoAlgorithmThatIsNotThere) {
  const std::string text = page();
  std::size_t rows = 0;
  for (std::size_t at = text.find(" | `"); at != std::string::npos;
       at = text.find(" | `", at + 1)) {
    ++rows;
  }
  EXPECT_EQ(rows, algorithms().size());
}

}  // namespace
}  // namespace gradwire
