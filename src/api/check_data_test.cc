#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "format/data_file.h"
#include "format/data_messages.h"
#include "format/npy.h"
#include "format/wire.h"
#include "ir/tensor_data.h"
#include "norn/check.h"
#include "norn/data.h"

namespace norn {
namespace {

Tensor floats(Shape dims) {
  Tensor t(DataType::Float, std::move(dims));
  std::fill_n(t.as_mutable<float>(), t.size(), 0.5f);
  return t;
}

TEST(CheckData, WhatIsWrittenIsSound) {
  Sequence list;
  list.items = {Value(floats({2, 3})), Value(floats({2, 3}))};
  const struct {
    Value value;
    DataKind kind;
  } cases[] = {{Value(floats({2, 3})), DataKind::Tensor},
               {Value(list), DataKind::Sequence},
               {Value(Sequence()), DataKind::Sequence},
               {Value(), DataKind::Optional}};
  for (const auto& c : cases) {
    const Report report = check_data(format::write_data(c.value), c.kind);
    EXPECT_TRUE(report.diagnostics.empty()) << report.to_string();
  }
}

TEST(CheckData, FromMemoryAsFromAFile) {
  EXPECT_TRUE(check_data(format::write_data(Value(floats({2})))).ok());
  const auto npy = format::write_npy(floats({2}));
  const std::span<const std::byte> bytes(npy);
  EXPECT_TRUE(check_data(bytes).diagnostics.empty());
  EXPECT_TRUE(check_data(bytes, DataKind::Tensor).diagnostics.empty());
  EXPECT_THROW(check_data(bytes.first(bytes.size() - 1)), Error);
}

TEST(CheckData, FaultsAreFindings) {
  // A tensor of two floats with four bytes of data.
  const std::byte bytes[] = {
      std::byte{0x08}, std::byte{2}, std::byte{0x10}, std::byte{1}, std::byte{0x4a}, std::byte{4}, {}, {}, {}, {}};
  const Report report = check_data(bytes, DataKind::Tensor);
  ASSERT_EQ(report.diagnostics.size(), 1u);
  EXPECT_EQ(report.diagnostics[0].rule, "tensor.raw.size");
  EXPECT_EQ(report.diagnostics[0].where, "tensor float[2]");
  EXPECT_FALSE(report.ok());
}

TEST(CheckData, UnreadableBytesAreAnError) {
  const std::byte garbage[] = {std::byte{0xff}, std::byte{0xff}, std::byte{0xff}};
  try {
    check_data(garbage, DataKind::Map);
    FAIL() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::InvalidProtobuf);
  }
}

// Bytes said to be of a kind that they are not: their fields would all be passed over.
TEST(CheckData, AnotherKindIsNoFinding) {
  const auto bytes_of = [](const Value& value, const char* name) { return format::write_data(value, name); };
  const auto integers = [](Shape dims) {
    Tensor t(DataType::Int64, std::move(dims));
    std::iota(t.as_mutable<std::int64_t>(), t.as_mutable<std::int64_t>() + t.size(), std::int64_t{1});
    return t;
  };
  const Tensor scalar = floats({}), matrix = integers({2, 3}), empty = floats({0});
  const std::pair<DataKind, std::vector<std::byte>> files[] = {
      {DataKind::Tensor, bytes_of(scalar, "t")},
      {DataKind::Tensor, bytes_of(scalar, "")},
      {DataKind::Tensor, bytes_of(matrix, "t")},
      {DataKind::Tensor, bytes_of(empty, "t")},
      {DataKind::Sequence, bytes_of(Sequence{{matrix, matrix}}, "s")},
      {DataKind::Map, bytes_of(Map{integers({1}), {scalar}}, "m")}};
  constexpr DataKind kAll[] = {DataKind::Tensor, DataKind::SparseTensor, DataKind::Sequence, DataKind::Map,
                               DataKind::Optional};
  for (const auto& [kind, bytes] : files) {
    EXPECT_TRUE(check_data(bytes, kind).ok());
    EXPECT_NO_THROW(parse_value(bytes, kind));
    for (const DataKind other : kAll) {
      if (other == kind) continue;
      SCOPED_TRACE(std::string(data_kind_name(kind)) + " as " + std::string(data_kind_name(other)));
      EXPECT_THROW(parse_value(bytes, other), Error);
      bool fine = true;
      try {
        fine = check_data(bytes, other).ok();
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::InvalidProtobuf);
        fine = false;
      }
      EXPECT_FALSE(fine);
    }
  }
  try {
    check_data(files[0].second, DataKind::Sequence);
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_NE(e.message().find("not a SequenceProto"), std::string::npos) << e.what();
    EXPECT_NE(e.hint().find("they are a TensorProto"), std::string::npos) << e.what();
  }
  // An unknown field is not a reason.
  auto later = files[4].second;
  for (const int b : {0xd8, 0x05, 0x01}) later.push_back(static_cast<std::byte>(b));
  EXPECT_TRUE(check_data(later, DataKind::Sequence).ok());
  EXPECT_EQ(parse_value(later, DataKind::Sequence).sequence().items.size(), 2u);
  EXPECT_TRUE(parse_value({}, DataKind::Sequence).is_sequence());
}

