#include "ops/math/binary_arith/binary_arith.h"

#include <cmath>

#include "norn/error.h"
#include "ops/common/elements.h"
#include "ops/common/slice_test.h"

namespace norn::ops {
namespace {

using namespace test;
using opset::Operator;

constexpr DataType kEveryType[] = {DataType::Float, DataType::Double, DataType::Float16, DataType::BFloat16,
                                   DataType::Int8,  DataType::Int16,  DataType::Int32,   DataType::Int64,
                                   DataType::Uint8, DataType::Uint16, DataType::Uint32,  DataType::Uint64};

TEST(BinaryArith, EveryTypeComputesWithBroadcasting) {
  for (DataType type : kEveryType) {
    SCOPED_TRACE(data_type_name(type));
    const Tensor a = tensor_of(type, {2, 3}, {7, 8, 9, 10, 11, 12}), b = tensor_of(type, {3}, {1, 2, 4});
    EXPECT_EQ(doubles(run_and_check(Add, 14, {}, {a, b})[0].tensor()), (std::vector<double>{8, 10, 13, 11, 13, 16}));
    EXPECT_EQ(doubles(run_and_check(Sub, 14, {}, {a, b})[0].tensor()), (std::vector<double>{6, 6, 5, 9, 9, 8}));
    EXPECT_EQ(doubles(run_and_check(Mul, 14, {}, {a, b})[0].tensor()), (std::vector<double>{7, 16, 36, 10, 22, 48}));
    const bool floating = domain_of(type) == Domain::F64;
    EXPECT_EQ(doubles(run_and_check(Div, 14, {}, {a, b})[0].tensor()),
              floating ? (std::vector<double>{7, 4, 2.25, 10, 5.5, 3}) : (std::vector<double>{7, 4, 2, 10, 5, 3}));
  }
}

TEST(BinaryArith, StretchesBothSidesAndScalars) {
  const auto column = tensor<float>({2, 1}, {10, 20}), row = tensor<float>({1, 3}, {1, 2, 3});
  const auto sum = run_and_check(Add, 13, {}, {column, row})[0].tensor();
  EXPECT_EQ(sum.dims(), (Shape{2, 3}));
  EXPECT_EQ(doubles(sum), (std::vector<double>{11, 12, 13, 21, 22, 23}));
  const auto scalar = run_and_check(Mul, 13, {}, {tensor<float>({}, {3}), tensor<float>({}, {4})})[0].tensor();
  EXPECT_EQ(scalar.dims(), Shape{});
  EXPECT_EQ(doubles(scalar), std::vector<double>{12});
}

TEST(BinaryArith, EmptyTensors) {
  const Tensor none(DataType::Float, {0, 3});
  EXPECT_EQ(run_and_check(Add, 14, {}, {none, tensor<float>({3}, {1, 2, 3})})[0].tensor().dims(), (Shape{0, 3}));
  EXPECT_EQ(run_and_check(Add, 14, {}, {none, tensor<float>({1, 1}, {1})})[0].tensor().dims(), (Shape{0, 3}));
  EXPECT_THROW(run(Add, 14, {}, {none, tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6})}), Error);
}

TEST(BinaryArith, IntegersWrapAroundAndTruncate) {
  EXPECT_EQ(doubles(run(Add, 14, {}, {tensor<std::int8_t>({1}, {127}), tensor<std::int8_t>({1}, {1})})[0].tensor()),
            std::vector<double>{-128});
  EXPECT_EQ(doubles(run(Sub, 14, {}, {tensor<std::uint8_t>({1}, {0}), tensor<std::uint8_t>({1}, {1})})[0].tensor()),
            std::vector<double>{255});
  EXPECT_EQ(doubles(run(Div, 14, {}, {tensor<std::int64_t>({2}, {-7, 7}), tensor<std::int64_t>({1}, {2})})[0].tensor()),
            (std::vector<double>{-3, 3}));
  const std::int64_t least = INT64_MIN;
  const auto wrapped =
      run_and_check(Div, 14, {}, {tensor<std::int64_t>({1}, {least}), tensor<std::int64_t>({1}, {-1})});
  EXPECT_EQ(wrapped[0].tensor().as<std::int64_t>()[0], least);
  const auto sum = run_and_check(Add, 14, {}, {tensor<std::int64_t>({1}, {INT64_MAX}), tensor<std::int64_t>({1}, {1})});
  EXPECT_EQ(sum[0].tensor().as<std::int64_t>()[0], least);
  const auto narrow = run_and_check(Mul, 14, {}, {tensor<std::int32_t>({}, {1 << 30}), tensor<std::int32_t>({}, {4})});
  EXPECT_EQ(narrow[0].tensor().as<std::int32_t>()[0], 0);
  EXPECT_THROW(run(Div, 14, {}, {tensor<std::int32_t>({1}, {1}), tensor<std::int32_t>({1}, {0})}), Error);
}

