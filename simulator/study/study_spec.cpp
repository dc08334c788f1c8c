#include "simulator/study/study_spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/errors.hpp"
#include "base/text_proto.hpp"
#include "base/unit_text.hpp"
#include "compressors/spec/registry.hpp"
#include "platforms/model/catalog.hpp"
#include "simulator/collectives/registry.hpp"
#include "simulator/engine/simgrid/find_any_cluster.hpp"
#include "simulator/scenario/what_if_text.hpp"
#include "simulator/study/schema/study.pb.h"
#include "simulator/study/study_conclusion_spec.hpp"
#include "simulator/study/study_place.hpp"

namespace gradwire {
namespace {

// What-ifs beyond these are slips, and their products must stay within the integers.
constexpr double kLeastFactor = 1e-3;
constexpr double kMostFactor = 1e3;

constexpr int kMostShuffles = 100'000;

/// Spellings with every parameter; `labels` receives how they are written here.
template <class Names>
std::vector<std::string> spellings_of(const Names& names, const StudyPlace& place,
                                      std::map<std::string, std::string>& labels) {
  std::vector<std::string> spellings;
  for (const std::string& text : names) {
    spellings.push_back(
        place
            .parsed("compressor", text, [](const std::string& name) { return parse_scheme(name); })
            ->spelling());
    labels.try_emplace(spellings.back(), text);
  }
  place.refuse_duplicates(spellings, "compressor");
  return spellings;
}

/// Turns one grid's lists into values.
class GridReader {
 public:
  GridReader(const std::filesystem::path& file, const schema::Grid& message, const StudySpec& study)
      : folder_(file.parent_path()),
        message_(message),
        study_(study),
        place_(file, message.name()) {}

  GridSpec read(const std::vector<std::string>& study_compressors,
                std::vector<std::filesystem::path>& files,
                std::map<std::string, std::string>& labels) {
    grid_.name = message_.name();
    grid_.description = message_.description();
    read_workloads();
    grid_.cluster = read_cluster(files);
    read_workers();
    read_network();
    grid_.compressors = spellings_of(message_.compressor(), place_, labels);
    if (grid_.compressors.empty()) grid_.compressors = study_compressors;
    if (grid_.compressors.empty()) grid_.compressors.emplace_back("none");
    read_what_ifs();
    read_contention();
    read_options();
    return std::move(grid_);
  }

 private:
  void read_workloads() {
    for (const std::string& name : message_.workload()) {
      const auto found =
          std::find_if(study_.workloads.begin(), study_.workloads.end(),
                       [&](const WorkloadSource& workload) { return workload.name == name; });
      if (found == study_.workloads.end()) {
        place_.refuse("workload", fmt::format("\"{}\" found; the study has {}", name,
                                              fmt::join(names_of(study_.workloads), ", ")));
      }
      grid_.workloads.push_back(static_cast<std::size_t>(found - study_.workloads.begin()));
    }
    place_.refuse_duplicates(grid_.workloads, "workload");
    if (!grid_.workloads.empty()) return;
    for (std::size_t i = 0; i < study_.workloads.size(); ++i) grid_.workloads.push_back(i);
  }

  /// A name of the catalogue first; else a file beside the study.
  Cluster read_cluster(std::vector<std::filesystem::path>& files) const {
    const std::string& name = message_.cluster();
    if (name.empty()) {
      place_.refuse("cluster",
                    "none found; a catalogue name, a .txtpb or a SimGrid .xml is accepted");
    }
    const std::vector<std::string> known = catalog_names();
    if (std::find(known.begin(), known.end(), name) != known.end()) return find_cluster(name);
    files.push_back(folder_ / name);
    return place_.parsed("cluster", files.back().string(), find_any_cluster);
  }

  void read_workers() {
    grid_.workers.assign(message_.workers().begin(), message_.workers().end());
    if (grid_.workers.empty()) place_.refuse("workers", "none found; at least one is accepted");
    const int gpus = grid_.cluster.gpus();
    for (const int count : grid_.workers) {
      if (count >= 1 && count <= gpus) continue;
      place_.refuse("workers",
                    fmt::format("{} found; cluster \"{}\" has {} GPUs, so 1 to {} is accepted",
                                count, grid_.cluster.name, gpus, gpus));
    }
    place_.refuse_duplicates(grid_.workers, "workers");
  }

