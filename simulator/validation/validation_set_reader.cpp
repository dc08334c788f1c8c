#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/errors.hpp"
#include "base/text_proto.hpp"
#include "base/unit_text.hpp"
#include "compressors/spec/registry.hpp"
#include "simulator/study/study_place.hpp"
#include "simulator/validation/schema/validation.pb.h"
#include "simulator/validation/validation_set.hpp"

namespace gradwire {
namespace {

ScoredTime scored_time_from_name(std::string_view name) {
  if (name.empty() || name == "backward_sync") return ScoredTime::kBackwardSync;
  if (name == "iteration") return ScoredTime::kIteration;
  throw InputError(fmt::format("\"{}\" found; backward_sync or iteration is accepted", name));
}

ErrorRule error_rule_from_name(std::string_view name) {
  if (name.empty() || name == "median") return ErrorRule::kMedian;
  if (name == "outside_range") return ErrorRule::kOutsideRange;
  throw InputError(fmt::format("\"{}\" found; median or outside_range is accepted", name));
}

AloneSpread alone_spread_from_name(std::string_view name) {
  if (name.empty() || name == "scale") return AloneSpread::kScale;
  if (name == "bytes") return AloneSpread::kBytes;
  throw InputError(fmt::format("\"{}\" found; scale or bytes is accepted", name));
}

bool initial_buckets_from_name(std::string_view name) {
  if (name.empty() || name == "rebuilt") return false;
  if (name == "initial") return true;
  throw InputError(fmt::format("\"{}\" found; rebuilt or initial is accepted", name));
}

std::optional<Seconds> optional_time(const std::string& text, const char* field,
                                     const StudyPlace& place) {
  if (text.empty()) return std::nullopt;
  return parse_duration(text, place.of(field));
}

Aim read_aim(const schema::Aim& message, const StudyPlace& place) {
  Aim aim;
  const auto share = [&](bool given, double value, const char* field) -> std::optional<double> {
    if (!given) return std::nullopt;
    if (!std::isfinite(value) || value < 0.0) {
      place.refuse(field, fmt::format("{} found; a share of 0 or more is accepted", value));
    }
    return value;
  };
  aim.median = share(message.has_median(), message.median(), "aim.median");
  aim.p90 = share(message.has_p90(), message.p90(), "aim.p90");
  aim.worst = share(message.has_worst(), message.worst(), "aim.worst");
  aim.baseline_share =
      share(message.has_baseline_share(), message.baseline_share(), "aim.baseline_share");
  aim.verdict_accuracy =
      share(message.has_verdict_accuracy(), message.verdict_accuracy(), "aim.verdict_accuracy");
  return aim;
}

MeasuredWorkload read_workload_of_set(const schema::MeasuredWorkload& message,
                                      const std::filesystem::path& folder,
                                      const StudyPlace& place) {
  MeasuredWorkload workload;
  if (message.name().empty()) place.refuse("workload.name", "none found; one is needed");
  if (message.trace().empty()) place.refuse("workload.trace", "none found; a file is accepted");
  workload.name = message.name();
  workload.trace = folder / message.trace();
  workload.alone = optional_time(message.alone(), "workload.alone", place);
  workload.alone_source = message.alone_source();
  require_source(workload.alone.has_value(), workload.alone_source, "workload.alone_source", place);
  workload.spread =
      place.parsed("workload.alone_spread", message.alone_spread(), alone_spread_from_name);
  if (!message.registration().empty()) workload.registration = folder / message.registration();
  workload.outside = optional_time(message.outside(), "workload.outside", place);
  workload.outside_source = message.outside_source();
  require_source(workload.outside.has_value(), workload.outside_source, "workload.outside_source",
                 place);
  return workload;
}

void read_networks(const schema::ValidationSet& message, const StudyPlace& place,
                   ValidationSet& set) {
  for (const schema::Network& network : message.network()) {
    set.networks.push_back(read_measured_network(network, place));
  }
  if (set.networks.empty()) place.refuse("network", "none found; one is needed");
  place.refuse_duplicates(names_of(set.networks), "network.name");
}

void read_slowdown(const schema::ValidationSet& message, const StudyPlace& place,
                   ValidationSet& set) {
  const bool slowed = message.overlap_slowdown() != 0.0;
  if (slowed) set.overlap_slowdown = message.overlap_slowdown();
  if (!(set.overlap_slowdown >= 1.0 && std::isfinite(set.overlap_slowdown))) {
    place.refuse("overlap_slowdown",
                 fmt::format("{} found; 1 or more is accepted", set.overlap_slowdown));
  }
  set.overlap_slowdown_source = message.overlap_slowdown_source();
  require_source(slowed, set.overlap_slowdown_source, "overlap_slowdown_source", place);
}

GlooHost read_gloo(const schema::GlooHost& message, const StudyPlace& place) {
  GlooHost host;
  host.cores = message.cores();
  host.on_device = message.on_device();
  host.collectives_at_once = message.collectives_at_once();
  if (host.cores < 1) place.refuse("gloo.cores", "none found; 1 or more is accepted");
  if (host.collectives_at_once < 1) {
    place.refuse("gloo.collectives_at_once", "none found; 1 or more is accepted");
  }
  host.segment = parse_bytes(message.segment(), place.of("gloo.segment"));
  if (host.segment.count() < 1) place.refuse("gloo.segment", "0 B found; 1B or more is accepted");
  for (const schema::HostCost& cost : message.cost()) {
    if (!std::isfinite(cost.ns()) || cost.ns() < 0.0) {
      place.refuse("gloo.cost", fmt::format("{} found; 0 or more is accepted", cost.ns()));
    }
    require_source(true, cost.source(), "gloo.cost.source", place);
    double& value = place.parsed("gloo.cost", cost.what(), [&](const std::string& name) {
      return std::ref(host.cost_named(name));
    });
    value = cost.ns() * 1e-9;
  }
  return host;
}

Measurement read_measurement(const schema::MeasuredCase& message, const schema::ValidationSet& set,
                             const StudyPlace& place) {
  Measurement measured;
  measured.median = parse_duration(message.measured(), place.of("measured"));
  if (!(measured.median > Seconds{0})) place.refuse("measured", "0 found; a time is accepted");
  measured.low = optional_time(message.measured_low(), "measured_low", place);
  measured.high = optional_time(message.measured_high(), "measured_high", place);
  if (measured.low.has_value() != measured.high.has_value()) {
    place.refuse("measured_low", "one end of a range found; both or none are accepted");
  }
  if (measured.low && (*measured.low > measured.median || *measured.high < measured.median)) {
    place.refuse("measured_low", "a range found that does not hold the measured time");
  }
  measured.samples = message.samples();
  measured.source = message.source().empty() ? set.source() : message.source();
  if (measured.source.empty()) place.refuse("source", "none found, and the set has none either");
  measured.scores = place.parsed(
      "scores", message.scores().empty() ? set.scores() : message.scores(), scored_time_from_name);
  return measured;
}

/// The entry of `known` that is called `name`.
template <class Named>
std::size_t index_of(const std::string& name, const std::vector<Named>& known, const char* field,
                     const StudyPlace& place) {
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Named& one) { return one.name == name; });
  if (found == known.end()) {
    place.refuse(
        field, fmt::format("\"{}\" found; the set has {}", name, fmt::join(names_of(known), ", ")));
  }
  return static_cast<std::size_t>(found - known.begin());
}

