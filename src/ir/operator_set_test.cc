#include "ir/operator_set.h"

#include <gtest/gtest.h>

namespace norn::ir {
namespace {

OperatorSet make_set(std::int64_t version, std::vector<std::pair<std::string, std::int64_t>> operators,
                     std::vector<std::string> functions = {}) {
  OperatorSet set;
  set.domain = "com.acme";
  set.opset_version = version;
  for (auto& [name, since] : operators) {
    Operator& op = set.operators.emplace_back();
    op.op_type = name;
    op.since_version = since;
  }
  for (auto& name : functions) set.functions.emplace_back().name = name;
  return set;
}

DeclaredOperator find(std::vector<const OperatorSet*> sets, const char* name, std::int64_t version,
                      const char* overload = "", const char* domain = "com.acme") {
  return find_declared(sets, domain, name, overload, version);
}

TEST(OperatorSet, NewestEntryThatHoldsIsInForce) {
  const OperatorSet set = make_set(4, {{"A", 1}, {"A", 3}, {"B", 4}});
  EXPECT_EQ(find({&set}, "A", 2).declared_in, &set);
  EXPECT_EQ(find({&set}, "B", 3).declared_in, nullptr);  // younger than the version
  EXPECT_TRUE(find({&set}, "B", 3).known_domain);
  EXPECT_EQ(find({&set}, "B", 4).declared_in, &set);
  EXPECT_FALSE(find({&set}, "A", 5).known_domain);  // the set says nothing of later versions
  EXPECT_FALSE(find({&set}, "A", 1, "", "org.other").known_domain);
  EXPECT_EQ(find({&set}, "a", 2).declared_in, nullptr);  // names are case-sensitive
  EXPECT_FALSE(find({}, "A", 1).known_domain);
}

TEST(OperatorSet, FunctionsHaveTheVersionOfTheirSet) {
  const OperatorSet one = make_set(1, {{"A", 1}}), two = make_set(2, {}, {"A"});
  EXPECT_EQ(find({&one, &two}, "A", 1).body, nullptr);
  EXPECT_EQ(find({&one, &two}, "A", 1).declared_in, &one);
  EXPECT_EQ(find({&one, &two}, "A", 2).body, &two.functions[0]);
}

TEST(OperatorSet, FunctionsOfEarlySetsHaveTheirOwn) {
  OperatorSet set = make_set(5, {}, {"A"});
  const auto unknown = [&](std::vector<unsigned char> bytes) {
    std::vector<std::byte> copy;
    for (unsigned char b : bytes) copy.push_back(std::byte{b});
    set.functions[0].unknown = Bytes(std::move(copy));
    return since_version(set.functions[0], set);
  };
  EXPECT_EQ(since_version(set.functions[0], set), 5);
  EXPECT_EQ(unknown({0x10, 0x02}), 2);                                      // field 2, 2
  EXPECT_EQ(unknown({0x7a, 0x02, 0x10, 0x03, 0x10, 0x04}), 4);              // after a string that looks like it
  EXPECT_EQ(unknown({0x10, 0x02, 0x10, 0x83, 0x01}), 131);                  // the last one wins
  EXPECT_EQ(unknown({0x79, 1, 2, 3, 4, 5, 6, 7, 8, 0x7d, 1, 2, 3, 4}), 5);  // fixed 64 and 32 bits, then nothing
  for (const std::vector<unsigned char>& cut :
       {std::vector<unsigned char>{0x10}, {0x10, 0x80}, {0x7a, 0x7f}, {0x7d, 1}, {0x80}, {0x7b}}) {
    EXPECT_EQ(unknown(cut), 5);
  }
  set.functions[0].unknown = Bytes(std::vector<std::byte>{std::byte{0x10}, std::byte{2}});
  EXPECT_EQ(find({&set}, "A", 2).body, &set.functions[0]);
  EXPECT_EQ(find({&set}, "A", 1).body, nullptr);
}

TEST(OperatorSet, Overloads) {
  OperatorSet set = make_set(1, {{"A", 1}}, {"A", "A"});
  set.functions[1].overload = "fast";
  EXPECT_EQ(find({&set}, "A", 1).body, &set.functions[0]);
  EXPECT_EQ(find({&set}, "A", 1, "fast").body, &set.functions[1]);
  EXPECT_EQ(find({&set}, "A", 1, "slow").declared_in, nullptr);
}

}  // namespace
}  // namespace norn::ir
