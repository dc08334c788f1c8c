#include "simulator/study/compressor_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "compressors/spec/registry.hpp"
#include "simulator/scenario/compression_cost.hpp"

namespace gradwire {
namespace {

void refuse_other_types(const Workload& workload) {
  for (const ReadyGradient& gradient : workload.gradients) {
    if (gradient.dtype == DType::kFloat32) continue;
    throw InputError(fmt::format(
        "--compressor: the gradients of {} are {}; compressors are modelled for float32",
        workload.name, name_of(gradient.dtype)));
  }
}

/// "cost profile X is of another device than "Y"", and what it was measured on.
std::string foreign_profile_text(const CostProfile& profile, const std::string& device) {
  std::string text =
      fmt::format("cost profile {} is of another device than \"{}\"", profile.name, device);
  if (!profile.measuring) return text;
  const MeasuredMachine& machine = profile.measuring->machine;
  return text + fmt::format(": it was measured on the {} {}, implementation {}",
                            name_of(machine.kind), machine.name, profile.measuring->implementation);
}

/// The user's profile, or the one that fits the device.
std::shared_ptr<const CostProfile> profile_for(const std::string& device, const GivenCost& given) {
  if (given.profile) return std::make_shared<const CostProfile>(*given.profile);
  const CostProfile* found = find_cost_profile(device);
  if (found == nullptr) {
    throw InputError(
        fmt::format("--compressor: no cost profile fits the device \"{}\"; give --cost-profile, or "
                    "--encode-time and --decode-time, as in 20ms",
                    device));
  }
  return {std::shared_ptr<const CostProfile>{}, found};  // lives as long as the program
}

CostSource cost_source(const std::string& device, const GivenCost& given) {
  CostSource source;
  if (!given.encode && !given.decode) {
    source.profile = profile_for(device, given);
    source.choice = given.choice;
    return source;
  }
  if (!given.encode || !given.decode) {
    throw InputError("--encode-time, --decode-time: one found; both or none are accepted");
  }
  source.given_encode = *given.encode;
  source.given_decode = *given.decode;
  return source;
}

/// What the costs of `scenario`'s compressor are and rest on.
void describe_cost(const Scenario& scenario, const std::string& device, CompressorChoice& choice) {
  const CostSource& source = *scenario.compression.source;
  const CompressionCost cost = compression_cost(scenario);
  const bool changed = source.encode_factor != 1.0 || source.decode_factor != 1.0;
  choice.standing = changed ? "derived" : cost.standing;
  const std::string origin =
      source.profile == nullptr ? "as given" : fmt::format("{}: {}", cost.standing, cost.source);
  choice.basis.push_back(fmt::format("encode {} and decode {} ({}{})", format_duration(cost.encode),
                                     format_duration(cost.decode), origin,
                                     changed ? ", changed by what is asked" : ""));
  if (source.priced_as) {
    choice.standing = "assumed";
    choice.basis.push_back(fmt::format("the costs are those of {}", source.priced_as->spelling()));
  }
  if (source.profile && !source.profile->matches(device)) {
    choice.standing = "assumed";
    choice.warnings.push_back(foreign_profile_text(*source.profile, device));
  }
  choice.basis.insert(choice.basis.end(), cost.notes.begin(), cost.notes.end());
}

std::string phase_text(const char* what, const std::vector<CompressorKernel>& kernels) {
  Seconds host{0};
  Seconds device{0};
  for (const CompressorKernel& kernel : kernels) {
    host += kernel.host;
    device += kernel.device;
  }
  return fmt::format("{} {} in {} kernels ({} of the host, {} of the device)", what,
                     format_duration(replayed(kernels)), kernels.size(), format_duration(host),
                     format_duration(device));
}

void take_timeline(const GivenCost& given, Compression& compression) {
  if (compression.mode == CompressionMode::kOverlapped) {
    throw InputError(
        "--compressor-trace: an exchange of all gradients cannot be parted into buckets; --mode "
        "serial is accepted");
  }
  const CompressorTimeline& timeline = *given.timeline;
  compression.timeline = given.timeline;
  compression.encode = replayed(timeline.encode) + replayed(timeline.between);
  compression.decode = replayed(timeline.decode);
}

void describe_timeline(const CompressorTimeline& timeline, CompressorChoice& choice) {
  choice.standing = "measured";
  choice.basis.push_back(fmt::format("the kernels of {} one by one: {}", timeline.name,
                                     phase_text("encode", timeline.encode)));
  if (!timeline.between.empty()) {
    choice.basis.push_back(phase_text("between the collectives", timeline.between));
  }
  choice.basis.push_back(phase_text("decode", timeline.decode));
}

bool knows_launches(const Workload& workload) {
  return std::all_of(workload.gradients.begin(), workload.gradients.end(),
                     [](const ReadyGradient& gradient) { return gradient.launched.has_value(); });
}

void refuse_costs_of_a_cast(const GivenCost& given) {
  if (!given.encode && !given.decode && !given.profile && !given.timeline) return;
  throw InputError(
      "--encode-time, --decode-time, --cost-profile, --compressor-trace: a cast keeps DDP's "
      "overlap and its time is "
      "not "
      "modelled; they are accepted for the other compressors");
}

}  // namespace

const char* mode_basis(CompressionMode mode) {
  return mode == CompressionMode::kSerial ? kSerialBasis : kOverlappedBasis;
}

CompressorChoice describe_compressor(const Scenario& scenario, const std::string& device) {
  CompressorChoice choice;
  choice.compression = scenario.compression;
  const Compression& compression = choice.compression;
  const Scheme& scheme = *compression.scheme;
  choice.spelling = scheme.spelling();
  choice.wire_bytes = wire_bytes_of(scenario);
  choice.ratio = static_cast<double>(scenario.workload->total_bytes().count()) /
                 static_cast<double>(choice.wire_bytes.count());
  if (scheme.cast_size()) {
    choice.standing = "not counted";
    choice.basis.push_back("the time of the casts themselves counts as nothing");
    return choice;
  }
  if (compression.timeline) {
    describe_timeline(*compression.timeline, choice);
  } else {
    describe_cost(scenario, device, choice);
  }
  if (compression.mode == CompressionMode::kOverlapped && !knows_launches(scenario.workload)) {
    choice.basis.push_back(
        "the trace holds no launches, so the host thread is taken to be far ahead of the device, "
        "which favours overlapping");
  }
  return choice;
}

CompressorChoice choose_compressor(const std::string& text, const Scenario& scenario,
                                   const std::string& device, CompressionMode mode,
                                   const GivenCost& given) {
  Scenario chosen = scenario;
  chosen.compression = {};
  Compression& compression = chosen.compression;
  compression.scheme = parse_scheme(text);
  compression.mode = mode;
  refuse_other_types(chosen.workload);
  if (compression.scheme->cast_size()) {
    refuse_costs_of_a_cast(given);
  } else if (given.timeline) {
    take_timeline(given, compression);
  } else {
    compression.source = cost_source(device, given);
  }
  return describe_compressor(with_costs_of_source(std::move(chosen)), device);
}

}  // namespace gradwire
