#include "simulator/engine/simgrid/platform_load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <simgrid/s4u.hpp>
#include <string_view>

#include "base/errors.hpp"

// Does not compile alone: after SimGrid's others.
#include <simgrid/version.h>

namespace gradwire {
namespace {

namespace s4u = simgrid::s4u;

bool is_digit(char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; }

/// The run of digits at `at`, without leading zeros.
std::string_view digits_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  while (at + 1 < end && text[at] == '0') ++at;
  return text.substr(at, end - at);
}

/// Gives links their numbers, in the order in which routes meet them.
class LinkNumbers {
 public:
  explicit LinkNumbers(PlatformDescription& platform) : platform_(platform) {}

  int of(const s4u::Link* link) {
    const auto [found, added] = known_.try_emplace(link, static_cast<int>(known_.size()));
    if (!added) return found->second;
    using Policy = s4u::Link::SharingPolicy;
    const Policy policy = link->get_sharing_policy();
    if (policy != Policy::SHARED && policy != Policy::SPLITDUPLEX && policy != Policy::FATPIPE) {
      throw InputError(
          fmt::format("link {}: SHARED, SPLITDUPLEX and FATPIPE are accepted, no "
                      "Wi-Fi",
                      link->get_name()));
    }
    platform_.links.push_back(
        {link->get_name(), link->get_bandwidth(), link->get_latency(), policy != Policy::FATPIPE});
    return found->second;
  }

 private:
  PlatformDescription& platform_;
  std::map<const s4u::Link*, int> known_;
};

std::vector<int> route_between(const s4u::Host& from, const s4u::Host& to, LinkNumbers& numbers,
                               const PlatformDescription& platform) {
  std::vector<s4u::Link*> links;
  double latency = 0.0;
  from.route_to(&to, links, &latency);
  std::vector<int> route;
  double sum = 0.0;
  for (const s4u::Link* link : links) {
    route.push_back(numbers.of(link));
    sum += platform.links[static_cast<std::size_t>(route.back())].latency_seconds;
  }
  if (route.empty()) {
    throw InputError(fmt::format("no link on the route from {} to {}; one or more is accepted",
                                 from.get_name(), to.get_name()));
  }
  // Vivaldi zones have latencies that no link has.
  if (!(std::abs(latency - sum) <= 1e-9 * std::abs(sum) + 1e-15)) {
    throw InputError(
        fmt::format("a latency of {} s from {} to {}, whose links have {} s; one that "
                    "the links have is accepted",
                    latency, from.get_name(), to.get_name(), sum));
  }
  return route;
}

PlatformDescription load(const std::string& path, int most_hosts) {
  // The message alone, from warnings up, without where in SimGrid and when it was written.
  std::vector<std::string> words = {"gradwire", "--log=root.thres:warning", "--log=root.fmt:%m%n"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int count = static_cast<int>(words.size());
  s4u::Engine engine(&count, arguments.data());
  engine.load_platform(path);
  std::vector<s4u::Host*> hosts = engine.get_all_hosts();
  if (hosts.size() < 2 || hosts.size() > static_cast<std::size_t>(most_hosts)) {
    throw InputError(
        fmt::format("{} hosts found; 2 to {} are accepted, as a route is kept for "
                    "every two",
                    hosts.size(), most_hosts));
  }
  std::sort(hosts.begin(), hosts.end(), [](const s4u::Host* left, const s4u::Host* right) {
    return naturally_before(left->get_name(), right->get_name());
  });
  PlatformDescription platform;
  platform.reader = fmt::format("SimGrid {}.{}", SIMGRID_VERSION_MAJOR, SIMGRID_VERSION_MINOR);
  LinkNumbers numbers(platform);
  for (const s4u::Host* from : hosts) {
    platform.hosts.push_back({from->get_name(), from->get_speed()});
    for (const s4u::Host* to : hosts) {
      platform.routes.push_back(from == to ? std::vector<int>{}
                                           : route_between(*from, *to, numbers, platform));
    }
  }
  return platform;
}

}  // namespace

bool naturally_before(const std::string& left, const std::string& right) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < left.size() && j < right.size()) {
    if (!is_digit(left[i]) || !is_digit(right[j])) {
      if (left[i] != right[j]) return left[i] < right[j];
      ++i;
      ++j;
      continue;
    }
    const std::string_view a = digits_at(left, i);
    const std::string_view b = digits_at(right, j);
    if (a.size() != b.size()) return a.size() < b.size();
    if (a != b) return a < b;
    while (i < left.size() && is_digit(left[i])) ++i;
    while (j < right.size() && is_digit(right[j])) ++j;
  }
  if (i < left.size() || j < right.size()) return j < right.size();
  return left < right;  // "n01" and "n1" differ too
}

PlatformDescription load_platform(const std::string& path, int most_hosts) {
  try {
    return load(path, most_hosts);
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {
    throw InputError(fmt::format("SimGrid: {}", error.what()));
  }
}

}  // namespace gradwire
