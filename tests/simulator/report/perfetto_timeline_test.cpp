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

class PerfettoTimeline : public testing::Test {
 protected:
  void SetUp() override {
    std::ostringstream out;
    write_perfetto_timeline(two_ranks(), out);
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
  EXPECT_EQ(processes, (std::map<std::int64_t, std::string>{{0, "rank 0"}, {3, "rank 3"}}));
  EXPECT_EQ(
      tracks,
      (std::set<std::tuple<std::int64_t, std::int64_t, std::string>>{
          {0, 1, "compute"}, {0, 2, "communication"}, {3, 1, "compute"}, {3, 2, "communication"}}));
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
  EXPECT_EQ(slices, 5);  // four intervals and one wait
}

TEST_F(PerfettoTimeline, SlicesSayWhatTheyShowInMicroseconds) {
  EXPECT_NE(text_.find(R"({"ph": "X", "name": "waiting for other ranks", "cat": "waiting", )"
                       R"("pid": 0, "tid": 2, "ts": 1000.000, "dur": 500.000, "args": {"op": 1, )"
                       R"("label": "A0", "waiting_us": 500.000, "latency_us": 20.000}})"),
            std::string::npos)
      << text_;
  EXPECT_NE(text_.find(R"({"ph": "X", "name": "C0", "cat": "compute", "pid": 3, "tid": 1, )"
                       R"("ts": 0.000, "dur": 1500.000, "args": {"op": 0, "label": "C0", )"
                       R"("work_us": 1250.000}})"),
            std::string::npos)
      << text_;
  EXPECT_EQ(root_["otherData"]["last_rank"].get_int64().value(), 3);
}

TEST(PerfettoTimelineSize, AMillionIntervalsStayBounded) {
  Timeline timeline;
  for (int i = 0; i < 1'000'000; ++i) {
    timeline.intervals.push_back({0, i, Activity::kCompute, "C", Seconds{i * 1e-5},
                                  Seconds{i * 1e-5 + 9e-6}, Seconds{9e-6}});
  }
  timeline.end = Seconds{10.0};
  std::ostringstream out;
  write_perfetto_timeline(timeline, out);
  EXPECT_LT(out.str().size(), 40'000'000U);
}

}  // namespace
}  // namespace gradwire
