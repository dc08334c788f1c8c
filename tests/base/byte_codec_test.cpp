#include "base/byte_codec.hpp"

#include <gtest/gtest.h>

#include <concepts>
#include <limits>

namespace gradwire {

struct Inner {
  std::string text;
  std::optional<double> number;
  bool operator==(const Inner&) const = default;
};

template <class AnInner, class Field>
requires std::same_as<std::remove_const_t<AnInner>, Inner>
void each_field(AnInner& inner, Field& field) {
  field(inner.text);
  field(inner.number);
}

namespace {

template <class T>
T there_and_back(const T& value) {
  ByteWriter writer;
  writer(value);
  const std::string bytes = writer.take();
  T result{};
  ByteReader reader(bytes);
  reader(result);
  return result;
}

TEST(ByteCodec, ValuesReadBackAsTheyWere) {
  EXPECT_EQ(there_and_back(42), 42);
  EXPECT_EQ(there_and_back(std::string("a\0b", 3)), std::string("a\0b", 3));
  EXPECT_EQ(there_and_back(std::vector<std::string>{"", "x"}), (std::vector<std::string>{"", "x"}));
  const double tiny = std::numeric_limits<double>::denorm_min();
  const std::vector<Inner> inners = {{"one", tiny}, {"", std::nullopt}};
  EXPECT_EQ(there_and_back(inners), inners);
  EXPECT_EQ(there_and_back(std::optional<Inner>(inners[0])), inners[0]);
  EXPECT_EQ(there_and_back(std::optional<Inner>()), std::nullopt);
}

TEST(ByteCodec, AnAbsentValueIsOneByteThatSaysSo) {
  ByteWriter writer;
  writer(std::optional<double>());
  writer(std::vector<std::optional<double>>{std::nullopt});
  // The flag; the vector's length and its flag.
  EXPECT_EQ(writer.take().size(), 1 + sizeof(std::size_t) + 1);
}

TEST(ByteCodec, FewerBytesThanAnnouncedAreABug) {
  ByteWriter writer;
  writer(std::string("text"));
  const std::string bytes = writer.take();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::string text;
    ByteReader reader(std::string_view{bytes}.substr(0, size));
    EXPECT_THROW(reader(text), BugError) << size;
  }
}

}  // namespace
}  // namespace gradwire
