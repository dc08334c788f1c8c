#include "simulator/report/perfetto_timeline.hpp"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>

namespace gradwire {
namespace {

/// Two ranks, the second one late: C0 and A0 each, A0 ends for both at 3 ms.
Timeline two_ranks() {
  Timeline timeline;
  timeline.workers = 8;
  timeline.last_rank = 3;
  timeline.end = Seconds{0.003};
  timeline.intervals = {
      {0, 0, Activity::kCompute, "C0", Seconds{0}, Seconds{0.001}, Seconds{0.001}},
      {0, 1, Activity::kCommunication, "A0", Seconds{0.001}, Seconds{0.003}, Seconds{0},
       Seconds{0.0005}, Seconds{0.00002}},
      {3, 0, Activity::kCompute, "C0", Seconds{0}, Seconds{0.0015}, Seconds{0.00125}},
      {3, 1, Activity::kCommunication, "A0", Seconds{0.0015}, Seconds{0.003}, Seconds{0},
       Seconds{0}, Seconds{0.00002}},
  };
  return timeline;
}

/// The same with a bucket whose gradients lead to A0 on rank 0, a NIC, and a measured kernel and
/// all-reduce.
TimelineView view() {
  TimelineView view;
  view.simulated = two_ranks();
  view.simulated.intervals[1].payload = Bytes{1000};
  view.simulated.intervals[1].sent = Bytes{1750};
  view.flows.gradients = {{0, Seconds{0.0004}, "fc.weight", Bytes{600}},
                          {0, Seconds{0.001}, "", Bytes{400}}};
  view.flows.buckets = {{0, 0, Seconds{0.0004}, Seconds{0.001}, Bytes{1000}, 2, ""}};
  view.flows.flows = {{{FlowStop::Place::kInterval, 0, Seconds{0.001}},
                       {FlowStop::Place::kBucket, 0, Seconds{0.001}},
                       {FlowStop::Place::kInterval, 1, Seconds{0.0015}}}};
  LinkUse nic;
  nic.capacity = BitsPerSecond{10e9};
  nic.busy = {{Seconds{0.0015}, Seconds{0.003}, BitsPerSecond{8e9}}};
  view.links = {nic};
  MeasuredIteration& measured = view.measured.emplace();
  measured.trace = "real";
  measured.iteration = 7;
  measured.timeline.intervals = {
      {0, 0, Activity::kCompute, "relu", Seconds{0}, Seconds{0.0005}, Seconds{0.0005}},
      {0, 1, Activity::kCommunication, "all_reduce", Seconds{0.0004}, Seconds{0.002}}};
  measured.timeline.end = Seconds{0.002};
  measured.gradients = {{0, Seconds{0.0005}, "fc.weight", Bytes{600}}};
  return view;
}

class PerfettoTimeline : public testing::Test {
 protected:
  void SetUp() override {
    std::ostringstream out;
    write_perfetto_timeline(view(), out);
    text_ = out.str();
    root_ = parser_.parse(text_).value();
    for (const auto event : root_["traceEvents"].get_array()) events_.push_back(event);
  }

