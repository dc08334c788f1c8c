#pragma once

#include <memory>

#include "simulator/collectives/schedule.hpp"

namespace gradwire {

/// `schedule` run backwards: its rounds from the last to the first, every message back to its
/// sender and added there. A broadcast becomes a reduce to its root, with the same rounds, bytes
/// and times. `kind` is what the result is.
std::unique_ptr<Schedule> reversed(std::unique_ptr<Schedule> schedule, CollectiveKind kind);

}  // namespace gradwire
