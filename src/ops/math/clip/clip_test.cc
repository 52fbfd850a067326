// Clip: order of the two bounds, NaN, absent bounds, and bounds moving between attributes and inputs.
#include "ops/math/clip/clip.h"

#include <cmath>
#include <limits>

#include "ops/common/elements.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
using transform::make_attr;

TEST(Clip, EveryType) {
  for (int n = 1; n < kDataTypeCount; ++n) {
    const auto type = static_cast<DataType>(n);
    if (!Clip.history.back().types[0].set.allows_tensor(type)) continue;
    SCOPED_TRACE(data_type_name(type));
    const Tensor x = random_tensor(type, {3, 4}, 3);
    const double low = domain_of(type) == Domain::U64 ? 1 : -1;
    std::vector<double> want = doubles(x);
    for (double& v : want) v = std::fmin(std::fmax(v, low), 2);
    const Tensor y = run_and_check(Clip, 13, {}, {x, tensor_of(type, {}, {low}), tensor_of(type, {}, {2})})[0].tensor();
    EXPECT_EQ(doubles(y), want);
  }
}

TEST(Clip, AbsentBoundsDoNotBound) {
  const Tensor x = tensor_of(DataType::Float, {4}, {-kInf, -1, 1, kInf});
  EXPECT_EQ(doubles(run_and_check(Clip, 13, {}, {x})[0].tensor()), (std::vector<double>{-kInf, -1, 1, kInf}));
  EXPECT_EQ(doubles(run_and_check(Clip, 13, {}, {x, tensor<float>({}, {0})})[0].tensor()),
            (std::vector<double>{0, 0, 1, kInf}));
  EXPECT_EQ(doubles(run_and_check(Clip, 13, {}, {x, Value(), tensor<float>({}, {0})})[0].tensor()),
            (std::vector<double>{-kInf, -1, 0, 0}));
}

TEST(Clip, MaxWinsOverMin) {
  const Tensor x = tensor<std::int32_t>({3}, {0, 5, 10});
  const auto y = run(Clip, 13, {}, {x, tensor<std::int32_t>({}, {7}), tensor<std::int32_t>({}, {3})});
  EXPECT_EQ(doubles(y[0].tensor()), (std::vector<double>{3, 3, 3}));
}

TEST(Clip, NanPropagates) {
  const auto value =
      doubles(run(Clip, 13, {}, {tensor<double>({2}, {kNan, 3}), tensor<double>({}, {0}), tensor<double>({}, {1})})[0]
                  .tensor());
  EXPECT_TRUE(std::isnan(value[0]));
  EXPECT_EQ(value[1], 1);
  const auto bound =
      doubles(run(Clip, 13, {}, {tensor<double>({2}, {-1, 3}), tensor<double>({}, {kNan}), tensor<double>({}, {1})})[0]
                  .tensor());
  EXPECT_TRUE(std::isnan(bound[0]) && std::isnan(bound[1]));
}

TEST(Clip, ExtremeIntegersAreExact) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  const Tensor x = tensor<std::int64_t>({2}, {kMost, kMost - 1});
  const Tensor y = run(Clip, 12, {}, {x, Value(), tensor<std::int64_t>({}, {kMost - 1})})[0].tensor();
  EXPECT_EQ(y.as<std::int64_t>()[0], kMost - 1);
}

TEST(Clip, BoundsMustBeScalars) {
  const Tensor x = tensor<float>({2}, {1, 2});
  EXPECT_EQ(doubles(run(Clip, 13, {}, {x, tensor<float>({1}, {2})})[0].tensor()), (std::vector<double>{2, 2}));
  EXPECT_THROW(run(Clip, 13, {}, {x, tensor<float>({2}, {2, 2})}), Error);
  EXPECT_THROW(infer(Clip, 13, {}, {type("float[2]"), type("float[2]")}), Error);
}

TEST(Clip, EmptyAndScalar) {
  EXPECT_EQ(run_and_check(Clip, 13, {}, {tensor<float>({0, 2}, {}), tensor<float>({}, {0})})[0].tensor().dims(),
            (Shape{0, 2}));
  EXPECT_EQ(doubles(run_and_check(Clip, 13, {}, {tensor<float>({}, {-3}), tensor<float>({}, {0})})[0].tensor()),
            std::vector<double>{0});
}

