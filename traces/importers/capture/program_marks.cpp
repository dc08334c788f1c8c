#include "traces/importers/capture/program_marks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "base/number_text.hpp"
#include "traces/importers/profile/tensor_dims.hpp"

namespace gradwire {
namespace {

struct Parameter {
  std::string name;
  DType dtype = DType::kUnknown;
  std::vector<std::int64_t> shape;
  bool whole = false;  ///< the shape could be read, and its elements counted
};

/// Dtype text, a zero byte, then the sizes as 8 bytes little-endian each.
Parameter read_parameter(const CapturedEvent& event) {
  Parameter parameter;
  parameter.name = event.text;
  const std::string& payload = event.payload;
  const std::size_t zero = payload.find('\0');
  parameter.dtype = dtype_from_name(payload.substr(0, zero));
  if (zero == std::string::npos || (payload.size() - zero - 1) % 8 != 0) return parameter;
  for (std::size_t at = zero + 1; at < payload.size(); at += 8) {
    std::uint64_t size = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      size |= static_cast<std::uint64_t>(static_cast<unsigned char>(payload[at + i])) << (8 * i);
    }
    parameter.shape.push_back(static_cast<std::int64_t>(size));
  }
  parameter.whole = element_count(parameter.shape).has_value();
  return parameter;
}

/// The marks in order of time; those of one thread and instant in the thread's order.
std::vector<const CapturedEvent*> marks_by_time(const std::vector<CapturedEvent>& events) {
  std::vector<const CapturedEvent*> marks;
  for (const CapturedEvent& event : events) {
    if (event.kind == CapturedEventKind::kMark) marks.push_back(&event);
  }
  std::stable_sort(marks.begin(), marks.end(), [](const CapturedEvent* a, const CapturedEvent* b) {
    return a->time < b->time;
  });
  return marks;
}

class MarkReader {
 public:
  MarkReader(CollectedCapture& capture, ImportReport& report)
      : capture_(capture), records_(capture.records), report_(report) {}

  ProgramMarks read() {
    for (const CapturedEvent& event : capture_.events) {
      if (event.kind == CapturedEventKind::kFact) take_fact(event.text, event.payload);
      if (event.kind == CapturedEventKind::kParameter)
        parameters_[event.id] = read_parameter(event);
    }
    for (const CapturedEvent* mark : marks_by_time(capture_.events)) take_mark(*mark);
    finish_iterations();
    finish_backward();
    marks_.backward = !records_.backward_windows.empty();
    marks_.gradients = !records_.accumulates.empty();
    marks_.iterations = !records_.steps.empty();
    const std::string maker = marks_.made_by.empty() ? "the program" : marks_.made_by;
    if (marks_.iterations) records_.steps_are = fmt::format("iteration marks ({})", maker);
    if (marks_.gradients)
      records_.accumulates_are = fmt::format("gradient-ready marks ({})", maker);
    return std::move(marks_);
  }

 private:
  ThreadKey thread_of(const CapturedEvent& event) const {
    return {capture_.head.process, static_cast<std::int64_t>(event.thread)};
  }

  void take_fact(const std::string& name, const std::string& value) {
    if (name == "rank") {
      records_.rank = number_from<std::int32_t>(value);
    } else if (name == "world_size") {
      records_.world_size = number_from<std::int32_t>(value);
    } else if (name == "batch_size") {
      records_.batch_size = number_from<std::int64_t>(value);
    } else if (name == "marks") {
      marks_.made_by = value;
    } else {
      const auto known = std::find_if(records_.software.begin(), records_.software.end(),
                                      [&](const Fact& fact) { return fact.name == name; });
      if (known == records_.software.end()) {
        records_.software.push_back({name, value});
      } else {
        known->value = value;
      }
    }
  }

  void take_mark(const CapturedEvent& mark) {
    if (mark.id == mark_kind::kIterationBegin) {
      end_open_iteration(mark.time, false);
      open_iteration_ = StepRecord{};
      open_iteration_->span = {thread_of(mark), mark.time, mark.time};
      open_iteration_->number = static_cast<std::int64_t>(mark.value);
    } else if (mark.id == mark_kind::kIterationEnd) {
      end_open_iteration(mark.time, true);
    } else if (mark.id == mark_kind::kBackwardBegin) {
      open_backward_[mark.thread].push_back(mark.time);
    } else if (mark.id == mark_kind::kBackwardEnd) {
      end_backward(mark);
    } else if (mark.id == mark_kind::kGradientReady) {
      take_gradient(mark);
    }
  }

