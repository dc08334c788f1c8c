#include "simulator/cli/capture_conversion.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ostream.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <iostream>
#include <numeric>
#include <tuple>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "simulator/cli/capture_names.hpp"
#include "simulator/cli/foreground_command.hpp"
#include "simulator/report/trace_summary_report.hpp"
#include "simulator/workload/trace_summary.hpp"
#include "traces/importers/registry.hpp"
#include "traces/model/trace_codec.hpp"

namespace gradwire {
namespace {

namespace fs = std::filesystem;

constexpr int kNothingRecorded = 3;  // docs/exit-status.md: the surroundings refuse
constexpr int kSignalBase = 128;
constexpr std::size_t kMostOfCommand = 80;
constexpr const char* kNoKernelsFact = "kernels";

/// "process 4711, rank 3 (python train.py)", the command in one line and cut.
std::string describe(const CaptureOverview& capture) {
  std::string command = capture.command.substr(0, kMostOfCommand);
  std::replace(command.begin(), command.end(), '\n', ' ');
  return fmt::format("process {}{} ({}{})", capture.process,
                     capture.rank ? fmt::format(", rank {}", *capture.rank) : "", command,
                     capture.command.size() > kMostOfCommand ? " ..." : "");
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

bool is_running(const CaptureOverview& capture) {
  return !capture.closed && capture.host == host_name() &&
         kill(static_cast<pid_t>(capture.process), 0) == 0;
}

/// Why the tracer recorded no kernels, as it noted itself; empty when it noted nothing.
std::string noted_reason(const CaptureOverview& capture) {
  for (const Fact& fact : capture.facts) {
    if (fact.name == kNoKernelsFact) return fact.value;
  }
  return {};
}

void say_without_kernels(const CaptureOverview& capture) {
  const std::string reason = noted_reason(capture);
  spdlog::warn("{}: left out, since it recorded no kernels{}{}", describe(capture),
               capture.marks > 0 ? fmt::format(" ({} marks)", capture.marks) : "",
               reason.empty() ? "" : ": " + reason);
}

/// What the user should know of a trace that is not shown.
void say_defects(const ImportReport& report, const CaptureOverview& capture) {
  for (const Defect& defect : report.defects) {
    if (defect.severity == Severity::kNote) continue;
    spdlog::warn("{}: {} ({}), {} times: {}", describe(capture), defect.kind,
                 name_of(defect.severity), defect.count, defect.example);
  }
}

void say_nothing_recorded(const RunCaptures& captures) {
  const bool has_driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) != nullptr;
  constexpr const char* kNoDriver = "; libcuda.so.1, the CUDA driver, is not found on this machine";
  if (!captures.files.empty()) {
    spdlog::error("no process recorded kernels, so nothing is written{}",
                  has_driver ? "" : kNoDriver);
    return;
  }
  spdlog::error(
      "nothing was recorded, so nothing is written: no process of the command started CUDA or made "
      "a mark{}",
      has_driver ? "; it used no GPU, or its environment was not passed on (sudo, ssh, a "
                   "container, mpirun without -x)"
                 : kNoDriver);
}

void write_found_by(const ImportReport& report, const CaptureOverview& capture) {
  const auto line = [](const char* what, const std::string& how) {
    if (!how.empty()) fmt::print(std::cerr, "{:<15}{}\n", what, how);
  };
  std::cerr << '\n';
  line("iterations by", report.iterations_found_by);
  line("backward by", report.backward_found_by);
  line("gradients by", report.gradients_found_by);
  line("recorded", fmt::format("{} kernels, {} copies and memsets, {} marks; {} dropped",
                               capture.kernels, capture.copies, capture.marks, capture.dropped));
  line("own cost", fmt::format("the profiler reports {} in {} places; what that is of an "
                               "iteration, --ab measures",
                               format_duration(Seconds{capture.overhead}), capture.overheads));
}

/// Moves a capture out of the private folder; where it is now.
fs::path keep(const fs::path& file, const fs::path& wanted) {
  std::error_code error;
  fs::rename(file, wanted, error);
  return error ? file : wanted;
}

class Conversion {
 public:
  Conversion(RunFolder& folder, const RunCaptures& captures, const ConversionOptions& options)
      : folder_(folder),
        captures_(captures),
        options_(options),
        labels_(capture_labels(captures.overviews)),
        traces_(std::count_if(captures.overviews.begin(), captures.overviews.end(),
                              [](const CaptureOverview& item) { return item.kernels > 0; })) {}

