#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "traces/importers/byte_source.hpp"

namespace gradwire {

/// A window of fixed size that slides over a byte source. What is in view is followed by readable
/// padding, as simdjson wants it.
class ByteWindow {
 public:
  explicit ByteWindow(ByteSource& source);

  /// What is in view and not yet dropped. Valid until the next call of `more` or `drop`.
  std::string_view view() const { return {buffer_.get() + begin_, end_ - begin_}; }

  /// Bytes readable from the start of `view()`, padding included.
  std::size_t readable() const;

  /// Byte offset of the view's start in the (unzipped) text.
  std::uint64_t offset() const { return offset_; }

  /// Brings more bytes into view; false when there are none or the window is full.
  bool more();

  /// Lets go of the first `count` bytes of the view.
  void drop(std::size_t count);

  bool at_end() const { return at_end_; }
  bool full() const;

 private:
  ByteSource& source_;
  std::unique_ptr<char[]> buffer_;  ///< not filled: a small file touches little of it
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t offset_ = 0;
  bool at_end_ = false;
};

}  // namespace gradwire
