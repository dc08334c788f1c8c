#include <fmt/format.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "base/unit_text.hpp"
#include "compressors/measure/cpu_device.hpp"
#include "compressors/measure/gpu_device.hpp"
#include "compressors/measure/measured_profile.hpp"
#include "compressors/measure/measurement_plan.hpp"
#include "compressors/measure/measurement_run.hpp"
#include "compressors/spec/registry.hpp"
#include "simulator/cli/command.hpp"
#include "simulator/cli/interrupt.hpp"
#include "simulator/report/cost_profile_table.hpp"
#include "simulator/report/progress.hpp"
#include "simulator/scenario/scenario.hpp"
#include "simulator/study/workload_file.hpp"
#include "traces/importers/parameter_list.hpp"

namespace gradwire {
namespace {

struct MeasureOptions {
  bool cpu = false;
  std::optional<int> device;
  std::string output;
  std::string implementation;
  std::vector<std::string> compressors;
  std::vector<std::string> models;
  std::string sizes;
  std::vector<int> ranks;
  int samples = 10;
  std::string budget = "120s";
};

constexpr const char* kNothing = "none";

/// Whether the first line of `path` names the columns of a parameter list. A list of gradients that
/// begins so holds the same shapes.
bool is_parameter_list(const std::string& path) {
  std::string header(4096, '\0');
  std::ifstream file = open_input(path);
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  header.resize(static_cast<std::size_t>(file.gcount()));
  header.resize(std::min(header.size(), header.find('\n')));
  return ("," + header).find(",parameter") != std::string::npos &&
         header.find(",shape") != std::string::npos;
}

MeasuredModel read_model(const std::string& text) {
  if (auto known = find_model(text)) return *known;
  std::error_code ignored;
  if (!std::filesystem::exists(text, ignored)) {
    throw InputError(
        fmt::format("--model: \"{}\" is no known model and no file; {}, none, a "
                    "parameter list or a trace is accepted",
                    text, known_model_names()));
  }
  MeasuredModel model{std::filesystem::path(text).filename().string(), {}};
  if (is_parameter_list(text)) {
    for (const ParameterShape& parameter : read_parameter_list(text)) {
      model.shapes.push_back({parameter.shape});
    }
  } else {
    WorkloadSource source;
    source.trace = text;
    model.shapes = tensor_shapes(read_workload(source, {}));
  }
  return model;
}

/// Says which of several is wrong.
void check_compressor(const std::string& text) {
  try {
    parse_scheme(text);
  } catch (const InputError& error) {
    throw InputError(fmt::format("--compressor {}: {}", text, error.what()));
  }
}

/// The standard request of the kind of device with what the user says instead.
MeasurementRequest request_of(const MeasureOptions& options) {
  MeasurementRequest request = standard_request(options.cpu ? DeviceKind::kCpu : DeviceKind::kGpu);
  for (const std::string& compressor : options.compressors) check_compressor(compressor);
  if (!options.compressors.empty()) request.schemes = options.compressors;
  if (options.sizes == kNothing) {
    request.sizes.clear();
  } else if (!options.sizes.empty()) {
    request.sizes = parse_sizes(options.sizes, "--sizes");
  }
  if (!options.models.empty()) request.models.clear();
  for (const std::string& model : options.models) {
    if (model != kNothing) request.models.push_back(read_model(model));
  }
  if (!options.ranks.empty()) request.ranks = options.ranks;
  return request;
}

std::unique_ptr<MeasuredDevice> device_of(const MeasureOptions& options) {
  return options.cpu ? make_cpu_device() : make_gpu_device(*options.device);
}

const MeasuredImplementation& implementation_of(const MeasureOptions& options,
                                                const MeasuredDevice& device) {
  const auto& all = device.implementations();
  if (options.implementation.empty()) return all.front();
  std::vector<std::string> names;
  for (const MeasuredImplementation& implementation : all) {
    if (implementation.name == options.implementation) return implementation;
    names.push_back(implementation.name);
  }
  throw InputError(fmt::format("--implementation: \"{}\" found; {} is accepted on this device",
                               options.implementation, fmt::join(names, ", ")));
}

std::string today() {
  const std::chrono::year_month_day date{
      std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now())};
  return fmt::format("{:04}-{:02}-{:02}", int{date.year()}, unsigned{date.month()},
                     unsigned{date.day()});
}

void print_outcome(const CostProfile& profile, const std::string& path) {
  // More lines than these would push the rest off the screen.
  constexpr std::size_t kShownFigures = 60;
  constexpr std::size_t kShownLines = 20;
  const std::vector<CostEntry>& entries = profile.entries;
  if (entries.size() <= kShownFigures) {
    std::cout << measured_table(entries).text();
  } else {
    std::cout << measured_table(largest_of_each(entries)).text();
    fmt::print(std::cout, "Of each scheme and number of ranks the largest; {} figures in all.\n",
               entries.size());
  }
  const std::vector<std::string>& left_out = profile.measuring->left_out;
  for (std::size_t i = 0; i < std::min(left_out.size(), kShownLines); ++i) {
    fmt::print(std::cout, "Left out: {}.\n", left_out[i]);
  }
  if (left_out.size() > kShownLines) {
    fmt::print(std::cout, "Left out: {} more, all named in the profile.\n",
               left_out.size() - kShownLines);
  }
  if (profile.measuring->machine.kind == DeviceKind::kCpu) {
    fmt::print(std::cout, "Times of {} on a CPU: no GPU's.\n", profile.measuring->implementation);
  }
  fmt::print(std::cout, "Written: {} ({} figures)\n", path, entries.size());
}

void measure(const MeasureOptions& options) {
  if (options.cpu == options.device.has_value()) {
    throw InputError(fmt::format("--cpu, --device: {} found; one of them is needed",
                                 options.cpu ? "both" : "none"));
  }
  MeasurementSettings settings;
  settings.samples = options.samples;
  settings.budget = parse_duration(options.budget, "--budget");
  const MeasurementRequest request = request_of(options);
  for (const std::string& model : options.models) refuse_overwriting(model, options.output);
  const std::unique_ptr<MeasuredDevice> device = device_of(options);
  const MeasuredImplementation& implementation = implementation_of(options, *device);
  const MeasurementPlan plan = make_measurement_plan(request, implementation);
  check_writable(options.output);

  watch_interrupts();
  Progress progress("figures");
  const MeasurementOutcome outcome = run_measurement(
      plan, settings, *device,
      {[] { return Seconds{std::chrono::steady_clock::now().time_since_epoch()}; },
       [] { return interrupt_signal() != 0; },
       [&progress](std::size_t done, std::size_t pieces) { progress.show(done, pieces); }});
  if (outcome.stopped) {
    throw Interrupted(interrupt_signal(),
                      fmt::format("interrupted after {} of {} figures; {} is not written",
                                  outcome.measured.size(), plan.pieces.size(), options.output));
  }
  if (outcome.measured.empty()) {
    throw IncompleteError(fmt::format("nothing was measured, and {} is not written: {}",
                                      options.output, outcome.left_out.front()));
  }
  MeasuredMachine machine = device->machine();
  machine.software.insert(machine.software.begin(), "gradwire " GRADWIRE_VERSION);
  const CostProfile profile = measured_profile(machine, implementation, outcome, today());
  OutputFile file(options.output);
  write_cost_profile(profile, file.stream());
  file.commit();
  print_outcome(profile, options.output);
}

}  // namespace