  int run() {
    for (std::size_t i = 0; i < captures_.files.size(); ++i) {
      if (signal_ == 0) signal_ = pending_interrupt();
      convert(i);
    }
    say_how_to_join();
    if (signal_ != 0) return kSignalBase + signal_;
    if (traces_ == 0) say_nothing_recorded(captures_);
    return failed_ || captures_.unreadable > 0 || traces_ == 0 ? kNothingRecorded : 0;
  }

 private:
  fs::path target(std::size_t index) const {
    return traces_ == 1 ? options_.output : labelled_path(options_.output, labels_[index]);
  }

  void convert(std::size_t index) {
    const CaptureOverview& capture = captures_.overviews[index];
    bool keeps = options_.keep_captures;
    if (capture.kernels == 0) {
      say_without_kernels(capture);
    } else if (signal_ != 0 || !convert_capture(index)) {
      keeps = true;
    }
    settle(index, keeps);
  }

  /// True when the trace is written.
  bool convert_capture(std::size_t index) {
    const CaptureOverview& capture = captures_.overviews[index];
    if (!capture.closed) {
      spdlog::warn("{}: it did not end in order (a signal, _exit), so what it did last is missing",
                   describe(capture));
    }
    const fs::path path = target(index);
    try {
      Imported imported = import_trace(captures_.files[index], {});
      imported.trace.provenance.made_by = options_.made_by;
      imported.trace.provenance.source.clear();  // a capture of this host, named after it
      write_trace(imported.trace, path);
      spdlog::info("{} -> {}", describe(capture), path.string());
      if (written_.empty()) {
        write_text(summarise_trace(imported, path.string(), {}), std::cerr);
        write_found_by(imported.report, capture);
      } else {
        say_defects(imported.report, capture);
      }
      written_.push_back(path);
      return true;
    } catch (const BugError&) {
      throw;
    } catch (const std::exception& error) {  // refused, unwritable, or memory ran out
      spdlog::error("{}: no trace: {}", describe(capture), error.what());
      failed_ = true;
      return false;
    }
  }

  /// Keeps or removes a capture that was dealt with.
  void settle(std::size_t index, bool keeps) {
    const fs::path& file = captures_.files[index];
    if (is_running(captures_.overviews[index])) {
      spdlog::warn("{} is still running: what it had recorded is read, and it goes on writing {}",
                   describe(captures_.overviews[index]), file.string());
      folder_.abandon();
    } else if (keeps) {
      fs::path wanted = captures_.files.size() == 1
                            ? options_.output
                            : labelled_path(options_.output, labels_[index]);
      wanted.replace_extension(".gwc");
      spdlog::info("{}: its capture is kept: {}", describe(captures_.overviews[index]),
                   keep(file, wanted).string());
    } else {
      std::error_code ignored;
      fs::remove(file, ignored);
    }
  }

  void say_how_to_join() const {
    if (written_.size() < 2) return;
    std::string names;
    for (const fs::path& path : written_) names += path.string() + " ";
    spdlog::info("{} traces, the first shown above; one of all: gradwire trace-merge {}-o {}",
                 written_.size(), names, labelled_path(options_.output, "all").string());
  }

  RunFolder& folder_;
  const RunCaptures& captures_;
  const ConversionOptions& options_;
  std::vector<std::string> labels_;
  std::ptrdiff_t traces_;  ///< that are to be made
  std::vector<fs::path> written_;
  int signal_ = 0;
  bool failed_ = false;
};

}  // namespace

RunCaptures read_run_captures(RunFolder& folder) {
  RunCaptures read;
  for (const fs::path& file : folder.captures()) {
    try {
      read.overviews.push_back(read_capture_overview(file));
      read.files.push_back(file);
    } catch (const InputError& error) {
      spdlog::error("{}; it is left there", error.what());
      ++read.unreadable;
    }
  }
  std::vector<std::size_t> order(read.files.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&read](std::size_t i) {
    const CaptureOverview& item = read.overviews[i];
    return std::tuple(item.kernels == 0, !item.rank, item.rank.value_or(0), item.process,
                      read.files[i]);
  };
  std::sort(order.begin(), order.end(),
            [&key](std::size_t a, std::size_t b) { return key(a) < key(b); });
  RunCaptures sorted;
  sorted.unreadable = read.unreadable;
  for (const std::size_t i : order) {
    sorted.files.push_back(std::move(read.files[i]));
    sorted.overviews.push_back(std::move(read.overviews[i]));
  }
  return sorted;
}

int convert_captures(RunFolder& folder, const RunCaptures& captures,
                     const ConversionOptions& options) {
  return Conversion(folder, captures, options).run();
}

}  // namespace gradwire
