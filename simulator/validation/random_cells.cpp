#include "simulator/validation/random_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>

#include "base/errors.hpp"
#include "simulator/collectives/registry.hpp"
#include "simulator/engine/recurrence/recurrence_engine.hpp"
#include "simulator/plan/planner.hpp"
#include "simulator/study/estimator.hpp"

namespace gradwire {
namespace {

constexpr std::array<CollectiveKind, 4> kKinds = {
    CollectiveKind::kAllReduce, CollectiveKind::kAllGather, CollectiveKind::kReduceScatter,
    CollectiveKind::kBroadcast};
constexpr Bytes kFloat{4};

/// Draws that are the same with every standard library; its distributions are not.
class Draws {
 public:
  explicit Draws(std::uint32_t seed) : random_(seed) {}

  std::int64_t from(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(high - low + 1));
  }

 private:
  std::mt19937_64 random_;
};

/// A network on which no two messages of a collective share a link.
struct Network {
  int ranks = 2;
  BitsPerSecond bandwidth;
  Seconds alpha{0};

  explicit Network(Draws& draws)
      : ranks(static_cast<int>(draws.from(2, 64))),
        bandwidth(1e9 * static_cast<double>(draws.from(1, 100))),
        alpha(1e-6 * static_cast<double>(draws.from(0, 50))) {}

  Cluster cluster() const {
    Cluster cluster;
    cluster.name = "random";
    cluster.nodes = ranks;
    cluster.gpus_per_node = 1;
    cluster.nic = {bandwidth, alpha};
    cluster.intra = cluster.nic;
    return cluster;
  }
};

/// The closed forms of docs/model.md, written down from the algorithms and not taken from the
/// collectives' own.
Seconds closed_form(CollectiveKind kind, std::int64_t elements, const Network& network) {
  const int n = network.ranks;
  const Seconds an_element = kFloat / network.bandwidth;
  const auto rounds = [&](int count, std::int64_t each) {
    return count * (network.alpha + static_cast<double>(each) * an_element);
  };
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return rounds(2 * (n - 1), ceil_divide(elements, n));
    case CollectiveKind::kReduceScatter:
      return rounds(n - 1, ceil_divide(elements, n));
    case CollectiveKind::kAllGather:
      return rounds(n - 1, elements);
    default: {
      // The first of c chunks, a largest one, crosses n-1 edges; the others follow one by one.
      const std::int64_t chunks = std::clamp<std::int64_t>(
          ceil_divide((Elements{elements} * kFloat).count(), std::int64_t{512} * 1024), 1,
          elements);
      const std::int64_t on_path = (n - 2) * ceil_divide(elements, chunks) + elements;
      return static_cast<double>(n - 2 + chunks) * network.alpha +
             static_cast<double>(on_path) * an_element;
    }
  }
}

void add_answer(CaseOutcome& outcome, Seconds time) {
  const double error = raw_error(time, outcome.measured);
  outcome.answers.push_back({time, error, error});
}

/// One collective that starts at once everywhere.
CaseOutcome collective_cell(Draws& draws) {
  const Network network(draws);
  const CollectiveKind kind = kKinds[static_cast<std::size_t>(draws.from(0, 3))];
  const std::int64_t elements = draws.from(1, 20'000'000);
  CaseOutcome outcome;
  outcome.name = fmt::format("{} of {} elements, {} ranks", name_of(kind), elements, network.ranks);
  outcome.measured.median = closed_form(kind, elements, network);
  const std::shared_ptr<const Schedule> schedule =
      make_schedule({kind, Elements{elements}, kFloat}, network.ranks);
  const Plan plan = make_collective_plan(schedule, LatencyMode::kBlocking);
  add_answer(outcome, schedule->closed_form(network.alpha, network.bandwidth));
  add_answer(outcome, play_recurrence(plan, network.cluster(), {}).end);
  add_answer(outcome, play_simgrid(plan, network.cluster(), {}, {}).end);
  return outcome;
}

/// What an average rank sends in an all-reduce, as the time that it occupies the rank's link.
CaseOutcome bytes_cell(Draws& draws) {
  const Network network(draws);
  const std::int64_t elements = draws.from(1, 20'000'000);
  const int n = network.ranks;
  CaseOutcome outcome;
  outcome.name = fmt::format("bytes a rank, all-reduce of {} elements, {} ranks", elements, n);
  outcome.measured.median = 2.0 * (n - 1) / n * (Elements{elements} * kFloat / network.bandwidth);
  const auto schedule =
      make_schedule({CollectiveKind::kAllReduce, Elements{elements}, kFloat}, network.ranks);
  std::vector<Message> messages;
  for (int round = 0; round < schedule->rounds(); ++round) {
    schedule->append_messages(round, messages);
  }
  Bytes sent{0};
  for (const Message& message : messages) sent += message.elements * kFloat;
  // One schedule is behind all estimators.
  for (int model = 0; model < 3; ++model) add_answer(outcome, sent / network.bandwidth / n);
  return outcome;
}

/// A backward pass whose gradients are a bucket each.
CaseOutcome training_cell(Draws& draws) {
  const Network network(draws);
  Scenario scenario;
  scenario.cluster = network.cluster();
  scenario.workers = network.ranks;
  scenario.caps = {Bytes{1}, Bytes{1}};
  Workload workload;
  workload.name = "random";
  Seconds ready{0};
  Seconds end{0};
  const std::int64_t buckets = draws.from(2, 12);
  for (std::int64_t i = 0; i < buckets; ++i) {
    ReadyGradient gradient;
    gradient.elements = Elements{draws.from(1, 4'000'000)};
    ready += Seconds{1e-6 * static_cast<double>(draws.from(0, 20'000))};
    gradient.ready = ready;
    end = std::max(end, ready) +
          closed_form(CollectiveKind::kAllReduce, gradient.elements.count(), network);
    workload.gradients.push_back(gradient);
  }
  workload.backward_span = ready + Seconds{1e-6 * static_cast<double>(draws.from(0, 20'000))};
  CaseOutcome outcome;
  outcome.name = fmt::format("training, {} buckets, {} ranks", buckets, network.ranks);
  outcome.measured.median = std::max(end, workload.backward_span);
  scenario.workload = std::move(workload);
  for (const Estimator estimator :
       {Estimator::kFormula, Estimator::kRecurrence, Estimator::kSimgrid}) {
    add_answer(outcome, estimate(scenario, estimator).backward_sync);
  }
  return outcome;
}

}  // namespace

SetOutcome play_random_cells(const ValidationSet& set) {
  GW_CHECK(set.random.has_value(), "a set of random cells");
  SetOutcome outcome;
  outcome.set = set;
  for (const Estimator estimator :
       {Estimator::kFormula, Estimator::kRecurrence, Estimator::kSimgrid}) {
    outcome.models.emplace_back(name_of(estimator));
  }
  outcome.main = outcome.models.size() - 1;
  Draws draws(set.random->seed);
  for (int cell = 0; cell < set.random->cells; ++cell) {
    switch (cell % 3) {
      case 0:
        outcome.cases.push_back(training_cell(draws));
        break;
      case 1:
        outcome.cases.push_back(collective_cell(draws));
        break;
      default:
        outcome.cases.push_back(bytes_cell(draws));
    }
  }
  return outcome;
}

}  // namespace gradwire
