#include "simulator/study/compressor_choice.hpp"

#include <fmt/format.h>

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

void take_profile_cost(const std::vector<TensorShape>& shapes, const std::string& device,
                       int workers, const GivenCost& given, CompressorChoice& choice) {
  const CostProfile* profile = given.profile ? &*given.profile : find_cost_profile(device);
  if (given.profile && !profile->matches(device)) {
    choice.basis.push_back(
        fmt::format("cost profile {} is of another device than \"{}\"", profile->name, device));
  }
  if (profile == nullptr) {
    throw InputError(
        fmt::format("--compressor: no cost profile fits the device \"{}\"; give --cost-profile, or "
                    "--encode-time and --decode-time, as in 20ms",
                    device));
  }
  const EncodeDecodeCost cost =
      encode_decode_cost(*profile, *choice.compression.scheme, shapes, workers, given.choice);
  choice.compression.encode = cost.encode;
  choice.compression.decode = cost.decode;
  choice.standing = cost.standing;
  choice.basis.push_back(fmt::format("encode {} and decode {} ({}: {})",
                                     format_duration(cost.encode), format_duration(cost.decode),
                                     cost.standing, cost.source));
  choice.basis.insert(choice.basis.end(), cost.notes.begin(), cost.notes.end());
}

}  // namespace

CompressorChoice choose_compressor(const std::string& text, const Workload& workload,
                                   const std::string& device, int workers, const GivenCost& given) {
  CompressorChoice choice;
  choice.compression.scheme = parse_scheme(text);
  refuse_other_types(workload);
  const Scheme& scheme = *choice.compression.scheme;
  const std::vector<TensorShape> shapes = tensor_shapes(workload);
  choice.spelling = scheme.spelling();
  choice.wire_bytes = wire_bytes(scheme.transfers(shapes));
  choice.ratio = compression_ratio(scheme, shapes);
  if (scheme.cast_size()) {
    if (given.encode || given.decode || given.profile) {
      throw InputError(
          "--encode-time, --decode-time, --cost-profile: a cast keeps DDP's overlap and its time "
          "is "
          "not modelled; they are accepted for the other compressors");
    }
    choice.standing = "not counted";
    choice.basis.push_back("the time of the casts themselves counts as nothing");
    return choice;
  }
  if (given.encode.has_value() != given.decode.has_value()) {
    throw InputError("--encode-time, --decode-time: one found; both or none are accepted");
  }
  if (given.encode) {
    choice.compression.encode = *given.encode;
    choice.compression.decode = *given.decode;
    choice.standing = "given";
    choice.basis.push_back(fmt::format("encode {} and decode {} (as given)",
                                       format_duration(*given.encode),
                                       format_duration(*given.decode)));
  } else {
    take_profile_cost(shapes, device, workers, given, choice);
  }
  return choice;
}

}  // namespace gradwire
