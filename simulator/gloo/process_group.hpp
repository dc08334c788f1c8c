#pragma once

#include <array>
#include <vector>

#include "simulator/gloo/gloo_host.hpp"
#include "simulator/scenario/scenario.hpp"

namespace gradwire {

/// A part of a collective: bytes over the link beside work of the cores, as long as the slower.
struct GlooStage {
  double bytes = 0.0;
  double processor = 0.0;  ///< seconds of one core
  double latency = 0.0;    ///< seconds, before all else; the link is another's meanwhile
};

/// A collective as ProcessGroupGloo runs it: for all-reduce the latencies and bytes of a pass of
/// reduce-scatter, those of one of all-gather, and what follows in its thread; an all-gather has
/// one pass.
using GlooStages = std::array<GlooStage, 5>;

/// Both passes of Gloo's ring over `elements` of `size` bytes.
GlooStages all_reduce_stages(Elements elements, Bytes size, const Scenario& scenario,
                             const GlooHost& host);

/// Gloo's ring of whole blocks, `elements` of `size` bytes from each rank, and the copy that
/// ProcessGroupGloo makes of what it gathered. Between two ranks half a block is lost by waiting.
GlooStages all_gather_stages(Elements elements, Bytes size, const Scenario& scenario,
                             const GlooHost& host);

/// Collectives of equal ranks in order of their arrival, so many at once, which share link and
/// cores evenly. Times in seconds.
class GlooProcessGroup {
 public:
  GlooProcessGroup(const Scenario& scenario, const GlooHost& host);

  /// Arrivals must not descend.
  void add(double arrival, const GlooStages& stages) { jobs_.push_back({arrival, stages}); }

  /// Plays all; afterwards `end_of` knows each one's end.
  void play();

  double end_of(std::size_t job) const { return jobs_[job].end; }

 private:
  struct Job {
    double arrival = 0.0;
    GlooStages stages;
    std::size_t stage = 0;
    double share_done = 0.0;  // of the stage
    double end = 0.0;
  };

  double duration(const Job& job, const std::vector<Job*>& running) const;

  std::size_t at_once_;
  double bytes_per_second_;
  double cores_a_rank_;
  std::vector<Job> jobs_;
};

}  // namespace gradwire
