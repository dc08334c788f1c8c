#include "simulator/accuracy/npy_header.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "base/errors.hpp"

namespace gradwire {
namespace {

class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  NpyHeader parse() {
    expect('{');
    while (!next_is('}')) {
      read_entry();
      if (next_is('}')) break;
      expect(',');
    }
    expect('}');
    skip_blanks();
    if (at_ < text_.size()) refuse("nothing but blanks behind the dictionary");
    if (!descr_ || !fortran_order_ || !shape_) {
      throw InputError(fmt::format(
          "{}: the .npy header `{}` lacks one of 'descr', 'fortran_order' and 'shape', which "
          "numpy.save writes",
          source_, printable_text(text_)));
    }
    return {*descr_, *fortran_order_, *shape_};
  }

 private:
  [[noreturn]] void refuse(std::string_view accepted) const {
    throw InputError(fmt::format("{}: byte {} of the .npy header: `{}` found; {} is accepted",
                                 source_, at_, printable_text(text_.substr(at_)), accepted));
  }

  void skip_blanks() {
    while (at_ < text_.size() && std::string_view{" \t\r\n"}.find(text_[at_]) != text_.npos) ++at_;
  }

  /// Whether `c` is what follows any blanks, which are passed over.
  bool next_is(char c) {
    skip_blanks();
    return at_ < text_.size() && text_[at_] == c;
  }

  void expect(char c) {
    if (!next_is(c)) refuse(fmt::format("`{}`", c));
    ++at_;
  }

  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  std::string quoted(std::string_view accepted) {
    const char quote = next_is('"') ? '"' : '\'';
    const std::size_t end = next_is(quote) ? text_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) refuse(accepted);
    const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return std::string{inside};
  }

  void read_entry() {
    const std::size_t begin = at_;
    const std::string key = quoted("a key in quotes");
    expect(':');
    skip_blanks();
    if (key == "descr" && !descr_) {
      descr_ = quoted("one type in quotes, such as '<f4',");
    } else if (key == "fortran_order" && !fortran_order_) {
      fortran_order_ = take_word("True");
      if (!*fortran_order_ && !take_word("False")) refuse("True or False");
    } else if (key == "shape" && !shape_) {
      shape_ = read_shape();
    } else {
      at_ = begin;
      skip_blanks();
      refuse("each of 'descr', 'fortran_order' and 'shape' once");
    }
  }

  std::vector<std::int64_t> read_shape() {
    std::vector<std::int64_t> shape;
    expect('(');
    while (!next_is(')')) {
      std::int64_t extent = 0;
      const char* begin = text_.data() + at_;
      const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), extent);
      if (error != std::errc{} || extent < 0) refuse("an extent of 0 to 2^63 - 1");
      at_ += static_cast<std::size_t>(end - begin);
      shape.push_back(extent);
      if (next_is(')')) break;
      expect(',');
    }
    expect(')');
    return shape;
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0;
  std::optional<std::string> descr_;
  std::optional<bool> fortran_order_;
  std::optional<std::vector<std::int64_t>> shape_;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& source) {
  return HeaderParser(text, source).parse();
}

std::string printable_text(std::string_view text) {
  constexpr std::size_t kShown = 40;
  std::string shown{text.substr(0, kShown)};
  for (char& c : shown) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() > kShown ? shown + "..." : shown;
}

}  // namespace gradwire
