#include "format/foreign.h"

#include <gtest/gtest.h>

#include "format/data_file.h"
#include "format/wire.h"

namespace norn::format {
namespace {

using namespace std::string_literals;

std::string part(DataKind kind, std::string bytes) {
  return with_data(ir::bytes_of(bytes), kind, {}, [](const auto& message) { return foreign_part(message); });
}
template <class M>
std::string bytes_of(const M& message) {
  const auto bytes = write_message(message);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Foreign, FieldsOfAnotherType) {
  ir::Tensor t;
  t.dims = {3};
  t.data_type = 1;
  t.name = "t";
  t.raw_data = ir::bytes_of(std::string(12, 'x'));
  EXPECT_EQ(part(DataKind::Tensor, bytes_of(t)), "");
  EXPECT_EQ(part(DataKind::Sequence, bytes_of(t)), "field 1, SequenceProto's name, is of another type");
  EXPECT_EQ(part(DataKind::Optional, bytes_of(t)), "field 1, OptionalProto's name, is of another type");
  EXPECT_NE(part(DataKind::Map, bytes_of(t)), "");
  EXPECT_NE(part(DataKind::SparseTensor, bytes_of(t)), "");
  SequenceData s;
  s.elem_type = 1;
  s.tensor_values = {t};
  EXPECT_EQ(part(DataKind::Sequence, bytes_of(s)), "");
  ir::Tensor unnamed = t;
  unnamed.name = {};
  const auto model = read_message<ir::Model>(ir::bytes_of(bytes_of(unnamed)));
  EXPECT_EQ(foreign_part(model), "field 2, ModelProto's producer_name, is of another type");
  // Of a message in it: the tensor's data type as a string.
  s.tensor_values[0].unknown = ir::bytes_of("\x12\x01x");
  EXPECT_EQ(part(DataKind::Sequence, bytes_of(s)), "field 2, TensorProto's data_type, is of another type");
}

TEST(Foreign, FieldsThatNobodyKnowsAreNone) {
  // A varint, 64 bits, bytes, 32 bits, and a group that holds field 1 as a number.
  const std::string unknown =
      "\xd8\x05\xff\x7f\xd9\x05"
      "01234567\xda\x05\x02hi\xdd\x05"
      "0123\xdb\x05\x08\x01\xdc\x05"s;
  EXPECT_EQ(part(DataKind::Sequence, "\x10\x01"s + unknown), "");
  EXPECT_EQ(part(DataKind::Sequence, unknown), "none of their fields is one of SequenceProto's");
  EXPECT_NE(part(DataKind::Sequence, "\x10\x01"s + unknown + "\x08\x01"s), "");
  EXPECT_EQ(part(DataKind::Sequence, ""), "");
}

}  // namespace
}  // namespace norn::format
