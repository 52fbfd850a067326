#include "format/bounds.h"

#include <gtest/gtest.h>

#include "format/json.h"
#include "format/prototext.h"
#include "format/text.h"
#include "format/wire.h"
#include "ir/tensor_data.h"
#include "norn/error.h"

namespace norn::format {
namespace {

ir::Tensor tensor(DataType type, std::int64_t elements) {
  ir::Tensor t;
  t.name = "w";
  t.data_type = static_cast<std::int32_t>(type);
  t.dims = {elements};
  return t;
}

// Tensors of 1000 bytes in memory, by every field that may hold them.
std::vector<ir::Tensor> tensors() {
  ir::Tensor raw = tensor(DataType::Float, 250), floats = raw, doubles = tensor(DataType::Double, 125),
             ints = tensor(DataType::Int64, 125), halves = tensor(DataType::Float16, 500),
             nibbles = tensor(DataType::Uint4, 2000), narrow = tensor(DataType::Uint32, 250),
             complex = tensor(DataType::Complex64, 125), text = tensor(DataType::String, 100);
  raw.raw_data = ir::bytes_of(std::string(1000, 'x'));
  floats.float_data = std::vector<float>(250, 1.5f);
  doubles.double_data = std::vector<double>(125, -2.5);
  ints.int64_data = std::vector<std::int64_t>(125, -1);  // ten bytes each on the wire
  halves.int32_data = std::vector<std::int32_t>(500, 0x7bff);
  nibbles.int32_data = std::vector<std::int32_t>(1000, 0x21);
  narrow.uint64_data = std::vector<std::uint64_t>(250, 3);
  complex.float_data = std::vector<float>(250, 1);
  text.string_data.mut_value().assign(100, ir::bytes_of("0123456789"));
  return {raw, floats, doubles, ints, halves, nibbles, narrow, complex, text};
}

ir::Model with(const ir::Tensor& t) {
  ir::Model m;
  m.ir_version = 10;
  m.graph.mut().name = "g";
  m.graph->initializer.push_back(t);
  return m;
}

ErrorCode outcome(const std::function<void()>& read) {
  try {
    read();
  } catch (const Error& e) {
    EXPECT_NE(e.message().find("max_tensor_bytes"), std::string::npos) << e.what();
    EXPECT_FALSE(e.where().empty());
    return e.code();
  }
  return ErrorCode::Internal;  // it was read
}

TEST(Bounds, ATensorTakesTheSameInEveryNotation) {
  for (const ir::Tensor& t : tensors()) {
    SCOPED_TRACE(ir::describe(t));
    EXPECT_EQ(bytes_in(t), 1000u);
    const ir::Model m = with(t);
    const auto bytes = write_message(m);
    const std::string json = to_json(m), prototext = to_prototext(m), text = to_text(m, {.complete = true});
    const std::function<void(const Limits&)> readers[] = {
        [&](const Limits& limits) { read_model(ir::Bytes(bytes.data(), bytes.size(), {}), limits); },
        [&](const Limits& limits) { from_json<ir::Model>(json, limits); },
        [&](const Limits& limits) { from_prototext<ir::Model>(prototext, limits); },
        [&](const Limits& limits) { from_text<ir::Model>(text, limits); }};
    for (const auto& read : readers) {
      Limits limits;
      for (const std::uint64_t few : {10, 999}) {
        limits.max_tensor_bytes = few;
        EXPECT_EQ(outcome([&] { read(limits); }), ErrorCode::LimitExceeded) << few << " for reader " << &read - readers;
      }
      limits.max_tensor_bytes = 1000;
      EXPECT_EQ(outcome([&] { read(limits); }), ErrorCode::Internal) << "reader " << &read - readers;
    }
  }
}

TEST(Bounds, TensorsOfUnknownTypesTakeWhatTheirEntriesDo) {
  ir::Tensor t;
  t.int32_data = std::vector<std::int32_t>(3);
  EXPECT_EQ(bytes_in(t), 12u);
  t.data_type = 1000;
  EXPECT_EQ(bytes_in(t), 12u);
  t.data_type = -1;
  EXPECT_EQ(bytes_in(t), 12u);
  EXPECT_EQ(bytes_in(ir::Tensor()), 0u);
}

}  // namespace
}  // namespace norn::format
