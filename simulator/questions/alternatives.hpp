#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/scenario/scenario.hpp"

namespace gradwire {

/// What kind of thing could be done.
enum class AdviceKind {
  kBaseline,    ///< DDP's own all-reduce: float32 or a cast
  kCompressor,  ///< one scheme for all buckets
  kByBucket,    ///< schemes by bucket
  kSetting,     ///< other bucket caps
  kBatch,       ///< fewer synchronisations a sample
  kNetwork,     ///< faster NICs
};

/// "baseline", "compressor", "by bucket", "setting", "batch", "network".
std::string_view name_of(AdviceKind kind);

/// Something to do instead of compressing.
struct Alternative {
  std::string what;  ///< "accumulate over 2 passes"
  AdviceKind kind = AdviceKind::kSetting;
  Scenario scenario;
  double batches = 1.0;  ///< an iteration of `scenario` works through so many of the question's
  std::string changes;   ///< what it changes beside the time: "effective batch x2", "hardware"
  std::string standing;  ///< "derived" where its compute time is; else empty
};

/// For `scenario`, which has a cast or no compression: accumulation over 2 and 4 backward passes,
/// twice the batch, the best of other bucket caps (1, 5, 25, 50, 100 MiB), and the next two usual
/// NIC speeds (10, 25, 40, 50, 100, 200, 400 Gbps) where ranks are on several nodes.
std::vector<Alternative> alternatives_of(const Scenario& scenario);

}  // namespace gradwire
