// JSON that is not JSON, and files that are cut off.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/traces/importers/kineto_text.hpp"

namespace gradwire {
namespace {

using test::gzip;
using test::import_text;
using test::KinetoText;
using test::refusal_of;
using test::times;
using testing::AllOf;
using testing::HasSubstr;

std::string kernel_text(const std::string& name, int ts) {
  return R"({"ph": "X", "cat": "kernel", "name": ")" + name + R"(", "pid": 0, "tid": 7, "ts": )" +
         std::to_string(ts) + R"(, "dur": 1, "args": {"device": 0, "stream": 7}})";
}

/// Good kernels a and b, `bad` between them, good kernels c and d behind.
std::string around(const std::string& bad, const std::string& separator = ",\n") {
  return "{\"traceEvents\": [\n" + kernel_text("a", 10) + separator + kernel_text("b", 20) +
         separator + bad + separator + kernel_text("c", 40) + separator + kernel_text("d", 50) +
         "\n],\n\"traceName\": \"t\"}\n";
}

std::string names_of(const Trace& trace) {
  std::string names;
  for (const Kernel& kernel : trace.kernels) names += trace.names[kernel.name] + " ";
  return names;
}

struct BadEvent {
  const char* what;
  std::string text;
};

class UnreadableEvent : public testing::TestWithParam<BadEvent> {};

TEST_P(UnreadableEvent, CostsOnlyItself) {
  for (const char* separator : {",\n", ", ", ","}) {
    const Imported imported = import_text(around(GetParam().text, separator));
    EXPECT_EQ(names_of(imported.trace), "a b c d ");
    EXPECT_EQ(times(imported.report, "event-unreadable"), 1u);
    EXPECT_TRUE(imported.report.lost_data());
  }
}

TEST_P(UnreadableEvent, IsRefusedByStrictWithItsPlace) {
  const std::string text = around(GetParam().text);
  const std::string message = refusal_of(text, true);
  EXPECT_THAT(message,
              AllOf(HasSubstr("trace.json: byte " + std::to_string(text.find(GetParam().text))),
                    HasSubstr("event-unreadable"), HasSubstr("--strict")));
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, UnreadableEvent,
    testing::Values(
        BadEvent{"QuotesInTheName", kernel_text("say \"hi\" now", 30)},
        BadEvent{"OneQuoteInTheName", kernel_text("lone \" quote", 30)},
        BadEvent{"QuoteAndBracesInTheName", kernel_text("f(\"x}{)", 30)},
        BadEvent{
            "QuoteInACallStack",
            R"j({"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 5, "dur": 1,
 "args": {"Call stack": "a.py(1): f("x", ")"}})j"},
        BadEvent{
            "OneQuoteInACallStack",
            R"({"ph": "X", "cat": "python_function", "name": "op", "pid": 1, "tid": 1, "ts": 5, "dur": 1,
 "args": {"Call stack": "a.py(1): <module " here>"}})"},
        BadEvent{"BackslashBeforeTheClosingQuote", kernel_text(R"(C:\dir\)", 30)},
        BadEvent{"MissingColon", R"({"ph" "X", "cat": "kernel", "name": "bad"})"},
        BadEvent{"NoObject", R"("just a string")"}),
    [](const testing::TestParamInfo<BadEvent>& tested) { return tested.param.what; });

class MendedEvent : public testing::TestWithParam<BadEvent> {};

TEST_P(MendedEvent, IsReadAndCountedByKind) {
  const Imported imported = import_text(around(GetParam().text), true);
  EXPECT_EQ(imported.trace.kernels.size(), 5u);
  EXPECT_EQ(times(imported.report, GetParam().what), 1u);
  EXPECT_FALSE(imported.report.lost_data());
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, MendedEvent,
    testing::Values(
        BadEvent{"event-repaired-backslash", kernel_text(R"(C:\Users\x)", 30)},
        BadEvent{"event-repaired-control-byte", kernel_text("bell \x07 here", 30)},
        BadEvent{"event-repaired-not-utf8", kernel_text("latin \xE9 here", 30)},
        BadEvent{
            "bare-value",
            R"({"ph": "X", "cat": "kernel", "name": "e", "pid": 0, "tid": 7, "ts": 30, "dur": 1,
 "occupancy": N/A, "args": {"device": 0}})"}),
    [](const testing::TestParamInfo<BadEvent>& tested) {
      return "Kind" + std::to_string(tested.index);
    });

struct BadTime {
  const char* kind;
  const char* times;
};

class BadTimes : public testing::TestWithParam<BadTime> {};

TEST_P(BadTimes, LoseTheirRecordAndAreCounted) {
  const std::string bad =
      std::string(R"({"ph": "X", "cat": "kernel", "name": "bad", "pid": 0, "tid": 7, )") +
      GetParam().times + R"("args": {"device": 0, "stream": 7}})";
  const Imported imported = import_text(around(bad));
  EXPECT_EQ(names_of(imported.trace), "a b c d ");
  EXPECT_EQ(times(imported.report, GetParam().kind), 1u);
  EXPECT_EQ(imported.report.kernels_in, 5u);
  EXPECT_EQ(imported.report.kernels_out, 4u);
  EXPECT_THAT(refusal_of(around(bad), true), HasSubstr(GetParam().kind));
}

INSTANTIATE_TEST_SUITE_P(Kinds, BadTimes,
                         testing::Values(BadTime{"time-not-a-number", "\"ts\": NaN, \"dur\": 1, "},
                                         BadTime{"time-not-a-number", "\"ts\": 30, \"dur\": N/A, "},
                                         BadTime{"time-not-a-number", "\"dur\": 1, "},
                                         BadTime{"negative-duration", "\"ts\": 30, \"dur\": -1, "},
                                         BadTime{"negative-time", "\"ts\": -30, \"dur\": 1, "},
                                         BadTime{"duration-missing", "\"ts\": 30, "},
                                         BadTime{"device-record-without-time",
                                                 "\"ts\": 0, \"dur\": 0, "}),
                         [](const testing::TestParamInfo<BadTime>& tested) {
                           return "Kind" + std::to_string(tested.index);
                         });

TEST(KinetoMalformed, TwoBadEventsWithGoodOnesBetweenCostTwo) {
  const std::string bad = kernel_text("lone \" quote", 30);
  const Imported imported =
      import_text(around(bad + ",\n" + kernel_text("between", 31) + ",\n" + bad));
  EXPECT_EQ(names_of(imported.trace), "a b between c d ");
  EXPECT_EQ(times(imported.report, "event-unreadable"), 2u);
}

TEST(KinetoMalformed, ABadLastEventDoesNotHideTheEndOfTheList) {
  const std::string text = "{\"traceEvents\": [" + kernel_text("a", 10) + ", " +
                           kernel_text("lone \" quote", 30) +
                           "], \"baseTimeNanoseconds\": 1711964646000000000}";
  const Imported imported = import_text(text);
  EXPECT_EQ(names_of(imported.trace), "a ");
  EXPECT_EQ(imported.trace.base_time, Nanoseconds{1711964646000010000});
  EXPECT_EQ(times(imported.report, "truncated"), 0u);
}

TEST(KinetoMalformed, PairedQuotesInTheArgsOfAnIgnoredOperatorLoseNothing) {
  const std::string quoted =
      R"j({"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 5, "dur": 1,
 "args": {"Call stack": "a.py(1): f("x")"}})j";
  EXPECT_EQ(names_of(import_text(around(quoted)).trace), "a b c d ");
}

TEST(KinetoMalformed, AnArrayOfObjectsInsideAnEventIsNoFault) {
  const std::string nested =
      R"({"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 5, "dur": 1, "args": {"list": [{"a": 1}, {"b": 2}]}})";
  EXPECT_FALSE(import_text(around(nested), true).report.lost_data());
}

