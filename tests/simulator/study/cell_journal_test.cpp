#include "simulator/study/cell_journal.hpp"

#include <gtest/gtest.h>

#include "base/input_file.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

const JournalOwner kOwner{1, 2, 10};

TEST(CellJournal, HoldsWhatWasKnownAndWhatWasAdded) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "cells";
  {
    CellJournal journal(path, kOwner, StudyShard{2, 5}, {{3, "three"}});
    journal.add(1, "one");
    journal.add(9, "");
  }
  EXPECT_EQ(read_journal(path, kOwner).shard, (StudyShard{2, 5}));
  EXPECT_EQ(read_journal(path, kOwner).cells, (JournalCells{{1, "one"}, {3, "three"}, {9, ""}}));
}

TEST(CellJournal, AFileCutAnywhereLosesItsLastCellsAlone) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "cells";
  {
    CellJournal journal(path, kOwner, StudyShard{2, 5}, {});
    journal.add(0, "zero");
    journal.add(1, "one");
  }
  const std::string whole = read_whole_file(path);
  std::size_t before = 0;
  for (std::size_t size = 8; size <= whole.size(); ++size) {
    const auto cut = folder.write("cut", whole.substr(0, size));
    const JournalCells cells = read_journal(cut, kOwner).cells;
    EXPECT_GE(cells.size(), before);
    before = cells.size();
    EXPECT_TRUE(cells.empty() || cells.at(0) == "zero");
  }
  EXPECT_EQ(before, 2U);
}

TEST(CellJournal, AnotherStudysProgramsOrGridsCellsAreRefused) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "cells";
  { const CellJournal journal(path, kOwner, StudyShard{2, 5}, {{0, "zero"}}); }
  for (const JournalOwner& other : {JournalOwner{1, 9, 10}, {1, 2, 9}}) {
    const std::string said = test::input_error_of([&] { read_journal(path, other); });
    EXPECT_NE(said.find("another study"), std::string::npos) << said;
  }
  const std::string said = test::input_error_of([&] { read_journal(path, {9, 2, 10}); });
  EXPECT_NE(said.find("another build"), std::string::npos) << said;
  const auto text = folder.write("text", "no cells");
  EXPECT_NE(test::input_error_of([&] { read_journal(text, kOwner); }).find("no file of finished"),
            std::string::npos);
}

TEST(CellJournal, ADamagedCellInTheMiddleIsRefused) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder / "cells";
  { const CellJournal journal(path, kOwner, StudyShard{2, 5}, {{0, "zero"}, {1, "one"}}); }
  std::string bytes = read_whole_file(path);
  bytes[bytes.find("zero")] = 'Z';
  const auto damaged = folder.write("damaged", bytes);
  EXPECT_NE(test::input_error_of([&] { read_journal(damaged, kOwner); }).find("CRC32C"),
            std::string::npos);
}

TEST(JournalOwner, ChangesWithEveryFileAndTheCountOfCells) {
  const test::TemporaryFolder folder;
  const auto a = folder.write("a", "1");
  const auto b = folder.write("b", "2");
  const JournalOwner owner = journal_owner({a, b}, 5);
  EXPECT_EQ(journal_owner({a, b}, 5), owner);
  EXPECT_NE(journal_owner({a, b}, 6), owner);
  EXPECT_NE(journal_owner({b, a}, 5), owner);
  folder.write("b", "3");
  EXPECT_NE(journal_owner({a, b}, 5), owner);
}

}  // namespace
}  // namespace gradwire
