#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/study/study_shard.hpp"

namespace gradwire {

/// What a journal belongs to: a run of one program over one study's files. Rows of another are
/// never mixed in.
struct JournalOwner {
  std::uint32_t program = 0;  ///< CRC-32C of the executable
  std::uint32_t study = 0;    ///< CRC-32C over the study and every file it names
  std::size_t cells = 0;      ///< of the whole study

  bool operator==(const JournalOwner&) const = default;
};

/// The owner for this program. `files` in a fixed order. Throws InputError when one cannot be read.
JournalOwner journal_owner(const std::vector<std::filesystem::path>& files, std::size_t cells);

/// Cells, answered or given up: bytes by cell.
using JournalCells = std::map<std::size_t, std::string>;

struct Journal {
  StudyShard shard;  ///< which it was written for
  JournalCells cells;
};

/// What of `path` can be used: a last cell that was cut off is dropped. Throws InputError naming
/// the file when it is no journal, is damaged in the middle, or belongs to another owner.
Journal read_journal(const std::filesystem::path& path, const JournalOwner& owner);

/// Appends cells to a file, so that a run that is killed loses only those it was at.
class CellJournal {
 public:
  /// Begins `path` anew with what is `known` already. Throws EnvironmentError when it cannot be
  /// written.
  CellJournal(std::filesystem::path path, const JournalOwner& owner, const StudyShard& shard,
              const JournalCells& known);

  /// Handed to the system every 50 ms at most: a kill loses the cells of that time. Throws
  /// EnvironmentError when the disk refuses.
  void add(std::size_t cell, std::string_view bytes);

 private:
  std::filesystem::path path_;
  std::ofstream stream_;
  std::chrono::steady_clock::time_point flushed_;
};

}  // namespace gradwire
