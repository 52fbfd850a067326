// Files are put together by hand from NumPy's description of its format.
#include "format/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "norn/error.h"

namespace norn::format {
namespace {

using namespace std::string_literals;

ir::Bytes file(const std::string& header, const std::string& data, int version = 1) {
  std::string text = "\x93NUMPY"s + static_cast<char>(version) + '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) text += static_cast<char>(header.size() >> (8 * i));
  return ir::bytes_of(text + header + data);
}
std::string header(const std::string& descr, const std::string& shape, bool fortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape +
         ", }\n";
}
template <class T>
std::string raw(std::initializer_list<T> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}
template <class T>
std::vector<T> list(const Tensor& t) {
  return {t.as<T>(), t.as<T>() + t.size()};
}
void refused(const ir::Bytes& bytes, const char* text) {
  try {
    read_npy(bytes);
    ADD_FAILURE() << "accepted: " << text;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
  }
}

TEST(Npy, ReadsAllVersionsAndShapes) {
  for (int version : {1, 2, 3}) {
    const Tensor t = read_npy(file(header("<i4", "(2, 2)"), raw<std::int32_t>({1, 2, 3, 4}), version));
    EXPECT_EQ(t.dtype(), DataType::Int32);
    EXPECT_EQ(t.dims(), (Shape{2, 2}));
    EXPECT_EQ(list<std::int32_t>(t), (std::vector<std::int32_t>{1, 2, 3, 4}));
  }
  EXPECT_EQ(read_npy(file(header("<f8", "()"), raw<double>({1}))).dims(), Shape{});
  EXPECT_EQ(read_npy(file(header("|u1", "(3,)"), "abc")).dims(), Shape{3});
  EXPECT_EQ(read_npy(file(header("|u1", "(3L, 0L)"), "")).dims(), (Shape{3, 0}));
}

TEST(Npy, ConvertsOrderAndEndianness) {
  const auto t = read_npy(file(header("<i2", "(2, 3)", true), raw<std::int16_t>({1, 4, 2, 5, 3, 6})));
  EXPECT_EQ(list<std::int16_t>(t), (std::vector<std::int16_t>{1, 2, 3, 4, 5, 6}));
  const auto three = read_npy(file(header("|i1", "(2, 1, 2)", true), "acbd"));
  EXPECT_EQ(list<std::int8_t>(three), (std::vector<std::int8_t>{'a', 'b', 'c', 'd'}));
  EXPECT_EQ(list<std::int32_t>(read_npy(file(header(">i4", "(1,)"), "\x01\x02\x03\x04"))),
            std::vector<std::int32_t>{0x01020304});
  const auto c = read_npy(file(header(">c8", "(1,)"), "\x3f\x80\x00\x00\x40\x00\x00\x00"s));
  EXPECT_EQ(c.as<float>()[0], 1);
  EXPECT_EQ(c.as<float>()[1], 2);
  EXPECT_EQ(list<std::uint8_t>(read_npy(file(header("|b1", "(2,)"), "\x02\x00"s))), (std::vector<std::uint8_t>{1, 0}));
  const auto nibbles = file(header("<V1", "(2,)"), "\xf8\x07"s);
  EXPECT_EQ(list<std::int8_t>(read_npy(nibbles, DataType::Int4)), (std::vector<std::int8_t>{-8, 7}));
  EXPECT_THROW(read_npy(nibbles, DataType::Uint4), Error);
}

TEST(Npy, Strings) {
  const auto u = read_npy(file(header("<U2", "(2,)"), raw<std::uint32_t>({0xe9, 0x1f600, 'a', 0})));
  EXPECT_EQ(list<std::string>(u), (std::vector<std::string>{"\xc3\xa9\xf0\x9f\x98\x80", "a"}));
  const auto s = read_npy(file(header("|S3", "(2,)"), "ab\0xyz"s));
  EXPECT_EQ(list<std::string>(s), (std::vector<std::string>{"ab", "xyz"}));
}

TEST(Npy, EveryCharacterOfUnicodeAndNothingElse) {
  std::uint32_t edges[] = {1, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff};
  const std::string utf8 =
      "\x01\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\xf0\x90\x80\x80"
      "\xf4\x8f\xbf\xbf";
  const std::string data(reinterpret_cast<const char*>(edges), sizeof(edges));
  const Tensor read = read_npy(file(header("<U10", "(1,)"), data));
  EXPECT_EQ(read.as<std::string>()[0], utf8);
  EXPECT_TRUE(ir::as_text(ir::Bytes(write_npy(read))).ends_with(data));
  for (const std::uint32_t c : {0xd800u, 0xdfffu, 0x110000u, 0xffffffffu}) {
    refused(file(header("<U2", "(2,)"), raw<std::uint32_t>({'a', 0, 'b', c})), "string 1 holds U+");
    refused(file(header(">U1", "(1,)"), raw<std::uint32_t>({__builtin_bswap32(c)})), "not a character of Unicode");
  }
  for (const char* wrong : {"\xff", "\x80", "\xc3", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",
                            "\xed\xa0\x80", "\xed\xbf\xbf", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80", "\xe4\xb8"}) {
    Tensor t(DataType::String, {2});
    t.as_mutable<std::string>()[1] = std::string("ab") + wrong;
    try {
      write_npy(t);
      ADD_FAILURE() << "written";
    } catch (const Error& e) {
      EXPECT_NE(e.message().find("string 1 is not UTF-8 from byte 2 on"), std::string::npos) << e.what();
    }
  }
}

TEST(Npy, Limits) {
  const auto code = [](const ir::Bytes& bytes, const Limits& limits) {
    try {
      read_npy(bytes, DataType::Undefined, limits);
    } catch (const Error& e) {
      return e.code() == ErrorCode::LimitExceeded ? e.message() : "another error";
    }
    return std::string();
  };
  const ir::Bytes numbers = file(header("<i4", "(25,)"), std::string(100, 'x'));
  const ir::Bytes strings = file(header("<U0", "(1000,)"), "");
  Limits limits;
  limits.max_tensor_bytes = 100;
  EXPECT_EQ(code(numbers, limits), "");
  EXPECT_NE(code(strings, limits).find("max_tensor_bytes"), std::string::npos) << "they take memory all the same";
  limits.max_tensor_bytes = 99;
  EXPECT_NE(code(numbers, limits).find("max_tensor_bytes"), std::string::npos);
  limits = {};
  limits.max_bytes = numbers.size();
  EXPECT_EQ(code(numbers, limits), "");
  limits.max_bytes = numbers.size() - 1;
  EXPECT_NE(code(numbers, limits).find("max_bytes"), std::string::npos);
}

TEST(Npy, RefusesClearly) {
  refused(ir::bytes_of("\x93NUMPY"), "ends within");
  refused(ir::bytes_of("not numpy at all"), "magic");
  refused(file(header("<i4", "(2,)"), "1234"), "takes 8");
  refused(file(header("<i4", "(1,)"), "12345"), "5 bytes");
  refused(file(header("|O", "(1,)"), "pickle"), "pickle");
  refused(file(header("<V2", "(1,)"), "ab"), "bfloat16");
  refused(file(header("<f1", "(1,)"), "a"), "float8");
  refused(file(header("<M8[s]", "(1,)"), "12345678"), "no element type");
  refused(file("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,), }", "1234"), "structured");
  refused(file(header("<i4", "(4611686018427387904, 4)"), ""), "63 bits");
  refused(file(header("<U99999999999999", "(1,)"), ""), "element type");
  refused(file(header("<U0", "(9223372036854775807,)"), ""), "empty strings");
  refused(file(header("<i4", "(-1,)"), ""), "tuple of sizes");
  refused(file("{'descr': '<i4'", ""), "damaged");
  refused(file("", ""), "damaged");
  refused(file("{}", ""), "lacks");
}

TEST(Npy, RoundTripsEveryTypeWithAName) {
  for (int type = 1; type < kDataTypeCount; ++type) {
    for (const Shape& dims : {Shape{}, Shape{3}, Shape{2, 0}, Shape{2, 3, 4}}) {
      Tensor t(static_cast<DataType>(type), dims);
      if (t.dtype() == DataType::String) {
        for (std::int64_t i = 0; i < t.size(); ++i) t.as_mutable<std::string>()[i] = i % 2 ? "\xe4\xb8\x96" : "";
      } else {
        for (std::size_t i = 0; i < t.bytes(); ++i) t.as_mutable<std::byte>()[i] = static_cast<std::byte>(i % 2);
      }
      const ir::Bytes bytes(write_npy(t));
      if (t.dtype() != DataType::String) {
        EXPECT_EQ(write_npy_header(t).size() % 64, 0u);
      }
      const bool named = element_size(t.dtype()) > 1 ? t.dtype() != DataType::BFloat16
                                                     : t.dtype() == DataType::Int8 || t.dtype() == DataType::Uint8 ||
                                                           t.dtype() == DataType::Bool;
      if (!named) {
        refused(bytes, "without their name");
        continue;
      }
      const Tensor again = read_npy(bytes);
      ASSERT_EQ(again.dtype(), t.dtype());
      ASSERT_EQ(again.dims(), dims);
      if (t.dtype() == DataType::String) {
        EXPECT_EQ(list<std::string>(again), list<std::string>(t));
      } else if (t.size()) {
        EXPECT_EQ(std::memcmp(again.data(), t.data(), t.bytes()), 0);
      }
    }
  }
  Tensor bad(DataType::String, {1});
  bad.as_mutable<std::string>()[0] = "\xff";
  EXPECT_THROW(write_npy(bad), Error);
}

}  // namespace
}  // namespace norn::format
