#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "simulator/plan/plan.hpp"
#include "simulator/scenario/scenario.hpp"

namespace gradwire {

/// Appends ops to a plan and keeps the compute stream's position in the backward pass. Every `add`
/// returns the index of its op.
class PlanBuilder {
 public:
  /// `scenario` must outlive it.
  explicit PlanBuilder(const Scenario& scenario);

  const Scenario& scenario() const { return scenario_; }

  /// What is added from now on serves this bucket.
  void begin_bucket(std::size_t bucket) { bucket_ = bucket; }

  /// The backward pass from where it stands to `until`; nothing when it is there already.
  int add_backward(Seconds until, std::string label, std::vector<int> after = {});
  /// Elements under the scenario's payload factor.
  int add_collective(const CollectiveCall& call, std::string label, std::vector<int> after);
  int add_device_task(DeviceTask task, Stream stream, Seconds work, std::string label,
                      std::vector<int> after);
  int add_host(Seconds work, std::string label, std::vector<int> after);

  /// The plan, with what of the backward pass is left behind the last gradient.
  Plan finish(std::vector<int> tail_after = {});

 private:
  int push(Op op);

  const Scenario& scenario_;
  Plan plan_;
  Seconds done_{0};
  std::optional<std::size_t> bucket_;
};

}  // namespace gradwire
