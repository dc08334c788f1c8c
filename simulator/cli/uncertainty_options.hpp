#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "simulator/cli/scenario_options.hpp"
#include "simulator/questions/monte_carlo.hpp"

namespace gradwire {

/// The options that make ranks differ, from each other and from iteration to iteration.
struct UncertaintyOptions {
  std::vector<std::string> stragglers;
  std::string jitter;
  std::optional<int> samples;
  std::optional<std::uint64_t> seed;
};

/// What is to be drawn, and how often.
struct Sampling {
  ComputeJitter jitter;
  MonteCarloSettings settings;
};

/// Adds the options to `command`.
void add_uncertainty_options(CLI::App& command, UncertaintyOptions& options);

/// Slows the stragglers of `question` down, after which the rest of an iteration is unknown, and
/// gives what is to be sampled; absent where nothing varies from iteration to iteration. What is
/// assumed joins the question's basis. Throws InputError naming the option.
std::optional<Sampling> apply_uncertainty(const UncertaintyOptions& options, Question& question);

}  // namespace gradwire
