#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/cli/condition_options.hpp"
#include "simulator/scenario/scenario.hpp"
#include "simulator/study/assumption_band.hpp"
#include "simulator/study/compressor_choice.hpp"
#include "simulator/study/what_if_effect.hpp"

namespace CLI {
class App;
}

namespace gradwire {

/// The options that turn a trace and a cluster into a question; shared by the commands that ask
/// one.
struct ScenarioOptions {
  std::string trace;
  std::string parameters;
  std::string cluster;
  int nodes = 0;
  int gpus_per_node = 1;
  std::string nic;
  std::string nic_latency;
  std::string intra;
  std::string intra_latency;
  std::string bandwidth;
  int workers = 0;
  std::string replay;
  std::optional<int> batch;
  std::optional<int> recorded_batch;
  std::string backward_time;
  int iteration = -1;
  std::string first_bucket;
  std::string bucket_cap;
  std::string latency_mode;
  std::string overlap_slowdown;
  std::optional<std::uint64_t> shuffle_seed;
  std::string second_job;
  std::string all_gather;
  std::string all_reduce;
  ConditionOptions conditions;
  std::string compressor;
  std::string mode;
  std::string cost_profile;
  std::string compressor_trace;
  std::string encode_time;
  std::string decode_time;
  std::vector<std::string> what_ifs;
};

/// A question with what it rests on.
struct Question {
  Scenario scenario;
  Assumptions assumptions;
  std::optional<CompressorChoice> compressor;
  std::vector<WhatIfEffect> what_ifs;  ///< those that `scenario` has been through
};

/// Adds the options to `command`.
void add_scenario_options(CLI::App& command, ScenarioOptions& options);

/// The costs that the options give instead of the device's profile. Throws InputError as
/// `make_question` does.
GivenCost given_cost(const ScenarioOptions& options);

/// Throws InputError naming the option for whatever cannot be made a scenario.
Question make_question(const ScenarioOptions& options);

}  // namespace gradwire