TEST(DataKinds, BytesTell) {
  Map map{Tensor(DataType::Int64, {2}), {floats({}), floats({})}};
  map.keys.as_mutable<std::int64_t>()[0] = 3, map.keys.as_mutable<std::int64_t>()[1] = 5;
  Tensor index(DataType::Int64, {1});
  *index.as_mutable<std::int64_t>() = 2;
  const struct {
    Value value;
    DataKind kind;
  } cases[] = {{floats({}), DataKind::Tensor},
               {floats({2, 3}), DataKind::Tensor},
               {floats({0}), DataKind::Tensor},
               {SparseTensor{floats({1}), index, {4}}, DataKind::SparseTensor},
               {Sequence{{floats({}), floats({})}}, DataKind::Sequence},
               {Sequence{{floats({1}), floats({1}), floats({1})}}, DataKind::Sequence},
               {Sequence{{Sequence{{floats({2})}}, Sequence{}}}, DataKind::Sequence},
               {map, DataKind::Map},
               {Value(), DataKind::Optional}};
  for (const auto& c : cases) {
    const auto bytes = format::write_data(c.value, "name");
    EXPECT_EQ(data_kind_name(data_kind(bytes)), data_kind_name(c.kind)) << c.value.describe();
  }
}

// An optional has the fields of a sequence, each of them once.
TEST(DataKinds, SeveralValuesAreASequence) {
  for (const DataType second : {DataType::Float, DataType::Int32}) {  // one type, or a fault
    format::SequenceData s;
    s.elem_type = 1;
    for (const DataType type : {DataType::Float, second}) {
      Tensor one(type, {1});
      std::fill_n(static_cast<std::byte*>(one.mutable_data()), one.bytes(), std::byte{1});
      s.tensor_values.push_back(ir::from_value(one));
    }
    const auto bytes = format::write_message(s);
    EXPECT_EQ(data_kind(bytes), DataKind::Sequence);
    EXPECT_EQ(check_data(bytes).ok(), second == DataType::Float);
  }
}

TEST(DataKinds, WhereTheyDoNot) {
  const auto code_of = [](std::span<const std::byte> bytes) {
    try {
      data_kind(bytes);
    } catch (const Error& e) {
      return e.code();
    }
    return ErrorCode::Internal;
  };
  EXPECT_EQ(code_of(format::write_data(Sequence{{floats({2})}})), ErrorCode::InvalidArgument);
  const std::byte garbage[] = {std::byte{0xff}, std::byte{0xff}, std::byte{0xff}};
  EXPECT_EQ(code_of(garbage), ErrorCode::InvalidProtobuf);
  EXPECT_EQ(code_of(std::as_bytes(std::span("<html>", 6))), ErrorCode::InvalidProtobuf);
  EXPECT_EQ(data_kind_from_name("sparse_tensor"), DataKind::SparseTensor);
  EXPECT_THROW(data_kind_from_name("list"), Error);
}

TEST(DataKinds, FaultsDoNotHideTheKind) {
  // A tensor of two floats with four bytes of data.
  const std::byte bytes[] = {
      std::byte{0x08}, std::byte{2}, std::byte{0x10}, std::byte{1}, std::byte{0x4a}, std::byte{4}, {}, {}, {}, {}};
  EXPECT_EQ(data_kind(bytes), DataKind::Tensor);
}

}  // namespace
}  // namespace norn
