#include <gtest/gtest.h>

#include <algorithm>

#include "format/data_file.h"
#include "norn/check.h"
#include "norn/data.h"

namespace norn {
namespace {

TEST(CheckData, WhatIsWrittenIsSound) {
  Tensor floats(DataType::Float, {2, 3});
  std::fill_n(floats.as_mutable<float>(), 6, 0.5f);
  Sequence list;
  list.items = {Value(floats), Value(floats)};
  const struct {
    Value value;
    DataKind kind;
  } cases[] = {{Value(floats), DataKind::Tensor},
               {Value(list), DataKind::Sequence},
               {Value(Sequence()), DataKind::Sequence},
               {Value(), DataKind::Optional}};
  for (const auto& c : cases) {
    const Report report = check_data(format::write_data(c.value), c.kind);
    EXPECT_TRUE(report.diagnostics.empty()) << report.to_string();
  }
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

}  // namespace
}  // namespace norn
