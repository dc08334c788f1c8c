#include "compressors/cost/cost_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "compressors/cost/cost_interpolation.hpp"

namespace gradwire {
namespace {

/// The question, with what several answers need of it.
struct Question {
  const CostProfile& profile;
  const Scheme& scheme;
  const std::vector<TensorShape>& tensors;
  int ranks;
  SchemeText text;

  bool is_fitted_by(const CostEntry& entry) const {
    return entry.has_parameters_of(text) && entry.has_size_of(tensors) &&
           (entry.ranks == 0 || entry.ranks == ranks);
  }
};

const CostEntry* find_entry(const Question& question, bool alternative) {
  const CostEntry* found = nullptr;
  for (const CostEntry& entry : question.profile.entries) {
    if (entry.alternative_because.empty() == alternative || !question.is_fitted_by(entry)) continue;
    if (found == nullptr || entry.ranks != 0) found = &entry;
  }
  return found;
}

/// "45 ms (recalled) for powersgd:rank=4 on 25557032 elements in 161 tensors".
std::string text_of(const CostEntry& entry) {
  return fmt::format("{} ({}) for {} on {} elements in {} tensors{}",
                     format_duration(entry.encode + entry.decode), entry.provenance.standing,
                     entry.scheme.spelling(), entry.elements.count(), entry.tensors,
                     entry.ranks == 0 ? "" : fmt::format(" with {} ranks", entry.ranks));
}

/// Where one figure stands for any number of ranks and should not.
void add_any_ranks(const Question& question, const CostEntry& entry,
                   std::vector<std::string>& notes) {
  const bool grows = question.scheme.work(question.tensors, 1).decode !=
                     question.scheme.work(question.tensors, 2).decode;
  if (entry.ranks != 0 || !grows) return;
  notes.push_back(fmt::format(
      "One figure for any number of ranks, though the decode of {} grows with the ranks.",
      question.text.name));
}

EncodeDecodeCost cost_of_entry(const Question& question, const CostEntry& entry) {
  EncodeDecodeCost cost{
      entry.encode,
      entry.decode,
      entry.provenance.standing,
      fmt::format("{} ({}): {}", question.profile.name, entry.date, entry.provenance.source),
      {},
      true};
  if (!entry.split_source.empty()) {
    cost.notes.push_back(
        fmt::format("The source has the sum of encode and decode alone; {}.", entry.split_source));
  }
  add_any_ranks(question, entry, cost.notes);
  if (entry.spread) {
    const MeasuredSpread& spread = *entry.spread;
    cost.notes.push_back(
        fmt::format("{} samples: encoding {} to {}, decoding {} to {}.", spread.samples,
                    format_duration(spread.encode_low), format_duration(spread.encode_high),
                    format_duration(spread.decode_low), format_duration(spread.decode_high)));
  }
  if (!entry.alternative_because.empty()) {
    cost.notes.push_back(fmt::format("An alternative figure: {}.", entry.alternative_because));
  }
  return cost;
}

EncodeDecodeCost cost_between(const Question& question, const InterpolatedCost& found) {
  EncodeDecodeCost cost;
  cost.encode = found.encode;
  cost.decode = found.decode;
  cost.standing = "interpolated";
  cost.is_entry = true;
  std::vector<std::string> neighbours;
  for (const CostEntry* entry : found.between) neighbours.push_back(text_of(*entry));
  cost.source = fmt::format("{} ({}), linear between its figures", question.profile.name,
                            found.between.front()->date);
  cost.notes.push_back(fmt::format("Interpolated from {}.", fmt::join(neighbours, "; ")));
  const CostEntry& nearest = *found.between.front();
  if (static_cast<std::size_t>(nearest.tensors) != question.tensors.size()) {
    cost.notes.push_back(
        fmt::format("Those figures are of one tensor: what {} tensors take besides is not in them.",
                    question.tensors.size()));
  }
  add_any_ranks(question, nearest, cost.notes);
  return cost;
}

/// How far the figures for this scheme and its parameters go, for a question beyond them; empty
/// without such figures.
std::string reach_text(const Question& question) {
  const CostEntry* smallest = nullptr;
  const CostEntry* largest = nullptr;
  int fewest = 0;
  int most = 0;
  for (const CostEntry& entry : question.profile.entries) {
    if (!entry.has_parameters_of(question.text)) continue;
    if (smallest == nullptr || entry.elements < smallest->elements) smallest = &entry;
    if (largest == nullptr || entry.elements > largest->elements) largest = &entry;
    if (entry.ranks != 0 && (fewest == 0 || entry.ranks < fewest)) fewest = entry.ranks;
    most = std::max(most, entry.ranks);
  }
  if (smallest == nullptr) return {};
  return fmt::format("; its figures of {} go from {} to {} elements{}", question.text.spelling(),
                     smallest->elements.count(), largest->elements.count(),
                     most == 0 ? "" : fmt::format(" and from {} to {} ranks", fewest, most));
}

Seconds phase_time(const WorkModel& model, const PhaseWork& work, double dram_bytes_per_s) {
  const double host = static_cast<double>(work.launches) * model.launch_s.value;
  const double device = work.dram_bytes / dram_bytes_per_s;
  return Seconds{std::max(host, device) + work.host_syncs * model.host_sync_s.value};
}

/// In what the question differs from an entry for the same scheme.
std::vector<std::string> differences(const Question& question, const CostEntry& entry) {
  std::vector<std::string> result;
  if (!entry.has_size_of(question.tensors)) result.push_back("another model");
  if (!entry.has_parameters_of(question.text)) result.push_back("another parameter");
  if (entry.ranks != 0 && entry.ranks != question.ranks) {
    result.push_back("another number of ranks");
  }
  return result;
}

/// Notes how far the model goes beyond the nearest figure for this scheme, and which alternative
/// figures were left aside.
void add_extrapolations(const Question& question, std::vector<std::string>& notes) {
  const CostEntry* nearest = nullptr;
  std::vector<std::string> least;
  for (const CostEntry& entry : question.profile.entries) {
    if (entry.scheme.name != question.text.name) continue;
    if (!entry.alternative_because.empty()) {
      notes.push_back(fmt::format("Not taken: {}, an alternative: {}.", text_of(entry),
                                  entry.alternative_because));
      continue;
    }
    std::vector<std::string> found = differences(question, entry);
    if (nearest != nullptr && found.size() >= least.size()) continue;
    nearest = &entry;
    least = std::move(found);
  }
  if (nearest != nullptr) {
    notes.push_back(
        fmt::format("Extrapolated from {}: {}.", text_of(*nearest), fmt::join(least, ", ")));
  } else if (notes.empty()) {
    notes.push_back(fmt::format("Extrapolated: {} has no figure of {} to hold the model against.",
                                question.profile.name, question.text.name));
  }
}

EncodeDecodeCost cost_of_model(const Question& question) {
  const DeviceWork work = question.scheme.work(question.tensors, question.ranks);
  EncodeDecodeCost cost;
  cost.standing = "derived";
  if (work == DeviceWork{}) {
    cost.source = "nothing is encoded or decoded";
    return cost;
  }
  if (!question.profile.model) {
    throw InputError(fmt::format(
        "cost profile {}: has no figure of {} for {} elements in {} tensors with {} ranks, none on "
        "both sides of it, and no model to derive one{}",
        question.profile.name, question.scheme.spelling(), total_elements(question.tensors).count(),
        question.tensors.size(), question.ranks, reach_text(question)));
  }
  const WorkModel& model = *question.profile.model;
  const SchemeFigures* own = model.figures_of(question.text.name);
  const double rate = model.dram_bytes_per_s.value;
  const double encode_rate = own == nullptr ? rate : own->encode_dram_bytes_per_s.value_or(rate);
  cost.encode = phase_time(model, work.before_last_transfer(), encode_rate);
  cost.decode = phase_time(model, work.decode, rate);
  cost.source = fmt::format(
      "model of {}: {} launches at {:.3g} us ({}), {:.3g} GB of device memory traffic at {:.3g} "
      "GB/s ({})",
      question.profile.name, work.launches(), model.launch_s.value * 1e6,
      model.launch_s.provenance.standing,
      (work.before_last_transfer().dram_bytes + work.decode.dram_bytes) * 1e-9, rate * 1e-9,
      model.dram_bytes_per_s.provenance.standing);
  if (const int syncs = work.before_last_transfer().host_syncs + work.decode.host_syncs;
      syncs > 0) {
    cost.source +=
        fmt::format(", {} waits of the host at {:.3g} us ({})", syncs,
                    model.host_sync_s.value * 1e6, model.host_sync_s.provenance.standing);
  }
  if (own != nullptr) {
    cost.encode += own->fixed;
    if (own->fixed.count() > 0.0) {
      cost.source +=
          fmt::format(", {} fixed ({})", format_duration(own->fixed), own->provenance.standing);
    }
    if (own->encode_dram_bytes_per_s.has_value()) {
      cost.source += fmt::format(", encoding at {:.3g} GB/s ({})", encode_rate * 1e-9,
                                 own->provenance.standing);
    }
  }
  add_extrapolations(question, cost.notes);
  return cost;
}

}  // namespace

EncodeDecodeCost encode_decode_cost(const CostProfile& profile, const Scheme& scheme,
                                    const std::vector<TensorShape>& tensors, int ranks,
                                    CostChoice choice) {
  GW_CHECK(ranks >= 1, "an exchange among no ranks");
  const Question question{profile, scheme, tensors, ranks, scheme_text_of(scheme)};
  if (choice == CostChoice::kAlternative) {
    if (const CostEntry* entry = find_entry(question, true)) return cost_of_entry(question, *entry);
  }
  if (const CostEntry* entry = find_entry(question, false)) return cost_of_entry(question, *entry);
  if (const auto between = interpolate_cost(profile, scheme, tensors, ranks)) {
    return cost_between(question, *between);
  }
  return cost_of_model(question);
}

}  // namespace gradwire
