#include "traces/importers/byte_window.hpp"

#include <algorithm>
#include <cstring>

namespace gradwire {
namespace {

constexpr std::size_t kWindowBytes =
    4 << 20;  // an event, with its call stack, is a few KB; 4 MiB is never met
constexpr std::size_t kChunkBytes =
    128 << 10;  // stays in the cache between reading, splitting and parsing
constexpr std::size_t kPadding =
    64;  // simdjson 3.0 asks for SIMDJSON_PADDING = 64 (simdjson/base.h)

}  // namespace

ByteWindow::ByteWindow(ByteSource& source)
    : source_(source), buffer_(std::make_unique_for_overwrite<char[]>(kWindowBytes + kPadding)) {}

std::size_t ByteWindow::readable() const { return kWindowBytes + kPadding - begin_; }

bool ByteWindow::full() const { return end_ - begin_ == kWindowBytes; }

bool ByteWindow::more() {
  if (at_end_ || full()) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  const std::size_t got =
      source_.read(buffer_.get() + end_, std::min(kChunkBytes, kWindowBytes - end_));
  end_ += got;
  at_end_ = got == 0;
  return got > 0;
}

void ByteWindow::drop(std::size_t count) {
  begin_ += count;
  offset_ += count;
}

}  // namespace gradwire
