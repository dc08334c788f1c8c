#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace gradwire {

struct PoolSettings {
  int processes = 1;
  std::size_t batch = 1;  ///< items a process is given at a time
  /// A process that answers nothing for so long while it has work is stopped.
  std::chrono::seconds patience{120};
};

struct PoolObserver {
  std::function<void(std::size_t item, std::string answer)> answered;
  std::function<void(std::size_t item, std::string why)> failed;
  std::function<bool()> stop;  ///< asked several times a second; true ends the run at once
};

/// Plays `work` for every item in processes of their own, forked here, so that one that aborts or
/// hangs costs the item it was at and nothing else: that item fails, the others go on in a new
/// process. What `work` throws fails its item too. The order of the answers depends on the
/// processes; their content must not. The caller must be single-threaded (GW_CHECK): a fork takes
/// one thread along and leaves the locks of the others. Throws EnvironmentError when the system
/// refuses a process.
void run_in_processes(const std::vector<std::size_t>& items,
                      const std::function<std::string(std::size_t)>& work,
                      const PoolSettings& settings, const PoolObserver& observer);

/// How many threads this process has.
int count_own_threads();

}  // namespace gradwire