/// Ranks, nodes and network of a case.
void read_machine(const schema::MeasuredCase& message, const ValidationSet& set,
                  const StudyPlace& place, MeasuredCase& result) {
  result.ranks = message.ranks();
  if (result.ranks < 1) {
    place.refuse("ranks", fmt::format("{} found; 1 or more is accepted", result.ranks));
  }
  const bool only_one = message.network().empty() && set.networks.size() == 1;
  result.network = only_one ? 0 : index_of(message.network(), set.networks, "network", place);
  if (message.gpus_per_node() != 0) result.gpus_per_node = message.gpus_per_node();
  if (result.gpus_per_node < 1) {
    place.refuse("gpus_per_node",
                 fmt::format("{} found; 1 or more is accepted", result.gpus_per_node));
  }
  if (result.gpus_per_node > 1 && !set.networks[result.network].intra) {
    place.refuse("gpus_per_node", "several found, but its network has no `intra_bandwidth`");
  }
  if (!message.all_reduce().empty()) result.all_reduce = message.all_reduce();
  result.bandwidth = parse_bandwidth(message.bandwidth(), place.of("bandwidth"));
}

template <class Message>
BucketCaps read_caps(const Message& message, const StudyPlace& place) {
  BucketCaps caps;
  if (!message.first_bucket().empty()) {
    caps.first = parse_bytes(message.first_bucket(), place.of("first_bucket"));
  }
  if (!message.bucket_cap().empty()) {
    caps.rest = parse_bytes(message.bucket_cap(), place.of("bucket_cap"));
  }
  return caps;
}

