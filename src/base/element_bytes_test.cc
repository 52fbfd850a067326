#include "base/element_bytes.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace norn::base {
namespace {

Tensor of_bytes(DataType type, const std::vector<int>& bytes) {
  Tensor t(type, {static_cast<std::int64_t>(bytes.size())});
  for (std::size_t i = 0; i < bytes.size(); ++i) t.as_mutable<std::byte>()[i] = static_cast<std::byte>(bytes[i]);
  return t;
}

TEST(ElementBytes, EveryByteOfABoolButZeroIsTrue) {
  EXPECT_FALSE(with_sound_elements(of_bytes(DataType::Bool, {0, 1, 1, 0})));
  std::vector<int> all(256);
  for (int i = 0; i < 256; ++i) all[static_cast<std::size_t>(i)] = i;
  const Tensor given = of_bytes(DataType::Bool, all);
  const auto sound = with_sound_elements(given);
  ASSERT_TRUE(sound);
  EXPECT_EQ(sound->dims(), given.dims());
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(sound->as<std::uint8_t>()[i], i ? 1 : 0);
    EXPECT_EQ(given.as<std::uint8_t>()[i], i) << "what was given is not written to";
  }
}

TEST(ElementBytes, OneOddBoolAmongManyIsFound) {
  for (const std::size_t size : {1u, 15u, 127u, 128u, 129u, 300u})
    for (std::size_t at = 0; at < size; ++at) {
      std::vector<int> bytes(size, 1);
      bytes[at] = at % 2 == 0 ? 2 : 0x80;
      const auto sound = with_sound_elements(of_bytes(DataType::Bool, bytes));
      ASSERT_TRUE(sound) << size << " " << at;
      for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(sound->as<std::uint8_t>()[i], 1);
      bytes[at] = 0;
      ASSERT_FALSE(with_sound_elements(of_bytes(DataType::Bool, bytes)));
    }
}

TEST(ElementBytes, SubByteElementsAreInRange) {
  struct Row {
    DataType type;
    int least, most;  // of the byte, as a signed one
  };
  for (const auto& [type, least, most] :
       {Row{DataType::Uint4, 0, 15}, Row{DataType::Int4, -8, 7}, Row{DataType::Uint2, 0, 3}, Row{DataType::Int2, -2, 1},
        Row{DataType::Float4E2M1, 0, 15}, Row{DataType::Float6E2M3, 0, 63}, Row{DataType::Float6E3M2, 0, 63}}) {
    for (int byte = -128; byte < 128; ++byte) {
      const Tensor t = of_bytes(type, {0, 1, byte});
      if (least <= byte && byte <= most) {
        EXPECT_FALSE(with_sound_elements(t)) << data_type_name(type) << byte;
        continue;
      }
      try {
        with_sound_elements(t);
        ADD_FAILURE() << data_type_name(type) << byte;
      } catch (const Error& e) {
        EXPECT_EQ(e.code(), ErrorCode::InvalidArgument);
        EXPECT_NE(e.message().find("element 2"), std::string::npos) << e.message();
        EXPECT_NE(e.message().find("the byte " + std::to_string(byte & 255)), std::string::npos) << e.message();
      }
    }
  }
}

TEST(ElementBytes, OtherTypesHaveNone) {
  for (int i = 1; i < kDataTypeCount; ++i) {
    const auto type = static_cast<DataType>(i);
    if (type == DataType::String || type == DataType::Bool || storage_bits(type) < 8) continue;
    Tensor t(type, {3});
    std::memset(t.mutable_data(), 0xff, t.bytes());
    EXPECT_FALSE(with_sound_elements(t)) << data_type_name(type);
  }
  EXPECT_FALSE(with_sound_elements(Tensor(DataType::String, {2})));
  EXPECT_FALSE(with_sound_elements(Tensor()));
  EXPECT_FALSE(with_sound_elements(Tensor(DataType::Uint4, {0})));
  EXPECT_FALSE(with_sound_elements(Value()));
}

TEST(ElementBytes, InsideOtherValues) {
  const Tensor good = of_bytes(DataType::Bool, {1}), odd = of_bytes(DataType::Bool, {7});
  const Value sequence = Sequence{{good, Sequence{{odd}}}};
  const auto sound = with_sound_elements(sequence);
  ASSERT_TRUE(sound);
  EXPECT_EQ(sound->sequence().items[0].tensor().data(), good.data()) << "what is sound is shared";
  EXPECT_EQ(*sound->sequence().items[1].sequence().items[0].tensor().as<std::uint8_t>(), 1);
  Tensor keys(DataType::Int64, {1});
  keys.as_mutable<std::int64_t>()[0] = 5;
  EXPECT_EQ(*with_sound_elements(Value(Map{keys, {odd}}))->map().values[0].tensor().as<std::uint8_t>(), 1);
  EXPECT_EQ(*with_sound_elements(Value(SparseTensor{odd, keys, {9}}))->sparse().values.as<std::uint8_t>(), 1);
  EXPECT_FALSE(with_sound_elements(Value(Sequence{{good, Value()}})));
}

}  // namespace
}  // namespace norn::base
