#include "traces/model/arrival_skew.hpp"

#include <algorithm>
#include <map>

namespace gradwire {
namespace {

struct Arrival {
  CollectiveKind collective = CollectiveKind::kOpaque;
  Nanoseconds start{0};
};

using ArrivalsOfDevice = std::map<std::int32_t, std::vector<Arrival>>;

/// By iteration and device, by start.
std::map<std::int32_t, ArrivalsOfDevice> collect_arrivals(const Trace& trace) {
  std::map<std::int32_t, ArrivalsOfDevice> arrivals;
  for (const Communication& communication : trace.communications) {
    if (!communication.kernel || !communication.iteration) continue;
    const Kernel& kernel = trace.kernels[*communication.kernel];
    arrivals[*communication.iteration][kernel.device].push_back(
        {communication.collective, kernel.start});
  }
  for (auto& [iteration, devices] : arrivals) {
    for (auto& [device, list] : devices) {
      std::stable_sort(list.begin(), list.end(),
                       [](const Arrival& a, const Arrival& b) { return a.start < b.start; });
    }
  }
  return arrivals;
}

bool fit_together(const ArrivalsOfDevice& devices) {
  const std::vector<Arrival>& first = devices.begin()->second;
  return std::all_of(devices.begin(), devices.end(), [&](const auto& device) {
    return std::equal(
        first.begin(), first.end(), device.second.begin(), device.second.end(),
        [](const Arrival& a, const Arrival& b) { return a.collective == b.collective; });
  });
}

}  // namespace

std::vector<ArrivalSkew> find_arrival_skews(const Trace& trace) {
  const auto arrivals = collect_arrivals(trace);
  std::size_t most = 0;
  for (const auto& [iteration, devices] : arrivals) most = std::max(most, devices.size());
  std::map<CollectiveKind, std::vector<Nanoseconds>> skews;
  for (const auto& [iteration, devices] : arrivals) {
    if (most < 2 || devices.size() < most || !fit_together(devices)) continue;
    for (std::size_t i = 0; i < devices.begin()->second.size(); ++i) {
      Nanoseconds first = Nanoseconds::max();
      Nanoseconds last = Nanoseconds::min();
      for (const auto& [device, list] : devices) {
        first = std::min(first, list[i].start);
        last = std::max(last, list[i].start);
      }
      skews[devices.begin()->second[i].collective].push_back(last - first);
    }
  }
  std::vector<ArrivalSkew> result;
  for (auto& [collective, values] : skews) {
    std::sort(values.begin(), values.end());
    result.push_back({collective, values.size(), values[(values.size() - 1) / 2], values.back()});
  }
  return result;
}

}  // namespace gradwire
