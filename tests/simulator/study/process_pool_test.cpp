#include "simulator/study/process_pool.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <future>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>

namespace gradwire {
namespace {

struct Answers {
  std::map<std::size_t, std::string> answered;
  std::map<std::size_t, std::string> failed;

  PoolObserver observer() {
    PoolObserver observer;
    observer.answered = [this](std::size_t item, std::string text) {
      EXPECT_TRUE(answered.emplace(item, std::move(text)).second) << item << " twice";
    };
    observer.failed = [this](std::size_t item, std::string why) {
      EXPECT_TRUE(failed.emplace(item, std::move(why)).second) << item << " twice";
    };
    return observer;
  }
};

std::vector<std::size_t> items(std::size_t count) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back(i);
  return result;
}

TEST(ProcessPool, AnswersEveryItemOnceForAnyCountOfProcessesAndBatch) {
  for (const int processes : {1, 2, 5}) {
    for (const std::size_t batch : {1U, 3U, 100U}) {
      Answers answers;
      run_in_processes(
          items(50), [](std::size_t item) { return std::string(item * 1000, 'x'); },
          {processes, batch, std::chrono::seconds{60}}, answers.observer());
      ASSERT_EQ(answers.answered.size(), 50U);
      for (const auto& [item, text] : answers.answered) EXPECT_EQ(text.size(), item * 1000);
      EXPECT_TRUE(answers.failed.empty());
    }
  }
}

TEST(ProcessPool, NothingToDoIsDone) {
  Answers answers;
  run_in_processes(
      {}, [](std::size_t) { return std::string{}; }, {}, answers.observer());
  EXPECT_TRUE(answers.answered.empty());
}

TEST(ProcessPool, AnItemThatAbortsOrIsKilledOrThrowsCostsItselfAlone) {
  Answers answers;
  run_in_processes(
      items(30),
      [](std::size_t item) -> std::string {
        if (item == 7) std::abort();
        if (item == 8) std::raise(SIGKILL);
        if (item == 9) throw std::runtime_error("no answer to nine");
        return "fine";
      },
      {2, 10, std::chrono::seconds{60}}, answers.observer());
  EXPECT_EQ(answers.answered.size(), 27U);
  ASSERT_EQ(answers.failed.size(), 3U);
  EXPECT_NE(answers.failed[7].find("signal 6"), std::string::npos) << answers.failed[7];
  EXPECT_NE(answers.failed[8].find("signal 9"), std::string::npos) << answers.failed[8];
  EXPECT_EQ(answers.failed[9], "no answer to nine");
}

TEST(ProcessPool, AnItemThatHangsIsStopped) {
  Answers answers;
  run_in_processes(
      items(4),
      [](std::size_t item) {
        while (item == 1) pause();
        return std::string("fine");
      },
      {1, 4, std::chrono::seconds{1}}, answers.observer());
  EXPECT_EQ(answers.answered.size(), 3U);
  ASSERT_EQ(answers.failed.size(), 1U);
  EXPECT_NE(answers.failed[1].find("did not end within 1 s"), std::string::npos);
}

TEST(ProcessPool, StopsWhenAskedTo) {
  Answers answers;
  PoolObserver observer = answers.observer();
  observer.stop = [&] { return answers.answered.size() >= 3; };
  run_in_processes(
      items(1000), [](std::size_t) { return std::string("fine"); },
      {1, 1, std::chrono::seconds{60}}, observer);
  EXPECT_GE(answers.answered.size(), 3U);
  EXPECT_LT(answers.answered.size(), 1000U);
}

TEST(ProcessPool, ParentAndWorkersHaveOneThreadEach) {
  Answers answers;
  run_in_processes(
      items(4), [](std::size_t) { return std::to_string(count_own_threads()); },
      {2, 1, std::chrono::seconds{60}}, answers.observer());
  EXPECT_EQ(count_own_threads(), 1);
  for (const auto& [item, threads] : answers.answered) EXPECT_EQ(threads, "1");
}

TEST(ProcessPool, IsRefusedInAProcessWithSeveralThreads) {
  std::string said;
  std::promise<void> end;
  std::thread other([&] { end.get_future().wait(); });
  try {
    run_in_processes({0}, [](std::size_t) { return std::string{}; }, {}, {});
  } catch (const std::exception& error) {
    said = error.what();
  }
  end.set_value();
  other.join();
  EXPECT_NE(said.find("one thread"), std::string::npos) << said;
}

}  // namespace
}  // namespace gradwire
