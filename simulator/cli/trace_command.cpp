#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/number_text.hpp"
#include "base/output_file.hpp"
#include "simulator/cli/capture_conversion.hpp"
#include "simulator/cli/command.hpp"
#include "simulator/cli/foreground_command.hpp"
#include "simulator/cli/tracer_environment.hpp"
#include "simulator/cli/tracer_overhead.hpp"

namespace gradwire {
namespace {

namespace fs = std::filesystem;

struct TraceCommandOptions {
  std::string output = "out.gwt";
  std::string iterations;
  std::string skip;
  std::string device;
  bool pytorch = false;
  bool nvtx = false;
  bool ab = false;
  bool keep_capture = false;
  std::vector<std::string> command;
};

std::optional<std::int64_t> parse_count(const std::string& text, const char* option,
                                        std::int64_t least) {
  if (text.empty()) return std::nullopt;
  const std::optional<std::int64_t> value = number_from<std::int64_t>(text);
  if (!value || *value < least) {
    throw InputError(
        fmt::format("{}: {} found; a whole number from {} on is accepted", option, text, least));
  }
  return value;
}

TracerRequest make_request(const TraceCommandOptions& options) {
  TracerRequest request;
  request.iterations = parse_count(options.iterations, "--iterations", 1);
  request.skip = parse_count(options.skip, "--skip", 0);
  if (options.device != "all" &&
      options.device.find_first_not_of("0123456789") != std::string::npos) {
    throw InputError(
        fmt::format("--device: {} found; the index of a device (0, 1, ...) or all is accepted",
                    options.device));
  }
  request.device = options.device;
  request.pytorch = options.pytorch;
  request.nvtx = options.nvtx;
  return request;
}

void refuse_missing_command(const TraceCommandOptions& options,
                            const std::vector<std::string>& before) {
  if (!before.empty()) {
    throw InputError(fmt::format(
        "trace: {} found before `--`; the options of trace (`gradwire trace --help`) come first, "
        "then `--`, then the command with its own: gradwire trace -o out.gwt -- python train.py",
        before.front()));
  }
  if (options.command.empty() || options.command.front().empty()) {
    throw InputError(
        "trace: no command found; it follows `--`: gradwire trace -o out.gwt -- python train.py");
  }
}

/// A trace of one process, or a name for those of several: a regular file in any case.
void check_output(const fs::path& output) {
  std::error_code ignored;
  if (fs::exists(output, ignored) && fs::is_other(output, ignored)) {
    throw EnvironmentError(
        fmt::format("{}: cannot be written: traces are regular files", output.string()));
  }
  check_writable(output);
}

/// The options that decide on the content; folders and the command are nobody's business.
std::string made_by(const TraceCommandOptions& options) {
  std::string text = "gradwire trace";
  const auto add = [&text](const char* name, const std::string& value) {
    if (!value.empty()) text += fmt::format(" {} {}", name, value);
  };
  add("--iterations", options.iterations);
  add("--skip", options.skip);
  add("--device", options.device);
  if (options.pytorch) text += " --pytorch";
  if (options.nvtx) text += " --nvtx";
  return text + " (gradwire " GRADWIRE_VERSION ")";
}

/// The window of --iterations and --skip is found by marks; without them all was recorded.
void say_missing_marks(const TracerRequest& request, const RunCaptures& captures) {
  if ((!request.iterations && !request.skip) || captures.files.empty()) return;
  for (const CaptureOverview& capture : captures.overviews) {
    if (capture.iteration_begins > 0) return;
  }
  spdlog::warn(
      "{}: no iteration was marked, so the tracer could not tell and recorded everything; "
      "--pytorch or gradwire_marks mark iterations",
      request.iterations ? "--iterations" : "--skip");
}

struct Run {
  CommandEnd end;
  RunTimes times;
};

RunTimes run_times(const CommandEnd& end, const RunCaptures& captures,
                   const TracerRequest& request) {
  const auto skip = static_cast<std::size_t>(request.skip.value_or(0));
  const auto count = static_cast<std::size_t>(
      request.iterations.value_or(std::numeric_limits<std::int64_t>::max()));
  return {end.time, iteration_times(captures.overviews, skip, count)};
}

/// The first run of --ab: marks alone, of which the times are all that is kept.
Run run_plain(const TraceCommandOptions& options, const TracerRequest& request,
              const fs::path& library) {
  RunFolder folder(options.output, options.pytorch);
  Run run;
  run.end = run_in_foreground(options.command, tracer_environment(request, folder, library, false));
  const RunCaptures captures = read_run_captures(folder);
  run.times = run_times(run.end, captures, request);
  for (const fs::path& file : captures.files) fs::remove(file);
  return run;
}

/// The traced run; the exit status of the whole.
int run_traced(const TraceCommandOptions& options, const TracerRequest& request,
               const fs::path& library, const std::optional<Run>& plain) {
  RunFolder folder(options.output, options.pytorch);
  const CommandEnd end =
      run_in_foreground(options.command, tracer_environment(request, folder, library, true));
  if (!end.started) return end.status;
  if (end.signal != 0) {
    spdlog::warn("{}: ended by signal {}", options.command.front(), end.signal);
  }
  const RunCaptures captures = read_run_captures(folder);
  say_missing_marks(request, captures);
  const int converted =
      convert_captures(folder, captures, {options.output, made_by(options), options.keep_capture});
  if (plain) {
    std::fputs(overhead_text(plain->times, run_times(end, captures, request)).c_str(), stderr);
  }
  return end.status != 0 ? end.status : converted;
}

int trace(const TraceCommandOptions& options, const std::vector<std::string>& before) {
  refuse_missing_command(options, before);
  const TracerRequest request = make_request(options);
  check_output(options.output);
  const fs::path library = find_tracer_library();
  refuse_other_injection(library);
  std::optional<Run> plain;
  if (options.ab) {
    spdlog::info("--ab: the command runs twice, first with marks alone, then traced");
    plain = run_plain(options, request, library);
    if (!plain->end.started) return plain->end.status;
    if (plain->end.status != 0 || plain->end.interrupted) {
      spdlog::error("--ab: the first run ended with status {}{}, so there is no second",
                    plain->end.status, plain->end.interrupted ? " after a signal" : "");
      return plain->end.status;
    }
  }
  return run_traced(options, request, library, plain);
}

}  // namespace

void add_trace_command(CLI::App& app, const std::vector<std::string>& words, int& status) {
  auto options = std::make_shared<TraceCommandOptions>();
  options->command = words;
  CLI::App* command = app.add_subcommand(
      "trace",
      "Record the kernels of a CUDA program while it runs: gradwire trace [options] -- COMMAND...");
  command->footer("COMMAND follows `--` with its own options. Its exit status is passed on.");
  command->allow_extras();
  command->add_option("-o,--output", options->output,
                      "The .gwt file to write; default out.gwt; one a process (out.rank0.gwt, ...) "
                      "when several have kernels");
  command->add_option("--iterations", options->iterations, "Record this many marked iterations");
  command->add_option("--skip", options->skip, "Leave the first marked iterations out");
  command->add_option("--device", options->device, "Index of the one device to record, or all");
  command->add_flag("--pytorch", options->pytorch,
                    "Mark a PyTorch program's iterations, backward passes and gradients, without a "
                    "change to it");
  command->add_flag("--nvtx", options->nvtx, "Record the NVTX ranges of all domains");
  command->add_flag("--ab", options->ab,
                    "Run the command twice, without and with the tracer, and compare");
  command->add_flag("--keep-capture", options->keep_capture,
                    "Keep what the tracer wrote (.gwc) beside the trace");
  command->callback(
      [options, command, &status] { status = trace(*options, command->remaining()); });
}

}  // namespace gradwire
