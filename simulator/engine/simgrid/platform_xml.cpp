#include "simulator/engine/simgrid/platform_xml.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <limits>
#include <memory>
#include <optional>
#include <set>

#include "base/byte_codec.hpp"
#include "base/errors.hpp"
#include "base/input_file.hpp"
#include "platforms/model/routed_network.hpp"
#include "simulator/engine/simgrid/child_process.hpp"
#include "simulator/engine/simgrid/platform_load.hpp"

namespace gradwire {

template <class AHost, class Field>
requires std::same_as<std::remove_const_t<AHost>, PlatformHost>
void each_field(AHost& host, Field& field) {
  field(host.name);
  field(host.flops_per_second);
}

template <class ALink, class Field>
requires std::same_as<std::remove_const_t<ALink>, PlatformLink>
void each_field(ALink& link, Field& field) {
  field(link.name);
  field(link.bytes_per_second);
  field(link.latency_seconds);
  field(link.shared);
}

template <class APlatform, class Field>
requires std::same_as<std::remove_const_t<APlatform>, PlatformDescription>
void each_field(APlatform& platform, Field& field) {
  field(platform.reader);
  field(platform.hosts);
  field(platform.links);
  field(platform.routes);
}

namespace {

constexpr int kMostSeconds = 120;

/// A file in memory into which a child writes its standard error.
class StandardErrorOfChild {
 public:
  StandardErrorOfChild() : file_(memfd_create("standard error", MFD_CLOEXEC)) {
    if (file_ < 0) throw EnvironmentError("a file in memory cannot be made");
  }
  ~StandardErrorOfChild() { close(file_); }
  StandardErrorOfChild(const StandardErrorOfChild&) = delete;
  StandardErrorOfChild& operator=(const StandardErrorOfChild&) = delete;

  void redirect() const { dup2(file_, STDERR_FILENO); }