RecordedTrace read_recorded(const schema::RecordedTrace& message, const schema::ValidationSet& set,
                            const std::filesystem::path& file) {
  const StudyPlace place(file, message.name(), "recorded");
  if (message.name().empty()) place.refuse("recorded.name", "none found; one is needed");
  if (message.trace().empty()) place.refuse("trace", "none found; a file is accepted");
  RecordedTrace recorded;
  recorded.name = message.name();
  recorded.trace = file.parent_path() / message.trace();
  if (!message.parameters().empty()) {
    recorded.parameters = file.parent_path() / message.parameters();
  }
  recorded.caps = read_caps(message, place);
  recorded.source = message.source().empty() ? set.source() : message.source();
  if (recorded.source.empty()) place.refuse("source", "none found, and the set has none either");
  return recorded;
}

MeasuredCase read_case(const schema::MeasuredCase& message, const schema::ValidationSet& schema_set,
                       const ValidationSet& set) {
  const StudyPlace place(set.file, message.name(), "case");
  MeasuredCase result;
  result.name = message.name();
  result.workload = index_of(message.workload(), set.workloads, "workload", place);
  read_machine(message, set, place, result);
  result.caps = read_caps(message, place);
  result.initial_buckets = place.parsed("buckets", message.buckets(), initial_buckets_from_name);
  if (result.initial_buckets && set.workloads[result.workload].registration.empty()) {
    place.refuse("buckets", "\"initial\" found, but its workload has no `registration`");
  }
  const std::string wanted = message.compressor().empty() ? "none" : message.compressor();
  const auto scheme = place.parsed("compressor", wanted,
                                   [](const std::string& text) { return parse_scheme(text); });
  result.compressor = scheme->spelling();
  result.encode = optional_time(message.encode(), "encode", place);
  result.decode = optional_time(message.decode(), "decode", place);
  result.cost_source = message.cost_source();
  require_source(result.encode || result.decode, result.cost_source, "cost_source", place);
  if (!message.mode().empty()) {
    result.mode = place.parsed("mode", message.mode(), compression_mode_from_name);
  }
  if (message.slow_rank() != 0.0) result.slow_rank = message.slow_rank();
  if (!(result.slow_rank >= 1.0 && std::isfinite(result.slow_rank))) {
    place.refuse("slow_rank", fmt::format("{} found; 1 or more is accepted", result.slow_rank));
  }
  if (result.slow_rank > 1.0 && result.ranks < 2) {
    place.refuse("slow_rank", "found for one rank; it is the second that is slow");
  }
  if (message.has_second_job()) {
    result.second_job =
        SecondJob{parse_bytes(message.second_job().payload(), place.of("second_job.payload")),
                  parse_duration(message.second_job().compute(), place.of("second_job.compute"))};
  }
  result.measured = read_measurement(message, schema_set, place);
  return result;
}

