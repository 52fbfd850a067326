#include "format/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>

#include "ir/tensor_data.h"
#include "norn/error.h"

namespace norn::format {
namespace {

ir::Node node(std::vector<ir::Attribute> attributes) {
  ir::Node n;
  n.op_type = "Op";
  n.input = {"x", "", "a.b/c"};
  n.output = {"float", "y"};
  n.attribute = std::move(attributes);
  return n;
}

ir::Attribute attribute(const char* name, ir::AttributeType type) {
  ir::Attribute a;
  a.name = name;
  a.type = static_cast<std::int32_t>(type);
  return a;
}

TEST(Text, NodesQuoteWhatIsNoIdentifier) {
  auto n = node({});
  EXPECT_EQ(to_text(n), R"("float", y = Op (x, "", "a.b/c"))");
  n.name = "n \"1\"\\";
  n.domain = "com.example";
  n.overload = "v2";
  EXPECT_EQ(to_text(n), R"(["n \"1\"\\"] "float", y = com.example.Op:v2 (x, "", "a.b/c"))");
  n.domain = "com.my-ops";
  n.overload = "2";
  EXPECT_EQ(to_text(n), R"(["n \"1\"\\"] "float", y = "com.my-ops".Op:"2" (x, "", "a.b/c"))");
}

TEST(Text, Attributes) {
  auto i = attribute("i", ir::AttributeType::Ints);
  auto f = attribute("f", ir::AttributeType::Floats);
  f.floats.mut_value() = {0.1f, -0.0f, std::numeric_limits<float>::infinity(), std::nanf(""), 1e-45f};
  auto ref = attribute("r", ir::AttributeType::Int);
  ref.ref_attr_name = "alpha";
  ir::Attribute old;
  old.name = "old";
  old.i = 3;
  EXPECT_EQ(to_text(node({i, f, ref, old})),
            R"("float", y = Op <i: ints = [], f: floats = [0.1, -0, inf, nan, 1e-45], r: int = @alpha, old: int = 3> )"
            R"((x, "", "a.b/c"))");
}

TEST(Text, FloatsReadBackToTheSameBits) {
  std::mt19937 random(11);
  for (int k = 0; k < 2000; ++k) {
    const float v = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    if (!std::isfinite(v)) continue;
    auto a = attribute("f", ir::AttributeType::Float);
    a.f = v;
    const std::string text = to_text(node({a}));
    const auto start = text.find("= ", text.find("f: float")) + 2;
    float again = 0;
    std::from_chars(text.data() + start, text.data() + text.size(), again);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(again), std::bit_cast<std::uint32_t>(v));
  }
}

TEST(Text, TensorsAreCutVisibly) {
  norn::Tensor values(DataType::Int64, {20});
  for (int i = 0; i < 20; ++i) values.as_mutable<std::int64_t>()[i] = i;
  auto a = attribute("value", ir::AttributeType::Tensor);
  a.t = ir::from_value(values, "t");
  EXPECT_NE(to_text(node({a}), {4}).find("int64[20] t {0, 1, 2, 3, ...}"), std::string::npos)
      << to_text(node({a}), {4});
  EXPECT_NE(to_text(node({a}), {20}).find("18, 19}"), std::string::npos);
  a.t->dims = {21};
  EXPECT_NE(to_text(node({a}), {4}).find("t {...}"), std::string::npos) << "data that does not fit";
}

TEST(Text, CompleteTextIsWholeOrAnError) {
  auto a = attribute("value", ir::AttributeType::Tensor);
  a.t = ir::from_value(norn::Tensor(DataType::Bool, {3}), "t");
  std::fill_n(const_cast<std::byte*>(a.t->raw_data.get().data()), 3, std::byte{1});
  EXPECT_NE(to_text(node({a}), {1, true}).find("{1, 1, 1}"), std::string::npos);
  auto bad = a;
  bad.t->dims = {4};
  EXPECT_THROW(to_text(node({bad}), {1, true}), Error);
  bad = a;
  bad.t->data_type = 99;
  EXPECT_THROW(to_text(node({bad}), {1, true}), Error);
  EXPECT_NE(to_text(node({bad})).find("undefined_99"), std::string::npos);
  bad.t.clear();
  EXPECT_THROW(to_text(node({bad}), {1, true}), Error);
}

TEST(Text, WhatCannotBeWrittenIsPlaced) {
  const auto place_of = [](const ir::Model& m) -> std::string {
    try {
      to_text(m, {.complete = true});
    } catch (const Error& e) {
      return e.where();
    }
    return "it was written";
  };
  auto a = attribute("value", ir::AttributeType::Tensor);
  a.t.mut().data_type = 99;
  ir::Model m;
  m.graph.mut().name = "main";
  m.graph->node = {node({}), node({a})};
  m.graph->node[1].name = "n";
  EXPECT_EQ(place_of(m),
            "graph \"main\" / node 1 \"n\" (" + m.graph->node[1].op_type.get() + ") / attribute \"value\"");
  m.graph->node.pop_back();
  EXPECT_EQ(place_of(m), "it was written");
  m.graph->output.resize(2);
  m.graph->output[1].type.mut().sequence_type.mut();
  EXPECT_EQ(place_of(m), "graph \"main\" / output 1");
  m.graph->output.clear();
  m.functions.resize(1);
  m.functions[0].name = "f";
  m.functions[0].node = {node({a})};
  EXPECT_EQ(place_of(m).rfind("function 0 \"f\" / node 0 (", 0), 0u);
}

