#include "ir/tensor_data.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>

#include "norn/error.h"

namespace norn::ir {
namespace {

Tensor typed(DataType type, std::vector<std::int64_t> dims) {
  Tensor t;
  t.data_type = static_cast<std::int32_t>(type);
  t.dims = std::move(dims);
  return t;
}

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> out;
  for (int v : values) out.push_back(static_cast<std::byte>(v));
  return out;
}

template <class T>
std::vector<T> list(const norn::Tensor& t) {
  return {t.as<T>(), t.as<T>() + t.size()};
}

TEST(TensorData, RawDataIsSharedWhenAligned) {
  Tensor t = typed(DataType::Float, {2, 2});
  auto storage = std::make_shared<std::vector<double>>(4);
  const auto* start = reinterpret_cast<const std::byte*>(storage->data());
  t.raw_data = Bytes(start, 16, storage);
  EXPECT_EQ(to_value(t).data(), start);
  t.raw_data = Bytes(start + 1, 16, storage);
  const auto copied = to_value(t);
  EXPECT_NE(copied.data(), static_cast<const void*>(start + 1));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(copied.data()) % 4, 0u);
}

TEST(TensorData, TypedFields) {
  Tensor f = typed(DataType::Float, {3});
  f.float_data = std::vector<float>{1, 2, 3};
  EXPECT_EQ(to_value(f).data(), f.float_data.data()) << "shared";
  Tensor c = typed(DataType::Complex64, {1});
  c.float_data = std::vector<float>{1, 2};
  EXPECT_EQ(to_value(c).bytes(), 8u);
  Tensor h = typed(DataType::Float16, {2});
  h.int32_data = std::vector<std::int32_t>{15360, 0xffff};
  EXPECT_EQ(list<std::uint16_t>(to_value(h)), (std::vector<std::uint16_t>{15360, 0xffff}));
  Tensor i8 = typed(DataType::Int8, {2});
  i8.int32_data = std::vector<std::int32_t>{-1, 127};
  EXPECT_EQ(list<std::int8_t>(to_value(i8)), (std::vector<std::int8_t>{-1, 127}));
  Tensor u32 = typed(DataType::Uint32, {1});
  u32.uint64_data = std::vector<std::uint64_t>{0xffffffff};
  EXPECT_EQ(list<std::uint32_t>(to_value(u32)), std::vector<std::uint32_t>{0xffffffff});
  Tensor b = typed(DataType::Bool, {3});
  b.int32_data = std::vector<std::int32_t>{0, 1, 256};
  EXPECT_EQ(list<std::uint8_t>(to_value(b)), (std::vector<std::uint8_t>{0, 1, 1}));
  b = typed(DataType::Bool, {3});
  b.raw_data = Bytes(bytes({0, 1, 2}));
  EXPECT_EQ(list<std::uint8_t>(to_value(b)), (std::vector<std::uint8_t>{0, 1, 1}));
  Tensor s = typed(DataType::String, {2});
  s.string_data.mut_value() = {bytes_of("a"), bytes_of("")};
  EXPECT_EQ(list<std::string>(to_value(s)), (std::vector<std::string>{"a", ""}));
}

