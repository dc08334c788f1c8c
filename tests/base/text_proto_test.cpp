#include "base/text_proto.hpp"

#include <gmock/gmock.h>
#include <google/protobuf/duration.pb.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Any message does; protobuf's own Duration has the int64 `seconds` and the int32 `nanos`.
using Message = google::protobuf::Duration;

std::string refusal_of(const std::string& text) {
  return test::input_error_of([&] {
    Message message;
    parse_text_proto(text, "grid.txtpb", message);
  });
}

TEST(TextProto, FieldsAndCommentsAreRead) {
  Message message;
  parse_text_proto("# a comment\nseconds: 3\nnanos: 14  # another\n", "grid.txtpb", message);
  EXPECT_EQ(message.seconds(), 3);
  EXPECT_EQ(message.nanos(), 14);
}

TEST(TextProto, AnUnknownFieldIsNamedWithLineAndColumn) {
  // The third line starts the field at its third column.
  EXPECT_THAT(refusal_of("seconds: 3\n\n  bandwith: 4\n"),
              AllOf(StartsWith("grid.txtpb:3:"), HasSubstr("bandwith")));
}

TEST(TextProto, ASyntaxErrorIsNamedWithLineAndColumn) {
  EXPECT_THAT(refusal_of("seconds: }\n"), StartsWith("grid.txtpb:1:10: "));
}

TEST(TextProto, AValueOfTheWrongTypeIsRefused) {
  EXPECT_THAT(refusal_of("seconds: \"three\"\n"), StartsWith("grid.txtpb:1:"));
}

TEST(TextProto, AnIntegerThatDoesNotFitIsRefused) {
  EXPECT_THAT(refusal_of("nanos: 3000000000\n"), StartsWith("grid.txtpb:1:"));
}

TEST(TextProto, AFieldGivenTwiceIsRefused) {
  EXPECT_THAT(refusal_of("seconds: 1\nseconds: 2\n"), StartsWith("grid.txtpb:2:"));
}

TEST(TextProto, OnlyTheFirstOfSeveralErrorsIsSaid) {
  const std::string text = refusal_of("first: 1\nsecond: 2\n");
  EXPECT_THAT(text, HasSubstr("first"));
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(TextProto, AFileIsReadAndNamedInItsErrors) {
  const test::TemporaryFolder folder;
  const auto good = folder.write("good.txtpb", "seconds: 5");
  const auto bad = folder.write("bad.txtpb", "minutes: 5");
  Message message;
  read_text_proto(good, message);
  EXPECT_EQ(message.seconds(), 5);
  EXPECT_THAT(test::input_error_of([&] { read_text_proto(bad, message); }),
              StartsWith(bad.string() + ":1:"));
}

TEST(TextProto, AMissingFileIsRefusedByName) {
  Message message;
  EXPECT_THAT(test::input_error_of([&] { read_text_proto("no/such.txtpb", message); }),
              HasSubstr("no/such.txtpb"));
}

}  // namespace
}  // namespace gradwire
