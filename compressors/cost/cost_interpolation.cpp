#include "compressors/cost/cost_interpolation.hpp"

#include <algorithm>
#include <map>

namespace gradwire {
namespace {

/// The costs that are known along one axis, elements or ranks.
using Line = std::map<std::int64_t, InterpolatedCost>;

void add_sources(const InterpolatedCost& from, InterpolatedCost& to) {
  for (const CostEntry* entry : from.between) {
    if (std::find(to.between.begin(), to.between.end(), entry) == to.between.end()) {
      to.between.push_back(entry);
    }
  }
}

std::optional<InterpolatedCost> cost_at(const Line& line, std::int64_t where) {
  const auto above = line.lower_bound(where);
  if (above == line.end()) return std::nullopt;
  if (above->first == where) return above->second;
  if (above == line.begin()) return std::nullopt;
  const auto below = std::prev(above);
  const double share =
      static_cast<double>(where - below->first) / static_cast<double>(above->first - below->first);
  InterpolatedCost cost;
  cost.encode = below->second.encode * (1.0 - share) + above->second.encode * share;
  cost.decode = below->second.decode * (1.0 - share) + above->second.decode * share;
  add_sources(below->second, cost);
  add_sources(above->second, cost);
  return cost;
}

/// From entries of one scheme: along the elements first, then along the ranks.
std::optional<InterpolatedCost> cost_among(const std::vector<const CostEntry*>& entries,
                                           Elements elements, int ranks) {
  std::map<int, Line> by_ranks;
  for (const CostEntry* entry : entries) {
    by_ranks[entry->ranks].try_emplace(entry->elements.count(),
                                       InterpolatedCost{entry->encode, entry->decode, {entry}});
  }
  Line along_ranks;
  for (const auto& [count, line] : by_ranks) {
    auto cost = cost_at(line, elements.count());
    if (cost && count == 0) return cost;  // for any number of ranks
    if (cost) along_ranks.emplace(count, *cost);
  }
  return cost_at(along_ranks, ranks);
}

}  // namespace

std::optional<InterpolatedCost> interpolate_cost(const CostProfile& profile, const Scheme& scheme,
                                                 const std::vector<TensorShape>& tensors,
                                                 int ranks) {
  const SchemeText text = scheme_text_of(scheme);
  std::vector<const CostEntry*> of_these_tensors;
  std::vector<const CostEntry*> of_one_tensor;
  for (const CostEntry& entry : profile.entries) {
    if (entry.provenance.standing != "measured" || !entry.alternative_because.empty()) continue;
    if (!entry.has_parameters_of(text)) continue;
    if (entry.has_size_of(tensors)) of_these_tensors.push_back(&entry);
    if (entry.tensors == 1) of_one_tensor.push_back(&entry);
  }
  const Elements elements = total_elements(tensors);
  auto cost = cost_among(of_these_tensors, elements, ranks);
  if (!cost && !depends_on_shapes(scheme)) cost = cost_among(of_one_tensor, elements, ranks);
  return cost;
}

}  // namespace gradwire
