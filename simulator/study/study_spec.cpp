#include "simulator/study/study_spec.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"
#include "base/text_proto.hpp"
#include "base/unit_text.hpp"
#include "compressors/spec/registry.hpp"
#include "platforms/model/catalog.hpp"
#include "simulator/study/schema/study.pb.h"

namespace gradwire {
namespace {

/// Turns the lists of a study file into values; messages name file and field.
class StudyReader {
 public:
  explicit StudyReader(std::filesystem::path path) : path_(std::move(path)) {}

  StudySpec read() {
    schema::Study message;
    read_text_proto(path_, message);
    StudySpec spec;
    spec.name = message.name().empty() ? path_.stem().string() : message.name();
    spec.description = message.description();
    for (const std::string& trace : message.trace()) {
      spec.traces.push_back(path_.parent_path() / trace);
    }
    if (spec.traces.empty()) refuse("trace", "none found; at least one file is accepted");
    spec.cluster = read_cluster_named(message.cluster());
    spec.workers.assign(message.workers().begin(), message.workers().end());
    if (spec.workers.empty()) refuse("workers", "none found; at least one count is accepted");
    for (const int count : spec.workers) {
      if (count < 1 || count > spec.cluster.gpus()) {
        refuse("workers",
               fmt::format("{} found; cluster \"{}\" has {} GPUs, so 1 to {} is accepted", count,
                           spec.cluster.name, spec.cluster.gpus(), spec.cluster.gpus()));
      }
    }
    refuse_duplicates(spec.workers, "workers");
    read_network(message, spec);
    read_compressors(message, spec);
    read_options(message, spec);
    return spec;
  }

 private:
  std::string place(const char* field) const {
    return fmt::format("{}: {}", path_.string(), field);
  }

  [[noreturn]] void refuse(const char* field, const std::string& what) const {
    throw InputError(fmt::format("{}: {}", place(field), what));
  }

  template <class T>
  void refuse_duplicates(std::vector<T> values, const char* field) const {
    std::sort(values.begin(), values.end());
    if (std::adjacent_find(values.begin(), values.end()) != values.end()) {
      refuse(field, "an entry stands there twice; each is accepted once");
    }
  }

  template <class Parse>
  auto named(const char* field, const std::string& name, Parse parse) const {
    try {
      return parse(name);
    } catch (const InputError& error) {
      refuse(field, error.what());
    }
  }

  /// A name of the catalogue first; else a file beside the study.
  Cluster read_cluster_named(const std::string& name) const {
    if (name.empty()) refuse("cluster", "none found; a catalogue name or a .txtpb is accepted");
    const std::vector<std::string> known = catalog_names();
    if (std::find(known.begin(), known.end(), name) != known.end()) return find_cluster(name);
    return named("cluster", (path_.parent_path() / name).string(), find_cluster);
  }

  void read_network(const schema::Study& message, StudySpec& spec) const {
    for (const std::string& text : message.bandwidth()) {
      spec.bandwidths.push_back(parse_bandwidth(text, place("bandwidth")));
    }
    if (spec.bandwidths.empty()) spec.bandwidths.push_back(spec.cluster.nic.bandwidth);
    refuse_duplicates(spec.bandwidths, "bandwidth");
    for (const std::string& text : message.latency()) {
      spec.latencies.push_back(parse_duration(text, place("latency")));
    }
    if (spec.latencies.empty()) spec.latencies.push_back(spec.cluster.nic.latency);
    refuse_duplicates(spec.latencies, "latency");
  }

  void read_compressors(const schema::Study& message, StudySpec& spec) const {
    for (const std::string& text : message.compressor()) {
      spec.compressors.push_back(named("compressor", text, [](const std::string& name) {
                                   return parse_scheme(name);
                                 })->spelling());
    }
    if (spec.compressors.empty()) spec.compressors.push_back("none");
    refuse_duplicates(spec.compressors, "compressor");
  }

  void read_options(const schema::Study& message, StudySpec& spec) const {
    for (const std::string& name : message.engine()) {
      spec.estimators.push_back(named("engine", name, estimator_from_name));
    }
    if (spec.estimators.empty()) {
      spec.estimators = {Estimator::kSimgrid, Estimator::kRecurrence, Estimator::kFormula};
    }
    refuse_duplicates(spec.estimators, "engine");
    if (!message.replay().empty())
      spec.replay = named("replay", message.replay(), replay_from_name);
    if (!message.latency_mode().empty()) {
      spec.latency_mode = named("latency_mode", message.latency_mode(), latency_mode_from_name);
    }
    if (!message.first_bucket().empty()) {
      spec.caps.first = parse_bytes(message.first_bucket(), place("first_bucket"));
    }
    if (!message.bucket_cap().empty()) {
      spec.caps.rest = parse_bytes(message.bucket_cap(), place("bucket_cap"));
    }
  }

  std::filesystem::path path_;
};

}  // namespace

StudySpec read_study(const std::filesystem::path& path) { return StudyReader(path).read(); }

std::string_view name_of(Replay replay) {
  return replay == Replay::kCompacted ? "compacted" : "recorded";
}

Replay replay_from_name(std::string_view name) {
  if (name == "recorded") return Replay::kRecorded;
  if (name == "compacted") return Replay::kCompacted;
  throw InputError(fmt::format("replay: \"{}\" found; accepted: recorded, compacted", name));
}

}  // namespace gradwire