void add_measure_compressors_command(CLI::App& app) {
  auto options = std::make_shared<MeasureOptions>();
  CLI::App* command = app.add_subcommand(
      "measure-compressors", "Time encoding and decoding here, and write a cost profile of it");
  command->add_flag("--cpu", options->cpu, "The references on this machine's CPU");
  command->add_option("--device", options->device, "The compressors on GPU N, from 0")
      ->check(CLI::NonNegativeNumber);
  command->add_option("-o,--output", options->output, "Cost profile (docs/formats/cost-profile.md)")
      ->required();
  command->add_option("--implementation", options->implementation,
                      "Which of the device's implementations; default its first");
  command->add_option("--compressor", options->compressors,
                      "A scheme, as in topk:fraction=0.01; repeated; default all of them");
  command->add_option("--model", options->models,
                      fmt::format("{}, none, or a file with shapes (parameter list, trace); "
                                  "repeated; default resnet50, on a GPU all known ones",
                                  known_model_names()));
  command->add_option(
      "--sizes", options->sizes,
      "Elements of one flat tensor, as in 2^10..2^20 or 1000,2^16, or none; default "
      "2^10..2^20, on a GPU 2^10..2^28");
  command
      ->add_option("--ranks", options->ranks,
                   "For schemes whose decode grows with them; default 2,8,32,96")
      ->delimiter(',')
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--samples", options->samples, "Exchanges of each figure; default 10")
      ->check(CLI::Range(1, 1'000'000));
  command->add_option("--budget", options->budget,
                      "Time for all of it: what does not fit is left out; default 120s");
  command->callback([options] { measure(*options); });
}

}  // namespace gradwire