  void read_network() {
    for (const std::string& text : message_.bandwidth()) {
      grid_.bandwidths.push_back(parse_bandwidth(text, place_.of("bandwidth")));
    }
    if (grid_.bandwidths.empty()) grid_.bandwidths.push_back(grid_.cluster.nic.bandwidth);
    place_.refuse_duplicates(grid_.bandwidths, "bandwidth");
    for (const std::string& text : message_.latency()) {
      grid_.latencies.push_back(parse_duration(text, place_.of("latency")));
    }
    if (grid_.latencies.empty()) grid_.latencies.push_back(grid_.cluster.nic.latency);
    place_.refuse_duplicates(grid_.latencies, "latency");
  }

  void read_what_ifs() {
    read_factors("compute_speedup", message_.compute_speedup(), grid_.compute_speedups);
    read_factors("encode_divisor", message_.encode_divisor(), grid_.encode_divisors);
    read_factors("payload_growth", message_.payload_growth(), grid_.payload_growths);
    grid_.encode_with_compute = message_.encode_with_compute();
    if (message_.what_if().empty()) return;
    grid_.what_ifs.clear();
    for (const std::string& text : message_.what_if()) {
      grid_.what_ifs.push_back(text == "none" ? "" : text);
      (void)parse_what_ifs(grid_.what_ifs.back(), place_.of("what_if"));
    }
    place_.refuse_duplicates(grid_.what_ifs, "what_if");
  }

  template <class Given>
  void read_factors(const char* field, const Given& given, std::vector<double>& factors) const {
    if (given.empty()) return;
    factors.assign(given.begin(), given.end());
    for (const double factor : factors) {
      if (factor >= kLeastFactor && factor <= kMostFactor) continue;
      place_.refuse(field, fmt::format("{} found; a factor from {} to {} is accepted", factor,
                                       kLeastFactor, kMostFactor));
    }
    place_.refuse_duplicates(factors, field);
  }

  void read_contention() {
    read_shuffles();
    if (!message_.all_gather().empty()) {
      grid_.all_gather = place_.parsed("all_gather", message_.all_gather(), [](const auto& name) {
        return std::string{find_algorithm(CollectiveKind::kAllGather, name).algorithm};
      });
    }
    if (!message_.all_reduce().empty()) {
      grid_.all_reduce = place_.parsed("all_reduce", message_.all_reduce(), [](const auto& name) {
        if (name == "nccl") return std::string{name};
        return std::string{find_algorithm(CollectiveKind::kAllReduce, name).algorithm};
      });
    }
    if (!message_.has_second_job()) return;
    SecondJob& job = grid_.second_job.emplace();
    job.payload = parse_bytes(message_.second_job().payload(), place_.of("second_job: payload"));
    if (!message_.second_job().compute().empty()) {
      job.compute =
          parse_duration(message_.second_job().compute(), place_.of("second_job: compute"));
    }
  }

  void read_shuffles() {
    if (!message_.has_shuffle_seed() && !message_.has_shuffles()) return;
    const int orders = message_.has_shuffles() ? message_.shuffles() : 1;
    if (orders < 1 || orders > kMostShuffles) {
      place_.refuse("shuffles",
                    fmt::format("{} found; 1 to {} is accepted", orders, kMostShuffles));
    }
    const std::uint64_t first = message_.has_shuffle_seed() ? message_.shuffle_seed() : 1;
    grid_.shuffle_seeds.clear();
    for (int i = 0; i < orders; ++i) {
      grid_.shuffle_seeds.emplace_back(first + static_cast<std::uint64_t>(i));
    }
  }

  /// Step mode plays less than coupled mode, and simulates only what SimGrid is asked for.
  void read_simgrid_mode() {
    if (message_.simgrid_mode().empty()) return;
    grid_.simgrid_mode =
        place_.parsed("simgrid_mode", message_.simgrid_mode(), simgrid_mode_from_name);
    if (grid_.simgrid_mode != SimgridMode::kStep) return;
    if (grid_.second_job) place_.refuse("second_job", "simgrid_mode step plays none; coupled does");
    if (grid_.latency_mode == LatencyMode::kOverlapped) {
      place_.refuse("latency_mode",
                    "overlapped found, which simgrid_mode step does not model; blocking and mean "
                    "are accepted");
    }
  }