  /// The start of what was written, on one line.
  std::string text() const {
    std::array<char, 600> buffer{};
    const ssize_t count = pread(file_, buffer.data(), buffer.size(), 0);
    std::string text(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    text = text.substr(0, text.find("Backtrace (displayed"));
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text.substr(0, text.find_last_not_of(' ') + 1);
  }

 private:
  int file_;
};

/// SimGrid reads profiles of what changes over time, and nothing tells afterwards that there are.
void refuse_changes(std::string text) {
  for (std::size_t at = text.find("<!--"); at != std::string::npos; at = text.find("<!--", at)) {
    const std::size_t end = text.find("-->", at);
    text.erase(at, end == std::string::npos ? end : end + 3 - at);
  }
  for (const char* word : {"<trace", "bandwidth_file", "latency_file", "state_file",
                           "availability_file", "speed_file"}) {
    if (text.find(word) != std::string::npos) {
      throw InputError(fmt::format("{} found; what changes over time is not accepted here", word));
    }
  }
}

/// SimGrid takes any number.
void check_numbers(const PlatformDescription& platform) {
  for (const PlatformHost& host : platform.hosts) {
    if (!(host.flops_per_second > 0.0) || !std::isfinite(host.flops_per_second)) {
      throw InputError(
          fmt::format("host {}: a speed of {} flop/s found; more than zero is accepted", host.name,
                      host.flops_per_second));
    }
  }
  for (const PlatformLink& link : platform.links) {
    if (!(link.bytes_per_second > 0.0) || !std::isfinite(link.bytes_per_second)) {
      throw InputError(
          fmt::format("link {}: a bandwidth of {} bytes/s found; more than zero is accepted",
                      link.name, link.bytes_per_second));
    }
    if (!(link.latency_seconds >= 0.0) || !std::isfinite(link.latency_seconds)) {
      throw InputError(fmt::format("link {}: a latency of {} s found; zero or more is accepted",
                                   link.name, link.latency_seconds));
    }
  }
}

PlatformDescription load_in_child(const std::string& path) {
  const StandardErrorOfChild written;
  ChildProcess child([&] {
    written.redirect();
    ByteWriter writer;
    writer(load_platform(path, RoutedNetwork::kMaxNodes));
    return writer.take();
  });
  PlatformDescription platform;
  std::string bytes;
  try {
    bytes = child.finish(kMostSeconds);
  } catch (const IncompleteError& error) {
    throw InputError(fmt::format("SimGrid cannot read it ({}): {}", error.what(), written.text()));
  }
  ByteReader reader(bytes);
  reader(platform);
  check_numbers(platform);
  // A missing unit, above all.
  if (const std::string warning = written.text(); !warning.empty()) {
    throw InputError(fmt::format("SimGrid warns: {}", warning));
  }
  return platform;
}

/// The slowest shared and the slowest FATPIPE link of a route, in bytes a second.
struct RouteBounds {
  double shared = std::numeric_limits<double>::infinity();
  double message = std::numeric_limits<double>::infinity();
};

RouteBounds bounds_of(const PlatformDescription& platform, const std::vector<int>& route) {
  RouteBounds bounds;
  for (const int number : route) {
    const PlatformLink& link = platform.links[static_cast<std::size_t>(number)];
    double& bound = link.shared ? bounds.shared : bounds.message;
    bound = std::min(bound, link.bytes_per_second);
  }
  return bounds;
}

/// The one bound of a message that does what all FATPIPE links do; none where they do nothing.
std::optional<BitsPerSecond> flow_cap_of(const PlatformDescription& platform) {
  double cap = std::numeric_limits<double>::infinity();
  for (const std::vector<int>& route : platform.routes) {
    const RouteBounds bounds = bounds_of(platform, route);
    if (bounds.message < bounds.shared) cap = std::min(cap, bounds.message);
  }
  if (std::isinf(cap)) return std::nullopt;
  for (std::size_t number = 0; number < platform.routes.size(); ++number) {
    const RouteBounds bounds = bounds_of(platform, platform.routes[number]);
    const std::size_t hosts = platform.hosts.size();
    if (number / hosts == number % hosts) continue;
    if (std::min(bounds.shared, bounds.message) == std::min(bounds.shared, cap)) continue;
    throw InputError(fmt::format(
        "FATPIPE links bound a message to {} bytes/s on some routes and not on that from {} to {}; "
        "one bound for all routes is accepted",
        cap, platform.hosts[number / hosts].name, platform.hosts[number % hosts].name));
  }
  return BitsPerSecond::from_bytes_per_second(cap);
}

/// The file's links; those that messages do not share are wide enough for one of every two hosts.
std::vector<NetworkLink> links_of(const PlatformDescription& platform) {
  std::vector<NetworkLink> links;
  for (const PlatformLink& link : platform.links) {
    const double times = link.shared ? 1.0 : static_cast<double>(platform.routes.size());
    links.push_back({{link.name, link.name},
                     BitsPerSecond::from_bytes_per_second(link.bytes_per_second * times),
                     Seconds{link.latency_seconds}});
  }
  return links;
}

/// The largest sum of what a host sends over, or receives over.
BitsPerSecond widest_host(const PlatformDescription& platform,
                          const std::vector<NetworkLink>& links) {
  const std::size_t hosts = platform.hosts.size();
  double widest = 0.0;
  for (std::size_t host = 0; host < hosts; ++host) {
    std::set<int> first;
    std::set<int> last;
    for (std::size_t other = 0; other < hosts; ++other) {
      if (other == host) continue;
      first.insert(platform.routes[host * hosts + other].front());
      last.insert(platform.routes[other * hosts + host].back());
    }
    for (const std::set<int>& numbers : {first, last}) {
      double sum = 0.0;
      for (const int link : numbers) sum += links[static_cast<std::size_t>(link)].bandwidth.count();
      widest = std::max(widest, sum);
    }
  }
  return BitsPerSecond{widest};
}

Cluster cluster_of(PlatformDescription platform, const std::filesystem::path& path) {
  Cluster cluster;
  cluster.name = path.stem().string();
  cluster.description =
      fmt::format("SimGrid platform {} of {} hosts and {} links", path.filename().string(),
                  platform.hosts.size(), platform.links.size());
  cluster.nodes = static_cast<int>(platform.hosts.size());
  cluster.gpus_per_node = 1;
  cluster.flow_cap = flow_cap_of(platform);
  std::vector<NetworkLink> links = links_of(platform);
  cluster.nic.bandwidth = widest_host(platform, links);
  double fastest = 0.0;
  std::vector<std::string> names;
  for (const PlatformHost& host : platform.hosts) {
    names.push_back(host.name);
    fastest = std::max(fastest, host.flops_per_second);
  }
  for (int node = 0; node < cluster.nodes; ++node) {
    const double speed = platform.hosts[static_cast<std::size_t>(node)].flops_per_second;
    if (speed != fastest) cluster.speeds.push_back({node, std::nullopt, speed / fastest});
  }
  cluster.sources.push_back(
      {"platform", path.filename().string(), "assumed",
       fmt::format("the file, which names no sources, read by {}", platform.reader)});
  cluster.topology =
      std::make_shared<RoutedNetwork>(fmt::format("{} links of a SimGrid platform", links.size()),
                                      std::move(names), std::move(links), platform.routes);
  check_cluster(cluster);
  return cluster;
}

}  // namespace

Cluster read_platform_xml(const std::filesystem::path& path) {
  try {
    refuse_changes(read_whole_file(path));
    return cluster_of(load_in_child(path.string()), path);
  } catch (const InputError& error) {
    const std::string text = error.what();
    const bool named = text.starts_with(path.string());
    throw InputError(named ? text : fmt::format("{}: {}", path.string(), text));
  }
}

}  // namespace gradwire
