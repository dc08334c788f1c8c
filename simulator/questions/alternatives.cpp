#include "simulator/questions/alternatives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/unit_text.hpp"
#include "simulator/scenario/what_if.hpp"
#include "simulator/study/estimator.hpp"

namespace gradwire {
namespace {

constexpr std::array<std::pair<AdviceKind, std::string_view>, 6> kNames = {{
    {AdviceKind::kBaseline, "baseline"},
    {AdviceKind::kCompressor, "compressor"},
    {AdviceKind::kByBucket, "by bucket"},
    {AdviceKind::kSetting, "setting"},
    {AdviceKind::kBatch, "batch"},
    {AdviceKind::kNetwork, "network"},
}};

constexpr std::array<int, 5> kCapsMib = {1, 5, 25, 50, 100};
constexpr std::array<double, 7> kNicGbps = {10, 25, 40, 50, 100, 200, 400};
constexpr std::size_t kNicsShown = 2;

void add_batches(const Scenario& scenario, std::vector<Alternative>& result) {
  for (const int passes : {2, 4}) {
    result.push_back({fmt::format("accumulate over {} passes", passes), AdviceKind::kBatch,
                      with_accumulation(scenario, passes), static_cast<double>(passes),
                      fmt::format("effective batch x{}", passes), "derived"});
  }
  result.push_back({"twice the batch", AdviceKind::kBatch, with_faster_compute(scenario, 0.5), 2.0,
                    "effective batch x2, memory", "derived"});
}

void add_best_cap(const Scenario& scenario, std::vector<Alternative>& result) {
  std::optional<Seconds> best;
  Alternative alternative{{}, AdviceKind::kSetting, scenario, 1.0, "nothing", {}};
  for (const int mib : kCapsMib) {
    const Bytes cap{std::int64_t{mib} * 1024 * 1024};
    if (cap == scenario.caps.rest) continue;
    Scenario other = with_bucket_caps(scenario, {scenario.caps.first, cap});
    const Seconds time = quickest_time(other);
    if (best && time >= *best) continue;
    best = time;
    alternative.what = fmt::format("bucket cap {} MiB, the best of others", mib);
    alternative.scenario = std::move(other);
  }
  result.push_back(std::move(alternative));
}

void add_nics(const Scenario& scenario, std::vector<Alternative>& result) {
  if (scenario.cluster.node_of(scenario.workers - 1) == 0) return;
  std::size_t shown = 0;
  for (const double gbps : kNicGbps) {
    const BitsPerSecond speed{gbps * 1e9};
    if (speed <= scenario.cluster.nic.bandwidth || shown == kNicsShown) continue;
    ++shown;
    result.push_back({fmt::format("NICs of {}", format_bandwidth(speed)),
                      AdviceKind::kNetwork,
                      with_bandwidth(scenario, speed),
                      1.0,
                      "hardware",
                      {}});
  }
}

}  // namespace

std::string_view name_of(AdviceKind kind) {
  for (const auto& [known, name] : kNames) {
    if (known == kind) return name;
  }
  return "unknown";
}

std::vector<Alternative> alternatives_of(const Scenario& scenario) {
  std::vector<Alternative> result;
  add_batches(scenario, result);
  add_best_cap(scenario, result);
  add_nics(scenario, result);
  return result;
}

}  // namespace gradwire
