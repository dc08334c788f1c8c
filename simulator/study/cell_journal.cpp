#include "simulator/study/cell_journal.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/byte_codec.hpp"
#include "base/crc32c.hpp"
#include "base/errors.hpp"
#include "base/framed_chunk.hpp"
#include "base/input_file.hpp"
#include "base/output_file.hpp"

namespace gradwire {
namespace {

// docs/formats/study-cells.md. Chunks: the owner first, then a cell each.
constexpr std::string_view kMagic = "\x89GWC\r\n\x1a\n";

std::string bytes_of(const JournalOwner& owner, const StudyShard& shard) {
  ByteWriter writer;
  writer(owner);
  writer(shard);
  return writer.take();
}

std::string bytes_of(std::size_t cell, std::string_view bytes) {
  ByteWriter writer;
  writer(cell);
  return writer.take().append(bytes);
}

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what) {
  throw InputError(fmt::format("{}: {}", path.string(), what));
}

/// Reads the first chunk: for whom the cells are. Refuses those of another owner.
StudyShard read_head(const std::filesystem::path& path, std::string_view payload,
                     const JournalOwner& owner) {
  const auto refuse_other = [&](const char* what) {
    refuse(path, fmt::format("its cells are of {}; remove it and run the study anew", what));
  };
  JournalOwner found;
  StudyShard shard;
  if (payload.size() != bytes_of(found, shard).size()) {
    refuse_other("another build of gradwire");
  }
  ByteReader reader(payload);
  reader(found);
  reader(shard);
  if (found.program != owner.program) refuse_other("another build of gradwire");
  if (found != owner) refuse_other("another study or of other files");
  return shard;
}

}  // namespace

JournalOwner journal_owner(const std::vector<std::filesystem::path>& files, std::size_t cells) {
  std::string checksums;
  for (const std::filesystem::path& file : files) {
    append_u32(checksums, crc32c(read_whole_file(file)));
  }
  return {crc32c(read_whole_file("/proc/self/exe")), crc32c(checksums), cells};
}

Journal read_journal(const std::filesystem::path& path, const JournalOwner& owner) {
  const std::string bytes = read_whole_file(path);
  if (!bytes.starts_with(kMagic)) refuse(path, "this is no file of finished cells");
  Journal journal;
  std::size_t at = kMagic.size();
  bool is_first = true;
  while (at < bytes.size()) {
    const FramedChunk chunk = framed_chunk_at(bytes, at);
    if (chunk.state == ChunkState::kCutOff) break;
    at += chunk.framed_size();
    if (chunk.state == ChunkState::kDamaged) {
      if (at == bytes.size()) break;
      refuse(path, fmt::format("byte {}: a chunk is damaged (its CRC32C does not fit)", at));
    }
    if (std::exchange(is_first, false)) {
      journal.shard = read_head(path, chunk.payload, owner);
      continue;
    }
    std::size_t cell = 0;
    ByteReader reader(chunk.payload);
    reader(cell);
    if (cell >= owner.cells) refuse(path, fmt::format("cell {} is none of the study", cell));
    journal.cells[cell] = chunk.payload.substr(sizeof cell);
  }
  return journal;
}

CellJournal::CellJournal(std::filesystem::path path, const JournalOwner& owner,
                         const StudyShard& shard, const JournalCells& known)
    : path_(std::move(path)) {
  std::string bytes{kMagic};
  append_framed_chunk(bytes, bytes_of(owner, shard));
  for (const auto& [cell, row] : known) append_framed_chunk(bytes, bytes_of(cell, row));
  {
    // Replaced as a whole: what was known must not get lost in between.
    OutputFile file(path_);
    file.stream().write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.commit();
  }
  stream_.open(path_, std::ios::binary | std::ios::app);
  if (!stream_) throw EnvironmentError(fmt::format("{}: it cannot be written", path_.string()));
}

void CellJournal::add(std::size_t cell, std::string_view bytes) {
  std::string framed;
  append_framed_chunk(framed, bytes_of(cell, bytes));
  stream_.write(framed.data(), static_cast<std::streamsize>(framed.size()));
  const auto now = std::chrono::steady_clock::now();
  if (now - flushed_ > std::chrono::milliseconds{50}) {
    stream_.flush();
    flushed_ = now;
  }
  if (!stream_) throw EnvironmentError(fmt::format("{}: the disk refuses", path_.string()));
}

}  // namespace gradwire
