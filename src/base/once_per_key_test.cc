#include "base/once_per_key.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <stdexcept>

#include "base/child_test.h"
#include "norn/error.h"

namespace norn::base {
namespace {

using Numbers = OncePerKey<int>;

auto number(int n) {
  return [n] { return std::make_shared<const int>(n); };
}

TEST(OncePerKey, IsMadeOnceAndTheLastFewAreKept) {
  Numbers numbers(2);
  int made = 0;
  const auto get = [&](int n) {
    return *numbers.get(std::to_string(n), [&] {
      ++made;
      return std::make_shared<const int>(n);
    });
  };
  for (const int n : {1, 2, 1, 2}) EXPECT_EQ(get(n), n);
  EXPECT_EQ(made, 2);
  EXPECT_EQ(get(3), 3);  // 1 goes, which was asked for longest ago
  EXPECT_EQ(get(2), 2);
  EXPECT_EQ(made, 3);
  EXPECT_EQ(get(1), 1);
  EXPECT_EQ(made, 4);
}

TEST(OncePerKey, FindsWhatIsThere) {
  Numbers numbers(2);
  EXPECT_TRUE(numbers.is_unused());
  EXPECT_EQ(numbers.find("1"), nullptr);
  EXPECT_TRUE(numbers.is_unused());
  for (const int n : {1, 2}) numbers.get(std::to_string(n), number(n));
  EXPECT_FALSE(numbers.is_unused());
  EXPECT_EQ(*numbers.find("1"), 1);
  numbers.get("3", number(3));  // 2 goes
  EXPECT_EQ(numbers.find("2"), nullptr);
  EXPECT_EQ(*numbers.find("1"), 1);
}

TEST(OncePerKey, ThoseThatTakeMuchAreFew) {
  Numbers numbers(5, 2, 100, [](int bytes) { return static_cast<std::size_t>(bytes); });
  const auto kept = [&] {
    std::string text;
    for (const int n : {10, 20, 30, 40, 50, 60, 200}) text += numbers.find(std::to_string(n)) ? '1' : '0';
    return text;
  };
  for (const int n : {10, 20, 30}) numbers.get(std::to_string(n), number(n));
  EXPECT_EQ(kept(), "1110000");
  numbers.get("60", number(60));  // 10 and 20 were asked for longest ago
  EXPECT_EQ(kept(), "0010010");
  numbers.get("200", number(200));
  EXPECT_EQ(kept(), "0000011");
}

// A task that lasts until it is ended.
struct Slow {
  std::atomic<bool> begun{false}, go_on{false};
  std::shared_ptr<const int> operator()() {
    begun = true;
    while (!go_on) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return std::make_shared<const int>(1);
  }
  void wait_until_begun() const {
    while (!begun) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
};

TEST(OncePerKey, OnlyThoseWaitWhoAskForTheSame) {
  Numbers numbers(2);
  Slow slow;
  std::thread maker([&] { EXPECT_EQ(*numbers.get("slow", [&] { return slow(); }), 1); });
  slow.wait_until_begun();
  EXPECT_EQ(*numbers.get("other", number(2)), 2);
  std::thread waiter([&] { EXPECT_EQ(*numbers.get("slow", number(3)), 1); });
  // Whoever is to end does.
  std::atomic<bool> stopped{true};
  const Stop stop(&stopped, {}, {});
  {
    const StopScope under(&stop);
    EXPECT_THROW(numbers.get("slow", number(4)), Error);
  }
  slow.go_on = true;
  maker.join();
  waiter.join();
}

TEST(OncePerKey, WhoWaitsForWhatFailsMakesIt) {
  Numbers numbers(2);
  Slow slow;
  std::thread maker([&] {
    const auto fail = [&]() -> std::shared_ptr<const int> {
      slow();
      throw std::runtime_error("not made");
    };
    EXPECT_THROW(numbers.get("one", fail), std::runtime_error);
  });
  slow.wait_until_begun();
  std::thread waiter([&] { EXPECT_EQ(*numbers.get("one", number(2)), 2); });
  slow.go_on = true;
  maker.join();
  waiter.join();
  EXPECT_EQ(*numbers.get("one", number(3)), 2);
}

TEST(OncePerKey, AChildDoesNotWaitForThreadsOfItsParent) {
  Numbers numbers(2);
  Slow slow;
  std::thread maker([&] { numbers.get("one", [&] { return slow(); }); });
  slow.wait_until_begun();
  const pid_t child = fork();
  if (child == 0) {
    _exit(*numbers.get("one", number(7)));
  }
  const int status = test::status_of(child, std::chrono::seconds(20));
  EXPECT_TRUE(test::ended_with(status, 7)) << status;
  slow.go_on = true;
  maker.join();
}

}  // namespace
}  // namespace norn::base