TEST(Text, TypedEntriesStandAsTheyAre) {
  const auto prints = [](const ir::Tensor& t, const TextOptions& options, const char* expected) {
    auto a = attribute("v", ir::AttributeType::Tensor);
    a.t = t;
    const std::string text = to_text(node({a}), options);
    EXPECT_NE(text.find("v: tensor = " + std::string(expected) + ">"), std::string::npos) << text;
  };
  const auto tensor = [](DataType type, std::vector<std::int64_t> dims) {
    ir::Tensor t;
    t.data_type = static_cast<std::int32_t>(type);
    t.dims = std::move(dims);
    return t;
  };
  const TextOptions complete{1, true};
  prints(tensor(DataType::Float, {2}), complete, "float[2] {}");
  auto t = tensor(DataType::Uint8, {2});
  t.int32_data = std::vector<std::int32_t>{300, -1, 7};
  prints(t, complete, "uint8[2] {300, -1, 7}");
  t = tensor(DataType::Complex64, {1});
  t.float_data = std::vector<float>{1.5f};
  prints(t, complete, "complex64[1] {1.5}");
  t = tensor(DataType::Complex128, {3});
  t.double_data = std::vector<double>{1, 2, 3, 4, 5, 6};
  prints(t, {2}, "complex128[3] {1, 2, 3, 4, ...}");
  // Entries in two fields, in another type's, and shared ones have no such form.
  t = tensor(DataType::Float, {1});
  t.float_data = std::vector<float>{1};
  t.int64_data = std::vector<std::int64_t>{1};
  prints(t, {}, "float[1] {...}");
  EXPECT_THROW(prints(t, complete, ""), Error);
  t.float_data = {};
  EXPECT_THROW(prints(t, complete, ""), Error);
  t = tensor(DataType::Int4, {5});
  t.int32_data = std::vector<std::int32_t>{1, 2};
  EXPECT_THROW(prints(t, complete, ""), Error);
}

TEST(Text, EveryFieldIsPrintedOrNamedAsLeftOut) {
  // Each field of a message set alone: the text has to differ from that of the message without it.
  ir::Model plain;
  plain.graph.mut().node.emplace_back();
  plain.functions.emplace_back();
  const std::string without = to_text(plain);
  const auto differs = [&](auto&& change) {
    ir::Model m = plain;
    change(m);
    return to_text(m) != without;
  };
  EXPECT_TRUE(differs([](ir::Model& m) { m.configuration.emplace_back(); }));
  EXPECT_TRUE(differs([](ir::Model& m) { m.graph->quantization_annotation.emplace_back(); }));
  EXPECT_TRUE(differs([](ir::Model& m) { m.graph->doc_string = "d"; }));
  EXPECT_TRUE(differs([](ir::Model& m) { m.graph->sparse_initializer.emplace_back(); }));
  EXPECT_TRUE(differs([](ir::Model& m) { m.graph->node[0].device_configurations.emplace_back(); }));
  EXPECT_TRUE(differs([](ir::Model& m) { m.graph->node[0].doc_string = "d"; }));
  EXPECT_TRUE(differs([](ir::Model& m) { m.functions[0].metadata_props.emplace_back(); }));
  EXPECT_TRUE(differs([](ir::Model& m) { m.functions[0].doc_string = "d"; }));
  EXPECT_TRUE(differs([](ir::Model& m) { m.functions[0].value_info.emplace_back(); }));
  EXPECT_TRUE(differs([](ir::Model& m) { m.functions[0].overload = "o"; }));
  EXPECT_TRUE(differs([](ir::Model& m) { m.unknown = ir::bytes_of("x"); }));
}

TEST(Text, ModelHeaderAndOmissions) {
  ir::Model m;
  m.ir_version = 8;
  m.producer_name = "me";
  m.opset_import.emplace_back().version = 17;
  m.training_info.emplace_back();
  auto& g = m.graph.mut();
  g.name = "g";
  auto& v = g.input.emplace_back();
  v.name = "x";
  auto& dims = v.type.mut().tensor_type.mut().shape.mut().dim;
  v.type->tensor_type->elem_type = 1;
  dims.resize(3);
  dims[0].dim_param = "2*n";
  dims[1].dim_value = 0;
  EXPECT_EQ(to_text(m),
            "# Left out, because the syntax has no form for it: ModelProto.training_info\n"
            "<\n  ir_version: 8,\n  opset_import: [\"\": 17],\n  producer_name: \"me\"\n>\n"
            "g (float[\"2*n\",0,?] x) => ()\n{\n}\n");
}

}  // namespace
}  // namespace norn::format
