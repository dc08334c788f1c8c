#include "simulator/study/shard_merge.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <string>

#include "base/errors.hpp"

namespace gradwire {
namespace {

bool is_shard_file(const std::string& name) {
  return name.starts_with("shard-") && name.ends_with(".cells");
}

/// Every file of `places`, those of a folder by name.
std::vector<std::filesystem::path> files_of(const std::vector<std::filesystem::path>& places) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& place : places) {
    if (!std::filesystem::is_directory(place)) {
      files.push_back(place);
      continue;
    }
    std::vector<std::filesystem::path> found;
    for (const auto& entry : std::filesystem::directory_iterator(place)) {
      if (is_shard_file(entry.path().filename().string())) found.push_back(entry.path());
    }
    if (found.empty()) {
      throw InputError(
          fmt::format("--merge: {} holds no shard-*.cells; a folder with some, or such a file, is "
                      "accepted",
                      place.string()));
    }
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

/// A shard's file and what it holds.
struct ShardFile {
  std::filesystem::path path;
  Journal journal;
};

/// By shard; absent where no file is.
std::vector<std::optional<ShardFile>> read_shards(const std::vector<std::filesystem::path>& files,
                                                  const JournalOwner& owner) {
  std::vector<std::optional<ShardFile>> shards;
  for (const std::filesystem::path& file : files) {
    ShardFile read{file, read_journal(file, owner)};
    const StudyShard shard = read.journal.shard;
    if (shards.empty()) shards.resize(shard.count);
    if (shard.count != shards.size()) {
      throw InputError(
          fmt::format("--merge: {} is shard {}, and {} has {} shards; those of one "
                      "count are accepted",
                      file.string(), text_of(shard), files.front().string(), shards.size()));
    }
    std::optional<ShardFile>& place = shards[shard.index - 1];
    if (place) {
      throw InputError(fmt::format("--merge: shard {} found twice, in {} and {}; once is accepted",
                                   text_of(shard), place->path.string(), file.string()));
    }
    place = std::move(read);
  }
  return shards;
}

}  // namespace

std::string file_name_of(const StudyShard& shard) {
  return fmt::format("shard-{}-of-{}.cells", shard.index, shard.count);
}

MergedShards merge_shards(const StudySpec& spec, const JournalOwner& owner,
                          const std::vector<std::filesystem::path>& places) {
  std::vector<std::optional<ShardFile>> shards = read_shards(files_of(places), owner);
  MergedShards merged{shards.size(), {}};
  std::vector<std::string> lacking;
  bool is_missing = false;
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const StudyShard shard{i + 1, shards.size()};
    if (!shards[i]) {
      lacking.push_back(fmt::format("shard {} is in none of the files", text_of(shard)));
      is_missing = true;
      continue;
    }
    JournalCells& cells = shards[i]->journal.cells;
    const std::vector<std::size_t> wanted = cells_of(spec, shard);
    const auto open = std::find_if(wanted.begin(), wanted.end(),
                                   [&](std::size_t cell) { return !cells.contains(cell); });
    if (open != wanted.end()) {
      lacking.push_back(fmt::format(
          "shard {} ({}) has not ended: {} of its {} cells are done, the "
          "first of the others is cell {}",
          text_of(shard), shards[i]->path.string(), cells.size(), wanted.size(), *open));
    }
    merged.cells.merge(cells);
  }
  if (lacking.empty()) return merged;
  const std::string said =
      fmt::format("--merge: {}; run it with --shard", fmt::join(lacking, "; "));
  if (is_missing) throw InputError(said);
  throw IncompleteError(said);
}

}  // namespace gradwire
