#include "base/name_map.h"

#include <gtest/gtest.h>

#include <string>
#include <unordered_map>
#include <vector>

#include "base/stable_vector.h"

namespace norn::base {
namespace {

TEST(NameMap, NumbersByName) {
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i)
    names.push_back(std::string(static_cast<std::size_t>(i % 40), 'x') + std::to_string(i));
  NameMap map;
  std::unordered_map<std::string_view, std::uint32_t> truth;
  EXPECT_TRUE(map.empty());
  EXPECT_EQ(map.find("x"), nullptr);
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    map.set(names[i], i);
    truth[names[i]] = i;
    if (i % 3 == 0) {
      map.set(names[i / 2], i);  // a name that is there already
      truth[names[i / 2]] = i;
    }
  }
  for (const std::string& name : names) {
    ASSERT_NE(map.find(name), nullptr) << name;
    EXPECT_EQ(*map.find(name), truth.at(name)) << name;
    EXPECT_EQ(map.find(name + "?"), nullptr);
  }
  EXPECT_EQ(*map.add(names[17], 1), truth.at(names[17]));
  EXPECT_EQ(map.add("", 1), nullptr);
  EXPECT_EQ(*map.find(""), 1u);
  map.set("", 7);
  EXPECT_EQ(*map.find(""), 7u);
  map.reserve(100000);
  map.expect(names[17]);
  EXPECT_EQ(*map.find(names[17]), truth.at(names[17]));
}

struct Counted {
  static inline int alive = 0;
  int value;
  explicit Counted(int v) : value(v) { ++alive; }
  Counted(const Counted&) = delete;
  ~Counted() { --alive; }
};

TEST(StableVector, ElementsStayWhereTheyAre) {
  {
    StableVector<Counted, 4> list;
    std::vector<const Counted*> places;
    for (int i = 0; i < 23; ++i) {
      if (i == 5) list.reserve(15);
      if (i == 6) list.reserve(3);
      places.push_back(&list.emplace_back(i));
    }
    ASSERT_EQ(list.size(), 23u);
    for (int i = 0; i < 23; ++i) {
      EXPECT_EQ(&list[static_cast<std::size_t>(i)], places[static_cast<std::size_t>(i)]);
      EXPECT_EQ(list[static_cast<std::size_t>(i)].value, i);
    }
    EXPECT_EQ(Counted::alive, 23);
  }
  EXPECT_EQ(Counted::alive, 0);
}

}  // namespace
}  // namespace norn::base