  std::string text_;
  simdjson::dom::parser parser_;
  simdjson::dom::element root_;
  std::vector<simdjson::dom::element> events_;
};

TEST_F(PerfettoTimeline, IdsAreIntegersAndArgsAreObjects) {
  ASSERT_FALSE(events_.empty());
  for (const auto& event : events_) {
    EXPECT_TRUE(event["pid"].is_int64());
    EXPECT_TRUE(event["tid"].is_int64());
    EXPECT_TRUE(event["args"].is_object());
  }
}

TEST_F(PerfettoTimeline, EachRankIsAProcessWithNamedTracks) {
  std::set<std::tuple<std::int64_t, std::int64_t, std::string>> tracks;
  std::map<std::int64_t, std::string> processes;
  for (const auto& event : events_) {
    const std::string name{event["name"].get_string().value()};
    const std::int64_t pid = event["pid"];
    if (name == "process_name") processes[pid] = event["args"]["name"].get_string().value();
    if (name == "thread_name") {
      tracks.emplace(pid, event["tid"].get_int64().value(),
                     event["args"]["name"].get_string().value());
    }
  }
  EXPECT_EQ(processes,
            (std::map<std::int64_t, std::string>{{0, "rank 0"},
                                                 {3, "rank 3"},
                                                 {8, "links between nodes"},
                                                 {9, "measured: real, rank 0, iteration 7"}}));
  std::set<std::tuple<std::int64_t, std::int64_t, std::string>> wanted;
  for (const std::int64_t process : {0, 3, 9}) {
    wanted.emplace(process, 1, "compute");
    wanted.emplace(process, 2, "communication");
    wanted.emplace(process, 6, "gradients and buckets");
  }
  EXPECT_EQ(tracks, wanted);
}

TEST_F(PerfettoTimeline, SlicesAreMonotoneAndNeverOverlapOnATrack) {
  double before = 0.0;
  std::map<std::pair<std::int64_t, std::int64_t>, double> ends;
  int slices = 0;
  for (const auto& event : events_) {
    if (event["ph"].get_string().value() != "X") continue;
    ++slices;
    const double ts = event["ts"].get_double();
    EXPECT_GE(ts, before);
    before = ts;
    double& end = ends[{event["pid"].get_int64(), event["tid"].get_int64()}];
    EXPECT_GE(ts, end);
    end = ts + event["dur"].get_double();
  }
  EXPECT_EQ(slices, 8);  // four intervals and one wait, a bucket, two measured ones
}

TEST_F(PerfettoTimeline, SlicesSayWhatTheyShowInMicroseconds) {
  EXPECT_NE(text_.find(R"({"ph": "X", "name": "waiting for other ranks", "cat": "waiting", )"
                       R"("pid": 0, "tid": 2, "ts": 1000.000, "dur": 500.000, "args": {"op": 1, )"
                       R"("label": "A0", "payload_bytes": 1000, "wire_bytes": 1750, )"
                       R"("waiting_us": 500.000, "latency_us": 20.000}})"),
            std::string::npos)
      << text_;
  EXPECT_NE(text_.find(R"({"ph": "X", "name": "C0", "cat": "compute", "pid": 3, "tid": 1, )"
                       R"("ts": 0.000, "dur": 1500.000, "args": {"op": 0, "label": "C0", )"
                       R"("work_us": 1250.000}})"),
            std::string::npos)
      << text_;
  EXPECT_EQ(root_["otherData"]["last_rank"].get_int64().value(), 3);
}

TEST_F(PerfettoTimeline, GradientsAndBucketsHaveATrack) {
  EXPECT_NE(text_.find(R"({"ph": "i", "name": "fc.weight", "cat": "gradient", "pid": 0, "tid": 6, )"
                       R"("ts": 400.000, "args": {"bytes": 600}, "s": "t"})"),
            std::string::npos)
      << text_;
  EXPECT_NE(
      text_.find(R"({"ph": "X", "name": "bucket 0", "cat": "bucket", "pid": 0, "tid": 6, )"
                 R"("ts": 400.000, "dur": 600.000, "args": {"bytes": 1000, "gradients": 2}})"),
      std::string::npos)
      << text_;
}

TEST_F(PerfettoTimeline, ArrowsTouchTheirSlicesInside) {
  // The last nanosecond of C0 and of the bucket; where all ranks have come of the collective.
  std::vector<std::tuple<std::string, std::int64_t, double>> stops;
  for (const auto& event : events_) {
    const std::string phase{event["ph"].get_string().value()};
    if (phase != "s" && phase != "t" && phase != "f") continue;
    EXPECT_EQ(event["id"].get_int64().value(), 0);
    EXPECT_EQ(event["bp"].get_string().value(), "e");
    stops.emplace_back(phase, event["tid"].get_int64().value(), event["ts"].get_double().value());
  }
  EXPECT_EQ(stops, (std::vector<std::tuple<std::string, std::int64_t, double>>{
                       {"s", 1, 999.999}, {"t", 6, 999.999}, {"f", 2, 1500.0}}));
}

TEST_F(PerfettoTimeline, LinkUseIsACounterFromZeroToZero) {
  std::vector<std::tuple<double, double, double>> changes;
  for (const auto& event : events_) {
    if (event["ph"].get_string().value() != "C") continue;
    EXPECT_EQ(event["pid"].get_int64().value(), 8);
    EXPECT_EQ(event["name"].get_string().value(), "node 0 NIC out");
    changes.emplace_back(event["ts"].get_double().value(),
                         event["args"]["Gbit/s"].get_double().value(),
                         event["args"]["% of 10 Gbps"].get_double().value());
  }
  EXPECT_EQ(changes, (std::vector<std::tuple<double, double, double>>{
                         {0.0, 0.0, 0.0}, {1500.0, 8.0, 80.0}, {3000.0, 0.0, 0.0}}));
}

TEST_F(PerfettoTimeline, MeasuredCommunicationClaimsNoWaiting) {
  EXPECT_NE(text_.find(R"("name": "all_reduce", "cat": "communication", "pid": 9, "tid": 2, )"
                       R"("ts": 400.000, "dur": 1600.000, "args": {"op": 1}})"),
            std::string::npos)
      << text_;
}

TEST_F(PerfettoTimeline, SaysThatNothingWasCut) {
  for (const char* fact : {"merged_slices", "ranks_without_marks", "links_not_shown"}) {
    EXPECT_EQ(root_["otherData"][fact].get_int64().value(), 0) << fact;
  }
  EXPECT_EQ(describe(TimelineCuts{}), "");
}

TEST(PerfettoTimelineText, WhateverALabelHoldsTheFileIsJson) {
  const std::vector<std::string> labels = {
      "void k<float>(\"x\")", "a\\b\n\t",    std::string("nul\0nul", 7),
      "\x01\x1f\x7f",         "caf\xc3\xa9", "\xff\xfe",
      "\xed\xa0\x80",         "</script>"};
  TimelineView odd = view();
  for (const std::string& label : labels) {
    odd.simulated.intervals[0].label = label;
    odd.simulated.intervals[1].label = label;
    odd.flows.gradients[0].parameter = label;
    odd.flows.buckets[0].last = label;
    odd.measured->trace = label;
    odd.measured->timeline.intervals[0].label = label;
    std::ostringstream out;
    write_perfetto_timeline(odd, out);
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    const std::string text = out.str();
    EXPECT_EQ(parser.parse(text).get(root), simdjson::SUCCESS) << text;
  }
}

TEST(PerfettoTimelineSize, AMillionIntervalsStayBounded) {
  TimelineView view;
  for (int i = 0; i < 1'000'000; ++i) {
    view.simulated.intervals.push_back({0, i, Activity::kCompute, "C", Seconds{i * 1e-5},
                                        Seconds{i * 1e-5 + 9e-6}, Seconds{9e-6}});
  }
  view.simulated.end = Seconds{10.0};
  std::ostringstream out;
  const TimelineCuts cuts = write_perfetto_timeline(view, out);
  EXPECT_LT(out.str().size(), 40'000'000U);
  EXPECT_EQ(cuts.merged, 1'000'000U);
  // 9 us long and 1 us apart: 1, 2, 4, 8 us join nothing, 16 us does.
  EXPECT_EQ(cuts.merged_below, Nanoseconds{16'000});
  EXPECT_EQ(describe(cuts), "1000000 slices shorter than 16 us are merged with their neighbours");
  EXPECT_NE(out.str().find(R"("merged_slices": 1000000, "merged_below_us": 16.000)"),
            std::string::npos);
}

TEST(PerfettoTimelineSize, MarksAreLeftOutByWholeRanksAndCounted) {
  TimelineView crowded = view();
  crowded.flows.gradients.push_back({3, Seconds{0.001}, "late.weight", Bytes{4}});
  // Measured: 1. Rank 0: two gradients, a bucket, three stops. Rank 3: one.
  TimelineLimits limits;
  limits.marks = 7;
  std::ostringstream out;
  EXPECT_EQ(write_perfetto_timeline(crowded, out, limits).ranks_without_marks, 1U);
  EXPECT_EQ(out.str().find("late.weight"), std::string::npos);
  EXPECT_NE(out.str().find(R"("ph": "f")"), std::string::npos);
  limits.marks = 6;
  std::ostringstream less;
  const TimelineCuts cuts = write_perfetto_timeline(crowded, less, limits);
  EXPECT_EQ(cuts.ranks_without_marks, 2U);
  EXPECT_EQ(less.str().find(R"("ph": "f")"), std::string::npos);
  EXPECT_EQ(describe(cuts), "gradients and arrows of 2 ranks are left out");
}

TEST(PerfettoTimelineSize, LinksAreLeftOutWholeAndCounted) {
  TimelineLimits limits;
  limits.link_changes = 2;  // the NIC has three
  std::ostringstream out;
  EXPECT_EQ(write_perfetto_timeline(view(), out, limits).links, 1U);
  EXPECT_EQ(out.str().find(R"("ph": "C")"), std::string::npos);
}

TEST(PerfettoTimelineSize, ArrowsGoThroughMergedSlicesAndNeverStayInsideOne) {
  // Ranks compute and encode in slices so short that each track becomes one.
  TimelineView tiny;
  for (int i = 0; i < 20; ++i) {
    tiny.simulated.intervals.push_back({0, i, i % 2 == 0 ? Activity::kCompute : Activity::kEncode,
                                        "op", Seconds{i * 1e-7}, Seconds{(i + 1) * 1e-7}});
  }
  tiny.simulated.end = Seconds{2e-6};
  tiny.flows.flows = {{{FlowStop::Place::kInterval, 2, Seconds{3e-7}},
                       {FlowStop::Place::kInterval, 3, Seconds{3e-7}}},
                      {{FlowStop::Place::kInterval, 2, Seconds{3e-7}},
                       {FlowStop::Place::kInterval, 4, Seconds{4e-7}}}};
  TimelineLimits limits;
  limits.slices = 2;
  std::ostringstream out;
  write_perfetto_timeline(tiny, out, limits);
  const std::string text = out.str();
  const auto count = [&](const std::string& what) {
    std::size_t found = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
    return found;
  };
  EXPECT_EQ(count(R"("ph": "X")"), 2U);
  EXPECT_EQ(count(R"("ph": "s")"), 1U);  // the second stays on the compute track
  EXPECT_EQ(count(R"("ph": "f")"), 1U);
}

}  // namespace
}  // namespace gradwire