TEST(TensorData, SubByteElementsComeOneToAByte) {
  Tensor t = typed(DataType::Int4, {3});
  t.raw_data = Bytes(bytes({0x8f, 0x07}));  // low nibble first: -1, -8, 7
  EXPECT_EQ(list<std::int8_t>(to_value(t)), (std::vector<std::int8_t>{-1, -8, 7}));
  t.data_type = static_cast<std::int32_t>(DataType::Uint4);
  EXPECT_EQ(list<std::uint8_t>(to_value(t)), (std::vector<std::uint8_t>{15, 8, 7}));
  t = typed(DataType::Int2, {5});
  t.raw_data = Bytes(bytes({0b11100100, 0b10}));
  EXPECT_EQ(list<std::int8_t>(to_value(t)), (std::vector<std::int8_t>{0, 1, -2, -1, -2}));
  t = typed(DataType::Float6E2M3, {5});  // four values in three bytes, lowest bits first
  t.raw_data = Bytes(bytes({0b10'000001, 0b1100'0000, 0b111111'00, 0b010101}));
  EXPECT_EQ(list<std::uint8_t>(to_value(t)), (std::vector<std::uint8_t>{1, 2, 12, 63, 21}));
}

TEST(TensorData, SubByteInInt32DataPackedOrNot) {
  Tensor t = typed(DataType::Int4, {3});
  t.int32_data = std::vector<std::int32_t>{0x8f, 0x07};
  EXPECT_EQ(list<std::int8_t>(to_value(t)), (std::vector<std::int8_t>{-1, -8, 7}));
  t.int32_data = std::vector<std::int32_t>{-1, -8, 7};
  EXPECT_EQ(list<std::int8_t>(to_value(t)), (std::vector<std::int8_t>{-1, -8, 7}));
  t.int32_data = std::vector<std::int32_t>{0x78f};  // all 32 bits of an entry
  EXPECT_EQ(list<std::int8_t>(to_value(t)), (std::vector<std::int8_t>{-1, -8, 7}));
  t = typed(DataType::Uint2, {17});
  t.int32_data = std::vector<std::int32_t>{-0x1b1b1b1c, 2};
  EXPECT_EQ(list<std::uint8_t>(to_value(t)),
            (std::vector<std::uint8_t>{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 2}));
  Tensor f = typed(DataType::Float6E3M2, {2});
  f.int32_data = std::vector<std::int32_t>{63, 1};
  EXPECT_EQ(list<std::uint8_t>(to_value(f)), (std::vector<std::uint8_t>{63, 1}));
}

TEST(TensorData, WhatDoesNotFitIsRefusedBeforeAllocating) {
  const auto fails = [](const Tensor& t, const char* text) {
    try {
      to_value(t);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
    }
  };
  Tensor t = typed(DataType::Float, {std::int64_t{1} << 60});
  t.raw_data = Bytes(bytes({1, 2, 3, 4}));
  fails(t, "4611686018427387904");
  t = typed(DataType::Complex128, {std::int64_t{1} << 60});  // 2^64 bytes, not 0
  t.raw_data = Bytes(bytes({1}));
  fails(t, "more than 64 bits can count");
  t = typed(DataType::Int2, {std::numeric_limits<std::int64_t>::max()});
  t.raw_data = Bytes(bytes({1}));
  fails(t, "raw_data has 1 bytes");
  t = typed(DataType::Float, {std::int64_t{1} << 40, std::int64_t{1} << 40});
  fails(t, "63 bits");
  t = typed(DataType::Float, {-1});
  fails(t, "negative");
  t = typed(DataType::Float, {2});
  fails(t, "has no data, where its shape has 2 elements");
  t.float_data = std::vector<float>{1, 2, 3};
  fails(t, "3 entries");
  t.raw_data = Bytes(bytes({1, 2, 3, 4, 5, 6, 7, 8}));
  fails(t, "both raw_data and float_data");
  t = typed(DataType::Int4, {9});  // 9, 5 or 2 entries
  for (const std::size_t n : {1u, 3u, 4u, 6u, 8u, 10u}) {
    t.int32_data = std::vector<std::int32_t>(n, 1);
    fails(t, (std::to_string(n) + " entries").c_str());
  }
  t = typed(DataType::Int32, {1});
  t.float_data = std::vector<float>{1};
  fails(t, "float_data cannot hold elements of int32");
  t = typed(DataType::String, {1});
  t.raw_data = Bytes(bytes({1}));
  fails(t, "strings cannot");
  t = Tensor();
  fails(t, "no element type");
  t.data_type = 77;
  fails(t, "77 is unknown");
  t = typed(DataType::Float, {0});
  t.float_data = std::vector<float>{1};
  fails(t, "1 entries");
  t = typed(DataType::Float, {1});
  t.data_location = kDataLocationExternal;
  fails(t, "external");
}

TEST(TensorData, ValuesRoundTripForEveryType) {
  std::mt19937 random(3);
  for (int type = 1; type < kDataTypeCount; ++type) {
    for (const Shape& dims : {Shape{}, Shape{0}, Shape{1}, Shape{7}, Shape{2, 5}}) {
      norn::Tensor v(static_cast<DataType>(type), dims);
      const int bits = storage_bits(v.dtype());
      for (std::int64_t i = 0; i < v.size(); ++i) {
        if (v.dtype() == DataType::String) {
          v.as_mutable<std::string>()[i] = std::string(random() % 3, 'x');
          continue;
        }
        auto* bytes = static_cast<std::uint8_t*>(v.mutable_data());
        for (std::size_t b = 0; b < element_size(v.dtype()); ++b) {
          auto& byte = bytes[static_cast<std::size_t>(i) * element_size(v.dtype()) + b];
          byte = static_cast<std::uint8_t>(random());
          if (v.dtype() == DataType::Bool) byte &= 1;
          if (bits < 8) byte &= (1u << bits) - 1;
          if ((v.dtype() == DataType::Int4 || v.dtype() == DataType::Int2) && byte >> (bits - 1)) byte |= 0xff << bits;
        }
      }
      const Tensor stored = from_value(v, "n");
      EXPECT_EQ(stored.name.get(), "n");
      const norn::Tensor again = to_value(stored);
      ASSERT_EQ(again.dims(), dims);
      ASSERT_EQ(again.dtype(), v.dtype());
      if (v.dtype() == DataType::String) {
        EXPECT_EQ(list<std::string>(again), list<std::string>(v));
      } else if (v.size()) {
        EXPECT_EQ(std::memcmp(again.data(), v.data(), v.bytes()), 0) << data_type_name(v.dtype());
      }
    }
  }
}

SparseTensor sparse(std::vector<std::int64_t> dims, std::vector<std::int64_t> index_dims,
                    std::vector<std::int64_t> indices, std::vector<float> values) {
  SparseTensor s;
  s.dims = std::move(dims);
  s.values.mut() = typed(DataType::Float, {static_cast<std::int64_t>(values.size())});
  s.values->float_data = std::move(values);
  s.indices.mut() = typed(DataType::Int64, std::move(index_dims));
  s.indices->int64_data = std::move(indices);
  return s;
}

TEST(SparseData, BothFormsOfIndices) {
  const std::vector<float> expected{0, 5, 0, 0, 0, 6};
  EXPECT_EQ(list<float>(densify(sparse({2, 3}, {2}, {1, 5}, {5, 6}))), expected);
  EXPECT_EQ(list<float>(densify(sparse({2, 3}, {2, 2}, {0, 1, 1, 2}, {5, 6}))), expected);
  EXPECT_EQ(list<float>(densify(sparse({2}, {0}, {}, {}))), (std::vector<float>{0, 0}));
}

TEST(SparseData, BadIndicesAreRefused) {
  EXPECT_THROW(to_value(sparse({2, 3}, {1}, {6}, {5})), Error);
  EXPECT_THROW(to_value(sparse({2, 3}, {1}, {-1}, {5})), Error);
  EXPECT_THROW(to_value(sparse({2, 3}, {1, 2}, {0, 3}, {5})), Error);
  EXPECT_THROW(to_value(sparse({2, 3}, {2}, {3, 3}, {5, 6})), Error) << "twice";
  EXPECT_THROW(to_value(sparse({2, 3}, {2}, {3, 1}, {5, 6})), Error) << "unsorted";
  EXPECT_THROW(to_value(sparse({2, 3}, {2}, {1, 3}, {5})), Error) << "more indices than values";
  EXPECT_THROW(to_value(sparse({2, 3}, {1, 3}, {1, 0, 0}, {5})), Error) << "too wide";
  EXPECT_THROW(to_value(SparseTensor()), Error);
}

}  // namespace
}  // namespace norn::ir
