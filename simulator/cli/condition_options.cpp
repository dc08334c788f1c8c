#include "simulator/cli/condition_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/errors.hpp"
#include "base/unit_text.hpp"
#include "simulator/scenario/network_conditions_text.hpp"

namespace gradwire {
namespace {

Shaper parse_shaper(const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos) {
    throw InputError(fmt::format(
        "--shaper: \"{}\" found; a rate and a burst are accepted, as in 5Gbps,100MB", text));
  }
  return {parse_bandwidth(text.substr(0, comma), "--shaper"),
          parse_bytes(text.substr(comma + 1), "--shaper")};
}

}  // namespace

void add_condition_options(CLI::App& command, ConditionOptions& options) {
  command
      .add_option("--link-event", options.link_events,
                  "A link changes while the job runs, at a time from the start of the backward "
                  "pass: \"nic 3 at 12ms x0.5\" (or \"nic 3 out\", \"nic 3 in\", \"link FROM>TO\", "
                  "\"link 7\"; x0.5 of its bandwidth, fails, or recovers); repeatable")
      ->allow_extra_args(false);
  command
      .add_option("--background", options.background,
                  "Foreign traffic from node to node: \"0->3 4Gbps on 10ms off 10ms\"; without "
                  "turns always on, without a rate as fast as the links let it; repeatable")
      ->allow_extra_args(false);
  command.add_option("--latency-jitter", options.latency_jitter,
                     "Each message's latency varies by a lognormal factor of median 1: sigma=20%, "
                     "or sigma=20%,seed=7");
  command.add_option("--shaper", options.shaper,
                     "A token bucket on what every NIC sends, as tc tbf, instead of the cluster's: "
                     "rate and burst, as in 5Gbps,100MB");
}

void apply_conditions(const ConditionOptions& options, Scenario& scenario) {
  NetworkConditions& conditions = scenario.conditions;
  for (const std::string& text : options.link_events) {
    conditions.events.push_back(parse_link_event(text, "--link-event"));
  }
  for (const std::string& text : options.background) {
    conditions.background.push_back(parse_background_flow(text, "--background"));
  }
  if (!options.latency_jitter.empty()) {
    conditions.latency_jitter = parse_latency_jitter(options.latency_jitter, "--latency-jitter");
  }
  if (!options.shaper.empty()) scenario.cluster.shaper = parse_shaper(options.shaper);
}

std::vector<std::string> conditions_basis(const Scenario& scenario) {
  const NetworkConditions& conditions = scenario.conditions;
  std::vector<std::string> basis;
  for (const LinkEvent& event : conditions.events) {
    basis.push_back(
        fmt::format("{} after the start of the backward pass (as given)", to_text(event)));
  }
  for (const BackgroundFlow& flow : conditions.background) {
    basis.push_back(fmt::format(
        "background traffic from node to node beside the job: {} (as given); on every link it gets "
        "its fair share, as one message does",
        to_text(flow)));
  }
  if (conditions.latency_jitter) basis.push_back(jitter_basis(*conditions.latency_jitter));
  if (const std::optional<Shaper>& shaper = scenario.cluster.shaper) {
    basis.push_back(fmt::format(
        "a token bucket shapes what every NIC sends to {} after a burst of {}; it is full at the "
        "start of the backward pass (assumed)",
        format_bandwidth(shaper->rate), format_bytes(shaper->burst)));
  }
  return basis;
}

std::string jitter_basis(const LatencyJitter& jitter) {
  return fmt::format(
      "each message's latency varies by a lognormal factor of median 1 and sigma {:g} %, "
      "independently (as given; seed {})",
      jitter.sigma * 100.0, jitter.seed);
}

}  // namespace gradwire
