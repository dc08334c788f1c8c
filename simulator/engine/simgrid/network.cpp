#include "simulator/engine/simgrid/network.hpp"

#include <fmt/format.h>

#include <string>

#include "simulator/engine/simgrid/options.hpp"
#include "simulator/engine/simgrid/simgrid_versions.hpp"

namespace gradwire {

SimgridWorld::SimgridWorld() {
  // Threshold: SimGrid announces every option it is given.
  std::vector<std::string> words = {"gradwire", "--log=root.thres:critical"};
  for (const SimgridOption& option : simgrid_options()) {
    words.push_back(fmt::format("--cfg={}:{}", option.name, option.value));
  }
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int count = static_cast<int>(words.size());
  engine_ = std::make_unique<simgrid::s4u::Engine>(&count, arguments.data());
  zone_ = &make_zone(*engine_, "cluster");
}

simgrid::s4u::Link* SimgridWorld::add_link(const std::string& name, BitsPerSecond bandwidth,
                                           Seconds latency) {
  simgrid::s4u::Link* link = make_link(*zone_, name, bandwidth.bytes_per_second());
  link->set_latency(latency.count());
  link->seal();
  return link;
}

simgrid::s4u::Link* SimgridWorld::add_flow_cap(const std::string& name, BitsPerSecond bandwidth) {
  simgrid::s4u::Link* link = make_link(*zone_, name, bandwidth.bytes_per_second());
  link->set_sharing_policy(simgrid::s4u::Link::SharingPolicy::FATPIPE);
  link->set_latency(0.0);
  link->seal();
  return link;
}

void SimgridWorld::add_route(simgrid::s4u::Host* from, simgrid::s4u::Host* to,
                             const std::vector<simgrid::s4u::Link*>& links) {
  std::vector<simgrid::s4u::LinkInRoute> route;
  for (const simgrid::s4u::Link* link : links) route.emplace_back(link);
  make_route(*zone_, from, to, route);
}

void SimgridWorld::seal() { zone_->seal(); }

void SimgridWorld::run() { engine_->run(); }

}  // namespace gradwire
