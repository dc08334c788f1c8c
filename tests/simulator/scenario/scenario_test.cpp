#include "simulator/scenario/scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/clusters.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Scenario usable_scenario() {
  Scenario scenario;
  scenario.cluster = test::mixed_cluster(24, 4);
  scenario.workers = 96;
  return scenario;
}

template <class Change>
std::string refusal(Change change) {
  Scenario scenario = usable_scenario();
  change(scenario);
  return test::input_error_of([&] { check_scenario(scenario); });
}

TEST(CheckScenario, AcceptsOneWorkerAndAsManyWorkersAsGpus) {
  Scenario scenario = usable_scenario();
  EXPECT_NO_THROW(check_scenario(scenario));
  scenario.workers = 1;
  EXPECT_NO_THROW(check_scenario(scenario));
}

TEST(CheckScenario, RefusesZeroAndNegativeWorkers) {
  EXPECT_THAT(refusal([](Scenario& s) { s.workers = 0; }),
              AllOf(HasSubstr("workers: 0 found"), HasSubstr("1 to 96")));
  EXPECT_THAT(refusal([](Scenario& s) { s.workers = -3; }), HasSubstr("workers: -3 found"));
}

TEST(CheckScenario, Refuses97WorkersOn96GpusAndNamesTheCluster) {
  EXPECT_THAT(refusal([](Scenario& s) { s.workers = 97; }),
              AllOf(HasSubstr("97 found"), HasSubstr("mixed"), HasSubstr("24 nodes x 4")));
}

TEST(CheckScenario, RefusesAClusterWithoutBandwidth) {
  EXPECT_THAT(refusal([](Scenario& s) { s.cluster.nic.bandwidth = BitsPerSecond{0}; }),
              HasSubstr("nic"));
}

TEST(CheckScenario, RefusesABucketCapBelowAByteAndSaysWhichItFound) {
  EXPECT_THAT(refusal([](Scenario& s) { s.caps.first = Bytes{0}; }), HasSubstr("0 bytes found"));
  EXPECT_THAT(refusal([](Scenario& s) { s.caps.rest = Bytes{-5}; }), HasSubstr("-5 bytes found"));
}

TEST(CheckScenario, RefusesASlowdownBelowOneAndOneThatIsNoNumber) {
  EXPECT_THAT(refusal([](Scenario& s) { s.overlap_slowdown = 0.99; }),
              AllOf(HasSubstr("slow-down: 0.99"), HasSubstr("1 or more")));
  EXPECT_THAT(
      refusal([](Scenario& s) { s.overlap_slowdown = std::numeric_limits<double>::quiet_NaN(); }),
      HasSubstr("slow-down: nan"));
}

TEST(CheckScenario, RefusesComputeFactorsThatAreTooFewOrNotAboveZero) {
  EXPECT_THAT(refusal([](Scenario& s) {
                s.compute_factors = {1.0, 2.0};
              }),
              AllOf(HasSubstr("2 found"), HasSubstr("96 workers")));
  EXPECT_THAT(refusal([](Scenario& s) {
                s.compute_factors.assign(96, 1.0);
                s.compute_factors[5] = 0.0;
              }),
              HasSubstr("compute factor: 0"));
}

}  // namespace
}  // namespace gradwire
