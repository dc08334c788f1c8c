#include "platforms/model/cluster.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "base/errors.hpp"

namespace gradwire {
namespace {

// Keeps nodes x gpus_per_node an int; no cluster comes near.
constexpr int kMaxGpus = 1'000'000;

}  // namespace

void check_cluster(const Cluster& cluster) {
  const auto refuse = [](const char* field, const std::string& what) {
    throw InputError(fmt::format("{}: {}", field, what));
  };
  const auto check_count = [&refuse](const char* field, int value) {
    if (value < 1 || value > kMaxGpus) {
      refuse(field, fmt::format("{} found; 1 to {} is accepted", value, kMaxGpus));
    }
  };
  const auto check_link = [&refuse](const char* field, const LinkSpec& link) {
    if (!(link.bandwidth.count() > 0.0) || !std::isfinite(link.bandwidth.count())) {
      refuse(field, fmt::format("a bandwidth of {} bit/s found; more than zero is accepted",
                                link.bandwidth.count()));
    }
    if (!(link.latency.count() >= 0.0) || !std::isfinite(link.latency.count())) {
      refuse(field, fmt::format("a latency of {} s found; zero or more is accepted",
                                link.latency.count()));
    }
  };
  check_count("nodes", cluster.nodes);
  check_count("gpus_per_node", cluster.gpus_per_node);
  const auto gpus = static_cast<std::int64_t>(cluster.nodes) * cluster.gpus_per_node;
  if (gpus > kMaxGpus) {
    refuse("nodes", fmt::format("{} GPUs in all found; at most {} is accepted", gpus, kMaxGpus));
  }
  check_link("nic", cluster.nic);
  if (cluster.gpus_per_node > 1) check_link("intra", cluster.intra);
}

}  // namespace gradwire
