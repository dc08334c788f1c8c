#include "simulator/accuracy/npy_header.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string fault_of(const std::string& text) {
  return test::input_error_of([&] { parse_npy_header(text, "g.npy"); });
}

TEST(ParseNpyHeader, ReadsWhatNumpyWrites) {
  const NpyHeader header = parse_npy_header(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 13754), }          \n", "g.npy");
  EXPECT_EQ(header.descr, "<f4");
  EXPECT_FALSE(header.fortran_order);
  EXPECT_EQ(header.shape, (std::vector<std::int64_t>{8, 13754}));
}

TEST(ParseNpyHeader, TakesAnyOrderQuotesAndBlanks) {
  const NpyHeader header =
      parse_npy_header("{ \"shape\":( 3 ,),'fortran_order' :True,\"descr\": \"<f2\" }", "g.npy");
  EXPECT_EQ(header.descr, "<f2");
  EXPECT_TRUE(header.fortran_order);
  EXPECT_EQ(header.shape, std::vector<std::int64_t>{3});
  EXPECT_TRUE(
      parse_npy_header("{'descr':'x','fortran_order':False,'shape':()}", "g").shape.empty());
}

TEST(ParseNpyHeader, NamesFileByteAndWhatIsAccepted) {
  EXPECT_THAT(fault_of("['descr']"), AllOf(HasSubstr("g.npy: byte 0 of"),
                                           HasSubstr("`['descr']` found; `{` is accepted")));
  EXPECT_THAT(fault_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,)}"),
              AllOf(HasSubstr("byte 10"), HasSubstr("one type in quotes")));
  EXPECT_THAT(fault_of("{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}"),
              HasSubstr("True or False is accepted"));
  EXPECT_THAT(fault_of("{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}"),
              HasSubstr("`-3,)}` found; an extent of 0 to 2^63 - 1"));
  EXPECT_THAT(
      fault_of("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}"),
      HasSubstr("an extent of 0 to"));
  EXPECT_THAT(fault_of("{'descr': '<f4', 'fortran_order': False, 'shape': 3}"),
              HasSubstr("`3}` found; `(`"));
  EXPECT_THAT(fault_of("{'descr': '<f4', 'descr': '<f4'}"), HasSubstr("once is accepted"));
  EXPECT_THAT(fault_of("{'order': 'C'}"), HasSubstr("`'order': 'C'}` found"));
  EXPECT_THAT(fault_of("{'descr': '<f4', 'shape': (3,)}"), HasSubstr("lacks one of"));
  EXPECT_THAT(fault_of("{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} x"),
              HasSubstr("nothing but blanks"));
  EXPECT_THAT(fault_of("{'descr': '<f4"), HasSubstr("byte 10"));
  EXPECT_THAT(fault_of(""), HasSubstr("byte 0"));
}

TEST(PrintableText, IsOneShortLineOfAscii) {
  EXPECT_EQ(printable_text("a\nb\xff~ "), "a?b?~ ");
  EXPECT_EQ(printable_text(std::string("a\0b", 3)), "a?b");
  EXPECT_EQ(printable_text(std::string(41, 'x')), std::string(40, 'x') + "...");
  EXPECT_EQ(printable_text(std::string(40, 'x')), std::string(40, 'x'));
}

}  // namespace
}  // namespace gradwire
