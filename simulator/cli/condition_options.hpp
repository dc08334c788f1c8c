#pragma once

#include <string>
#include <vector>

#include "simulator/scenario/scenario.hpp"

namespace CLI {
class App;
}

namespace gradwire {

/// The options that say what happens on the network while the job runs.
struct ConditionOptions {
  std::vector<std::string> link_events;
  std::vector<std::string> background;
  std::string latency_jitter;
  std::string shaper;
};

/// Adds the options to `command`.
void add_condition_options(CLI::App& command, ConditionOptions& options);

/// Puts what the options say into `scenario`. Throws InputError naming the option.
void apply_conditions(const ConditionOptions& options, Scenario& scenario);

/// What of an answer rests on the network's conditions and its shaper, one sentence each.
std::vector<std::string> conditions_basis(const Scenario& scenario);

/// The sentence of latency jitter among them.
std::string jitter_basis(const LatencyJitter& jitter);

}  // namespace gradwire
