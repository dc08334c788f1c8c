#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "simulator/study/study_spec.hpp"

namespace gradwire {

/// One of `count` parts of a study that are run apart, from 1; the whole study by default.
struct StudyShard {
  std::size_t index = 1;
  std::size_t count = 1;

  bool operator==(const StudyShard&) const = default;
};

/// Reads "2/5". Throws InputError for anything that is no part of a whole.
StudyShard shard_from_text(const std::string& text);

/// "2/5".
std::string text_of(const StudyShard& shard);

/// The cells of `shard`, ascending. Every cell is in one shard, which the study and `count` alone
/// decide. Cells that are compared with the same baselines stay together, so that no two shards
/// compute those, unless there would be nothing for some shard; they are dealt out in turn.
std::vector<std::size_t> cells_of(const StudySpec& spec, const StudyShard& shard);

}  // namespace gradwire