TEST(BinaryArith, SpecialValues) {
  const double inf = INFINITY;
  const auto a = tensor_of(DataType::Float16, {5}, {65504, 0, inf, 1, -1}),
             b = tensor_of(DataType::Float16, {5}, {65504, 0, inf, 0, 0});
  EXPECT_EQ(doubles(run(Add, 14, {}, {a, b})[0].tensor())[0], inf);
  const auto q = doubles(run(Div, 14, {}, {a, b})[0].tensor());
  EXPECT_EQ(q[0], 1);
  EXPECT_TRUE(std::isnan(q[1]));
  EXPECT_TRUE(std::isnan(q[2]));
  EXPECT_EQ(q[3], inf);
  EXPECT_EQ(q[4], -inf);
}

TEST(BinaryArith, RandomShapesInferWhatTheyCompute) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    Shape full(random() % 4), a, b;
    for (auto& d : full) d = random() % 4;
    const auto part = [&] {
      Shape s(full.begin() + static_cast<std::ptrdiff_t>(random() % (full.size() + 1)), full.end());
      for (auto& d : s) d = random() % 3 ? d : 1;
      return s;
    };
    a = part(), b = part();
    run_and_check(Sub, 14, {},
                  {random_tensor(DataType::Double, a, random()), random_tensor(DataType::Double, b, random())});
  }
}

TEST(BinaryArith, SymbolicShapes) {
  const auto shape = [](const char* a, const char* b) {
    return infer(Add, 14, {}, {type(a), type(b)}).types[0].to_string();
  };
  EXPECT_EQ(shape("float[N,1,W]", "float[H,1]"), "float[N,H,W]");
  EXPECT_EQ(shape("float[N,3]", "float[3]"), "float[N,3]");
  EXPECT_EQ(shape("float[N]", "float[3]"), "float[3]");
  EXPECT_EQ(shape("float[N]", "float[M]"), "float[?0]");
  EXPECT_EQ(shape("float[N]", "float"), "float");
  EXPECT_EQ(shape("float[]", "float[]"), "float[]");
  EXPECT_THROW(shape("float[2]", "float[3]"), Error);
  try {
    shape("float[2]", "int64[2]");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.message(), "input 1 \"B\" is int64[2], but T is float because of input 0 \"A\"");
  }
}

// 2*seq + 1 computed by operators, from a shape that is [seq].
TEST(BinaryArith, CarriesSymbolicIntegers) {
  class Carry : public opset::InferContext::Engine {
   public:
    opset::DimExpr fresh_dim(std::string_view) override { return opset::DimExpr::variable("?0"); }
    void equal(const opset::DimExpr&, const opset::DimExpr&, std::string_view) override {}
    std::vector<opset::Fact> infer_subgraph(std::string_view, std::span<const opset::Fact>) override { return {}; }
  } engine;
  const auto seq = opset::DimExpr::variable("seq");
  const auto apply = [&](const Operator& op, opset::DimExpr a, opset::DimExpr b) {
    const auto int64 = type("int64[1]");
    opset::KnownValue x{.ints = opset::Dims{a}}, y{.ints = opset::Dims{b}};
    opset::InferContext::Input inputs[] = {{&int64, &x}, {&int64, &y}};
    std::vector<opset::InferContext::Output> out(1);
    opset::Attrs attrs(*opset::schema_at(op, 14), {});
    opset::InferContext context(attrs, inputs, out, engine);
    op.infer(context);
    return out[0].value.ints ? out[0].value.ints->at(0).to_string() : std::string("unknown");
  };
  EXPECT_EQ(apply(Mul, seq, 2), "2*seq");
  EXPECT_EQ(apply(Add, seq, seq), "2*seq");
  EXPECT_EQ(apply(Sub, seq, seq), "0");
  EXPECT_EQ(apply(Div, seq, 2), "floor(seq/2)");
  EXPECT_EQ(apply(Div, seq * 6, 2), "3*seq");
  EXPECT_EQ(apply(Div, seq - 1, 2), "unknown");  // truncation differs from the floor at seq = 0
  EXPECT_EQ(apply(Div, seq, 0), "unknown");
  EXPECT_EQ(apply(Div, -7, 2), "-3");
}

