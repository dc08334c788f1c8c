#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/errors.hpp"
#include "simulator/calibration/iperf_run.hpp"

namespace gradwire {
namespace {

using simdjson::dom::element;

class IperfReader {
 public:
  explicit IperfReader(const std::string& file) : file_(file) {}

  IperfRun read(element document) const {
    if (!document.is_object()) refuse("the document", "no JSON object found");
    std::string_view fault;
    if (document["error"].get(fault) == simdjson::SUCCESS) {
      refuse("error", fmt::format("iperf3 itself failed: {}", fault));
    }
    IperfRun run;
    run.file = file_;
    const element start = part(document, "start");
    const element test = part(start, "test_start", "start.");
    run.udp = is_udp(test);
    run.streams = static_cast<int>(figure(test, "num_streams", "start.test_start."));
    if (run.streams < 1) refuse("start.test_start.num_streams", "1 or more is accepted");
    const element end = part(document, "end");
    if (exists(end, "sum_sent_bidir_reverse") || flag(test, "bidir")) {
      refuse("start.test_start", "both directions at once (--bidir) found; one is accepted");
    }
    read_intervals(document, run);
    if (run.udp) {
      read_udp_end(start, end, run);
    } else {
      read_tcp_end(end, run);
    }
    if (!(run.received.count() > 0.0)) refuse("end", "nothing arrived");
    return run;
  }

 private:
  [[noreturn]] void refuse(const std::string& field, const std::string& what) const {
    throw InputError(fmt::format("{}: {}: {}", file_, field, what));
  }

  static bool exists(element parent, std::string_view name) {
    return parent[name].error() == simdjson::SUCCESS;
  }

  element part(element parent, std::string_view name, const std::string& path = "") const {
    element child;
    if (parent[name].get(child) != simdjson::SUCCESS || !child.is_object()) {
      refuse(path + std::string(name), "is missing; the result of iperf3 --json is accepted");
    }
    return child;
  }

  double figure(element parent, std::string_view name, const std::string& path) const {
    double value = 0.0;
    if (parent[name].get(value) != simdjson::SUCCESS || !std::isfinite(value) || value < 0.0) {
      refuse(path + std::string(name), "is no number from 0 up, which is needed");
    }
    return value;
  }

  std::optional<double> maybe(element parent, std::string_view name,
                              const std::string& path) const {
    if (!exists(parent, name)) return {};
    return figure(parent, name, path);
  }

  static bool flag(element parent, std::string_view name) {
    double value = 0.0;
    bool truth = false;
    if (parent[name].get(truth) == simdjson::SUCCESS) return truth;
    return parent[name].get(value) == simdjson::SUCCESS && value != 0.0;
  }

  bool is_udp(element test) const {
    std::string_view protocol;
    if (test["protocol"].get(protocol) != simdjson::SUCCESS ||
        (protocol != "TCP" && protocol != "UDP")) {
      refuse("start.test_start.protocol", "TCP and UDP are accepted");
    }
    return protocol == "UDP";
  }

  void read_intervals(element document, IperfRun& run) const {
    simdjson::dom::array intervals;
    if (document["intervals"].get(intervals) != simdjson::SUCCESS) {
      refuse("intervals", "is missing; the result of iperf3 --json is accepted");
    }
    std::size_t index = 0;
    for (const element interval : intervals) {
      const std::string path = fmt::format("intervals[{}].", index++);
      if (!interval.is_object()) refuse(path, "is no object");
      const element sum = part(interval, "sum", path);
      if (flag(sum, "omitted")) continue;
      run.intervals.emplace_back(figure(sum, "bits_per_second", path + "sum."));
    }
  }

  void read_tcp_end(element end, IperfRun& run) const {
    const element received = part(end, "sum_received", "end.");
    run.received = BitsPerSecond{figure(received, "bits_per_second", "end.sum_received.")};
    run.duration = Seconds{figure(received, "seconds", "end.sum_received.")};
    const element sent = part(end, "sum_sent", "end.");
    if (const auto count = maybe(sent, "retransmits", "end.sum_sent.")) {
      run.retransmits = static_cast<std::int64_t>(*count);
    }
    read_round_trips(end, run);
  }

  void read_round_trips(element end, IperfRun& run) const {
    simdjson::dom::array streams;
    if (end["streams"].get(streams) != simdjson::SUCCESS) return;
    double sum = 0.0;
    int count = 0;
    std::size_t index = 0;
    for (const element stream : streams) {
      const std::string path = fmt::format("end.streams[{}].sender.", index++);
      element sender;
      if (!stream.is_object() || stream["sender"].get(sender) != simdjson::SUCCESS) continue;
      const auto least = maybe(sender, "min_rtt", path);
      const auto mean = maybe(sender, "mean_rtt", path);
      // 0 where the system does not know it.
      if (!least || !mean || *least == 0.0) continue;
      const Seconds found{*least * 1e-6};
      run.least_round_trip = std::min(run.least_round_trip.value_or(found), found);
      sum += *mean * 1e-6;
      ++count;
    }
    if (count > 0) run.mean_round_trip = Seconds{sum / count};
  }

  void read_udp_end(element start, element end, IperfRun& run) const {
    // Newer versions write what arrived; older only what was sent and the share that was lost.
    const element sum = part(end, "sum", "end.");
    run.lost_share = figure(sum, "lost_percent", "end.sum.") / 100.0;
    if (*run.lost_share > 1.0) refuse("end.sum.lost_percent", "more than 100 found");
    run.jitter = Seconds{figure(sum, "jitter_ms", "end.sum.") * 1e-3};
    run.duration = Seconds{figure(sum, "seconds", "end.sum.")};
    if (exists(end, "sum_received")) {
      run.received = BitsPerSecond{
          figure(part(end, "sum_received", "end."), "bits_per_second", "end.sum_received.")};
    } else {
      run.received =
          BitsPerSecond{figure(sum, "bits_per_second", "end.sum.")} * (1.0 - *run.lost_share);
    }
    const auto target = maybe(start, "target_bitrate", "start.");
    if (target && *target > 0.0) run.target = BitsPerSecond{*target};
  }

  const std::string& file_;
};

}  // namespace

IperfRun read_iperf(const std::string& text, const std::string& file) {
  simdjson::dom::parser parser;
  element document;
  const simdjson::error_code error = parser.parse(text).get(document);
  if (error != simdjson::SUCCESS) {
    throw InputError(
        fmt::format("{}: {} bytes that are no whole JSON document found ({}); the "
                    "result of iperf3 --json is accepted",
                    file, text.size(), simdjson::error_message(error)));
  }
  return IperfReader(file).read(document);
}

}  // namespace gradwire
