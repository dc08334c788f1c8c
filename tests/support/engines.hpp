#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/engine/simgrid/simgrid_engine.hpp"

namespace gradwire::test {

/// A way to play a plan, for tests that hold for all of them.
struct NamedEngine {
  std::string name;
  Timeline (*play)(const Plan&, const Cluster&, const TimelineRequest&);
};

inline std::vector<NamedEngine> every_engine() {
  return {
      {"recurrence", play_recurrence},
      {"recurrence_rank_by_rank", play_recurrence_rank_by_rank},
      {"simgrid_coupled",
       [](const Plan& plan, const Cluster& cluster, const TimelineRequest& request) {
         return play_simgrid(plan, cluster, request, {SimgridMode::kCoupled, true});
       }},
      {"simgrid_coupled_not_collapsed",
       [](const Plan& plan, const Cluster& cluster, const TimelineRequest& request) {
         return play_simgrid(plan, cluster, request, {SimgridMode::kCoupled, false});
       }},
      {"simgrid_step",
       [](const Plan& plan, const Cluster& cluster, const TimelineRequest& request) {
         return play_simgrid(plan, cluster, request, {SimgridMode::kStep, false});
       }},
  };
}

/// For INSTANTIATE_TEST_SUITE_P.
inline std::string engine_name(const testing::TestParamInfo<NamedEngine>& info) {
  return info.param.name;
}

/// What gtest prints of a parameter.
inline void PrintTo(const NamedEngine& engine, std::ostream* out) { *out << engine.name; }

}  // namespace gradwire::test
