#include "format/data_file.h"

#include <gtest/gtest.h>

#include "norn/error.h"

namespace norn::format {
namespace {

Tensor floats(std::vector<float> values) {
  Tensor t(DataType::Float, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.as_mutable<float>());
  return t;
}

Value again(const Value& v, DataKind kind) { return read_data(ir::Bytes(write_data(v, "name")), kind); }

TEST(DataFile, TensorsAndSequences) {
  EXPECT_EQ(again(floats({1, 2}), DataKind::Tensor).tensor().as<float>()[1], 2);
  Sequence inner{{floats({1}), floats({2, 3})}};
  const Value nested = again(Sequence{{inner, Sequence{}}}, DataKind::Sequence);
  ASSERT_EQ(nested.sequence().items.size(), 2u);
  EXPECT_EQ(nested.sequence().items[0].sequence().items[1].tensor().as<float>()[1], 3);
  EXPECT_TRUE(nested.sequence().items[1].sequence().items.empty());
  const Value optional = again(Sequence{{Value(), floats({4})}}, DataKind::Sequence);
  EXPECT_TRUE(optional.sequence().items[0].is_empty());
  EXPECT_EQ(optional.sequence().items[1].tensor().as<float>()[0], 4);
  EXPECT_THROW(write_data(Sequence{{floats({1}), inner}}), Error);
}

TEST(DataFile, MapsOfBothKeyTypes) {
  Map m;
  m.keys = Tensor(DataType::String, {2});
  m.keys.as_mutable<std::string>()[0] = "a";
  m.keys.as_mutable<std::string>()[1] = "b";
  m.values = {floats({1}), floats({2})};
  const Value s = again(m, DataKind::Map);
  EXPECT_EQ(s.map().keys.as<std::string>()[1], "b");
  EXPECT_EQ(s.map().values[1].tensor().as<float>()[0], 2);
  m.keys = Tensor(DataType::Int64, {2});
  m.keys.as_mutable<std::int64_t>()[0] = -5;
  m.keys.as_mutable<std::int64_t>()[1] = 7;
  EXPECT_EQ(again(m, DataKind::Map).map().keys.as<std::int64_t>()[0], -5);
  const Value list = again(Sequence{{m}}, DataKind::Sequence);
  EXPECT_EQ(list.sequence().items[0].map().values.size(), 2u);
}

TEST(DataFile, Optionals) {
  EXPECT_TRUE(again(Value(), DataKind::Optional).is_empty());
  EXPECT_TRUE(read_data({}, DataKind::Optional).is_empty());
  OptionalData o;
  o.elem_type = static_cast<std::int32_t>(DataElement::Tensor);
  EXPECT_TRUE(to_value(o).is_empty());
  o.tensor_value = ir::from_value(floats({9}));
  EXPECT_EQ(to_value(o).tensor().as<float>()[0], 9);
  OptionalData outer;
  outer.elem_type = static_cast<std::int32_t>(DataElement::Optional);
  outer.optional_value = o;
  EXPECT_EQ(to_value(outer).tensor().as<float>()[0], 9);
  o.elem_type = static_cast<std::int32_t>(DataElement::Map);
  EXPECT_THROW(to_value(o), Error);
  o.sequence_value.mut();
  EXPECT_THROW(to_value(o), Error);
}

TEST(DataFile, SparseTensors) {
  norn::SparseTensor s;
  s.values = floats({5, 6});
  s.indices = Tensor(DataType::Int64, {2});
  s.indices.as_mutable<std::int64_t>()[0] = 1;
  s.indices.as_mutable<std::int64_t>()[1] = 3;
  s.dims = {2, 2};
  const Value v = again(s, DataKind::SparseTensor);
  EXPECT_EQ(v.sparse().dims, (Shape{2, 2}));
  EXPECT_EQ(v.sparse().indices.as<std::int64_t>()[1], 3);
}

TEST(DataFile, InconsistentMessagesAreRefused) {
  SequenceData s;
  s.elem_type = 99;
  EXPECT_THROW(to_value(s), Error);
  s.elem_type = static_cast<std::int32_t>(DataElement::Map);
  s.tensor_values.push_back(ir::from_value(floats({1})));
  EXPECT_THROW(to_value(s), Error);
  s.elem_type.clear();
  EXPECT_EQ(to_value(s).sequence().items.size(), 1u) << "the kind follows from what is filled";
  MapData m;
  m.key_type = static_cast<std::int32_t>(DataType::Float);
  EXPECT_THROW(to_value(m), Error);
  m.key_type = static_cast<std::int32_t>(DataType::Int32);
  m.keys = {1};
  EXPECT_THROW(to_value(m), Error) << "fewer values than keys";
  m.values = s;
  EXPECT_EQ(to_value(m).map().keys.as<std::int64_t>()[0], 1);
  m.keys = {1, 1};
  m.values->tensor_values.push_back(ir::from_value(floats({1})));
  EXPECT_THROW(to_value(m), Error) << "a key twice";
  m.string_keys = {ir::bytes_of("x")};
  EXPECT_THROW(to_value(m), Error);
}

}  // namespace
}  // namespace norn::format
