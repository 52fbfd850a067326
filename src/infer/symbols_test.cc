#include "infer/symbols.h"

#include <gtest/gtest.h>

#include "norn/error.h"

namespace norn::infer {
namespace {

using opset::DimExpr;

DimExpr v(std::string_view name) { return DimExpr::variable(name); }

TEST(Symbols, PrefersConstantsThenNamesThenOlderOnes) {
  Symbols u;
  EXPECT_TRUE(u.empty());
  u.equal(v("N"), v("?0"));
  EXPECT_TRUE(u.resolve(v("?0")) == v("N"));
  u.equal(v("?9"), v("?10"));
  EXPECT_TRUE(u.resolve(v("?10")) == v("?9"));
  u.equal(v("N"), v("M"));
  EXPECT_TRUE(u.resolve(v("M")) == v("N"));
  u.equal(v("M"), 4);
  EXPECT_TRUE(u.resolve(v("N") + v("?0")) == 8);
  EXPECT_THROW(u.equal(v("M"), 5), Error);
}

TEST(Symbols, SolvesLinearEquations) {
  Symbols u;
  u.equal(2 * v("N") + 1, 9);
  EXPECT_TRUE(u.resolve(v("N")) == 4);
  u.equal(v("?0") - 1, v("K"));
  EXPECT_TRUE(u.resolve(v("?0")) == v("K") + 1);
  u.equal(2 * v("A"), 2 * v("B"));
  EXPECT_TRUE(u.resolve(v("A")) == u.resolve(v("B")));
  EXPECT_THROW(u.equal(2 * v("Q"), 5), Error);
  EXPECT_THROW(u.equal(v("Q") + 3, 1), Error);
  EXPECT_THROW(u.equal(3, 4), Error);
}

TEST(Symbols, KeepsWhatItCannotSolveAndComesBackToIt) {
  Symbols u;
  u.equal(v("N") * v("N"), v("M") * v("K"));
  ASSERT_EQ(u.open().size(), 1u);
  u.equal(v("N"), 6);
  u.equal(v("M"), 4);
  EXPECT_TRUE(u.open().empty());
  EXPECT_TRUE(u.resolve(v("K")) == 9);

  Symbols w;
  w.equal(DimExpr::floor_div(v("N"), 2), 3);
  EXPECT_EQ(w.open().size(), 1u);
  EXPECT_THROW(w.equal(v("N"), 9), Error);
}

// As a Reshape with -1 gives them, whose sizes come from a shape that is computed.
TEST(Symbols, KeepsWhatIsDividedByAVariable) {
  Symbols u;
  u.equal(16 * DimExpr::floor_div(4 * v("?0"), v("S")), 64);
  EXPECT_EQ(u.open().size(), 1u);
  u.equal(v("?0"), v("S"));
  EXPECT_TRUE(u.open().empty());
}

TEST(Symbols, NamedVariablesAreNotReplacedByFreshOnes) {
  Symbols u;
  u.equal(v("N"), 2 * v("?0"));
  EXPECT_TRUE(u.resolve(v("N")) == v("N"));
  EXPECT_EQ(u.open().size(), 1u);
}

TEST(Symbols, LongChainsResolve) {
  Symbols u;
  for (int i = 0; i < 2000; ++i)
    u.equal(v(("?" + std::to_string(i)).c_str()), v(("?" + std::to_string(i + 1)).c_str()));
  u.equal(v("?1000"), 7);
  EXPECT_TRUE(u.resolve(v("?2000")) == 7);
  EXPECT_TRUE(u.resolve(v("?0")) == 7);
}

TEST(Symbols, TakesBackToAMark) {
  Symbols u;
  u.equal(v("N"), v("M"));
  u.equal(v("A") * v("A"), v("B") * v("K"));  // stays open
  const auto outside = u.mark();
  u.equal(v("M"), 5);
  u.equal(v("A"), 6);
  const auto inside = u.mark();
  u.equal(v("B"), 4);
  u.equal(v("X") * v("X"), v("N") * v("Y"));
  EXPECT_TRUE(u.resolve(v("K")) == 9);
  u.take_back(inside);
  EXPECT_TRUE(u.resolve(v("K")) == v("K"));
  ASSERT_EQ(u.open().size(), 1u);
  EXPECT_TRUE(u.resolve(v("N")) == 5);
  u.equal(v("K"), 12);
  EXPECT_TRUE(u.resolve(v("B")) == 3);
  u.take_back(outside);
  EXPECT_TRUE(u.resolve(v("N")) == u.resolve(v("M")));
  EXPECT_FALSE(u.resolve(v("N")).is_constant());
  EXPECT_TRUE(u.resolve(v("B")) == v("B"));
  ASSERT_EQ(u.open().size(), 1u);
  u.equal(v("N"), 7);  // what was taken back does not stand against it
  u.equal(v("A"), 2);
  u.equal(v("B"), 2);
  EXPECT_TRUE(u.resolve(v("K")) == 2);
}

TEST(Symbols, TellsWhatWasRecordedSince) {
  Symbols u;
  u.equal(v("N"), 3);
  const auto mark = u.mark();
  EXPECT_TRUE(u.since(mark).empty());
  u.equal(v("N"), 3);
  EXPECT_TRUE(u.since(mark).empty());
  u.equal(v("M") + 1, v("N"));
  u.equal(v("A") * v("A"), v("B"));
  const auto said = u.since(mark);
  u.take_back(mark);
  EXPECT_TRUE(u.since(mark).empty());
  for (const auto& e : said) u.equal(e.left, e.right);
  EXPECT_TRUE(u.resolve(v("M")) == 2);
  EXPECT_TRUE(u.resolve(v("B")) == v("A") * v("A"));
}

TEST(Symbols, WhatCannotBeLeavesNothing) {
  Symbols u;
  u.equal(v("N") * v("N"), v("M") * v("K"));
  u.equal(v("M"), v("K"));
  u.equal(DimExpr::floor_div(v("Q"), 2), 3);
  const auto before = u.open().size();
  EXPECT_THROW(u.equal(v("Q"), 9), Error);
  EXPECT_EQ(u.open().size(), before);
  EXPECT_TRUE(u.resolve(v("Q")) == v("Q"));
  u.equal(v("Q"), 7);
}

TEST(Symbols, ResolvesTypes) {
  Symbols u;
  u.equal(v("N"), 2);
  const auto type = opset::ValueType::sequence(opset::ValueType::tensor(DataType::Float, {v("N"), v("M")}));
  EXPECT_EQ(u.resolve(type).to_string(), "seq(float[2,M])");
}

TEST(Symbols, CompressedChainsMeanTheSame) {
  Symbols u;
  for (int i = 200; i > 0; --i) u.equal(v("N" + std::to_string(i - 1)), v("N" + std::to_string(i)));
  u.equal(v("M"), v("N7") * 2 + 1);
  const DimExpr root = u.resolve(v("N0")), more = u.resolve(v("M"));
  u.compress();
  for (int i = 0; i <= 200; ++i) EXPECT_TRUE(u.resolve(v("N" + std::to_string(i))) == root);
  EXPECT_TRUE(u.resolve(v("M")) == more);
  u.equal(v("N3"), 5);
  EXPECT_TRUE(u.resolve(v("N200")) == 5);
  EXPECT_TRUE(u.resolve(v("M")) == 11);
}

}  // namespace
}  // namespace norn::infer
