#pragma once

#include <string>
#include <vector>

namespace gradwire {

struct PlatformHost {
  std::string name;
  double flops_per_second = 0.0;
};

struct PlatformLink {
  std::string name;
  double bytes_per_second = 0.0;
  double latency_seconds = 0.0;
  bool shared = true;  ///< false for FATPIPE: the bandwidth is that of each message
};

/// A SimGrid platform as far as messages see it.
struct PlatformDescription {
  std::string reader;  ///< "SimGrid 3.32"
  std::vector<PlatformHost> hosts;
  std::vector<PlatformLink> links;
  std::vector<std::vector<int>> routes;  ///< links from host i to host j at i * hosts + j
};

/// Whether `left` comes before `right` where runs of digits count as numbers: "n2" before "n10".
bool naturally_before(const std::string& left, const std::string& right);

/// Reads a platform file through SimGrid, hosts by name in natural order. For a process of its own:
/// SimGrid ends it for some files. What SimGrid warns of it writes to standard error. Throws
/// InputError with SimGrid's words, and for less than 2 hosts, more than `most_hosts`, Wi-Fi,
/// routes that are empty or whose latency is not that of their links.
PlatformDescription load_platform(const std::string& path, int most_hosts);

}  // namespace gradwire
