#pragma once

#include "simulator/scenario/scenario.hpp"
#include "simulator/timeline/iteration_result.hpp"

namespace gradwire {

/// The *pipeline* form over the real buckets: end_i = max(ready_i, end_(i-1)) + T(b_i), with T the
/// collective's closed form over the slowest link; compute is slower only while communication runs
/// beside it. One stream, equal ranks, no link shared: there it agrees with the engines.
/// `compute_factors` other than 1 and shared links (`check_unshared`) are an InputError. The
/// timeline is that of rank 0.
IterationResult estimate_formula(const Scenario& scenario);

/// Where the study's formula puts the last bucket; its text leaves it open.
enum class LastBucket {
  kOutside,  ///< max(gamma T_comp, T(b_1..k-1)) + T(b_k): the last bucket is ready when the
             ///< backward pass ends
  kInside,   ///< max(gamma T_comp, T(b_1..k)): a lower bound
};

enum class StudyBuckets {
  kReal,   ///< those of DDP
  kEqual,  ///< k-1 of the cap and a remainder, as the study writes it
};

/// The *study* form: the performance model of arXiv 2103.00543 with the slow-down on all of T_comp
/// (second-hand; see docs/model.md). Latency counts as the scenario says. Throws InputError where
/// links are shared.
Seconds study_form(const Scenario& scenario, LastBucket last, StudyBuckets buckets);

}  // namespace gradwire
