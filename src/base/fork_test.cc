// Forks while other threads are in sections that a child must find whole, or use pools of objects.
#include "base/fork.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "base/child_test.h"
#include "base/parallel.h"

namespace norn::base {
namespace {

// Whether a child that does this ends well, and soon.
template <class F>
testing::AssertionResult child_does(F&& f) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(f() ? 0 : 1);
  }
  const int status = test::status_of(child, std::chrono::seconds(20));
  if (test::ended_with(status, 0)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "status " << status;
}

// Threads that do something until it is destroyed.
class Busy {
 public:
  template <class F>
  Busy(int threads, F f) {
    for (int i = 0; i < threads; ++i) {
      threads_.emplace_back([this, f] {
        while (!stop_.load()) f();
      });
    }
  }
  ~Busy() {
    stop_.store(true);
    for (std::thread& t : threads_) t.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::thread> threads_;
};

void take_a_while() {
  for (volatile int i = 0; i < 20000;) i = i + 1;
}

template <class Lock, class Mutex>
void fork_while_locked(Mutex& mutex) {
  std::map<int, int> squares;  // half changed now and then
  Busy busy(3, [&] {
    std::lock_guard lock(mutex);
    squares.clear();
    for (int i = 0; i < 100; ++i) squares[i] = i * i;
    take_a_while();
  });
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(child_does([&] {
      Lock lock(mutex);
      return squares.empty() || (squares.size() == 100 && squares[99] == 99 * 99);
    })) << i;
  }
}

TEST(Fork, AMutexIsFreeInTheChildAndWhatItGuardsIsWhole) {
  ForkSafeMutex mutex;
  fork_while_locked<std::unique_lock<ForkSafeMutex>>(mutex);
  ForkSafeSharedMutex shared;
  fork_while_locked<std::shared_lock<ForkSafeSharedMutex>>(shared);
}

TEST(Fork, NestedSectionsAndContendedOnes) {
  ForkSafeMutex outer, inner;
  Busy busy(4, [&] {
    std::lock_guard a(outer);
    take_a_while();
    std::lock_guard b(inner);
    take_a_while();
  });
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(child_does([&] {
      std::lock_guard b(inner);
      return outer.try_lock() && (outer.unlock(), true);
    }));
  }
}

TEST(Fork, FromWithinASection) {
  ForkSafeMutex mutex;
  std::lock_guard lock(mutex);
  EXPECT_TRUE(child_does([&] {
    EXPECT_TRUE(ForkGuard::held());
    return child_does([] {
      ForkGuard guard;
      return true;
    });
  }));
}

TEST(Fork, SeveralThreadsFork) {
  ForkSafeMutex mutex;
  std::atomic<int> failed{0};
  {
    Busy busy(2, [&] {
      std::lock_guard lock(mutex);
      take_a_while();
    });
    std::vector<std::thread> forking;
    for (int t = 0; t < 3; ++t) {
      forking.emplace_back([&] {
        for (int i = 0; i < 10; ++i)
          if (!child_does([&] { return mutex.lock(), true; })) ++failed;
      });
    }
    for (std::thread& t : forking) t.join();
  }
  EXPECT_EQ(failed.load(), 0);
}

TEST(Fork, TasksOfASectionMayEnterOthers) {
  ForkSafeMutex outer, inner;
  Busy busy(2, [&] {
    std::lock_guard lock(outer);
    parallel_for(8, [&](std::int64_t) {
      std::lock_guard task(inner);
      take_a_while();
    });
  });
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(child_does([&] {
      std::lock_guard lock(outer);
      std::atomic<int> sum{0};
      parallel_for(8, [&](std::int64_t) { ++sum; });
      return sum.load() == 8;
    }));
  }
  EXPECT_FALSE(ForkGuard::held());
}

TEST(Fork, WhatIsMadeOnceIsMadeOnceInEachProcess) {
  static std::atomic<int> calls{0};
  const auto value = [] {
    return made_once([] {
      ++calls;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      return std::string("made");
    });
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([&] { EXPECT_EQ(value(), "made"); });
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(child_does([&] { return value() == "made"; }));
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(calls.load(), 1);
}

TEST(Fork, AnObjectOfAPoolHasOneUser) {
  struct Object {
    std::atomic<int> users{0};
  };
  ObjectPool<Object> pool;
  std::atomic<int> made{0}, shared{0};
  {
    Busy busy(12, [&] {
      auto object = pool.take([&] { return ++made, std::make_unique<Object>(); });
      if (object->users.fetch_add(1) != 0) ++shared;
      object->users.fetch_sub(1);
      pool.give(std::move(object));
    });
    for (int i = 0; i < 20; ++i)
      ASSERT_TRUE(child_does([&] { return pool.take([] { return std::make_unique<Object>(); }) != nullptr; }));
  }
  EXPECT_EQ(shared.load(), 0);
  EXPECT_LE(made.load(), 12);
}

TEST(Fork, APoolKeepsAsManyAsItIsTold) {
  static int alive = 0;
  struct Object {
    Object() { ++alive; }
    ~Object() { --alive; }
  };
  for (const std::size_t most : {0, 1, 5, 8, 9, 30, 100}) {
    {
      ObjectPool<Object> pool;
      std::vector<std::unique_ptr<Object>> objects;
      for (int i = 0; i < 50; ++i) objects.push_back(pool.take([] { return std::make_unique<Object>(); }));
      for (auto& object : objects) pool.give(std::move(object), most);
      EXPECT_EQ(alive, static_cast<int>(std::min<std::size_t>(most, 50)));
      std::set<Object*> taken;
      for (auto& object : objects) {
        object = pool.take();
        if (object) taken.insert(object.get());
      }
      EXPECT_EQ(taken.size(), std::min<std::size_t>(most, 50));
    }
    EXPECT_EQ(alive, 0);
  }
}

}  // namespace
}  // namespace norn::base