TEST(BinaryArith, OldVersionsPlaceBByAxis) {
  const auto a = random_tensor(DataType::Float, {2, 3, 4, 5}, 1);
  const auto b = random_tensor(DataType::Float, {3, 4}, 2);
  const Attributes attrs = {transform::make_attr("broadcast", std::int64_t{1}),
                            transform::make_attr("axis", std::int64_t{1})};
  const auto expected = run(Add, 14, {}, {a, b.reshaped({3, 4, 1})})[0].tensor();
  EXPECT_EQ(doubles(run_and_check(Add, 6, attrs, {a, b})[0].tensor()), doubles(expected));
  EXPECT_EQ(doubles(run_lifted(Add, 6, attrs, {a, b})[0].tensor()), doubles(expected));
  Attributes v1 = attrs;
  v1.push_back(transform::make_attr("consumed_inputs", std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(doubles(run_lifted(Add, 1, v1, {a, b})[0].tensor()), doubles(expected));
  const Attributes suffix = {transform::make_attr("broadcast", std::int64_t{1})};
  const auto c = random_tensor(DataType::Float, {4, 5}, 3);
  EXPECT_EQ(doubles(run_lifted(Mul, 6, suffix, {a, c})[0].tensor()), doubles(run(Mul, 14, {}, {a, c})[0].tensor()));
  EXPECT_THROW(run(Add, 6, {}, {a, c}), Error);
  EXPECT_THROW(infer(Add, 6, {}, {type("float[2,3]"), type("float[3]")}), Error);
}

// The last of the nodes that an Add becomes, and all of them.
struct Moved {
  transform::Lifted lifted;
  const transform::BoundNode& node() const { return lifted.nodes.back(); }
};
Moved move_add(int from, int to, const Attributes& attrs, const char* a, const char* b,
               std::optional<Tensor> constant = {}) {
  return {moved(Add, from, to, attrs, {type(a), type(b)}, {std::nullopt, std::move(constant)})};
}

TEST(BinaryArith, StepsDown) {
  auto moved = move_add(14, 6, {}, "float[N,3,4]", "float[3,4]");
  EXPECT_EQ(moved.node().schema->since, 6);
  opset::Attrs attrs(*moved.node().schema, moved.node().node.attribute);
  EXPECT_EQ(attrs.i("broadcast"), 1);
  EXPECT_FALSE(attrs.has("axis"));

  moved = move_add(14, 6, {}, "float[N,3,4]", "float[3,1]", tensor<float>({3, 1}, {1, 2, 3}));
  opset::Attrs placed(*moved.node().schema, moved.node().node.attribute);
  EXPECT_EQ(placed.i("axis"), 1);
  ASSERT_EQ(moved.lifted.constants.size(), 1u);
  EXPECT_EQ(moved.lifted.constants[0].second.dims(), Shape{3});
  EXPECT_EQ(moved.node().node.input[1], moved.lifted.constants[0].first);

  EXPECT_TRUE(move_add(14, 1, {}, "float[N]", "float[N]").node().node.attribute.empty());
  EXPECT_THROW(move_add(14, 6, {}, "float[1,3]", "float[2,3]"), Error);
  EXPECT_THROW(move_add(14, 6, {}, "float", "float[2,3]"), Error);
  EXPECT_THROW(move_add(14, 13, {}, "int8[2]", "int8[2]"), Error);  // int8 came with 14
  EXPECT_THROW(move_add(14, 7, {}, "bfloat16[2]", "bfloat16[2]"), Error);
}

TEST(BinaryArith, UpWithoutRanksStaysAtSix) {
  const Attributes attrs = {transform::make_attr("broadcast", std::int64_t{1}),
                            transform::make_attr("axis", std::int64_t{1})};
  const auto moved = move_add(1, 14, attrs, "float", "float[3]");
  EXPECT_EQ(moved.node().schema->since, 6);
  EXPECT_EQ(moved.node().node.attribute.size(), 2u);
  EXPECT_EQ(move_add(6, 14, {}, "float", "float").node().schema->since, 14);
}

}  // namespace
}  // namespace norn::ops
