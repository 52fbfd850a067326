// Bytes are written out by hand from protobuf's encoding rules; tests/python/test_roundtrip.py holds whole models
// against the onnx package.
#include "format/wire.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>

#include "base/parallel.h"
#include "norn/error.h"

namespace norn::format {
namespace {

using namespace std::string_literals;

ir::Bytes input(const std::string& text) { return ir::bytes_of(text); }

std::string varint(std::uint64_t v) {
  std::string out;
  for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
  return out + static_cast<char>(v);
}
std::string field(std::uint32_t number, const std::string& payload) {
  return varint(number << 3 | 2) + varint(payload.size()) + payload;
}
std::string field(std::uint32_t number, std::uint64_t value) { return varint(number << 3) + varint(value); }

template <class T>
std::string written(const T& message) {
  const auto bytes = write_message(message);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Error error_of(const std::string& bytes, const Limits& limits = {}) {
  try {
    read_model(input(bytes), limits);
  } catch (const Error& e) {
    return e;
  }
  ADD_FAILURE() << "accepted";
  return Error(ErrorCode::Internal, "");
}

bool says(const Error& e, const std::string& text) {
  if (std::string(e.what()).find(text) != std::string::npos) return true;
  ADD_FAILURE() << "expected \"" << text << "\" in: " << e.what();
  return false;
}

TEST(WireRead, PresenceIsKept) {
  const auto m = read_model(input(field(1, 0) + field(2, ""s)));
  EXPECT_TRUE(m.ir_version.has());
  EXPECT_TRUE(m.producer_name.has());
  EXPECT_FALSE(m.domain.has());
  EXPECT_EQ(written(m), field(1, 0) + field(2, ""s));
}

TEST(WireRead, NumbersOfAllWidths) {
  const std::uint64_t minus_one = ~std::uint64_t{0};
  const auto a = read_message<ir::Attribute>(
      input(field(3, minus_one) + field(20, minus_one) + field(8, varint(1) + varint(minus_one)) + field(8, 5)));
  EXPECT_EQ(a.i.get(), -1);
  EXPECT_EQ(a.type.get(), -1);
  EXPECT_EQ(a.ints, (std::vector<std::int64_t>{1, -1, 5}));
  // An overlong varint is still a number.
  EXPECT_EQ(read_message<ir::Attribute>(input("\x18\x85\x80\x00"s)).i.get(), 5);
}

TEST(WireRead, PackedFloatsAreSharedOnlyWhenAligned) {
  const float values[] = {1, 2, 3};
  const std::string packed(reinterpret_cast<const char*>(values), sizeof(values));
  int shared = 0;
  for (std::size_t pad = 0; pad < 4; ++pad) {
    const ir::Bytes bytes = input(field(12, std::string(pad, 'd')) + field(4, packed));
    const auto t = read_message<ir::Tensor>(bytes);
    ASSERT_EQ(t.float_data.size(), 3u);
    EXPECT_EQ(t.float_data[2], 3);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(t.float_data.data()) % alignof(float), 0u);
    shared += t.float_data.owner() == bytes.owner();
  }
  EXPECT_EQ(shared, 1);
}

TEST(WireRead, RawDataIsAViewIntoTheInput) {
  const ir::Bytes bytes = input(field(9, std::string(100, 'r')));
  const auto t = read_message<ir::Tensor>(bytes);
  EXPECT_EQ(t.raw_data->data(), bytes.data() + 2);
  EXPECT_EQ(t.raw_data->owner(), bytes.owner());
}

TEST(WireRead, OneofKeepsTheLast) {
  const std::string dim = field(1, 4) + field(2, "N"s);
  const auto shaped = read_message<ir::Type>(input(field(1, field(2, field(1, dim)))));
  const ir::Dimension& d = shaped.tensor_type->shape->dim[0];
  EXPECT_FALSE(d.dim_value.has());
  EXPECT_EQ(d.dim_param.get(), "N");
  const auto t = read_message<ir::Type>(input(field(1, field(1, 1)) + field(4, ""s) + field(1, field(2, ""s))));
  EXPECT_FALSE(t.sequence_type.has());
  ASSERT_TRUE(t.tensor_type.has());
  EXPECT_FALSE(t.tensor_type->elem_type.has()) << "the first tensor_type was dropped, not merged";
}

TEST(WireRead, WrongWireTypesAreUnknownFields) {
  const std::string bytes = field(1, 1) + field(3, 5) + field(7, field(2, "g"s)) + field(5, "text"s);
  const auto m = read_model(input(bytes));
  EXPECT_FALSE(m.producer_version.has());
  EXPECT_EQ(ir::as_text(m.unknown), field(3, 5) + field(5, "text"s));
}

TEST(WireRead, ErrorsTellThePlace) {
  const std::string node = field(4, "Op"s) + field(5, field(8, "\xff"s));
  const Error e = error_of(field(1, 8) + field(7, field(1, ""s) + field(1, node)) + field(2, "after"s));
  EXPECT_EQ(e.code(), ErrorCode::InvalidProtobuf);
  EXPECT_EQ(e.where(), "byte 16 in graph.node[1].attribute[0]");
}

TEST(WireRead, TruncatedFilesTellWhatIsMissing) {
  const std::string whole = field(1, 8) + field(7, field(2, std::string(50, 'n')));
  for (std::size_t n = 1; n < whole.size(); ++n) {
    if (n == 2) continue;  // that is a model with an IR version
    const Error e = error_of(whole.substr(0, n));
    EXPECT_EQ(e.code(), ErrorCode::InvalidProtobuf);
    says(e, "missing");
    says(e, "cut off");
  }
  says(error_of(whole.substr(0, whole.size() - 7)), "at least 7 bytes");
}

TEST(WireRead, DamagedStructure) {
  says(error_of(field(1, 8) +
                field(7,
                      "\x0a\x05"
                      "abc"s) +
                field(2, "p"s)),
       "runs over the end");
  says(error_of(field(1, 8) + "\x00\x01"s), "field number 0");
  says(error_of(field(1, 8) + "\x0e"s), "wire type 6");
  says(error_of(field(1, 8) + "\x0c"s), "did not begin");
  says(error_of(field(1, 8) + "\xa3\x01\x08\x01\xac\x01"s), "wrong order");
  says(error_of(field(1, 8) + "\x28" + std::string(10, '\xff') + "\x01"), "ten bytes");
  says(error_of(field(1, 8) + varint(7u << 3 | 2) + varint(std::numeric_limits<std::uint64_t>::max())), "missing");
  Limits limits;
  says(error_of(field(1, 8) + field(7, field(5, field(4, "abc"s))), limits), "packed numbers");
}

TEST(WireRead, LimitsHold) {
  std::string type = field(1, field(1, 1));
  for (int i = 0; i < 200; ++i) type = field(4, field(1, type));
  EXPECT_EQ(error_of(field(1, 8) + field(7, field(11, field(2, type)))).code(), ErrorCode::LimitExceeded);
  std::string group;
  for (int i = 0; i < 100'000; ++i) group += "\xa3\x06";
  EXPECT_EQ(error_of(field(1, 8) + group).code(), ErrorCode::LimitExceeded);
  Limits limits;
  limits.max_nodes = 2;
  const std::string graph = field(1, ""s) + field(1, ""s);
  EXPECT_NO_THROW(read_model(input(field(1, 8) + field(7, graph)), limits));
  EXPECT_EQ(error_of(field(1, 8) + field(7, graph + field(1, ""s)), limits).code(), ErrorCode::LimitExceeded);
  limits.max_tensor_bytes = 10;
  EXPECT_EQ(error_of(field(1, 8) + field(7, field(5, field(9, std::string(11, 'x')))), limits).code(),
            ErrorCode::LimitExceeded);
  limits.max_bytes = 3;
  EXPECT_EQ(error_of("\x08\x08\x08\x08"s, limits).code(), ErrorCode::LimitExceeded);
}

// A graph of many nodes, some of which hold a graph, and many tensors; `with` changes the node's bytes.
template <class F>
std::string large_graph(int nodes, F with) {
  std::string graph, tensors;
  for (int i = 0; i < nodes; ++i) {
    const std::string number = std::to_string(i);
    std::string node = field(1, "in" + number) + field(1, ""s) + field(2, "a long output name " + number) +
                       field(3, number) + field(4, "Op"s);
    if (i % 100 == 7) node += field(5, field(1, "body"s) + field(6, field(1, field(4, "Inner"s)) + field(2, "g"s)));
    graph += field(1, with(i, std::move(node)));
    tensors += field(5, field(1, 3) + field(2, 1) + field(8, "w" + std::to_string(i)) + field(9, std::string(12, 'x')));
  }
  return graph + field(2, "large"s) + tensors;
}

TEST(WireRead, AnyNumberOfThreadsReadsTheSame) {
  const auto plain = [](int, std::string node) { return node; };
  for (const int width : {1, 0}) {
    base::ParallelWidth threads(width);
    for (const int nodes : {2047, 2048, 5000, 70'000}) {
      const std::string file = field(1, 8) + field(7, large_graph(nodes, plain));
      EXPECT_TRUE(written(read_model(input(file))) == file) << width << " " << nodes;
    }
    // A second run of nodes behind the tensors, and a second graph message that is merged with the first.
    const std::string large = large_graph(3000, plain);
    const ir::Model twice = read_model(input(field(1, 8) + field(7, large + large) + field(7, large)));
    ASSERT_EQ(twice.graph->node.size(), 9000u);
    ASSERT_EQ(twice.graph->initializer.size(), 9000u);
    for (const std::size_t i : {0, 2999, 3000, 4321, 8999}) {
      EXPECT_EQ(twice.graph->node[i].name.get(), std::to_string(i % 3000));
      EXPECT_EQ(twice.graph->initializer[i].name.get(), "w" + std::to_string(i % 3000));
    }
  }
}

TEST(WireRead, AnyNumberOfThreadsFindsTheFirstFault) {
  const auto broken = [](int i, std::string node) { return i == 3100 || i == 4900 ? node + "\x12\x7f" : node; };
  const std::string file = field(1, 8) + field(7, large_graph(5000, broken));
  std::string limit_place;
  for (const int width : {1, 0}) {
    base::ParallelWidth threads(width);
    const Error e = error_of(file);
    EXPECT_EQ(e.code(), ErrorCode::InvalidProtobuf);
    says(e, "graph.node[3100]");
    const std::string whole = field(1, 8) + field(7, large_graph(5000, [](int, std::string node) { return node; }));
    Limits limits;
    limits.max_nodes = 5049;  // 50 more are nested
    const Error one_too_many = error_of(whole, limits);
    EXPECT_EQ(one_too_many.code(), ErrorCode::LimitExceeded);
    if (width == 1) limit_place = one_too_many.where();
    EXPECT_EQ(one_too_many.where(), limit_place);
    limits.max_nodes = 5050;
    EXPECT_NO_THROW(read_model(input(whole), limits));
    // Of a fault and a limit, what comes first.
    limits.max_nodes = 3200;
    EXPECT_EQ(error_of(file, limits).code(), ErrorCode::InvalidProtobuf);
    limits.max_nodes = 3000;
    EXPECT_EQ(error_of(file, limits).code(), ErrorCode::LimitExceeded);
    limits = {};
    limits.max_tensor_bytes = 11;
    says(error_of(whole, limits), "graph.initializer[0]");
  }
}

TEST(WireRead, MergingCannotBeMadeQuadratic) {
  // Each part of the tensor adds to the numbers gathered by the parts before it.
  const std::string part = field(5, field(5, std::string(2000, '\1')));
  std::string attribute;
  for (int i = 0; i < 3000; ++i) attribute += part;
  EXPECT_EQ(error_of(field(1, 8) + field(7, field(1, field(5, attribute)))).code(), ErrorCode::LimitExceeded)
      << "6 MB of input would copy 36 GB";
}

TEST(WireRead, FilesOfOtherKinds) {
  const auto named = [](const std::string& bytes, const char* what) {
    const Error e = error_of(bytes);
    EXPECT_EQ(e.code(), ErrorCode::InvalidProtobuf);
    says(e, what);
  };
  named("", "empty");
  named("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n", "git lfs pull");
  named("\n  <!DOCTYPE html><html>", "HTML");
  named("\x89PNG\r\n\x1a\n....", "PNG");
  named("\xff\xd8\xff\xe0....", "JPEG");
  named("PK\x03\x04....", "zip");
  named("\x1f\x8b\x08....", "gzip");
  named("\x93NUMPY\x01\x00"s, "NumPy");
  named("{\"irVersion\": 8}", "text");
  named("<\n  ir_version: 8\n>\n", "text");
  // A graph of ONNX 0.1 starts with a node where a model has its IR version.
  named(field(1, field(4, "Relu"s)) + field(2, "g"s), "0.1");
  named(field(100, "?"s), "none of its fields");
}

TEST(WireWrite, NestedSizesAndVarintBoundaries) {
  for (std::size_t n : {0u, 1u, 126u, 127u, 128u, 129u, 16382u, 16383u, 16384u, 70000u}) {
    const std::string model = field(1, 8) + field(7, field(1, field(3, std::string(n, 'n'))));
    EXPECT_EQ(written(read_model(input(model))), model) << n;
  }
}

std::string joined(const Pieces& pieces) {
  std::string text;
  for (auto p : pieces.spans) text.append(reinterpret_cast<const char*>(p.data()), p.size());
  return text;
}

TEST(WireWrite, PiecesShareLargePayloads) {
  const std::string model =
      field(1, 8) + field(7, field(5, field(9, std::string(10'000, 'r'))) + field(5, field(9, "small"s)) +
                                 field(5, field(9, std::string(5000, 's'))));
  const ir::Bytes bytes = input(model);
  const auto m = read_model(bytes);
  const Pieces pieces = write_pieces(m);
  EXPECT_EQ(pieces.size, model.size());
  EXPECT_LT(pieces.buffer.size(), 200u);
  bool shared = false;
  for (auto p : pieces.spans) {
    shared = shared || (p.data() == m.graph->initializer[0].raw_data->data() && p.size() == 10'000);
  }
  EXPECT_EQ(joined(pieces), model);
  EXPECT_TRUE(shared);
}

TEST(WireWrite, PartsOfALongListShareTheirPayloads) {
  std::string graph;
  for (int i = 0; i < 9000; ++i)  // payloads at the ends of parts, and parts without any
    graph += field(5, field(8, std::to_string(i)) +
                          field(9, std::string(i == 0 || i == 2047 || i == 6000 || i == 6001 ? 5000 : 10, 'r')));
  const std::string model = field(1, 8) + field(7, field(2, "g"s) + graph);
  const ir::Bytes bytes = input(model);
  const auto m = read_model(bytes);
  for (const int width : {1, 0}) {
    base::ParallelWidth threads(width);
    const Pieces pieces = write_pieces(m);
    EXPECT_EQ(pieces.size, model.size());
    EXPECT_EQ(pieces.buffer.size(), model.size() - 4 * 5000);
    EXPECT_LE(pieces.spans.size(), 5u + 2 * 4u);
    EXPECT_TRUE(joined(pieces) == model) << width;
    Encoded encoded;
    encode_parts(*m.graph, encoded);
    EXPECT_EQ(encoded.parts.size(), 5u);
    EXPECT_TRUE(joined(write_pieces(m, kShareAt, encoded)) == model) << width;
  }
}

TEST(WireWrite, EncodedPartsLieWhereTheyAreExpected) {
  std::string nodes, tensors;
  for (int i = 0; i < 6000; ++i) nodes += field(1, field(4, "Op"s));
  for (int i = 0; i < 5000; ++i)
    tensors += field(5, field(8, std::to_string(i)) + field(9, std::string(i % 2000 ? 3 : 5000, 'r')));
  const std::string before = field(1, 8) + field(2, "producer"s) + field(6, "text"s);
  const ir::Model m = read_model(input(before + field(7, nodes + field(2, "g"s) + tensors + field(11, field(1, "x"s))) +
                                       field(14, field(1, "key"s)) + field(900, "later"s)));
  Encoded encoded;
  encode_parts(*m.graph, encoded);
  const Pieces pieces = write_pieces(m, kShareAt, encoded);
  const std::vector<PlacedBytes> places = expected_places(m, encoded, 20);
  std::size_t spans = 0;
  for (const auto& [first, part] : encoded.parts) spans += part.spans.size();
  EXPECT_EQ(places.size(), spans);
  std::uint64_t at = 0;
  std::size_t met = 0;
  for (const auto span : pieces.spans) {
    if (met < places.size() && places[met].offset == at && places[met].bytes.data() == span.data() &&
        places[met].bytes.size() == span.size())
      ++met;
    at += span.size();
  }
  EXPECT_EQ(met, places.size());
  // A graph whose length takes more bytes lies further behind.
  EXPECT_EQ(expected_places(m, encoded, std::uint64_t{1} << 21)[0].offset, places[0].offset + 1);
  EXPECT_TRUE(expected_places(m, {}, 20).empty());
  EXPECT_TRUE(expected_places(ir::Model(), encoded, 20).empty());
}

TEST(WireWrite, PartsWithGraphsAreNotEncodedBefore) {
  const auto plain = [](int, std::string node) { return node; };
  std::string nodes;
  for (int i = 0; i < 3000; ++i) nodes += field(1, field(4, "Op"s));
  const ir::Model m = read_model(input(field(1, 8) + field(7, nodes + large_graph(3000, plain))));
  Encoded encoded;
  encode_parts(*m.graph, encoded);
  EXPECT_EQ(encoded.parts.size(), 1u);  // of three; the tensors are too few for parts
  EXPECT_EQ(encoded.parts.count(m.graph->node.data()), 1u);
  const Pieces pieces = write_pieces(m, kShareAt, encoded);
  EXPECT_TRUE(joined(pieces) == written(m));
  EXPECT_EQ(pieces.size, written(m).size());
}

TEST(WireWrite, AddedValueInfoStandsBehindTheGraphsOwn) {
  const std::string type = field(1, field(1, 1) + field(2, field(1, field(1, 4))));  // float[4]
  const auto info = [&](const std::string& name) { return field(13, field(1, name) + field(2, type)); };
  const auto with = [&](const std::string& inner, const std::string& outer) {
    const std::string body = field(5, field(1, "body"s) + field(6, field(2, "inner"s) + inner));
    return field(1, 8) + field(7, field(1, field(4, "If"s) + body) + field(2, "outer"s) + info("own") + outer +
                                      field(16, field(1, "key"s)));
  };
  const ir::Model m = read_model(input(with("", "")));
  const ir::Bytes type_bytes = input(type);
  Encoded encoded;
  std::string many;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = "value " + std::string(static_cast<std::size_t>(i), 'v');
    encoded.value_info[&*m.graph].add(name, type_bytes.span());
    many += info(name);
  }
  encoded.value_info[&*m.graph->node[0].attribute[0].g].add("x", type_bytes.span());
  for (const std::size_t share_at : {std::size_t{64}, ~std::size_t{0}}) {
    const Pieces pieces = write_pieces(m, share_at, encoded);
    EXPECT_EQ(joined(pieces), with(info("x"), many));
    EXPECT_EQ(pieces.size, with(info("x"), many).size());
  }
}

TEST(WireWrite, UnknownFieldsComeBackByteForByte) {
  const std::string odd =
      field(900, "x"s) + "\xc3\x3e\x08\x01\xc4\x3e"s + "\xa1\x3f"s + "12345678" + "\xad\x3f"s + "1234";
  const std::string graph = field(2, "g"s) + odd;
  const std::string model = field(1, 8) + field(7, graph) + odd;
  EXPECT_EQ(written(read_model(input(model))), model);
  // Interleaved with known fields they are gathered behind them, in order.
  const std::string mixed = odd + field(1, 8) + odd + field(7, field(2, "g"s)) + odd;
  EXPECT_EQ(written(read_model(input(mixed))), field(1, 8) + field(7, field(2, "g"s)) + odd + odd + odd);
}

}  // namespace
}  // namespace norn::format
