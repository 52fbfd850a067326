#include "format/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "format/fields.h"
#include "format/wire.h"
#include "norn/error.h"

namespace norn::format {
namespace {

template <class M = ir::Model>
Error refused(std::string_view text, const Limits& limits = {}) {
  try {
    from_json<M>(text, limits);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "was read: " << text;
  return Error(ErrorCode::Internal, "");
}

TEST(Json, WritesAsTheSpecificationOfProtobufSays) {
  ir::Attribute a;
  a.name = "n\"\\\n\x01\x7f\xc3\xa9\xf0\x9f\x98\x80";
  a.f = 0.1f;
  a.i = -5;
  a.s = std::string("\x00\xff\x10\x80", 4);
  a.floats.mut_value() = {1, HUGE_VALF, -HUGE_VALF, NAN, 1e-5f, 1e20f, -0.f};
  a.type = 4;
  a.tp.mut();
  EXPECT_EQ(to_json(a), R"({
  "name": "n\"\\\n\u0001\u007f\u00e9\ud83d\ude00",
  "f": 0.1,
  "i": "-5",
  "s": "AP8QgA==",
  "floats": [
    1.0,
    "Infinity",
    "-Infinity",
    "NaN",
    1e-05,
    1e+20,
    -0.0
  ],
  "tp": {},
  "type": "TENSOR"
})");
}

TEST(Json, ReadsEveryFormOfAValue) {
  const auto a = from_json<ir::Attribute>(
      R"( {"refAttrName" : "r\u0041\ud83d\ude00\/", "i": 1e3, "ints": ["-9223372036854775808", 2.0, "7"],)"
      R"( "f": "-Infinity", "floats": [1, "2.5", "NaN"], "g": null, "type": 2, "strings": ["_-8", "/+8="] } )");
  EXPECT_EQ(a.ref_attr_name.get(), "rA\xf0\x9f\x98\x80/");
  EXPECT_EQ(a.i, 1000);
  EXPECT_EQ(a.ints, (std::vector<std::int64_t>{INT64_MIN, 2, 7}));
  EXPECT_EQ(a.f, -HUGE_VALF);
  EXPECT_EQ(a.floats[1], 2.5f);
  EXPECT_FALSE(a.g.has());
  EXPECT_EQ(a.type, 2);
  EXPECT_EQ(a.strings, (std::vector<std::string>{"\xff\xef", "\xff\xef"}));
  EXPECT_EQ(
      from_json<ir::Tensor>(R"({"data_location": "EXTERNAL", "uint64_data": ["18446744073709551615"]})").uint64_data[0],
      UINT64_MAX);
}

TEST(Json, ValuesWithoutANameSurvive) {
  ir::Attribute a;
  a.type = 77;
  EXPECT_EQ(from_json<ir::Attribute>(to_json(a)).type, 77);
}

TEST(Json, RefusesWithThePlace) {
  const Error e = refused("{\n  \"graph\": {\"nodes\": []}\n}");
  EXPECT_EQ(e.where(), "line 2, column 13");
  EXPECT_EQ(e.message().find("not readable as JSON of ModelProto: "), 0u);
  EXPECT_NE(e.message().find("GraphProto has no field \"nodes\""), std::string::npos);
  EXPECT_NE(e.hint().find("initializer"), std::string::npos);
  EXPECT_NE(refused(R"({"irVersion": 1, "ir_version": 2})").message().find("twice"), std::string::npos);
  EXPECT_NE(refused<ir::Type>(R"({"tensor_type": {}, "map_type": {}})").message().find("exclude"), std::string::npos);
  EXPECT_NE(refused(R"({"ir_version": 1.5})").message().find("integer"), std::string::npos);
  EXPECT_NE(refused(R"({"ir_version": 9223372036854775808})").message().find("fit"), std::string::npos);
  EXPECT_NE(refused<ir::Tensor>(R"({"data_type": 2147483648})").message().find("fit"), std::string::npos);
  EXPECT_NE(refused<ir::Attribute>(R"({"type": "FLOATY"})").message().find("enumeration"), std::string::npos);
  EXPECT_NE(refused<ir::Attribute>(R"({"f": NaN})").hint().find("in quotes"), std::string::npos);
  EXPECT_NE(refused<ir::Attribute>(R"({"f": 1e39})").message().find("32 bits"), std::string::npos);
  EXPECT_NE(refused<ir::Attribute>(R"({"name": "\ud800"})").message().find("surrogate"), std::string::npos);
  EXPECT_NE(refused<ir::Attribute>("{\"name\": \"\xff\"}").message().find("UTF-8"), std::string::npos);
  EXPECT_NE(refused<ir::Attribute>("{\"name\": \"a\nb\"}").message().find("control"), std::string::npos);
  EXPECT_NE(refused<ir::Tensor>(R"({"raw_data": "A"})").message().find("cut off"), std::string::npos);
  EXPECT_NE(refused<ir::Tensor>(R"({"raw_data": "A?=="})").message().find("base64"), std::string::npos);
  EXPECT_NE(refused<ir::Tensor>(R"({"dims": [null]})").message().find("null"), std::string::npos);
  for (const char* text : {"", "[]", "{", "{}x", "{\"graph\"}", "{\"graph\": {}", "{\"graph\": 1}",
                           "{\"ir_version\": 01}", "{\"ir_version\": \"\"}", "{\"opset_import\": [,]}", "{,}"}) {
    EXPECT_EQ(refused(text).code(), ErrorCode::InvalidProtobuf) << text;
  }
}

TEST(Json, Base64MayHaveLines) {
  for (const char* text : {"AAEC", "AA\\nEC", "AA\\r\\nEC", " A A\\tE C "})
    EXPECT_EQ(ir::as_text(from_json<ir::Tensor>("{\"rawData\": \"" + std::string(text) + "\"}").raw_data),
              std::string_view("\0\1\2", 3))
        << text;
  EXPECT_EQ(from_json<ir::Tensor>(R"({"rawData": "AA = =\n"})").raw_data.get().size(), 1u);
  EXPECT_NE(refused<ir::Tensor>(R"({"rawData": "A A A A A"})").message().find("cut off"), std::string::npos);
  EXPECT_NE(refused<ir::Tensor>(R"({"rawData": "AA*C"})").message().find("not base64"), std::string::npos);
}

TEST(Json, RefusesWhatItCannotHold) {
  ir::Node n;
  n.name = "\xff";
  EXPECT_THROW(to_json(n), Error);
  n.name = "n";
  n.unknown = ir::bytes_of("x");
  EXPECT_THROW(to_json(n), Error);
  ir::Model m;
  m.graph.mut().node.resize(2);
  m.graph->node[1].op_type = "Relu";
  m.graph->node[1].attribute.resize(1);
  m.graph->node[1].attribute[0].doc_string = "\xff";
  try {
    to_json(m);
    ADD_FAILURE() << "was written";
  } catch (const Error& e) {
    EXPECT_EQ(e.where(), "graph / node 1 (Relu) / attribute 0");
  }
}

TEST(Json, LargestFloatIsNoLargerThanItIs) {
  // protobuf refuses 3.4028235e+38, which is larger than the largest float and would be rounded to it.
  ir::Attribute a;
  a.f = -std::numeric_limits<float>::max();
  EXPECT_EQ(to_json(a), "{\n  \"f\": -3.4028234663852886e+38\n}");
  EXPECT_EQ(from_json<ir::Attribute>(to_json(a)).f, a.f);
}

TEST(Json, LimitsHold) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "{\"sequence_type\": {\"elem_type\": ";
  EXPECT_EQ(refused<ir::Type>(deep).code(), ErrorCode::LimitExceeded);
  Limits limits;
  limits.max_nodes = 1;
  EXPECT_EQ(refused<ir::Graph>(R"({"node": [{}, {}]})", limits).code(), ErrorCode::LimitExceeded);
  EXPECT_EQ(refused<ir::Graph>(R"({"node": [{}, {}]})", limits).where(), "line 1, column 15");
  limits.max_tensor_bytes = 3;
  EXPECT_EQ(refused<ir::Tensor>(R"({"raw_data": "AAAAAAAA"})", limits).code(), ErrorCode::LimitExceeded);
  EXPECT_EQ(refused<ir::Tensor>(R"({"raw_data": "AAAAAA=="})", limits).code(), ErrorCode::LimitExceeded);
  EXPECT_EQ(from_json<ir::Tensor>(R"({"raw_data": "AAAA"})", limits).raw_data.get().size(), 3u);
}

}  // namespace
}  // namespace norn::format