TEST(KinetoMalformed, StrayBracketsBetweenEventsDoNotEndTheList) {
  const std::string kernel = kernel_text("e", 30);
  for (const std::string& bad : {"]" + kernel, "[" + kernel, "]," + kernel, "}" + kernel}) {
    const Imported imported = import_text(around(bad));
    EXPECT_GE(imported.trace.kernels.size(), 4u) << bad;
    EXPECT_EQ(times(imported.report, "event-unreadable"), 1u) << bad;
    EXPECT_EQ(times(imported.report, "truncated"), 0u) << bad;
  }
}

TEST(KinetoMalformed, AStrayBracketInsideAnEventCostsOnlyThatEvent) {
  std::string bad = kernel_text("e", 30);
  bad.insert(bad.size() - 1, "]");
  const Imported imported = import_text(around(bad));
  EXPECT_EQ(names_of(imported.trace), "a b c d ");
  EXPECT_EQ(times(imported.report, "event-unreadable"), 1u);
}

TEST(KinetoMalformed, CommasTooManyAreNoFault) {
  EXPECT_FALSE(import_text("[" + kernel_text("a", 10) + ",, " + kernel_text("b", 20) + ",\n]", true)
                   .report.lost_data());
}

TEST(KinetoMalformed, BrokenLogTextBesideTheEventsCostsOnlyItself) {
  const std::string text =
      "{\"traceEvents\": [" + kernel_text("a", 10) +
      "],\n\"INFO\": [\"INFO: said \"hi\", \"x\"],\n" +
      "\"WARNING\": [\"lone \" quote\"],\n\"baseTimeNanoseconds\": 1711964646000000000\n}";
  const Imported imported = import_text(text, true);
  EXPECT_EQ(imported.trace.base_time, Nanoseconds{1711964646000010000});
  EXPECT_GE(times(imported.report, "metadata-unreadable"), 1u);
}

