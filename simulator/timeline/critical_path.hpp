#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/plan/plan.hpp"
#include "simulator/timeline/iteration_result.hpp"
#include "simulator/timeline/timeline.hpp"

namespace gradwire {

/// Why an op of the critical path began when it did.
enum class Cause {
  kStart,        ///< nothing is in front of it
  kDependency,   ///< it needs the op in front
  kStreamOrder,  ///< the op in front was on its stream
};

/// One op of the critical path, from the end of the op in front to its own end.
struct PathSegment {
  int rank = 0;  ///< where it ended
  int op = 0;    ///< index into Plan::ops
  Activity activity = Activity::kCompute;
  Stream stream = Stream::kCompute;
  std::string label;
  Seconds start{0};
  Seconds end{0};
  Seconds work{0};     ///< of device and host: undisturbed
  Seconds latency{0};  ///< of a collective: the share of latency
  /// Of a collective that waited for another rank: that rank, on which the path goes on backwards.
  std::optional<int> last_to_arrive;
  Cause cause = Cause::kStart;
  std::string behind;                             ///< label of the op in front; empty for kStart
  Activity behind_activity = Activity::kCompute;  ///< of the op in front
};

/// The ops that each began when the one in front ended, from time 0 to the end of the timeline:
/// shortening any of them is what can shorten the whole. Segments follow each other without gap;
/// ops of no length are left out.
struct CriticalPath {
  std::vector<PathSegment> segments;  ///< by time
};

/// Backwards from the op of the last rank that ends last. A collective is followed to the rank that
/// arrived last before it ended; inside it, round by round, the path is not followed. Ranks that
/// the timeline does not hold are taken to be like those that it holds: pass every rank unless they
/// are equal. Requires that `timeline` is one of `plan` (GW_CHECK).
CriticalPath critical_path_of(const Plan& plan, const Timeline& timeline);

/// What the path consists of, in the parts of a breakdown: undisturbed work, what sharing the
/// device cost it, the host thread, and collectives split into latency and bytes, which here are
/// those on the path. Nothing waits on a critical path. The parts sum to the end of the timeline.
Breakdown breakdown_of(const CriticalPath& path);

}  // namespace gradwire
