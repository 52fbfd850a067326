#include "format/prototext.h"

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
    from_prototext<M>(text, limits);
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "was read: " << text;
  return Error(ErrorCode::Internal, "");
}

TEST(ProtoText, WritesOneFieldALine) {
  ir::Attribute a;
  a.name = "n\"'\\\n\x01\xc3\xa9";
  a.f = 0.1f;
  a.s = std::string("\x00\xff\t", 3);
  a.floats.mut_value() = {1, HUGE_VALF, -HUGE_VALF, NAN, 1e-5f};
  a.tp.mut().denotation = "d";
  a.type = 4;
  EXPECT_EQ(to_prototext(a),
            "name: \"n\\\"\\'\\\\\\n\\001\xc3\xa9\"\nf: 0.1\ns: \"\\000\\377\\t\"\nfloats: 1.0\n"
            "floats: inf\nfloats: -inf\nfloats: nan\nfloats: 1e-05\ntp {\n  denotation: \"d\"\n}\n"
            "type: TENSOR\n");
}

TEST(ProtoText, ReadsEveryFormOfAValue) {
  const auto a = from_prototext<ir::Attribute>(
      "# comment\nname: \"a\" 'b\"' # more\n\"\\x41\\102\\u00e9\\U0001F600\"; i: -0x10, ints: [010, +3] ints: 7 f: "
      "1.5f "
      "floats: [-inf, nan, 2] tp < denotation: '' > type: 2 g: { }");
  EXPECT_EQ(a.name, "ab\"AB\xc3\xa9\xf0\x9f\x98\x80");
  EXPECT_EQ(a.i, -16);
  EXPECT_EQ(a.ints, (std::vector<std::int64_t>{8, 3, 7}));
  EXPECT_EQ(a.f, 1.5f);
  EXPECT_EQ(a.floats.value().at(0), -HUGE_VALF);
  EXPECT_TRUE(std::isnan(a.floats.value().at(1)));
  EXPECT_TRUE(a.tp->denotation.has());
  EXPECT_EQ(a.type, 2);
  EXPECT_TRUE(a.g.has());
  const auto t = from_prototext<ir::Tensor>(
      "dims: 2 float_data: [1, 2] float_data: 3 raw_data: '\\377\\x0' uint64_data: 18446744073709551615");
  EXPECT_EQ(t.float_data.size(), 3u);
  EXPECT_EQ(ir::as_text(t.raw_data), std::string_view("\xff\0", 2));
  EXPECT_EQ(t.uint64_data[0], UINT64_MAX);
  EXPECT_TRUE(write_message(from_prototext<ir::Model>("")).empty());
}

TEST(ProtoText, FloatsBeyondTheRangeAreInfinite) {
  const auto t = from_prototext<ir::Tensor>(
      "float_data: [1e39, -1e39, 1e400, 1e39f, 3.4028235e38, 1e-50, 999999999999999999999999999999999999999999] "
      "double_data: [1e39, -1e400]");
  const float kMost = std::numeric_limits<float>::max();
  EXPECT_EQ(std::vector<float>(t.float_data.begin(), t.float_data.end()),
            (std::vector<float>{HUGE_VALF, -HUGE_VALF, HUGE_VALF, HUGE_VALF, kMost, 0, HUGE_VALF}));
  EXPECT_EQ(t.double_data[0], 1e39);
  EXPECT_EQ(t.double_data[1], -HUGE_VAL);
  refused<ir::Tensor>("float_data: 1e39x");
}

TEST(ProtoText, TextThatIsNotUtf8Survives) {
  ir::Node n;
  n.name = std::string("a\xff\0", 3);
  EXPECT_EQ(from_prototext<ir::Node>(to_prototext(n)).name, n.name.get());
}

TEST(ProtoText, RefusesWithThePlace) {
  const Error e = refused("graph {\n  nodes { }\n}");
  EXPECT_EQ(e.where(), "line 2, column 3");
  EXPECT_NE(e.message().find("GraphProto has no field \"nodes\""), std::string::npos);
  EXPECT_NE(refused("ir_version: 1 ir_version: 2").message().find("twice"), std::string::npos);
  EXPECT_NE(refused("graph {} graph {}").message().find("twice"), std::string::npos);
  EXPECT_NE(refused<ir::Type>("tensor_type {} map_type {}").message().find("exclude"), std::string::npos);
  EXPECT_NE(refused("ir_version: 9223372036854775808").message().find("fit"), std::string::npos);
  EXPECT_NE(refused<ir::Tensor>("uint64_data: -1").message().find("fit"), std::string::npos);
  EXPECT_NE(refused<ir::Attribute>("type: FLOATY").message().find("enumeration"), std::string::npos);
  EXPECT_NE(refused<ir::Attribute>("f: 012.5").message().find("number"), std::string::npos);
  for (const char* text : {"graph", "graph {", "graph { >", "ir_version 3", "ir_version: 08", "ir_version: x",
                           "ir_version:", "producer_name: \"a", "producer_name: \"a\nb\"", "producer_name: '\\400'",
                           "producer_name: '\\q'", "producer_name: '\\", "producer_name: '\\ud800'", "[ext]: 3",
                           "opset_import: [{}", "\xff"}) {
    EXPECT_EQ(refused(text).code(), ErrorCode::InvalidProtobuf) << text;
  }
}

TEST(ProtoText, RefusesWhatItCannotHold) {
  ir::Node n;
  n.unknown = ir::bytes_of("x");
  EXPECT_THROW(to_prototext(n), Error);
  ir::Graph g;
  g.name = "g";
  g.node = {{}, n};
  ir::Model m;
  m.graph = g;
  try {
    to_prototext(m);
    ADD_FAILURE() << "was written";
  } catch (const Error& e) {
    EXPECT_EQ(e.where(), "graph \"g\" / node 1 ()");
  }
}

TEST(ProtoText, LimitsHold) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "sequence_type { elem_type { ";
  EXPECT_EQ(refused<ir::Type>(deep).code(), ErrorCode::LimitExceeded);
  Limits limits;
  limits.max_nodes = 1;
  EXPECT_EQ(refused<ir::Graph>("node {} node {}", limits).code(), ErrorCode::LimitExceeded);
}

}  // namespace
}  // namespace norn::format
