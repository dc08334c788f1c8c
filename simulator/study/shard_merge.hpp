#pragma once

#include <filesystem>
#include <vector>

#include "simulator/study/cell_journal.hpp"
#include "simulator/study/study_spec.hpp"

namespace gradwire {

/// "shard-2-of-5.cells": where a shard's cells are kept in its folder.
std::string file_name_of(const StudyShard& shard);

struct MergedShards {
  std::size_t count = 0;  ///< of shards
  JournalCells cells;
};

/// The cells of all shards of `spec`. `places` are their files or folders that hold some. Throws
/// InputError when a shard is in none or in two of them, when they are shards of different counts,
/// and as read_journal; IncompleteError when one has cells that it has neither answered nor given
/// up. Both name every such shard.
MergedShards merge_shards(const StudySpec& spec, const JournalOwner& owner,
                          const std::vector<std::filesystem::path>& places);

}  // namespace gradwire
