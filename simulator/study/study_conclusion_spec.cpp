#include "simulator/study/study_conclusion_spec.hpp"

#include <fmt/ranges.h>

#include "compressors/spec/registry.hpp"
#include "simulator/study/claims.hpp"
#include "simulator/study/schema/study.pb.h"

namespace gradwire {
namespace {

/// Turns names into what they stand for.
class ConclusionReader {
 public:
  ConclusionReader(const StudyPlace& place, const StudySpec& study)
      : place_(place), study_(study) {}

  ClaimSpec read(const schema::Claim& message) const {
    ClaimSpec claim;
    claim.claim = message.claim();
    claim.standing = message.standing();
    claim.source = message.source();
    if (claim.claim.empty() || claim.standing.empty() || claim.source.empty()) {
      place_.refuse("claim", fmt::format("\"{}\" has no text, standing or source; all three are "
                                         "needed",
                                         claim.claim));
    }
    if (message.has_low()) claim.low = message.low();
    if (message.has_high()) claim.high = message.high();
    if (!claim.low && !claim.high) {
      place_.refuse("claim",
                    fmt::format("\"{}\" has neither low nor high; one is needed", claim.claim));
    }
    claim.unit = message.unit();
    claim.measure = place_.parsed("claim", message.measure(), [](const std::string& name) {
      return std::string{find_claim_measure(name).name};
    });
    CellFilter& cells = claim.cells;
    cells.grid = grid_of(message.grid(), "claim");
    if (!message.workload().empty()) {
      cells.workload = position_of(names_of(study_.workloads), message.workload(), "workload");
    }
    if (!message.compressor().empty()) {
      cells.compressor = place_
                             .parsed("claim", message.compressor(),
                                     [](const std::string& name) { return parse_scheme(name); })
                             ->spelling();
    }
    if (message.workers() != 0) cells.workers = message.workers();
    if (message.compute_speedup() != 0.0) cells.compute_speedup = message.compute_speedup();
    cells.baseline = baseline_of(message.baseline(), "claim");
    return claim;
  }

  CountSpec read(const schema::Count& message) const {
    CountSpec count{message.name(), message.description(), {}};
    if (count.name.empty()) place_.refuse("count", "one without a name found; each needs one");
    for (const schema::Selection& cells : message.cells()) {
      CellSelection& selection = count.cells.emplace_back();
      selection.grid = grid_of(cells.grid(), "count");
      for (const std::string& name : cells.workload()) {
        selection.workloads.push_back(
            position_of(names_of(study_.workloads), name, "count: workload"));
      }
      selection.workers.assign(cells.workers().begin(), cells.workers().end());
    }
    if (count.cells.empty()) {
      place_.refuse("count",
                    fmt::format("\"{}\" has no cells; at least one is accepted", count.name));
    }
    return count;
  }

  SensitivitySpec read(const schema::Sensitivity& message) const {
    SensitivitySpec sensitivity;
    sensitivity.grid = grid_of(message.grid(), "sensitivity");
    sensitivity.baseline = baseline_of(message.baseline(), "sensitivity");
    if (message.target_share() != 0.0) sensitivity.target_share = message.target_share();
    sensitivity.target_source = message.target_source();
    return sensitivity;
  }

 private:
  std::size_t position_of(const std::vector<std::string>& names, const std::string& name,
                          const char* field) const {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
      place_.refuse(field,
                    fmt::format("\"{}\" found; the study has {}", name, fmt::join(names, ", ")));
    }
    return static_cast<std::size_t>(found - names.begin());
  }

  std::size_t grid_of(const std::string& name, const char* field) const {
    return position_of(names_of(study_.grids), name, field);
  }

  std::string baseline_of(const std::string& name, const char* field) const {
    if (name.empty()) return "float32";
    if (name != "float32" && name != "fp16") {
      place_.refuse(field, fmt::format("baseline \"{}\" found; accepted: float32, fp16", name));
    }
    return name;
  }

  const StudyPlace& place_;
  const StudySpec& study_;
};

}  // namespace

void read_conclusions(const schema::Study& message, const StudyPlace& place, StudySpec& spec) {
  const ConclusionReader reader(place, spec);
  for (const schema::Count& count : message.count()) spec.counts.push_back(reader.read(count));
  for (const schema::Claim& claim : message.claim()) spec.claims.push_back(reader.read(claim));
  for (const schema::Sensitivity& sensitivity : message.sensitivity()) {
    spec.sensitivities.push_back(reader.read(sensitivity));
  }
}

}  // namespace gradwire
