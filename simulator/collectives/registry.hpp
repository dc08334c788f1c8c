#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// One algorithm of one collective.
struct AlgorithmEntry {
  CollectiveKind kind;
  std::string_view algorithm;  ///< "ring", "chain", "double_tree", ...
  /// Its closed form for people, in the letters of docs/collectives.md; what stands in brackets is
  /// there where n is no power of two.
  std::string_view formula;
  std::unique_ptr<Schedule> (*make)(const CollectiveCall& call, const Participants& who);
  /// Bus bandwidth over algorithm bandwidth for n ranks, as nccl-tests' PERFORMANCE.md defines
  /// them.
  double (*bus_factor)(int ranks);
};

/// Every algorithm, the default one of a collective first. A new one is a file and a line here.
const std::vector<AlgorithmEntry>& algorithms();

/// The entry for `kind` and `algorithm` (the default one when empty). Throws InputError listing
/// what is there.
const AlgorithmEntry& find_algorithm(CollectiveKind kind, std::string_view algorithm);

/// The schedule of `algorithm` (the default one when empty) for `call`. Throws InputError when the
/// collective is not modelled or has no such algorithm.
std::shared_ptr<const Schedule> make_schedule(const CollectiveCall& call, const Participants& who,
                                              std::string_view algorithm = {});

}  // namespace gradwire
