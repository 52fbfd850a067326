#include "ops/reduction/reduce/reduce.h"

#include <cmath>
#include <limits>

#include "norn/error.h"
#include "ops/common/slice_test.h"

namespace norn::ops {
namespace {

using namespace test;
using Doubles = std::vector<double>;
using Ints = std::vector<std::int64_t>;
using opset::Operator;
using transform::make_attr;

constexpr std::int64_t kOne = 1, kZero = 0;
constexpr double kInf = std::numeric_limits<double>::infinity();

Tensor axes(const Ints& values) { return tensor<std::int64_t>({static_cast<std::int64_t>(values.size())}, values); }

struct Expected {
  const Operator* op;
  Doubles real;   // of {1 -2 2 | 3 0 4}, by rows
  Doubles whole;  // as integers
};
const Expected kExpected[] = {
    {&ReduceSum, {1, 7}, {1, 7}},
    {&ReduceMean, {1 / 3.0, 7 / 3.0}, {0, 2}},
    {&ReduceMax, {2, 4}, {2, 4}},
    {&ReduceMin, {-2, 0}, {-2, 0}},
    {&ReduceProd, {-4, 0}, {-4, 0}},
    {&ReduceL1, {5, 7}, {5, 7}},
    {&ReduceL2, {3, 5}, {3, 5}},
    {&ReduceLogSum, {0, std::log(7.0)}, {0, 1}},
    {&ReduceLogSumExp,
     {std::log(std::exp(1) + std::exp(-2) + std::exp(2)), std::log(std::exp(3) + 1 + std::exp(4))},
     {2, 4}},
    {&ReduceSumSquare, {9, 25}, {9, 25}},
};

TEST(Reduce, EveryOperatorAndType) {
  for (const Expected& e : kExpected) {
    for (DataType t : {DataType::Float16, DataType::BFloat16, DataType::Float, DataType::Double, DataType::Int32,
                       DataType::Int64, DataType::Int8}) {
      if (!opset::find_type(*opset::schema_at(*e.op, 20), "T")->set.allows_tensor(t)) continue;
      SCOPED_TRACE(std::string(e.op->name) + " " + std::string(data_type_name(t)));
      const bool whole = t == DataType::Int32 || t == DataType::Int64 || t == DataType::Int8;
      const Tensor y = run_and_check(*e.op, 20, {make_attr("keepdims", kZero)},
                                     {tensor_of(t, {2, 3}, {1, -2, 2, 3, 0, 4}), axes({-1})})[0]
                           .tensor();
      EXPECT_EQ(y.dims(), Shape{2});
      const auto got = doubles(y);
      const double tolerance = t == DataType::BFloat16 ? 2e-2 : t == DataType::Float16 ? 2e-3 : 1e-6;
      for (std::size_t i = 0; i < 2; ++i) {
        if (whole)
          EXPECT_EQ(got[i], e.whole[i]);
        else
          EXPECT_NEAR(got[i], e.real[i], tolerance);
      }
    }
  }
}

TEST(Reduce, UnsignedAndBool) {
  for (DataType t : {DataType::Uint32, DataType::Uint64, DataType::Uint8}) {
    const Tensor x = tensor_of(t, {3}, {200, 7, 9});
    EXPECT_EQ(doubles(run_and_check(ReduceMax, 20, {}, {x})[0].tensor()), Doubles{200});
    EXPECT_EQ(doubles(run_and_check(ReduceMin, 20, {}, {x})[0].tensor()), Doubles{7});
  }
  const Tensor b = tensor<bool>({2, 2}, {false, true, false, false});
  EXPECT_EQ(doubles(run_and_check(ReduceMax, 20, {}, {b, axes({1})})[0].tensor()), (Doubles{1, 0}));
  EXPECT_EQ(doubles(run_and_check(ReduceMin, 20, {}, {b, axes({1})})[0].tensor()), (Doubles{0, 0}));
}

TEST(Reduce, AxesAndKeepdims) {
  Doubles values;
  for (int i = 0; i < 24; ++i) values.push_back(i);
  const Tensor x = tensor_of(DataType::Float, {2, 3, 4}, values);
  const Tensor outer = run_and_check(ReduceSum, 13, {}, {x, axes({0, -1})})[0].tensor();
  EXPECT_EQ(outer.dims(), (Shape{1, 3, 1}));
  EXPECT_EQ(doubles(outer), (Doubles{60, 92, 124}));
  const Tensor middle = run_and_check(ReduceSum, 13, {make_attr("keepdims", kZero)}, {x, axes({1})})[0].tensor();
  EXPECT_EQ(middle.dims(), (Shape{2, 4}));
  EXPECT_EQ(doubles(middle), (Doubles{12, 15, 18, 21, 48, 51, 54, 57}));
  EXPECT_EQ(run_and_check(ReduceSum, 13, {}, {x})[0].tensor().dims(), (Shape{1, 1, 1}));
  EXPECT_EQ(run_and_check(ReduceSum, 13, {make_attr("keepdims", kZero)}, {x, axes({})})[0].tensor().dims(), Shape{});
  EXPECT_EQ(doubles(run_and_check(ReduceMean, 18, {}, {tensor<float>({}, {5})})[0].tensor()), Doubles{5});
}

TEST(Reduce, NoAxesMayMeanNone) {
  const Tensor x = tensor<float>({2}, {-2, 3});
  const Attributes noop = {make_attr("noop_with_empty_axes", kOne)};
  EXPECT_EQ(doubles(run_and_check(ReduceSum, 13, noop, {x})[0].tensor()), (Doubles{-2, 3}));
  EXPECT_EQ(doubles(run_and_check(ReduceL1, 18, noop, {x, axes({})})[0].tensor()), (Doubles{2, 3}));
  EXPECT_EQ(doubles(run_and_check(ReduceSumSquare, 18, noop, {x})[0].tensor()), (Doubles{4, 9}));
  EXPECT_EQ(doubles(run_and_check(ReduceSum, 13, noop, {x, axes({0})})[0].tensor()), Doubles{1});
}

TEST(Reduce, OverNothing) {
  const auto over_nothing = [](const Operator& op, DataType t) {
    return doubles(run_and_check(op, 28, {make_attr("keepdims", kZero)}, {Tensor(t, {2, 0}), axes({1})})[0].tensor());
  };
  for (const Operator* op : {&ReduceSum, &ReduceL1, &ReduceL2, &ReduceSumSquare}) {
    EXPECT_EQ(over_nothing(*op, DataType::Float), (Doubles{0, 0}));
    EXPECT_EQ(over_nothing(*op, DataType::Int32), (Doubles{0, 0}));
  }
  EXPECT_EQ(over_nothing(ReduceProd, DataType::Uint32), (Doubles{1, 1}));
  EXPECT_EQ(over_nothing(ReduceMax, DataType::Float16), (Doubles{-kInf, -kInf}));
  EXPECT_EQ(over_nothing(ReduceMin, DataType::Float), (Doubles{kInf, kInf}));
  EXPECT_EQ(over_nothing(ReduceMax, DataType::Int8), (Doubles{-128, -128}));
  EXPECT_EQ(over_nothing(ReduceMin, DataType::Int32), (Doubles{INT32_MAX, INT32_MAX}));
  EXPECT_EQ(over_nothing(ReduceMin, DataType::Uint8), (Doubles{255, 255}));
  EXPECT_EQ(over_nothing(ReduceMax, DataType::Bool), (Doubles{0, 0}));
  EXPECT_EQ(over_nothing(ReduceMin, DataType::Bool), (Doubles{1, 1}));
  EXPECT_EQ(over_nothing(ReduceLogSum, DataType::Float), (Doubles{-kInf, -kInf}));
  EXPECT_EQ(over_nothing(ReduceLogSumExp, DataType::Float), (Doubles{-kInf, -kInf}));
  EXPECT_TRUE(std::isnan(over_nothing(ReduceMean, DataType::Float)[0]));
  EXPECT_EQ(run_and_check(ReduceSum, 13, {}, {Tensor(DataType::Float, {0, 3}), axes({1})})[0].tensor().dims(),
            (Shape{0, 1}));
}

TEST(Reduce, IntegersAreExact) {
  const std::int64_t large = (std::int64_t{1} << 62) + 1;
  const Tensor x = tensor<std::int64_t>({3}, {large, large, large - 3});
  const auto one = [&](const Operator& op, const Tensor& t) {
    return run(op, 18, {}, {t})[0].tensor().as<std::int64_t>()[0];
  };
  EXPECT_EQ(one(ReduceMean, x), large - 1);
  EXPECT_EQ(one(ReduceMax, x), large);
  EXPECT_EQ(one(ReduceSum, tensor<std::int64_t>({2}, {INT64_MAX, 1})), INT64_MIN);
  EXPECT_EQ(one(ReduceMean, tensor<std::int64_t>({2}, {-3, 0})), -1);
  EXPECT_EQ(one(ReduceL2, tensor<std::int64_t>({2}, {std::int64_t{3} << 60, std::int64_t{1} << 62})),
            std::int64_t{5} << 60);
  EXPECT_EQ(one(ReduceL2, tensor<std::int64_t>({1}, {INT64_MAX})), INT64_MAX);
  EXPECT_EQ(run(ReduceProd, 18, {}, {tensor<std::int32_t>({2}, {1 << 30, 4})})[0].tensor().as<std::int32_t>()[0], 0);
  EXPECT_EQ(run(ReduceMax, 18, {}, {tensor<std::uint64_t>({2}, {UINT64_MAX, 1})})[0].tensor().as<std::uint64_t>()[0],
            UINT64_MAX);
}

TEST(Reduce, SpecialValues) {
  const auto one = [](const Operator& op, std::vector<float> v) {
    const auto n = static_cast<std::int64_t>(v.size());
    return doubles(run(op, 18, {}, {tensor<float>({n}, v)})[0].tensor())[0];
  };
  EXPECT_TRUE(std::isnan(one(ReduceMax, {1, NAN, 3})));
  EXPECT_TRUE(std::isnan(one(ReduceMin, {NAN, 1})));
  EXPECT_TRUE(std::isnan(one(ReduceLogSumExp, {NAN, 1})));
  EXPECT_NEAR(one(ReduceLogSumExp, {1000, 1000}), 1000 + std::log(2.0), 1e-4);
  EXPECT_EQ(one(ReduceLogSumExp, {-INFINITY, -INFINITY}), -kInf);
  EXPECT_EQ(one(ReduceLogSumExp, {INFINITY, 0}), kInf);
  EXPECT_EQ(one(ReduceMax, {-INFINITY, -INFINITY}), -kInf);
}

TEST(Reduce, CarriesSymbolicSizes) {
  const Ints shape_values = {2, 3, 4};
  EXPECT_EQ((*infer(ReduceProd, 18, {}, {type("int64[3]")}, {axes(shape_values)}).values[0].ints)[0],
            opset::DimExpr(24));
  EXPECT_EQ((*infer(ReduceMax, 13, {make_attr("keepdims", kZero)}, {type("int64[3]")}, {axes(shape_values)})
                  .values[0]
                  .ints)[0],
            opset::DimExpr(4));
  EXPECT_EQ(infer(ReduceSum, 13, {make_attr("noop_with_empty_axes", kOne)}, {type("int64[3]")}, {axes(shape_values)})
                .values[0]
                .ints->size(),
            3u);
}

TEST(Reduce, InfersWhatIsKnown) {
  EXPECT_EQ(infer(ReduceMean, 13, {make_attr("axes", Ints{1})}, {type("float[N,C,H]")}).types[0].to_string(),
            "float[N,1,H]");
  EXPECT_EQ(infer(ReduceMean, 18, {}, {type("float[N,C,H]"), type("int64[2]")}).types[0].shape->size(), 3u);
  EXPECT_EQ(infer(ReduceMean, 18, {make_attr("keepdims", kZero)}, {type("float[N,C,H]"), type("int64[2]")})
                .types[0]
                .shape->size(),
            1u);
  EXPECT_FALSE(infer(ReduceMean, 18, {make_attr("keepdims", kZero)}, {type("float[N,C,H]"), type("int64[K]")})
                   .types[0]
                   .has_rank());
  EXPECT_EQ(infer(ReduceMean, 18, {make_attr("keepdims", kZero)}, {type("float")}).types[0].to_string(), "float[]");
  EXPECT_THROW(infer(ReduceMean, 13, {make_attr("axes", Ints{3})}, {type("float[N,C,H]")}), Error);
  EXPECT_THROW(infer(ReduceMean, 13, {make_attr("axes", Ints{1, -2})}, {type("float[N,C,H]")}), Error);
  EXPECT_THROW(run(ReduceMean, 18, {}, {tensor<float>({1}, {1}), axes({1})}), Error);
  EXPECT_THROW(run(ReduceMean, 18, {}, {tensor<float>({1}, {1}), axes({0, -1})}), Error);
}

TEST(Reduce, OldVersions) {
  const Tensor x = tensor<float>({2, 2}, {1, 2, 3, 4});
  for (const Operator* op : {&ReduceSum, &ReduceMean, &ReduceLogSum, &ReduceL2}) {
    const auto now = doubles(run(*op, 28, {}, {x, axes({1})})[0].tensor());
    for (int version : {1, 11}) {
      EXPECT_EQ(doubles(run_lifted(*op, version, {make_attr("axes", Ints{1})}, {x})[0].tensor()), now);
      EXPECT_EQ(doubles(run_moved(*op, 28, version, {}, {x, axes({-1})})[0].tensor()), now);
      EXPECT_EQ(doubles(run_moved(*op, 28, version, {}, {x})[0].tensor()), doubles(run(*op, 28, {}, {x})[0].tensor()));
    }
    EXPECT_EQ(doubles(run_lifted(*op, 11, {}, {x})[0].tensor()), doubles(run(*op, 28, {}, {x})[0].tensor()));
  }
  const Attributes noop = {make_attr("noop_with_empty_axes", kOne)};
  EXPECT_EQ(doubles(run_moved(ReduceMax, 20, 13, noop, {x})[0].tensor()), (Doubles{1, 2, 3, 4}));
  EXPECT_THROW(run_moved(ReduceL1, 20, 13, noop, {x}), Error);
  EXPECT_THROW(run_moved(ReduceMax, 20, 18, {}, {tensor<bool>({1}, {true})}), Error);
}

TEST(Reduce, IntegersOfTheLogarithmicOnesAreLiftedThroughDouble) {
  const Tensor x = tensor<std::int32_t>({2}, {3, 5});
  for (const Operator* op : {&ReduceLogSum, &ReduceLogSumExp}) {
    const Tensor y = run_lifted(*op, 18, {}, {x})[0].tensor();
    EXPECT_EQ(y.dtype(), DataType::Int32);
    EXPECT_EQ(doubles(y), doubles(run(*op, 18, {}, {x})[0].tensor()));
  }
  EXPECT_THROW(infer(ReduceLogSum, 28, {}, {type("int32[2]")}), Error);
}

}  // namespace
}  // namespace norn::ops