  void end_open_iteration(Nanoseconds now, bool marked) {
    if (!open_iteration_) {
      if (marked) {
        report_.count("mark-without-begin", Severity::kNote,
                      "an iteration or a backward pass ends that did not begin in the capture");
      }
      return;
    }
    StepRecord& step = *open_iteration_;
    // One nanosecond short of the next: both ends of an iteration belong to it.
    step.span.end = marked ? now : std::max(step.span.start, now - Nanoseconds{1});
    records_.steps.push_back(step);
    open_iteration_.reset();
    if (!marked) {
      report_.count("iteration-without-end", Severity::kNote,
                    "an iteration is not marked as ended; it ends where the next one begins");
    }
  }

  void end_backward(const CapturedEvent& mark) {
    std::vector<Nanoseconds>& open = open_backward_[mark.thread];
    if (open.empty()) {
      report_.count("mark-without-begin", Severity::kNote,
                    "an iteration or a backward pass ends that did not begin in the capture");
      return;
    }
    records_.backward_windows.push_back({thread_of(mark), open.back(), mark.time});
    open.pop_back();
  }

  void take_gradient(const CapturedEvent& mark) {
    AccumulateRecord record;
    record.span = {thread_of(mark), mark.time, mark.time};
    record.instant = true;
    const auto known = parameters_.find(mark.value);
    if (known == parameters_.end()) {
      report_.count("parameter-unknown", Severity::kWarning,
                    fmt::format("parameter {} was never named to the tracer", mark.value));
    } else {
      record.parameter = known->second.name;
      record.dtype = known->second.dtype;
      if (known->second.whole) {
        record.has_dims = record.typed = true;
        record.dims = known->second.shape;
      }
    }
    records_.accumulates.push_back(std::move(record));
  }

  /// What the capture's end cut is incomplete; numbers that do not rise are replaced.
  void finish_iterations() {
    if (open_iteration_) {
      open_iteration_->span.end = std::max(open_iteration_->span.start, capture_.last);
      open_iteration_->complete = false;
      records_.steps.push_back(*open_iteration_);
    }
    std::vector<StepRecord>& steps = records_.steps;
    const auto falls = std::adjacent_find(
        steps.begin(), steps.end(),
        [](const StepRecord& a, const StepRecord& b) { return b.number <= a.number; });
    if (falls == steps.end()) return;
    report_.count("iteration-renumbered", Severity::kNote,
                  fmt::format("the program marks iteration {} behind {}; they are counted from 0",
                              std::next(falls)->number, falls->number));
    for (std::size_t i = 0; i < steps.size(); ++i) steps[i].number = static_cast<std::int64_t>(i);
  }

  void finish_backward() {
    for (const auto& [thread, open] : open_backward_) {
      for (const Nanoseconds begin : open) {
        const ThreadKey key{capture_.head.process, static_cast<std::int64_t>(thread)};
        records_.backward_windows.push_back({key, begin, end_of_iteration(begin)});
        report_.count("backward-without-end", Severity::kWarning,
                      "a backward pass is not marked as ended; it lasts as long as its iteration");
      }
    }
  }

  Nanoseconds end_of_iteration(Nanoseconds instant) const {
    for (const StepRecord& step : records_.steps) {
      if (step.span.start <= instant && instant <= step.span.end) return step.span.end;
    }
    return std::max(instant, capture_.last);
  }

  CollectedCapture& capture_;
  ProfileRecords& records_;
  ImportReport& report_;
  ProgramMarks marks_;
  std::map<std::uint64_t, Parameter> parameters_;
  std::optional<StepRecord> open_iteration_;
  std::map<std::uint64_t, std::vector<Nanoseconds>> open_backward_;
};

}  // namespace

ProgramMarks find_program_marks(CollectedCapture& capture, ImportReport& report) {
  ProfileRecords& records = capture.records;
  records.rank = capture.head.rank;
  records.world_size = capture.head.world_size;
  for (const auto& [name, value] : capture.head.facts) records.software.push_back({name, value});
  return MarkReader(capture, report).read();
}

}  // namespace gradwire
