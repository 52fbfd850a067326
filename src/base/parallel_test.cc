// parallel_for's contract: every task once, whatever the width, the callers, the nesting, exceptions or a fork before.
#include "base/parallel.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/awake.h"
#include "base/child_test.h"
#include "base/subnormals.h"
#include "norn/error.h"

namespace norn::base {
namespace {

std::vector<int> counts_of(std::int64_t tasks) {
  std::vector<std::atomic<int>> hits(static_cast<std::size_t>(tasks));
  parallel_for(tasks, [&](std::int64_t i) { hits[static_cast<std::size_t>(i)].fetch_add(1); });
  return {hits.begin(), hits.end()};
}

TEST(Parallel, EveryTaskRunsOnce) {
  for (int width : {0, 1, 2, 3, 64}) {
    ParallelWidth w(width);
    for (std::int64_t tasks : {0, 1, 2, 3, 7, 64, 1000}) {
      EXPECT_EQ(counts_of(tasks), std::vector<int>(static_cast<std::size_t>(tasks), 1)) << width << " " << tasks;
    }
  }
}

TEST(Parallel, WidthIsScopedAndNeverExceeded) {
  EXPECT_EQ(parallel_width(), hardware_threads());
  {
    ParallelWidth one(1);
    EXPECT_EQ(parallel_width(), 1);
    {
      ParallelWidth two(2);
      EXPECT_EQ(parallel_width(), 2);
      std::atomic<int> inside{0}, most{0};
      parallel_for(200, [&](std::int64_t) {
        int now = inside.fetch_add(1) + 1;
        for (int seen = most.load(); seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        inside.fetch_sub(1);
      });
      EXPECT_LE(most.load(), 2);
    }
    EXPECT_EQ(parallel_width(), 1);
  }
  EXPECT_EQ(parallel_width(), hardware_threads());
}

// Whatever the machine has: each of seven threads waits for the others.
TEST(Parallel, AsManyThreadsAsAreAskedFor) {
  ParallelWidth seven(7);
  std::atomic<int> inside{0};
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  parallel_for(7, [&](std::int64_t) {
    inside.fetch_add(1);
    while (inside.load() < 7 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  });
  EXPECT_EQ(inside.load(), 7);
  EXPECT_LT(std::chrono::steady_clock::now(), end);
}

TEST(Parallel, BothRunOnceTheFirstOfThemHere) {
  for (int width : {0, 1}) {
    ParallelWidth w(width);
    for (int round = 0; round < 500; ++round) {
      std::thread::id here;
      int calls = 0;
      std::atomic<int> beside{0};
      run_both([&] { here = std::this_thread::get_id(), ++calls; }, [&] { beside.fetch_add(1); });
      EXPECT_EQ(here, std::this_thread::get_id());
      EXPECT_EQ(calls, 1);
      EXPECT_EQ(beside.load(), 1);
    }
    EXPECT_THROW(run_both([] { throw std::runtime_error("here"); }, [] {}), std::runtime_error);
    EXPECT_THROW(run_both([] {}, [] { throw std::runtime_error("beside"); }), std::runtime_error);
    EXPECT_EQ(counts_of(7), std::vector<int>(7, 1));
  }
}

TEST(Parallel, AWidthOfOneStaysOnTheCaller) {
  ParallelWidth one(1);
  std::set<std::thread::id> ids;
  parallel_for(50, [&](std::int64_t) { ids.insert(std::this_thread::get_id()); });
  EXPECT_EQ(ids, std::set{std::this_thread::get_id()});
}

TEST(Parallel, ThreadsKnowInWhichDirectionTheyGo) {
  EXPECT_FALSE(takes_last_first());
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<std::int64_t> first{-1}, last{100};  // tasks of the caller, and of the one helper
  std::atomic<bool> wrong{false};
  ParallelWidth two(2);
  parallel_for(100, [&](std::int64_t i) {
    const bool helps = std::this_thread::get_id() != caller;
    if (helps != takes_last_first()) wrong = true;
    std::atomic<std::int64_t>& before = helps ? last : first;
    if (helps ? i >= before : i <= before) wrong = true;
    before = i;
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  });
  EXPECT_FALSE(wrong);
}

TEST(Parallel, NestedCallsRunOnTheirThread) {
  std::vector<std::atomic<int>> hits(40 * 30);
  parallel_for(40, [&](std::int64_t i) {
    const auto outer = std::this_thread::get_id();
    if (hardware_threads() > 1) {
      EXPECT_EQ(parallel_width(), 1);
    }
    parallel_for(30, [&](std::int64_t j) {
      EXPECT_EQ(std::this_thread::get_id(), outer);
      hits[static_cast<std::size_t>(i * 30 + j)].fetch_add(1);
    });
  });
  for (auto& h : hits) EXPECT_EQ(h.load(), 1);
}

TEST(Parallel, TheFirstExceptionArrivesAndThePoolGoesOn) {
  for (int width : {1, 2, 0}) {
    ParallelWidth w(width);
    for (int round = 0; round < 50; ++round) {
      try {
        parallel_for(100, [&](std::int64_t i) {
          if (i == round) throw Error(ErrorCode::RuntimeError, "task " + std::to_string(i));
        });
        FAIL() << "nothing was thrown";
      } catch (const Error& e) {
        EXPECT_EQ(e.message(), "task " + std::to_string(round));
      }
    }
    EXPECT_EQ(counts_of(100), std::vector<int>(100, 1));
  }
}

// Every thread that takes part looks whether to stop, also within its tasks.
TEST(Parallel, TasksAreUnderTheStopOfTheirCaller) {
  std::atomic<bool> flag{false};
  const Stop stop(&flag, {}, {});
  std::atomic<int> others{0}, stopped{0};
  {
    const StopScope scope(&stop);
    parallel_for(200, [&](std::int64_t) { others += current_stop() != &stop; });
    EXPECT_THROW(parallel_for(8,
                              [&](std::int64_t) {
                                flag = true;
                                try {
                                  parallel_for(2, [](std::int64_t) {});
                                } catch (const Error&) {
                                  ++stopped;
                                  throw;
                                }
                              }),
                 Error);
  }
  EXPECT_EQ(others.load(), 0);
  EXPECT_GT(stopped.load(), 0);
  parallel_for(200, [&](std::int64_t) { others += current_stop() != nullptr; });
  EXPECT_EQ(others.load(), 0);
}

#if defined(__x86_64__) || defined(__aarch64__)
TEST(Parallel, TasksComputeWithSubnormalsAsTheirCaller) {
  const ParallelWidth w(3);
  volatile float least = 1e-38f;
  std::set<std::thread::id> threads;
  const auto halves = [&] {
    std::atomic<int> zeros{0};
    std::mutex mutex;
    parallel_for(300, [&](std::int64_t) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      if (least * 0.5f == 0) zeros.fetch_add(1);
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
    return zeros.load();
  };
  for (int turn = 0; turn < 3 || (threads.size() < 2 && turn < 300); ++turn) {
    {
      const SubnormalMode flush(true);
      EXPECT_EQ(halves(), 300);
      EXPECT_TRUE(flushes_subnormals());
    }
    EXPECT_FALSE(flushes_subnormals());
    EXPECT_EQ(halves(), 0);
  }
  EXPECT_GT(threads.size(), 1u);
}
#endif

TEST(Parallel, ManyCallersAtOnce) {
  std::vector<std::thread> callers;
  std::atomic<std::int64_t> total{0};
  for (int c = 0; c < 8; ++c) {
    callers.emplace_back([&, c] {
      ParallelWidth w(c % 3);
      for (int round = 0; round < 300; ++round) {
        std::atomic<std::int64_t> sum{0};
        parallel_for(1 + (c * 7 + round) % 23, [&](std::int64_t i) { sum += i + 1; });
        const std::int64_t n = 1 + (c * 7 + round) % 23;
        if (sum.load() == n * (n + 1) / 2) ++total;
      }
    });
  }
  for (auto& t : callers) t.join();
  EXPECT_EQ(total.load(), 8 * 300);
}

TEST(Parallel, NoMoreThreadsStayAwakeThanRunsWant) {
  if (hardware_threads() == 1) GTEST_SKIP() << "tasks run on the caller, without the pool";
  using Clock = std::chrono::steady_clock;
  const auto work = [](std::int64_t tasks) {
    std::atomic<std::int64_t> sum{0};
    parallel_for(tasks, [&](std::int64_t i) { sum += i; });
    EXPECT_EQ(sum.load(), tasks * (tasks - 1) / 2);
  };
  {
    const ParallelWidth wide(12);
    const StayAwake awake;
    work(24);
  }
  // Pieces of work that come one after the other, of a run that wants one thread beside its own.
  const auto end = Clock::now() + std::chrono::seconds(20);
  const ParallelWidth two(2);
  const StayAwake awake;
  int seen = 12;
  while (seen > 1 && Clock::now() < end) {
    for (int i = 0; i < 100; ++i) work(4);
    seen = awake_threads();
  }
  EXPECT_LE(seen, 1);
}

TEST(Parallel, WritesOfTasksAreSeenAfterwards) {
  std::vector<int> plain(10000);
  for (int round = 1; round <= 100; ++round) {
    parallel_for(100, [&](std::int64_t i) {
      for (std::int64_t k = i * 100; k < (i + 1) * 100; ++k) plain[static_cast<std::size_t>(k)] += round;
    });
  }
  EXPECT_EQ(plain, std::vector<int>(10000, 5050));
}

TEST(Parallel, AForkedChildRunsAlone) {
  counts_of(100);  // the pool exists
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    std::int64_t sum = 0;
    parallel_for(100, [&](std::int64_t i) { sum += i; });
    _exit(parallel_width() == 1 && sum == 4950 ? 0 : 1);
  }
  const int status = test::status_of(child, std::chrono::seconds(20));
  EXPECT_TRUE(test::ended_with(status, 0)) << status;
  EXPECT_EQ(counts_of(100), std::vector<int>(100, 1));
}

// Other threads may hold the pool's mutex while one forks, and it stays locked in the child.
TEST(Parallel, AChildForkedWithinATaskFails) {
  if (hardware_threads() == 1) GTEST_SKIP() << "tasks run on the caller, without the pool";
  std::atomic<bool> done{false};
  std::vector<std::thread> others;
  for (int t = 0; t < 3; ++t)
    others.emplace_back([&] {
      while (!done) parallel_for(2, [](std::int64_t) {});
    });
  for (int round = 0; round < 100; ++round) {
    const auto caller = std::this_thread::get_id();
    pid_t child = -1;
    try {
      parallel_for(4, [&](std::int64_t) {
        if (std::this_thread::get_id() != caller || child >= 0) return;
        child = fork();
        if (child != 0) return;
        throw Error(ErrorCode::InvalidArgument, "of the child");
      });
    } catch (const Error& e) {
      _exit(child == 0 && e.code() == ErrorCode::RuntimeError ? 0 : 1);
    }
    if (child < 0) continue;  // helpers had done all tasks
    const int status = test::status_of(child, std::chrono::seconds(20));
    EXPECT_TRUE(test::ended_with(status, 0)) << status;
  }
  done = true;
  for (std::thread& t : others) t.join();
}

}  // namespace
}  // namespace norn::base
