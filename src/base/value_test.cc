#include "norn/value.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "norn/types.h"

namespace norn {
namespace {

TEST(Types, NamesAndSizesAgree) {
  for (int i = 1; i < kDataTypeCount; ++i) {
    const auto type = static_cast<DataType>(i);
    EXPECT_EQ(data_type_from_name(data_type_name(type)), type);
    EXPECT_GT(element_size(type), 0u);
    if (type == DataType::String) continue;
    EXPECT_EQ(element_size(type), storage_bits(type) < 8 ? 1u : static_cast<unsigned>(storage_bits(type)) / 8);
  }
  EXPECT_EQ(data_type_from_name("undefined"), DataType::Undefined);
  EXPECT_EQ(data_type_from_name("Float"), DataType::Undefined);
  EXPECT_EQ(data_type_name(static_cast<DataType>(200)), "undefined");
}

TEST(Types, ElementCount) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({2, 3}), 6);
  EXPECT_EQ(element_count({std::int64_t{1} << 40, std::int64_t{1} << 40, 0}), 0);
  EXPECT_EQ(element_count({std::numeric_limits<std::int64_t>::max()}), std::numeric_limits<std::int64_t>::max());
  EXPECT_THROW(element_count({std::int64_t{1} << 32, std::int64_t{1} << 32}), Error);
  EXPECT_THROW(element_count({0, -1}), Error);
}

TEST(Tensor, MemoryIsAlignedAndOwned) {
  for (int i = 1; i < kDataTypeCount; ++i) {
    for (const Shape& dims : {Shape{}, Shape{0, 5}, Shape{3, 7}}) {
      Tensor t(static_cast<DataType>(i), dims);
      ASSERT_NE(t.data(), nullptr);
      if (t.dtype() != DataType::String) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(t.data()) % 64, 0u);
      }
      EXPECT_TRUE(t.owns());
      EXPECT_EQ(t.clone().dims(), dims);
    }
  }
}

TEST(Tensor, RefusesWhatCannotBe) {
  EXPECT_THROW(Tensor(DataType::Float, {-1}), Error);
  EXPECT_THROW(Tensor(DataType::Undefined, {1}), Error);
  EXPECT_THROW(Tensor(DataType::Double, {std::int64_t{1} << 61}), Error);
  EXPECT_THROW(Tensor(DataType::Float, {2, 3}).reshaped({7}), Error);
}

TEST(Tensor, CopiesShareAndClonesDoNot) {
  Tensor t(DataType::String, {2});
  t.as_mutable<std::string>()[1] = std::string(100, 'x');
  Tensor shared = t.reshaped({1, 2}), deep = t.clone();
  t.as_mutable<std::string>()[1] = "y";
  EXPECT_EQ(shared.as<std::string>()[1], "y");
  EXPECT_EQ(deep.as<std::string>()[1], std::string(100, 'x'));
}

TEST(Value, KindsAndDescriptions) {
  EXPECT_EQ(Value().describe(), "none");
  EXPECT_EQ(Value(Tensor(DataType::BFloat16, {2, 0})).describe(), "bfloat16[2,0]");
  EXPECT_EQ(Value(Sequence{{Value(), Value()}}).describe(), "seq of 2");
  EXPECT_EQ(Value(Map{}).describe(), "map of 0");
  EXPECT_THROW(Value().tensor(), Error);
  EXPECT_THROW(Value(Map{}).sequence(), Error);
}

TEST(Error, TextHasPlaceAndHint) {
  Error e(ErrorCode::InvalidGraph, "no", "input 1");
  e.within("node 2").within("graph \"g\"").help("do").help("ignored");
  EXPECT_STREQ(e.what(), "no\n  at: graph \"g\" / node 2 / input 1\n  help: do");
  EXPECT_EQ(error_code_name(e.code()), "InvalidGraph");
}

}  // namespace
}  // namespace norn