void read_cases(const schema::ValidationSet& message, const StudyPlace& place, ValidationSet& set) {
  const int kinds = int{message.has_random()} + int{!message.case_().empty()} +
                    int{!message.recorded().empty()} + int{message.has_claims()} +
                    int{!message.collective().empty()};
  if (kinds != 1) {
    place.refuse("case",
                 "one of cases, `random`, `recorded`, `claims` and `collective` is needed, and not "
                 "several");
  }
  if (!message.collective().empty()) {
    set.collective_networks = read_collective_networks(message, set.file);
    set.collectives = read_collective_cases(message, set.collective_networks, set.file);
    return;
  }
  if (message.has_claims()) {
    if (message.claims().study().empty()) place.refuse("claims.study", "none found; one is needed");
    set.claims = set.file.parent_path() / message.claims().study();
    return;
  }
  if (message.has_random()) {
    const schema::RandomCells& random = message.random();
    if (random.cells() < 1) place.refuse("random.cells", "none found; 1 or more is accepted");
    require_source(true, random.source(), "random.source", place);
    set.random = RandomCells{random.seed(), random.cells(), random.source()};
    return;
  }
  for (const schema::RecordedTrace& recorded : message.recorded()) {
    set.recorded.push_back(read_recorded(recorded, message, set.file));
  }
  if (!set.recorded.empty()) return place.refuse_duplicates(names_of(set.recorded), "recorded");
  for (const schema::MeasuredWorkload& workload : message.workload()) {
    set.workloads.push_back(read_workload_of_set(workload, set.file.parent_path(), place));
  }
  place.refuse_duplicates(names_of(set.workloads), "workload");
  read_networks(message, place, set);
  set.decode_apart = message.decode_apart();
  set.decode_apart_source = message.decode_apart_source();
  require_source(set.decode_apart, set.decode_apart_source, "decode_apart_source", place);
  read_slowdown(message, place, set);
  if (message.has_gloo()) set.gloo = read_gloo(message.gloo(), place);
  for (const schema::MeasuredCase& one : message.case_()) {
    if (one.name().empty()) place.refuse("case", "one without a name found; each needs one");
    set.cases.push_back(read_case(one, message, set));
  }
  place.refuse_duplicates(names_of(set.cases), "case");
}

}  // namespace

std::string_view name_of(ScoredTime time) {
  if (time == ScoredTime::kCollective) return "collective";
  return time == ScoredTime::kIteration ? "iteration" : "backward_sync";
}

ValidationSet read_validation_set(const std::filesystem::path& path) {
  schema::ValidationSet message;
  read_text_proto(path, message);
  const StudyPlace place(path, "");
  ValidationSet set;
  set.file = path;
  set.name = message.name().empty() ? path.stem().string() : message.name();
  set.description = message.description();
  set.source = message.source();
  place.parsed("scores", message.scores(), scored_time_from_name);
  set.rule = place.parsed("error", message.error(), error_rule_from_name);
  set.aim = read_aim(message.aim(), place);
  set.likely_cause = message.likely_cause();
  set.skipped.assign(message.skipped().begin(), message.skipped().end());
  set.calibrated.assign(message.calibrated().begin(), message.calibrated().end());
  set.assumed.assign(message.assumed().begin(), message.assumed().end());
  read_cases(message, place, set);
  return set;
}

std::vector<std::filesystem::path> validation_files(
    const std::vector<std::filesystem::path>& paths) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    const std::size_t before = files.size();
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      if (entry.path().extension() == ".txtpb") files.push_back(entry.path());
    }
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
    if (files.size() == before) {
      throw InputError(fmt::format("{}: no .txtpb found; a folder with sets, or a set, is accepted",
                                   path.string()));
    }
  }
  return files;
}

}  // namespace gradwire
