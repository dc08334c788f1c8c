#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "simulator/collectives/registry.hpp"

namespace gradwire::test {

inline std::string described(const AlgorithmEntry& entry, const Schedule& schedule) {
  return std::string(name_of(entry.kind)) + " " + std::string(entry.algorithm) + " of " +
         std::to_string(schedule.call().elements.count()) + " elements on " +
         std::to_string(schedule.ranks()) + " ranks";
}

/// Those of the registry whose name `wanted` accepts.
inline std::vector<AlgorithmEntry> algorithms_where(bool (*wanted)(std::string_view name)) {
  std::vector<AlgorithmEntry> found;
  for (const AlgorithmEntry& entry : algorithms()) {
    if (wanted(entry.algorithm)) found.push_back(entry);
  }
  return found;
}

/// "all_reduce_ring": the name of a test that is run for every algorithm of the registry.
inline std::string test_name(const testing::TestParamInfo<AlgorithmEntry>& info) {
  return std::string(name_of(info.param.kind)) + "_" + std::string(info.param.algorithm);
}

}  // namespace gradwire::test
