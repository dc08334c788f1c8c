#include "simulator/engine/simgrid/plan_player.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/errors.hpp"
#include "tests/support/plans.hpp"
#include "tests/support/thrown.hpp"

namespace gradwire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Writes down what it is told, and reports only what the test says.
class RecordingPlayer : public PlanPlayer {
 public:
  explicit RecordingPlayer(const Plan& plan, std::vector<double> factors = {1.0})
      : PlanPlayer(plan, std::move(factors)) {}

  void end_compute(double at, std::size_t player = 0) {
    now_ = at;
    work_ended(player, Stream::kCompute);
  }
  void end_communication(double at, std::size_t player = 0) {
    now_ = at;
    communication_ended(player, 0.0);
  }

  std::vector<std::string> calls;

 private:
  void start_work(std::size_t player, Stream stream, double seconds) override {
    calls.push_back(std::string(name_of(stream)) + " " + std::to_string(player) + " " +
                    std::to_string(static_cast<int>(seconds)));
  }
  void set_disturbed(std::size_t player, bool disturbed) override {
    calls.push_back((disturbed ? "disturbed " : "undisturbed ") + std::to_string(player));
  }
  void enter_communication(std::size_t player, std::size_t op) override {
    calls.push_back("communicate " + std::to_string(player) + " op " + std::to_string(op));
  }
  double now() const override { return now_; }

  double now_ = 0.0;
};

/// Reports every op in the call that starts it.
class InstantPlayer : public PlanPlayer {
 public:
  explicit InstantPlayer(const Plan& plan) : PlanPlayer(plan, {1.0}) {}

 private:
  void start_work(std::size_t player, Stream stream, double) override {
    work_ended(player, stream);
  }
  void set_disturbed(std::size_t, bool) override {}
  void enter_communication(std::size_t player, std::size_t) override {
    communication_ended(player, 0.0);
  }
  double now() const override { return 0.0; }
};

TEST(PlanPlayer, ThatIsNeverToldOfAnEndIsIncompleteAndNamesTheOp) {
  const Plan plan = test::training_plan(2, {{1.0, 10}});
  RecordingPlayer player(plan, {1.0, 1.0});
  player.begin();
  EXPECT_THAT(test::thrown_by<IncompleteError>([&] { player.require_finished(); }),
              testing::AllOf(HasSubstr("C0 did not end on player 0"), HasSubstr("4 ops")));
}

TEST(PlanPlayer, IsIncompleteWhileTheLastCollectiveRuns) {
  const Plan plan = test::training_plan(2, {{1.0, 10}});
  RecordingPlayer player(plan);
  player.begin();
  player.end_compute(1.0);
  EXPECT_THAT(test::thrown_by<IncompleteError>([&] { player.require_finished(); }),
              HasSubstr("A0 did not end"));
  player.end_communication(2.0);
  EXPECT_NO_THROW(player.require_finished());
}

TEST(PlanPlayer, StartsACollectiveBehindItsComputeAndTheNextComputeBesideIt) {
  const Plan plan = test::training_plan(2, {{1.0, 10}, {5.0, 10}});
  RecordingPlayer player(plan);
  player.begin();
  EXPECT_THAT(player.calls, ElementsAre("compute 0 1"));
  player.calls.clear();
  player.end_compute(1.0);
  EXPECT_THAT(player.calls, ElementsAre("disturbed 0", "communicate 0 op 1", "compute 0 5"));
  player.calls.clear();
  player.end_compute(6.0);
  EXPECT_TRUE(player.calls.empty());  // the second collective waits for the stream
  player.end_communication(8.0);
  EXPECT_THAT(player.calls, ElementsAre("undisturbed 0", "disturbed 0", "communicate 0 op 3"));
  player.end_communication(9.0);
  EXPECT_EQ(player.times(0, 3).start, 8.0);
  EXPECT_EQ(player.times(0, 3).end, 9.0);
  EXPECT_EQ(player.times(0, 2).work, 5.0);
}

TEST(PlanPlayer, GivesEachPlayerItsOwnShareOfWork) {
  const Plan plan = test::training_plan(2, {{2.0, 10}});
  RecordingPlayer player(plan, {1.0, 3.0});
  player.begin();
  EXPECT_THAT(player.calls, ElementsAre("compute 0 2", "compute 1 6"));
}

TEST(PlanPlayer, StartsTheHostThreadBesideComputeAndGivesOnlyTheDeviceThePlayersFactor) {
  Plan plan;
  plan.ops = {{Stream::kHost, "H", {}, Seconds{2.0}, nullptr},
              {Stream::kCompute, "C", {}, Seconds{1.0}, nullptr},
              {Stream::kSide, "D", {1}, Seconds{3.0}, nullptr}};
  RecordingPlayer player(plan, {2.0});
  player.begin();
  EXPECT_THAT(player.calls, ElementsAre("host 0 2", "compute 0 2"));
  player.calls.clear();
  player.end_compute(2.0);
  EXPECT_THAT(player.calls, ElementsAre("side 0 6"));
}

TEST(PlanPlayer, PlaysAHundredThousandOpsThatEndAtOnceWithoutRunningOutOfStack) {
  Plan plan;
  plan.ops.resize(100'000);
  InstantPlayer player(plan);
  player.begin();
  EXPECT_NO_THROW(player.require_finished());
}

}  // namespace
}  // namespace gradwire