  void read_options() {
    if (!message_.mode().empty()) {
      grid_.mode = place_.parsed("mode", message_.mode(), compression_mode_from_name);
    }
    for (const std::string& name : message_.engine()) {
      grid_.estimators.push_back(place_.parsed("engine", name, estimator_from_name));
    }
    if (grid_.estimators.empty()) {
      grid_.estimators = {Estimator::kSimgrid, Estimator::kRecurrence, Estimator::kFormula};
    }
    place_.refuse_duplicates(grid_.estimators, "engine");
    if (is_contended(grid_) && grid_.estimators.front() != Estimator::kSimgrid) {
      place_.refuse("engine", "simgrid is not first, and it alone answers where links are shared");
    }
    if (grid_.mode == CompressionMode::kOverlapped &&
        grid_.estimators.front() == Estimator::kFormula) {
      place_.refuse("engine", "formula found first, which knows no overlapped compression");
    }
    if (!message_.latency_mode().empty()) {
      grid_.latency_mode =
          place_.parsed("latency_mode", message_.latency_mode(), latency_mode_from_name);
    }
    read_simgrid_mode();
    if (!message_.first_bucket().empty()) {
      grid_.caps.first = parse_bytes(message_.first_bucket(), place_.of("first_bucket"));
    }
    if (!message_.bucket_cap().empty()) {
      grid_.caps.rest = parse_bytes(message_.bucket_cap(), place_.of("bucket_cap"));
    }
  }

  std::filesystem::path folder_;
  const schema::Grid& message_;
  const StudySpec& study_;
  StudyPlace place_;
  GridSpec grid_;
};

WorkloadSource read_study_workload(const schema::Workload& message,
                                   const std::filesystem::path& folder, const StudyPlace& place) {
  if (message.trace().empty()) place.refuse("workload", "no trace found; a file is accepted");
  WorkloadSource workload;
  workload.trace = folder / message.trace();
  workload.name = message.name().empty() ? trace_name(workload.trace) : message.name();
  if (!message.parameters().empty()) workload.parameters = folder / message.parameters();
  if (message.has_recorded_batch()) workload.recorded_batch = message.recorded_batch();
  if (message.has_batch()) workload.batch = message.batch();
  workload.batch_fixed_share = message.batch_fixed_share();
  const auto time = [&](const char* field, const std::string& text) {
    return text.empty() ? std::nullopt
                        : std::optional<Seconds>(parse_duration(text, place.of(field)));
  };
  workload.backward = time("backward", message.backward());
  workload.backward_source = message.backward_source();
  workload.backward_low = time("backward_low", message.backward_low());
  workload.backward_high = time("backward_high", message.backward_high());
  workload.band_source = message.band_source();
  return workload;
}

}  // namespace

StudySpec read_study(const std::filesystem::path& path) {
  schema::Study message;
  read_text_proto(path, message);
  const StudyPlace place(path, "");
  StudySpec spec;
  spec.name = message.name().empty() ? path.stem().string() : message.name();
  spec.description = message.description();
  spec.files.push_back(path);
  for (const schema::Workload& workload : message.workload()) {
    spec.workloads.push_back(read_study_workload(workload, path.parent_path(), place));
    spec.files.push_back(spec.workloads.back().trace);
    if (!workload.parameters().empty()) spec.files.push_back(spec.workloads.back().parameters);
  }
  if (spec.workloads.empty()) place.refuse("workload", "none found; at least one is accepted");
  place.refuse_duplicates(names_of(spec.workloads), "workload");
  if (!message.replay().empty()) {
    spec.replay = place.parsed("replay", message.replay(), replay_from_name);
  }
  const std::vector<std::string> compressors =
      spellings_of(message.compressor(), place, spec.labels);
  if (message.grid().empty()) place.refuse("grid", "none found; at least one is accepted");
  for (const schema::Grid& grid : message.grid()) {
    if (grid.name().empty() && message.grid_size() > 1) {
      place.refuse("grid", "one without a name found; several need one each");
    }
    spec.grids.push_back(GridReader(path, grid, spec).read(compressors, spec.files, spec.labels));
  }
  place.refuse_duplicates(names_of(spec.grids), "grid");
  read_conclusions(message, place, spec);
  return spec;
}

bool is_contended(const GridSpec& grid) {
  return grid.cluster.topology != nullptr || !grid.cluster.slow_nics.empty() ||
         grid.shuffle_seeds.front() || grid.second_job ||
         grid.all_gather != GridSpec{}.all_gather || grid.all_reduce != GridSpec{}.all_reduce;
}

SimgridSettings simgrid_settings(const GridSpec& grid) {
  SimgridSettings settings;
  settings.mode = grid.simgrid_mode;
  return settings;
}

const std::string& label_of(const StudySpec& spec, const std::string& compressor) {
  const auto found = spec.labels.find(compressor);
  return found == spec.labels.end() ? compressor : found->second;
}

std::string_view name_of(Replay replay) {
  return replay == Replay::kCompacted ? "compacted" : "recorded";
}

Replay replay_from_name(std::string_view name) {
  if (name == "recorded") return Replay::kRecorded;
  if (name == "compacted") return Replay::kCompacted;
  throw InputError(fmt::format("replay: \"{}\" found; accepted: recorded, compacted", name));
}

}  // namespace gradwire
