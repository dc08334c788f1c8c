#include "simulator/plan/overlapped_hook.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "simulator/plan/plan_builder.hpp"

namespace gradwire {
namespace {

/// One rank's autograd thread as it launches the backward pass and runs the hook of each bucket.
/// A device op may start once the host has begun to launch it, that is when the host op in front of
/// its own has ended; what needs it waits for both, so that a stage that nothing disturbs takes the
/// longer of the two.
class HookPlanner {
 public:
  explicit HookPlanner(const Scenario& scenario)
      : builder_(scenario), costs_(scenario.compression.overlap_costs) {}

  Plan plan() {
    const Scenario& scenario = builder_.scenario();
    const std::vector<Bucket> buckets = make_buckets(scenario.workload->gradients, scenario.caps);
    const std::vector<std::vector<Transfer>> transfers = bucket_transfers(scenario);
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      builder_.begin_bucket(i);
      const std::vector<int> begun = launched();
      launch_backward(buckets[i], i);
      const int filled = builder_.add_backward(buckets[i].ready, fmt::format("C{}", i), begun);
      run_hook(scenario.compression.buckets[i], transfers[i], filled, i);
    }
    return builder_.finish(launched());
  }

 private:
  /// What must have ended before the host launches the next kernel.
  std::vector<int> launched() const { return host_; }

  /// The host's time from the bucket in front to this one, as the trace has it.
  void launch_backward(const Bucket& bucket, std::size_t number) {
    Seconds handed_over{0};
    for (const std::size_t gradient : bucket.gradients) {
      const auto& launch = builder_.scenario().workload->gradients[gradient].launched;
      if (launch) handed_over = std::max(handed_over, *launch);
    }
    if (handed_over <= host_done_) return;
    work_on_host(handed_over - host_done_, fmt::format("launch C{}", number), {});
    host_done_ = handed_over;
  }

  void run_hook(const BucketCost& cost, const std::vector<Transfer>& transfers, int filled,
                std::size_t number) {
    std::vector<int> last = run_stage(cost.encode, DeviceTask::kEncode, {filled},
                                      costs_.stream_order ? Stream::kCompute : Stream::kFree,
                                      fmt::format("encode{}", number));
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      if (i > 0 && i + 1 == transfers.size()) {
        last = run_stage(cost.between, DeviceTask::kEncode, last, Stream::kSide,
                         fmt::format("between{}", number));
      }
      const Transfer& transfer = transfers[i];
      const int sent =
          builder_.add_collective({transfer.kind, transfer.elements, transfer.element_size},
                                  fmt::format("{} {}", transfer.what, number), last);
      last = {sent};
    }
    run_stage(cost.decode, DeviceTask::kDecode, last, Stream::kSide,
              fmt::format("decode{}", number));
  }

  /// A stage behind `after`; what must have ended for the next one.
  std::vector<int> run_stage(const StageCost& cost, DeviceTask task, std::vector<int> after,
                             Stream stream, std::string label) {
    if (cost.alone().count() <= 0.0) return after;
    std::vector<int> device_after = launched();
    device_after.insert(device_after.end(), after.begin(), after.end());
    const bool waits = cost.wait.count() > 0.0;
    const Seconds host = waits ? cost.alone() : cost.host;
    std::vector<int> both;
    if (costs_.host && host.count() > 0.0) {
      both.push_back(work_on_host(host, "launch " + label, waits ? after : std::vector<int>{}));
    }
    const int device =
        builder_.add_device_task(task, stream, cost.device, std::move(label), device_after);
    if (costs_.host && waits) host_.push_back(device);  // the host reads its result
    both.push_back(device);
    return both;
  }

  int work_on_host(Seconds work, std::string label, const std::vector<int>& after) {
    std::vector<int> all = host_;
    all.insert(all.end(), after.begin(), after.end());
    const int op = builder_.add_host(work, std::move(label), std::move(all));
    host_ = {op};
    return op;
  }

  PlanBuilder builder_;
  OverlapCosts costs_;
  std::vector<int> host_;  // ops that have ended when the host is at its next launch
  Seconds host_done_{0};   // of the recorded backward pass
};

}  // namespace

Plan make_overlapped_plan(const Scenario& scenario) { return HookPlanner(scenario).plan(); }

}  // namespace gradwire
