#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "format/text.h"
#include "format/wire.h"
#include "ir/tensor_data.h"
#include "norn/error.h"

namespace norn::format {
namespace {

using Kind = ir::AttributeType;

template <class M>
Error refused(std::string_view text, const Limits& limits = {}) {
  try {
    from_text<M>(text, limits);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "was read: " << text;
  return Error(ErrorCode::Internal, "");
}

// Prints and reads back.
template <class M>
M again(const M& m) {
  const std::string text = to_text(m, {.complete = true});
  try {
    return from_text<M>(text);
  } catch (const Error& error) {
    ADD_FAILURE() << error.what() << "\n" << text;
    return m;
  }
}

ir::Attribute attribute(std::string_view text) {
  return from_text<ir::Node>("y = Op <" + std::string(text) + "> ()").attribute.at(0);
}

TEST(TextParse, Node) {
  const auto n =
      from_text<ir::Node>(R"([ "n 1" ] y, "", z = com.example.Op:v2 <a = 1> (x, , "a\"\n\\b", float,) # end)");
  EXPECT_EQ(n.name, "n 1");
  EXPECT_EQ(n.output, (std::vector<std::string>{"y", "", "z"}));
  EXPECT_EQ(n.domain.get(), "com.example");
  EXPECT_EQ(n.op_type, "Op");
  EXPECT_EQ(n.overload.get(), "v2");
  EXPECT_EQ(n.input, (std::vector<std::string>{"x", "", "a\"n\\b", "float"}))
      << "a backslash makes the next one literal";
  EXPECT_EQ(from_text<ir::Node>("= Op (,)").input, std::vector<std::string>{""});
  EXPECT_TRUE(from_text<ir::Node>("= Op ()").input.empty());
  EXPECT_TRUE(from_text<ir::Node>("= Op ()").domain.has());
  EXPECT_FALSE(from_text<ir::Node>("= Op ()").name.has());
  EXPECT_EQ(from_text<ir::Node>("y = Op (x) <b = 2>").attribute.at(0).i, 2) << "attributes may follow";
  EXPECT_EQ(from_text<ir::Node>("y = .Op ()").domain.get(), "") << "the default domain, written out";
  EXPECT_EQ(from_text<ir::Node>("y = .Op ()").op_type, "Op");
}

TEST(TextParse, Attributes) {
  EXPECT_EQ(attribute("a = -9223372036854775808").i, INT64_MIN);
  EXPECT_EQ(attribute("a = 1e2").f, 100.f);
  EXPECT_EQ(attribute("a : float = 3").kind(), Kind::Float);
  EXPECT_TRUE(std::signbit(attribute("a: float = -0").f.get()));
  EXPECT_EQ(attribute("a = -Infinity").f, -HUGE_VALF);
  EXPECT_TRUE(std::isnan(attribute("a = NaN").f.get()));
  EXPECT_EQ(attribute("a = 1e-60").f, 0.f);
  EXPECT_EQ(attribute("a = \"x\"").s, "x");
  EXPECT_EQ(attribute("a: floats = [1, 2.5]").floats, (std::vector<float>{1, 2.5f}));
  EXPECT_EQ(attribute("a = [1, 2]").ints, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(attribute("a: strings = []").kind(), Kind::Strings);
  EXPECT_EQ(attribute("a: int = @b").ref_attr_name.get(), "b");
  EXPECT_EQ(attribute("a = @b").type.has(), false);
  EXPECT_EQ(attribute("a = float[2] {1, 2}").t->float_data.size(), 2u);
  EXPECT_EQ(attribute("a = float[2] t = {1, 2}").t->name, "t");
  EXPECT_EQ(attribute("a = float[2]").tp->tensor_type->shape->dim.size(), 1u);
  EXPECT_EQ(attribute("a = [float[2], seq(int64)]").type_protos.size(), 2u);
  EXPECT_EQ(attribute("a = [float {1}, float {2}]").tensors.size(), 2u);
  EXPECT_EQ(attribute("a: graph = \"nan\" () => () {}").g->name, "nan");
  EXPECT_EQ(attribute("a = g (x) => (y) { y = Neg (x) }").g->node.size(), 1u);
  const auto sparse = attribute("a = {dims [3, 4], values float[1] {7}, indices int64[1] {2}}");
  EXPECT_EQ(sparse.sparse_tensor->dims, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(sparse.sparse_tensor->indices->int64_data[0], 2);
}

TEST(TextParse, Types) {
  const auto type = [](std::string_view t) {
    return *from_text<ir::Graph>("g (" + std::string(t) + " x) => () {}").input.at(0).type;
  };
  EXPECT_TRUE(type("float").tensor_type->shape.has()) << "a scalar";
  EXPECT_FALSE(type("float[]").tensor_type->shape.has()) << "of unknown rank";
  const auto dims = type("bfloat16[N, \"a+1\", ?, 0, -1]").tensor_type->shape->dim;
  ASSERT_EQ(dims.size(), 5u);
  EXPECT_EQ(dims[0].dim_param, "N");
  EXPECT_EQ(dims[1].dim_param, "a+1");
  EXPECT_FALSE(dims[2].dim_value.has() || dims[2].dim_param.has());
  EXPECT_EQ(dims[3].dim_value, 0);
  EXPECT_EQ(dims[4].dim_value, -1);
  EXPECT_EQ(type("map(string, seq(optional(int8)))")
                .map_type->value_type->sequence_type->elem_type->optional_type->elem_type->tensor_type->elem_type,
            3);
  EXPECT_EQ(type("sparse_tensor(double[2])").sparse_tensor_type->elem_type, 11);
  EXPECT_EQ(type("opaque(a.b)").opaque_type->name, "a.b") << "one argument is the name";
  EXPECT_EQ(type("opaque(a.b, c)").opaque_type->domain, "a.b");
}

TEST(TextParse, InitializersOfEveryElementType) {
  const auto g = from_text<ir::Graph>(R"(g (int32 k = {7}) => () <
    float[2] a = {1, nan}, double[1] b = {0.1}, complex64[1] c = {1, 2}, string[2] d = {"x", "y\"z"},
    int4[3] e = {1, -8, 7}, uint2[5] f = {0, 1, 2, 3, 1}, float6e2m3[2] h = {63, 1},
    uint64[1] i = {18446744073709551615},
    bool[0] j = {}, float[9] ext = ["location": "w.bin"], float v > {})");
  ASSERT_EQ(g.initializer.size(), 11u);
  EXPECT_EQ(g.initializer[0].name, "k");
  EXPECT_EQ(g.value_info.size(), 1u);
  const auto value = [&](std::size_t i) { return ir::to_value(g.initializer[i]); };
  EXPECT_EQ(value(0).as<std::int32_t>()[0], 7);
  EXPECT_EQ(value(2).as<double>()[0], 0.1);
  EXPECT_EQ(value(4).as<std::string>()[1], "y\"z");
  EXPECT_EQ(value(5).as<std::int8_t>()[1], -8);
  EXPECT_EQ(g.initializer[5].int32_data.size(), 2u) << "packed";
  EXPECT_EQ(value(6).as<std::uint8_t>()[3], 3);
  EXPECT_EQ(value(7).as<std::uint8_t>()[0], 63);
  EXPECT_EQ(value(8).as<std::uint64_t>()[0], UINT64_MAX);
  EXPECT_EQ(value(9).size(), 0);
  EXPECT_EQ(g.initializer[10].data_location, ir::kDataLocationExternal);
}

TEST(TextParse, FunctionsWithTypedFormalsAndDefaults) {
  const auto f =
      from_text<ir::Function>(R"(<opset_import: ["": 18, "d": 1], domain: "d", overload: "o", doc_string: "x">
    "f g" <alpha, beta: float = 1.5> (float[N] x, w) => (y) <float t> { t = Mul (x, w) y = Neg (t) })");
  EXPECT_EQ(f.name, "f g");
  EXPECT_EQ(f.attribute, std::vector<std::string>{"alpha"});
  EXPECT_EQ(f.attribute_proto.at(0).f, 1.5f);
  EXPECT_EQ(f.input, (std::vector<std::string>{"x", "w"}));
  ASSERT_EQ(f.value_info.size(), 2u);
  EXPECT_EQ(f.value_info[0].name, "x");
  EXPECT_EQ(f.opset_import.at(1).version, 1);
  EXPECT_EQ(f.node.size(), 2u);
}

TEST(TextParse, WhatIsPrintedReadsBack) {
  for (const char* text :
       {"y = A <t: tensors = [int4[3] q {1, -8, 7}, float {1}], u: type_protos = [float[], opaque(a.b, c)]> ()",
        "y = A <g: graphs = [\"inf\" () => () {}, \"float\" () => () {}], n: undefined, r = @q> (\"seq\")",
        "y = \"a..b\".\"odd op\":\"1\" <\"odd name\" = {dims [2], values float[1] w {1}, indices int64[1] {0}}> ()",
        "y = A <f: floats = [0.1, -0, 1e-45, 3.4028235e38, inf, -nan], d = double[2] \"a b\" {0.1, 5e-324}> ()",
        "y = A <t = complex64[2] {1, 2, 3}, u = int8[1] {200, -300}, v = string[3] {\"x\"}, w = float6e2m3[2] {1}> ()",
        "y = A <t = float16[2] {15360, 64512}, e = float[2] = [\"location\": \"f\"], s: strings = [\"\", \"\\\"\"]> "
        "()"}) {
    const auto n = from_text<ir::Node>(text);
    EXPECT_EQ(write_message(again(n)), write_message(n)) << text << "\n" << to_text(n, {.complete = true});
  }
  const auto g = from_text<ir::Graph>(
      R"(g () => () <sparse_tensor = {dims [4], values float[1] w {1}, indices int64[1] {3}}> {})");
  EXPECT_EQ(g.sparse_initializer.at(0).values->name, "w");
  EXPECT_EQ(write_message(again(g)), write_message(g));
}

TEST(TextParse, ErrorsShowThePlace) {
  const Error e = refused<ir::Node>("# one\ny = Add <a 3> (x)");
  EXPECT_EQ(e.where(), "line 2, column 12");
  EXPECT_EQ(e.message(),
            "expected \"=\" after the attribute's name or type, found \"3\"\n"
            "  | y = Add <a 3> (x)\n"
            "  |            ^");
  EXPECT_EQ(refused<ir::Node>("").where(), "line 1, column 1");
  EXPECT_NE(refused<ir::Node>("y = A <s = \"abc> ()").message().find("never closed"), std::string::npos);
  EXPECT_NE(refused<ir::Node>("y = A <a: int = 1.5> ()").message().find("declared as int"), std::string::npos);
  EXPECT_NE(refused<ir::Node>("y = A <a = []> ()").message().find("type of an empty list"), std::string::npos);
  EXPECT_NE(refused<ir::Node>("y = A <a = [1, \"s\"]> ()").message().find("one type"), std::string::npos);
  EXPECT_NE(refused<ir::Node>("y = A <a = 99999999999999999999> ()").message().find("64 bits"), std::string::npos);
  EXPECT_NE(refused<ir::Node>("y = A <a = 1e50> ()").message().find("32 bits"), std::string::npos);
  EXPECT_NE(refused<ir::Node>("y = A <a = float[2] {1, ...}> ()").message().find("cut"), std::string::npos);
  EXPECT_NE(refused<ir::Node>("y = A <a = int4[1] {8}> ()").message().find("does not fit int4"), std::string::npos);
  EXPECT_NE(refused<ir::Node>("y = A <a = uint64[1] {-1}> ()").message().find("without a sign"), std::string::npos);
  EXPECT_NE(refused<ir::Node>("y = A () z").message().find("end of the text"), std::string::npos);
  EXPECT_NE(refused<ir::Model>("<irversion: 8> g () => () {}").hint().find("ir_version"), std::string::npos);
  EXPECT_EQ(refused<ir::Graph>("gr\xc3\xa4ph () => () {}").where(), "line 1, column 3");
}

TEST(TextParse, LimitsHold) {
  std::string deep = "g () => () {}";
  for (int i = 0; i < 40; ++i) deep = "g () => () { = If <b: graph = " + deep + "> () }";
  EXPECT_EQ(refused<ir::Graph>(deep).code(), ErrorCode::LimitExceeded);
  Limits limits;
  limits.max_depth = 1;
  EXPECT_EQ(from_text<ir::Graph>("g () => () { = A () }", limits).node.size(), 1u);
  const Error nested = refused<ir::Graph>("g () => () {\n = If <b: graph = h () => () {}> () }", limits);
  EXPECT_EQ(nested.message(), "messages are nested deeper than 1 level (limit max_depth)");
  EXPECT_EQ(nested.where(), "line 2, column 19");
  limits.max_depth = 5000;  // the stack does not allow it
  const std::string graphs = "g () => () { = If <b: graph = ";
  std::string too_deep;
  for (int i = 0; i < 2000; ++i) too_deep += graphs;
  EXPECT_EQ(refused<ir::Graph>(too_deep, limits).message(),
            "messages are nested deeper than 1000 levels (limit max_depth)");
  limits.max_depth = 1000;
  EXPECT_EQ(from_text<ir::Graph>(deep, limits).node.size(), 1u);
  std::string types(100000, ' ');
  for (int i = 0; i < 20000; ++i) types.replace(static_cast<std::size_t>(5 * i), 4, "seq(");
  EXPECT_EQ(refused<ir::Node>("y = A <a = " + types).code(), ErrorCode::LimitExceeded);
  limits.max_nodes = 1;
  EXPECT_EQ(refused<ir::Graph>("g () => () { = A () = B () }", limits).code(), ErrorCode::LimitExceeded);
}

}  // namespace
}  // namespace norn::format
