#include "simulator/study/compressor_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "compressors/spec/registry.hpp"

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

using BucketShapes = std::vector<std::vector<TensorShape>>;

/// "cost profile X is of another device than "Y"", and what it was measured on.
std::string foreign_profile_text(const CostProfile& profile, const std::string& device) {
  std::string text =
      fmt::format("cost profile {} is of another device than \"{}\"", profile.name, device);
  if (!profile.measuring) return text;
  const MeasuredMachine& machine = profile.measuring->machine;
  return text + fmt::format(": it was measured on the {} {}, implementation {}",
                            name_of(machine.kind), machine.name, profile.measuring->implementation);
}

void take_profile_cost(const Scenario& scenario, const std::string& device, const GivenCost& given,
                       const BucketShapes& buckets, CompressorChoice& choice) {
  const CostProfile* profile = given.profile ? &*given.profile : find_cost_profile(device);
  if (profile == nullptr) {
    throw InputError(
        fmt::format("--compressor: no cost profile fits the device \"{}\"; give --cost-profile, or "
                    "--encode-time and --decode-time, as in 20ms",
                    device));
  }
  const Scheme& scheme = *choice.compression.scheme;
  const EncodeDecodeCost cost = encode_decode_cost(
      *profile, scheme, tensor_shapes(scenario.workload), scenario.workers, given.choice);
  choice.compression.encode = cost.encode;
  choice.compression.decode = cost.decode;
  choice.standing = cost.standing;
  if (!profile->matches(device)) {
    choice.standing = "assumed";
    choice.warnings.push_back(foreign_profile_text(*profile, device));
  }
  choice.basis.push_back(fmt::format("encode {} and decode {} ({}: {})",
                                     format_duration(cost.encode), format_duration(cost.decode),
                                     cost.standing, cost.source));
  choice.basis.insert(choice.basis.end(), cost.notes.begin(), cost.notes.end());
  if (choice.compression.mode == CompressionMode::kSerial) return;
  BucketCosts costs = bucket_costs(*profile, scheme, buckets, scenario.workers, cost);
  choice.compression.buckets = std::move(costs.buckets);
  choice.basis.insert(choice.basis.end(), costs.notes.begin(), costs.notes.end());
}

void take_given_cost(const GivenCost& given, const BucketShapes& buckets,
                     CompressorChoice& choice) {
  if (given.encode.has_value() != given.decode.has_value()) {
    throw InputError("--encode-time, --decode-time: one found; both or none are accepted");
  }
  choice.compression.encode = *given.encode;
  choice.compression.decode = *given.decode;
  choice.standing = "given";
  choice.basis.push_back(fmt::format("encode {} and decode {} (as given)",
                                     format_duration(*given.encode),
                                     format_duration(*given.decode)));
  if (choice.compression.mode == CompressionMode::kSerial) return;
  BucketCosts costs = spread_by_elements(buckets, *given.encode, *given.decode);
  choice.compression.buckets = std::move(costs.buckets);
  choice.basis.insert(choice.basis.end(), costs.notes.begin(), costs.notes.end());
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

void take_timeline(const GivenCost& given, CompressorChoice& choice) {
  if (choice.compression.mode == CompressionMode::kOverlapped) {
    throw InputError(
        "--compressor-trace: an exchange of all gradients cannot be parted into buckets; --mode "
        "serial is accepted");
  }
  const CompressorTimeline& timeline = *given.timeline;
  choice.compression.timeline = given.timeline;
  choice.compression.encode = replayed(timeline.encode) + replayed(timeline.between);
  choice.compression.decode = replayed(timeline.decode);
  choice.standing = "measured";
  choice.basis.push_back(fmt::format("the kernels of {} one by one: {}", timeline.name,
                                     phase_text("encode", timeline.encode)));
  if (!timeline.between.empty()) {
    choice.basis.push_back(phase_text("between the collectives", timeline.between));
  }
  choice.basis.push_back(phase_text("decode", timeline.decode));
}

/// What the scheme sends of all gradients in one exchange or, overlapped, of each bucket.
Bytes wire_bytes_of(const Scheme& scheme, const BucketShapes& exchanges) {
  Bytes bytes{0};
  for (const auto& shapes : exchanges) bytes += wire_bytes(scheme.transfers(shapes));
  return bytes;
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

CompressorChoice choose_compressor(const std::string& text, const Scenario& scenario,
                                   const std::string& device, CompressionMode mode,
                                   const GivenCost& given) {
  CompressorChoice choice;
  const Workload& workload = scenario.workload;
  choice.compression.scheme = parse_scheme(text);
  choice.compression.mode = mode;
  refuse_other_types(workload);
  const Scheme& scheme = *choice.compression.scheme;
  const bool overlapped = mode == CompressionMode::kOverlapped && !scheme.cast_size();
  const BucketShapes exchanges =
      overlapped ? bucket_shapes(workload, scenario.caps) : BucketShapes{tensor_shapes(workload)};
  choice.spelling = scheme.spelling();
  choice.wire_bytes = wire_bytes_of(scheme, exchanges);
  choice.ratio = static_cast<double>(workload.total_bytes().count()) /
                 static_cast<double>(choice.wire_bytes.count());
  if (scheme.cast_size()) {
    refuse_costs_of_a_cast(given);
    choice.standing = "not counted";
    choice.basis.push_back("the time of the casts themselves counts as nothing");
    return choice;
  }
  if (given.timeline) {
    take_timeline(given, choice);
  } else if (given.encode || given.decode) {
    take_given_cost(given, exchanges, choice);
  } else {
    take_profile_cost(scenario, device, given, exchanges, choice);
  }
  if (overlapped && !knows_launches(workload)) {
    choice.basis.push_back(
        "the trace holds no launches, so the host thread is taken to be far ahead of the device, "
        "which favours overlapping");
  }
  return choice;
}

}  // namespace gradwire