TEST(Clip, OldVersions) {
  for (const DataType type : {DataType::Float16, DataType::Float, DataType::Double}) {
    const Tensor x = tensor_of(type, {3}, {-5, 0.5, 5});
    const Attributes both = {make_attr("min", -1.0f), make_attr("max", 2.0f)};
    for (const int opset : {1, 6, 7, 10}) {
      EXPECT_EQ(doubles(run_lifted(Clip, opset, both, {x})[0].tensor()), (std::vector<double>{-1, 0.5, 2})) << opset;
      EXPECT_EQ(doubles(run(Clip, opset, both, {x})[0].tensor()), (std::vector<double>{-1, 0.5, 2})) << opset;
      EXPECT_EQ(doubles(run_lifted(Clip, opset, {make_attr("max", 2.0f)}, {x})[0].tensor()),
                (std::vector<double>{-5, 0.5, 2}));
    }
  }
  const Tensor big = tensor<double>({1}, {1e300});
  EXPECT_EQ(doubles(run_lifted(Clip, 6, {}, {big})[0].tensor())[0], 1e300);
  EXPECT_EQ(
      doubles(run_lifted(Clip, 1, {make_attr("consumed_inputs", std::vector<std::int64_t>{0})}, {big})[0].tensor())[0],
      1e300);
}

TEST(Clip, SymbolicIntegers) {
  const auto known =
      infer(Clip, 13, {}, {type("int64[3]"), type("int64[]"), type("int64[]")},
            {tensor<std::int64_t>({3}, {-1, 3, 9}), tensor<std::int64_t>({}, {0}), tensor<std::int64_t>({}, {5})});
  EXPECT_EQ(known.values[0].ints, (opset::Dims{0, 3, 5}));
  EXPECT_EQ(known.types[0].to_string(), "int64[3]");
}

TEST(Clip, StepsDown) {
  const auto x = type("float[3]"), scalar = type("float[]");
  auto lifted = moved(Clip, 13, 6, {}, {x, scalar, scalar}, {{}, tensor<float>({}, {-1}), tensor<float>({}, {2})});
  const transform::BoundNode& node = lifted.nodes.at(0);
  EXPECT_EQ(node.schema->since, 6);
  EXPECT_EQ(node.node.input, std::vector<std::string>{"in0"});
  const opset::Attrs attrs(*node.schema, node.node.attribute);
  EXPECT_EQ(attrs.f("min"), -1.0f);
  EXPECT_EQ(attrs.f("max"), 2.0f);

  lifted = moved(Clip, 11, 1, {}, {x, opset::ValueType(), scalar}, {{}, {}, tensor<float>({}, {2})});
  EXPECT_EQ(lifted.nodes.at(0).schema->since, 1);
  ASSERT_EQ(lifted.nodes.at(0).node.attribute.size(), 1u);
  EXPECT_EQ(lifted.nodes.at(0).node.attribute[0].name.get(), "max");
  EXPECT_EQ(lifted.nodes.at(0).node.input.size(), 1u);

  EXPECT_THROW(moved(Clip, 13, 6, {}, {x, scalar}), Error);  // computed
  EXPECT_THROW(moved(Clip, 13, 6, {}, {type("double[3]"), type("double[]")}, {{}, tensor<double>({}, {0.1})}), Error);
  EXPECT_THROW(moved(Clip, 13, 11, {}, {type("int32[3]")}), Error);
  EXPECT_EQ(moved(Clip, 13, 12, {}, {type("int32[3]")}).nodes.at(0).schema->since, 12);
}

TEST(Clip, StepsUpNeedTheType) {
  EXPECT_THROW(moved(Clip, 6, 13, {make_attr("max", 2.0f)}, {opset::ValueType::tensor(DataType::Undefined)}), Error);
  EXPECT_EQ(moved(Clip, 6, 13, {}, {opset::ValueType::tensor(DataType::Undefined)}).nodes.at(0).node.input.size(), 1u);
}

}  // namespace
}  // namespace norn::ops::test