TEST(KinetoMalformed, BrokenLogTextBeforeTheEventsDoesNotHideThem) {
  const std::string text =
      "{\"INFO\": [\"lone \" quote\"],\n\"traceEvents\": [" + kernel_text("a", 10) + "]}";
  EXPECT_EQ(names_of(import_text(text).trace), "a ");
}

TEST(KinetoMalformed, AnyOneByteTooManyCostsAtMostOneEvent) {
  const std::string text = around(kernel_text("e", 30));
  const std::size_t begin = text.find("[\n") + 2;
  const std::size_t end = text.rfind("}}") + 2;
  for (const char* byte : {"\"", "{", "}", "[", "]", "\\", "\n", "\xFF", ","}) {
    for (std::size_t at = begin; at < end; at += 3) {
      std::string damaged = text;
      damaged.insert(at, byte);
      EXPECT_GE(import_text(damaged).trace.kernels.size(), 4u) << byte << " at " << at;
    }
  }
}

TEST(KinetoMalformed, EveryCutOfAFileKeepsTheCompleteEventsAndSaysTheLoss) {
  const std::string text =
      "{\"traceEvents\": [\n" + kernel_text("a", 10) + ",\n" + kernel_text("b", 20) + "\n]}";
  const std::size_t first_end = text.find("}}") + 2;
  const std::size_t second_end = text.rfind("}}") + 2;
  for (std::size_t cut = first_end; cut + 1 < text.size(); ++cut) {
    const Imported imported = import_text(text.substr(0, cut));
    EXPECT_EQ(imported.trace.kernels.size(), cut < second_end ? 1u : 2u) << cut;
    EXPECT_EQ(times(imported.report, "truncated"), 1u) << cut;
    EXPECT_THAT(refusal_of(text.substr(0, cut), true),
                AllOf(HasSubstr("trace.json: byte " + std::to_string(cut)), HasSubstr("ends")))
        << cut;
  }
}

TEST(KinetoMalformed, ATruncatedGzipFileKeepsTheCompleteEventsAndSaysTheLoss) {
  std::string text = "{\"traceEvents\": [\n";
  for (int i = 1; i <= 4000; ++i) {
    text += kernel_text("k" + std::to_string((i * 7919) % 104729), i) + ",\n";
  }
  const std::string zipped = gzip(text + kernel_text("z", 5000) + "]}");
  const std::string cut = zipped.substr(0, zipped.size() / 2);
  const Imported imported = import_text(cut);
  EXPECT_GT(imported.trace.kernels.size(), 1000u);
  EXPECT_LT(imported.trace.kernels.size(), 4000u);
  EXPECT_EQ(times(imported.report, "gzip-damaged"), 1u);
  EXPECT_EQ(times(imported.report, "truncated"), 1u);
  EXPECT_THAT(refusal_of(cut, true), HasSubstr("--strict"));
}

TEST(KinetoMalformed, AnEventLongerThanTheWindowIsSkippedAndCounted) {
  const std::string huge =
      R"({"ph": "X", "cat": "cpu_op", "name": "op", "args": {"Call stack": ")" +
      std::string(5 << 20, 'x') + "\"}}";
  const Imported imported = import_text(around(huge));
  EXPECT_EQ(names_of(imported.trace), "a b c d ");
  EXPECT_EQ(times(imported.report, "event-too-long"), 1u);
}

TEST(KinetoMalformed, ACutCaptureMarksIterationsWithFewerKernelsAsIncomplete) {
  KinetoText text;
  for (int i = 1; i <= 3; ++i) text.step(i, std::to_string(1000 * i), "900");
  int id = 0;
  for (int i = 1; i <= 3; ++i) {
    for (int k = 0; k < (i == 3 ? 1 : 3); ++k) {
      const int t = 1000 * i + 10 * k;
      text.launched("k", std::to_string(t + 5), "1", std::to_string(t), 1, ++id);
    }
  }
  std::string cut = text.object();
  cut = cut.substr(0, cut.rfind(']'));
  const Trace trace = import_text(cut).trace;
  ASSERT_EQ(trace.iterations.size(), 3u);
  EXPECT_TRUE(trace.iterations[0].complete);
  EXPECT_TRUE(trace.iterations[1].complete);
  EXPECT_FALSE(trace.iterations[2].complete);
}

}  // namespace
}  // namespace gradwire
