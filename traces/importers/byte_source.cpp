#include "traces/importers/byte_source.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "base/errors.hpp"
#include "base/input_file.hpp"

namespace gradwire {
namespace {

constexpr std::size_t kInputBytes = std::size_t{128} * 1024;
constexpr int kGzipWindowBits = 15 + 16;           // zlib.h: the largest window, gzip framing only
constexpr unsigned char kMagic[2] = {0x1f, 0x8b};  // RFC 1952 section 2.3.1

}  // namespace

struct ByteSource::State {
  std::filesystem::path path;
  std::ifstream stream;
  std::vector<unsigned char> input = std::vector<unsigned char>(kInputBytes);
  std::size_t input_begin = 0;
  std::size_t input_end = 0;
  std::uint64_t input_offset = 0;  ///< of input[0] in the file
  bool gzip = false;
  bool ended = false;
  z_stream inflater{};
  std::optional<SourceDamage> damage;

  std::uint64_t position() const { return input_offset + input_begin; }
  std::size_t available() const { return input_end - input_begin; }

  /// Reads on until at least `wanted` bytes wait; false when the file has fewer.
  bool fill(std::size_t wanted) {
    if (available() >= wanted) return true;
    std::move(input.begin() + static_cast<std::ptrdiff_t>(input_begin),
              input.begin() + static_cast<std::ptrdiff_t>(input_end), input.begin());
    input_offset += input_begin;
    input_end -= input_begin;
    input_begin = 0;
    input_end +=
        read_raw(reinterpret_cast<char*>(input.data()) + input_end, input.size() - input_end);
    return available() >= wanted;
  }

  std::size_t read_raw(char* out, std::size_t size) {
    stream.read(out, static_cast<std::streamsize>(size));
    if (stream.bad()) throw InputError(fmt::format("{}: reading it failed", path.string()));
    return static_cast<std::size_t>(stream.gcount());
  }

  bool at_magic() {
    return fill(2) && input[input_begin] == kMagic[0] && input[input_begin + 1] == kMagic[1];
  }

  std::size_t read_plain(char* out, std::size_t size) {
    if (available() > 0) {
      const std::size_t taken = std::min(size, available());
      std::copy_n(input.begin() + static_cast<std::ptrdiff_t>(input_begin), taken, out);
      input_begin += taken;
      return taken;
    }
    return read_raw(out, size);
  }

  void end_with(std::string text, bool loses_data) {
    ended = true;
    damage = SourceDamage{std::move(text), loses_data};
  }

  /// After one member: the next one, padding, or something else.
  void finish_member() {
    while (fill(1) && input[input_begin] == 0) ++input_begin;
    if (!fill(1)) {
      ended = true;
    } else if (at_magic()) {
      inflateReset(&inflater);
    } else {
      end_with(
          fmt::format(
              "bytes that are not gzip follow the compressed data at byte {}; they were ignored",
              position()),
          false);
    }
  }

  std::size_t read_gzip(char* out, std::size_t size) {
    inflater.next_out = reinterpret_cast<Bytef*>(out);
    inflater.avail_out = static_cast<uInt>(std::min<std::size_t>(size, 1u << 30));
    const uInt room = inflater.avail_out;
    while (inflater.avail_out > 0 && !ended) {
      if (!fill(1)) {
        end_with(fmt::format("the gzip data is cut off at byte {}", position()), true);
        break;
      }
      inflater.next_in = input.data() + input_begin;
      inflater.avail_in = static_cast<uInt>(available());
      const int status = inflate(&inflater, Z_NO_FLUSH);
      input_begin = input_end - inflater.avail_in;
      if (status == Z_STREAM_END) {
        finish_member();
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        end_with(fmt::format("the gzip data is damaged near byte {} ({})", position(),
                             inflater.msg != nullptr ? inflater.msg : "no reason given"),
                 true);
      }
    }
    return room - inflater.avail_out;
  }
};

ByteSource::ByteSource(const std::filesystem::path& path) : state_(std::make_unique<State>()) {
  state_->path = path;
  state_->stream = open_input(path);
  state_->gzip = state_->at_magic();
  if (state_->gzip && inflateInit2(&state_->inflater, kGzipWindowBits) != Z_OK) {
    throw EnvironmentError("zlib could not be started: out of memory or of another version");
  }
}

ByteSource::~ByteSource() {
  if (state_->gzip) inflateEnd(&state_->inflater);
}

std::size_t ByteSource::read(char* out, std::size_t size) {
  if (state_->ended || size == 0) return 0;
  const std::size_t got =
      state_->gzip ? state_->read_gzip(out, size) : state_->read_plain(out, size);
  if (got == 0) state_->ended = true;
  return got;
}

bool ByteSource::is_gzip() const { return state_->gzip; }

const std::optional<SourceDamage>& ByteSource::damage() const { return state_->damage; }

std::string read_head(const std::filesystem::path& path, std::size_t size) {
  ByteSource source(path);
  std::string head(size, '\0');
  std::size_t got = 0;
  while (got < size) {
    const std::size_t more = source.read(head.data() + got, size - got);
    if (more == 0) break;
    got += more;
  }
  head.resize(got);
  return head;
}

}  // namespace gradwire
