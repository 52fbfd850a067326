#include <cstring>

#include "check/area_test.h"
#include "norn/types.h"

namespace norn::checks {
namespace {

ir::Tensor of(DataType type, std::vector<std::int64_t> dims) {
  ir::Tensor t;
  t.data_type = static_cast<std::int32_t>(type);
  t.dims = std::move(dims);
  return t;
}
ir::Tensor raw(DataType type, std::vector<std::int64_t> dims, std::vector<std::uint8_t> bytes) {
  ir::Tensor t = of(type, std::move(dims));
  t.raw_data = ir::bytes_of({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return t;
}
ir::Tensor ints(DataType type, std::vector<std::int64_t> dims, std::vector<std::int32_t> entries) {
  ir::Tensor t = of(type, std::move(dims));
  t.int32_data = std::move(entries);
  return t;
}
ir::Tensor floats(DataType type, std::vector<std::int64_t> dims, std::size_t n) {
  ir::Tensor t = of(type, std::move(dims));
  t.float_data = std::vector<float>(n, 1.5f);
  return t;
}
ir::Tensor doubles(DataType type, std::vector<std::int64_t> dims, std::size_t n) {
  ir::Tensor t = of(type, std::move(dims));
  t.double_data = std::vector<double>(n, 1.5);
  return t;
}
ir::Tensor longs(DataType type, std::vector<std::int64_t> dims, std::size_t n) {
  ir::Tensor t = of(type, std::move(dims));
  t.int64_data = std::vector<std::int64_t>(n, -1);
  return t;
}
ir::Tensor unsigneds(DataType type, std::vector<std::int64_t> dims, std::size_t n) {
  ir::Tensor t = of(type, std::move(dims));
  t.uint64_data = std::vector<std::uint64_t>(n, 1);
  return t;
}
ir::Tensor strings(DataType type, std::vector<std::int64_t> dims, const std::vector<std::string>& all) {
  ir::Tensor t = of(type, std::move(dims));
  for (const std::string& s : all) t.string_data.push_back(ir::bytes_of(s));
  return t;
}
constexpr std::uint64_t kPastUint32 = std::uint64_t{1} << 32;
auto set_last(std::uint64_t entry) {
  return [entry](ir::Tensor& t) { t.uint64_data = std::vector<std::uint64_t>{1, entry}; };
}
ir::Tensor segment(ir::Tensor t, std::int64_t begin, std::int64_t end) {
  t.segment.mut().begin = begin;
  t.segment->end = end;
  return t;
}
template <class Change>
ir::Tensor changed(ir::Tensor t, Change change) {
  change(t);
  return t;
}

Report check(const ir::Tensor& tensor, std::int64_t ir_version = 14) {
  return run_area([&](Context& ctx, const Place& p) { check_tensor(ctx, p, tensor, TensorUse::Initializer); },
                  ir_version);
}

using enum DataType;
constexpr std::int64_t kHuge = std::int64_t{1} << 40;

TEST(Tensors, EachRuleAlone) {
  const struct {
    const char* rule;
    ir::Tensor tensor;
  } cases[] = {
      {"tensor.data-type.present", changed(floats(Float, {2}, 2), [](ir::Tensor& t) { t.data_type.clear(); })},
      {"tensor.data-type.valid", changed(raw(Uint8, {2}, {1, 2}), [](ir::Tensor& t) { t.data_type = 0; })},
      {"tensor.data-type.valid", changed(raw(Uint8, {2}, {1, 2}), [](ir::Tensor& t) { t.data_type = 77; })},
      {"tensor.data-type.valid", changed(raw(Uint8, {2}, {1, 2}), [](ir::Tensor& t) { t.data_type = -1; })},
      {"tensor.dims.nonnegative", floats(Float, {2, -1}, 2)},
      {"tensor.dims.no-overflow", floats(Float, {kHuge, kHuge}, 2)},
      {"tensor.dims.no-overflow", of(Float, {INT64_MAX, 2})},
      {"tensor.storage.exactly-one",
       changed(floats(Float, {1}, 1), [](ir::Tensor& t) { t.raw_data = ir::bytes_of("abcd"); })},
      {"tensor.storage.exactly-one",
       changed(ints(Int32, {1}, {1}), [](ir::Tensor& t) { t.int64_data = std::vector<std::int64_t>{1}; })},
      {"tensor.storage.exactly-one", of(Float, {2})},
      {"tensor.storage.exactly-one", of(Float, {})},
      {"tensor.storage.exactly-one", of(Float, {INT64_MAX})},
      {"tensor.storage.count-enough", floats(Float, {2, 2}, 3)},
      {"tensor.storage.count-enough", strings(String, {2}, {"a"})},
      {"tensor.storage.count-exact", floats(Float, {2, 2}, 5)},
      {"tensor.storage.count-exact", floats(Float, {0}, 1)},
      {"tensor.storage.count-exact", longs(Int64, {}, 2)},
      {"tensor.storage.count-exact", floats(Complex64, {2}, 6)},
      {"tensor.storage.count-enough", doubles(Complex128, {4}, 2)},
      {"tensor.field.float", floats(Int32, {1}, 1)},
      {"tensor.field.float", floats(Double, {1}, 1)},
      {"tensor.field.int32", ints(Int64, {1}, {1})},
      {"tensor.field.int32", ints(Uint32, {1}, {1})},
      {"tensor.field.int64", longs(Int32, {1}, 1)},
      {"tensor.field.int64", longs(Uint64, {1}, 1)},
      {"tensor.field.double", doubles(Float, {1}, 1)},
      {"tensor.field.uint64", unsigneds(Uint8, {1}, 1)},
      {"tensor.field.uint64", unsigneds(Int64, {1}, 1)},
      {"tensor.field.string", strings(Uint8, {1}, {"a"})},
      {"tensor.field.int32", ints(String, {1}, {1})},
      {"tensor.field.complex-interleaved", floats(Complex64, {2}, 3)},
      {"tensor.field.complex-interleaved", doubles(Complex128, {2}, 2)},
      {"tensor.field.float16-bits", ints(Float16, {2}, {15360, 65536})},
      {"tensor.field.float16-bits", ints(BFloat16, {1}, {-1})},
      {"tensor.field.float16-bits", ints(Float8E5M2, {1}, {256})},
      {"tensor.field.int32-range", ints(Uint8, {2}, {255, 300})},
      {"tensor.field.int32-range", ints(Int8, {1}, {-129})},
      {"tensor.field.int32-range", ints(Int16, {1}, {32768})},
      {"tensor.field.int32-range", ints(Uint4, {4}, {1, 2, 16, 3})},
      {"tensor.field.int32-range", ints(Int4, {4}, {1, 256})},
      {"tensor.field.int32-range", changed(unsigneds(Uint32, {2}, 2), set_last(kPastUint32))},
      {"tensor.field.int4-packing", ints(Int4, {5}, {1, 2})},
      {"tensor.field.int4-packing", ints(Float4E2M1, {16}, {1, 2, 3})},
      {"tensor.field.int2-packing", ints(Uint2, {9}, {1, 2})},
      {"tensor.field.bool", ints(Bool, {2}, {1, 2})},
      {"tensor.field.float6", ints(Float6E2M3, {2}, {63, 64})},
      {"tensor.raw.bool-byte", raw(Bool, {3}, {0, 1, 2})},
      {"tensor.raw.int4", raw(Int4, {3}, {1})},
      {"tensor.raw.int4", raw(Uint4, {3}, {1, 2, 3})},
      {"tensor.raw.int2", raw(Int2, {5}, {1, 2, 3})},
      {"tensor.raw.int2", raw(Uint2, {5}, {0xff, 0x04})},
      {"tensor.raw.float4", raw(Float4E2M1, {4}, {1})},
      {"tensor.raw.float6", raw(Float6E3M2, {4}, {1, 2})},
      {"tensor.raw.float6", raw(Float6E3M2, {1}, {0x40})},
      {"tensor.raw.float6", raw(Float6E2M3, {3}, {0, 0, 0x04})},
      {"tensor.raw.not-string", raw(String, {1}, {65})},
      {"tensor.raw.size", raw(Float, {2}, {0, 0, 0, 0, 0, 0, 0})},
      {"tensor.raw.size", raw(Float, {1}, {0, 0, 0, 0, 0, 0, 0, 0})},
      {"tensor.raw.size", raw(Int8, {0}, {1})},
      {"tensor.raw.size", raw(Complex128, {std::int64_t{1} << 62}, {1})},
      {"tensor.string.utf8", strings(String, {2}, {"a", "\xff"})},
      {"tensor.string.utf8", strings(String, {1}, {"\xed\xa0\x80"})},
      {"tensor.string.no-nul-bom", strings(String, {1}, {std::string("a\0", 2)})},
      {"tensor.string.no-nul-bom", strings(String, {1},
                                           {"\xef\xbb\xbf"
                                            "a"})},
      {"tensor.segment.bounds", segment(floats(Float, {4}, 2), 3, 1)},
      {"tensor.segment.bounds", segment(floats(Float, {4}, 2), 3, 5)},
      {"tensor.segment.bounds", segment(floats(Float, {4}, 2), -1, 1)},
      {"tensor.storage.count-exact", segment(floats(Float, {4}, 4), 1, 3)},
      {"meta.any.unique-keys", changed(floats(Float, {1}, 1),
                                       [](ir::Tensor& t) {
                                         for (int i = 0; i < 2; ++i)
                                           t.metadata_props.emplace_back().key = std::string("a.b");
                                       })},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::string(c.rule) + " " + check(c.tensor).diagnostics.front().message);
    expect_only(check(c.tensor), c.rule);
  }
}

TEST(Tensors, SoundOnes) {
  const struct {
    std::vector<std::string> about;
    ir::Tensor tensor;
  } cases[] = {
      {{"tensor.data-type.present", "tensor.data-type.valid", "tensor.storage.exactly-one", "tensor.field.float"},
       floats(Float, {}, 1)},
      {{"tensor.storage.count-enough", "tensor.storage.count-exact", "tensor.dims.nonnegative"},
       floats(Float, {2, 3}, 6)},
      {{"tensor.field.complex-interleaved", "tensor.field.float"}, floats(Complex64, {2}, 4)},
      {{"tensor.field.complex-interleaved", "tensor.field.double"}, doubles(Complex128, {}, 2)},
      {{"tensor.field.double"}, doubles(Double, {3}, 3)},
      {{"tensor.field.int64"}, longs(Int64, {1}, 1)},
      {{"tensor.field.uint64"}, unsigneds(Uint32, {2}, 2)},
      {{"tensor.field.uint64"}, unsigneds(Uint64, {2}, 2)},
      {{"tensor.field.string", "tensor.string.utf8", "tensor.string.no-nul-bom"},
       strings(String, {4}, {"", "a", "\xf0\x9f\x98\x80", std::string("a\0b\xef\xbb\xbf", 6)})},
      {{"tensor.field.int32", "tensor.field.float16-bits"}, ints(Float16, {2}, {0, 65535})},
      {{"tensor.field.float16-bits"}, ints(Float8E4M3FN, {2}, {0, 255})},
      {{"tensor.field.int32-range"}, ints(Int8, {2}, {-128, 127})},
      {{"tensor.field.int32-range"}, changed(unsigneds(Uint32, {2}, 2), set_last(kPastUint32 - 1))},
      {{"tensor.field.int32-range"}, changed(unsigneds(Uint64, {2}, 2), set_last(kPastUint32))},
      {{"tensor.field.int32-range"}, ints(Uint8, {2}, {0, 255})},
      {{"tensor.field.int32-range"}, ints(Int16, {2}, {-32768, 32767})},
      {{"tensor.field.bool"}, ints(Bool, {2}, {0, 1})},
      {{"tensor.field.int32"}, ints(Int32, {2}, {INT32_MIN, INT32_MAX})},
      {{"tensor.field.int4-packing"}, ints(Int4, {5}, {255, -1, 3})},
      {{"tensor.field.int4-packing", "tensor.field.int32-range"}, ints(Int4, {5}, {-8, 7, 0, 15, 1})},
      {{"tensor.field.int4-packing"}, ints(Int4, {9}, {-1, 0x7})},
      {{"tensor.field.int2-packing"}, ints(Uint2, {5}, {255, 3})},
      {{"tensor.field.int2-packing"}, ints(Int2, {5}, {-2, 1, 0, 3, 1})},
      {{"tensor.field.float6"}, ints(Float6E2M3, {4}, {0, 63, 1, 2})},
      {{"tensor.field.int4-packing"}, ints(Float4E2M1, {2}, {0x7f})},
      {{"tensor.raw.bool-byte"}, raw(Bool, {2}, {0, 1})},
      {{"tensor.raw.int4"}, raw(Int4, {3}, {0xff, 0xff})},
      {{"tensor.raw.int2"}, raw(Int2, {5}, {0xff, 0x03})},
      {{"tensor.raw.int2"}, raw(Int2, {4}, {0xff})},
      {{"tensor.raw.float4"}, raw(Float4E2M1, {1}, {0xff})},
      {{"tensor.raw.float6"}, raw(Float6E2M3, {1}, {0x3f})},
      {{"tensor.raw.float6"}, raw(Float6E2M3, {2}, {0xff, 0x0f})},
      {{"tensor.raw.float6"}, raw(Float6E2M3, {3}, {0xff, 0xff, 0x03})},
      {{"tensor.raw.float6"}, raw(Float6E2M3, {4}, {0xff, 0xff, 0xff})},
      {{"tensor.raw.float6"}, raw(Float6E2M3, {5}, {0, 0, 0, 0x3f})},
      {{"tensor.dims.no-overflow", "tensor.dims.nonnegative"}, raw(Uint8, {0, kHuge, kHuge}, {})},
      {{"tensor.storage.exactly-one"}, of(Float, {0})},
      {{"tensor.storage.exactly-one"}, of(String, {3, 0})},
      {{"tensor.raw.size", "tensor.raw.not-string"}, raw(Float, {}, {1, 2, 3, 4})},
      {{"tensor.segment.bounds", "tensor.storage.count-exact"}, segment(floats(Float, {4}, 2), 1, 3)},
      {{"tensor.segment.bounds"}, segment(of(Float, {4}), 2, 2)},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(data_type_name(static_cast<DataType>(c.tensor.data_type.get())));
    expect_kept(check(c.tensor), c.about);
  }
}

// Every type's raw size, from the widths the specification gives.
TEST(Tensors, RawSizes) {
  for (int number = 1; number < kDataTypeCount; ++number) {
    const auto type = static_cast<DataType>(number);
    if (type == String) continue;
    for (std::int64_t n : {0, 1, 2, 3, 4, 5, 7, 8, 9, 64}) {
      const std::int64_t bytes = (n * storage_bits(type) + 7) / 8;
      const auto zeros = [&](std::int64_t k) {
        return raw(type, {n}, std::vector<std::uint8_t>(static_cast<std::size_t>(k)));
      };
      SCOPED_TRACE(std::string(data_type_name(type)) + " " + std::to_string(n));
      expect_only(check(zeros(bytes)), "");
      EXPECT_EQ(check(zeros(bytes + 1)).diagnostics.size(), 1u);
      if (bytes > 0) {
        EXPECT_EQ(check(zeros(bytes - 1)).diagnostics.size(), 1u);
      }
    }
  }
}

TEST(Tensors, MessagesNameBothNumbers) {
  const Report report = check(raw(Float, {2, 3}, {0, 0, 0}));
  ASSERT_EQ(report.diagnostics.size(), 1u);
  const std::string& message = report.diagnostics[0].message;
  EXPECT_NE(message.find("3 bytes"), std::string::npos) << message;
  EXPECT_NE(message.find("24"), std::string::npos) << message;
  EXPECT_FALSE(report.diagnostics[0].hint.empty());
}

TEST(Tensors, RulesOfLaterVersionsDoNotBindOlderFiles) {
  expect_only(check(raw(Int4, {3}, {1}), 9), "");
  expect_only(check(ints(Uint2, {9}, {1}), 12), "");
  // Before IR 4 nothing is external: the tensor has no data.
  ir::Tensor external = of(Float, {2});
  external.data_location = 1;
  external.external_data.emplace_back().key = std::string("location");
  external.external_data[0].value = std::string("../../etc/passwd");
  expect_only(check(external, 3), "tensor.storage.exactly-one");
  expect_only(check(external, 4), "ext.location.no-dotdot");
}

TEST(Tensors, ReportsEveryFaultAtOnce) {
  ir::Tensor t = floats(Float, {-1}, 2);
  t.data_type = 99;
  t.segment.mut().begin = 5;
  EXPECT_EQ(check(t).diagnostics.size(), 3u);
}

}  // namespace
}  // namespace norn::checks
