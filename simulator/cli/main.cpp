#include <fmt/format.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/errors.hpp"
#include "simulator/cli/command.hpp"
#include "simulator/cli/interrupt.hpp"

namespace {

// Exit statuses: docs/exit-status.md.
constexpr int kDone = 0;
constexpr int kBug = 1;
constexpr int kInput = 2;
constexpr int kEnvironment = 3;
constexpr int kIncomplete = 4;

/// A wrong command line in one line, like every other refusal.
std::string usage_message(const CLI::App* app, const CLI::Error& error) {
  const std::vector<CLI::App*> commands = app->get_subcommands();
  return fmt::format("gradwire: {} (`gradwire {}--help` lists what is accepted)\n", error.what(),
                     commands.empty() ? "" : commands.front()->get_name() + " ");
}

/// `--bandwidth "$B"` with an unset B shall not be answered as if the option were not there.
void refuse_empty_values(CLI::App& app) {
  const CLI::Validator not_empty(
      [](const std::string& value) {
        return value.empty() ? std::string{"an empty value found"} : std::string{};
      },
      "");
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    for (CLI::Option* option : command->get_options()) option->check(not_empty);
  }
}

/// What is written through std::cout passes through stdout, which remembers an earlier failure.
bool standard_output_failed() {
  std::cout.flush();
  return std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout;
}

/// Cuts what follows `--` off `gradwire trace ... -- COMMAND...` and returns it. CLI11 shall not
/// see it: it takes "[a,b]" apart, and an empty argument of the command is none of ours.
std::vector<std::string> take_traced_command(int& argc, char** argv) {
  if (argc < 2 || std::string_view(argv[1]) != "trace") return {};
  for (int i = 2; i < argc; ++i) {
    if (std::string_view(argv[i]) != "--") continue;
    std::vector<std::string> words(argv + i + 1, argv + argc);
    argc = i;
    return words;
  }
  return {};
}

int run(int argc, char** argv) {
  int status = kDone;
  const std::vector<std::string> traced = take_traced_command(argc, argv);
  CLI::App app{
      "gradwire: would gradient compression make my training faster, on which network, and why?",
      "gradwire"};
  app.set_version_flag("--version", "gradwire " GRADWIRE_VERSION);
  app.require_subcommand(0, 1);  // an unknown command shall be named, not called missing
  app.failure_message(usage_message);
  gradwire::add_trace_command(app, traced, status);
  gradwire::add_import_command(app);
  gradwire::add_inspect_command(app);
  gradwire::add_simulate_command(app);
  gradwire::add_breakeven_command(app);
  gradwire::add_explain_command(app);
  gradwire::add_collective_command(app);
  gradwire::add_study_command(app);
  gradwire::add_report_command(app);
  gradwire::add_compressors_command(app);
  gradwire::add_measure_compressors_command(app);
  gradwire::add_validate_command(app);
  gradwire::add_gradients_command(app);
  gradwire::add_advise_command(app);
  gradwire::add_calibrate_command(app);
  gradwire::add_cluster_command(app);
  gradwire::add_trace_merge_command(app);
  refuse_empty_values(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kDone : kInput;
  }
  if (app.get_subcommands().empty()) {
    throw gradwire::InputError(
        "no command found; trace, import, inspect, simulate, explain, breakeven, advise, "
        "collective, "
        "study, report, "
        "compressors, measure-compressors, validate, gradients, calibrate, cluster and trace-merge "
        "are "
        "accepted "
        "(`gradwire --help` "
        "tells what they do)");
  }
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  spdlog::set_default_logger(spdlog::stderr_color_mt("gradwire"));
  spdlog::set_pattern("gradwire: %v");
  try {
    const int status = run(argc, argv);
    if (standard_output_failed()) {
      spdlog::error("standard output cannot be written");
      return kEnvironment;
    }
    return status;
  } catch (const gradwire::Interrupted& interrupted) {
    spdlog::error("{}", interrupted.what());
    return interrupted.exit_status();
  } catch (const gradwire::InputError& error) {
    spdlog::error("{}", error.what());
    return kInput;
  } catch (const gradwire::EnvironmentError& error) {
    spdlog::error("{}", error.what());
    return kEnvironment;
  } catch (const gradwire::IncompleteError& error) {
    spdlog::error("{}", error.what());
    return kIncomplete;
  } catch (const std::exception& error) {
    spdlog::error("this is a bug of gradwire: {}", error.what());
    return kBug;
  }
}
