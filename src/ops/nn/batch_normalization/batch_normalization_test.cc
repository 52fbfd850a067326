#include "ops/nn/batch_normalization/batch_normalization.h"

#include <cmath>

#include "norn/error.h"
#include "ops/common/slice_test.h"
#include "transform/lift.h"

namespace norn::ops {
namespace {

using namespace test;
using Doubles = std::vector<double>;
using Ints = std::vector<std::int64_t>;
using transform::make_attr;

constexpr std::int64_t kOne = 1, kZero = 0;

// Scale, bias, mean and variance of two channels whose factors are exact: with epsilon 0, 2/sqrt(4) and 3/sqrt(1).
std::vector<Value> two_channels(DataType t, const Tensor& x) {
  return {x, tensor_of(t, {2}, {2, 3}), tensor_of(t, {2}, {10, 20}), tensor_of(t, {2}, {1, -1}),
          tensor_of(t, {2}, {4, 1})};
}

TEST(BatchNormalization, GivenStatistics) {
  for (DataType t : {DataType::Float16, DataType::BFloat16, DataType::Float, DataType::Double}) {
    SCOPED_TRACE(data_type_name(t));
    const Tensor x = tensor_of(t, {1, 2, 2}, {1, 3, -1, 0});
    EXPECT_EQ(
        doubles(run_and_check(BatchNormalization, 15, {make_attr("epsilon", 0.0f)}, two_channels(t, x))[0].tensor()),
        (Doubles{10, 12, 20, 23}));
  }
}

TEST(BatchNormalization, TypesMayDiffer) {
  const Tensor x = tensor_of(DataType::Float16, {1, 2, 1}, {3, 0});
  auto inputs = two_channels(DataType::Float, x);
  const Attributes attrs = {make_attr("epsilon", 0.0f), make_attr("training_mode", kOne)};
  const auto y = run_and_check(BatchNormalization, 15, attrs, inputs, 3);
  EXPECT_EQ(y[0].tensor().dtype(), DataType::Float16);
  EXPECT_EQ(y[1].tensor().dtype(), DataType::Float);
}

TEST(BatchNormalization, ItsOwnStatistics) {
  // Channel 0 holds 1 3 5 7: mean 4, variance 5. Channel 1 holds 2 2 2 2.
  const Tensor x = tensor_of(DataType::Double, {2, 2, 2}, {1, 3, 2, 2, 5, 7, 2, 2});
  const Attributes attrs = {make_attr("training_mode", kOne), make_attr("momentum", 0.5f), make_attr("epsilon", 0.0f)};
  auto inputs = two_channels(DataType::Double, x);
  inputs[4] = tensor_of(DataType::Double, {2}, {4, 1});
  const auto y = run_and_check(BatchNormalization, 15, attrs, inputs, 3);
  EXPECT_EQ(doubles(y[1].tensor()), (Doubles{2.5, 0.5}));
  EXPECT_EQ(doubles(y[2].tensor()), (Doubles{4.5, 0.5}));
  const auto values = doubles(y[0].tensor());
  EXPECT_NEAR(values[0], 10 - 6 / std::sqrt(5.0), 1e-12);
  EXPECT_NEAR(values[5], 10 + 6 / std::sqrt(5.0), 1e-12);
}

TEST(BatchNormalization, OneDimensionIsTheBatch) {
  const Tensor x = tensor<float>({3}, {1, 2, 3}), one = tensor<float>({1}, {1}), zero = tensor<float>({1}, {0});
  EXPECT_EQ(
      doubles(
          run_and_check(BatchNormalization, 15, {make_attr("epsilon", 3.0f)}, {x, one, zero, one, one})[0].tensor()),
      (Doubles{0, 0.5, 1}));
}

TEST(BatchNormalization, EmptyBatch) {
  const Tensor x(DataType::Float, {0, 2, 3});
  EXPECT_EQ(run_and_check(BatchNormalization, 15, {}, two_channels(DataType::Float, x))[0].tensor().dims(),
            (Shape{0, 2, 3}));
}

TEST(BatchNormalization, InfersAndRefuses) {
  const auto c = type("float[C]");
  const auto y =
      infer(BatchNormalization, 15, {make_attr("training_mode", kOne)}, {type("float[N,3,H]"), c, c, c, c}, {}, 3);
  EXPECT_EQ(y.types[0].to_string(), "float[N,3,H]");
  EXPECT_EQ(y.types[2].to_string(), "float[3]");
  EXPECT_THROW(infer(BatchNormalization, 15, {}, {type("float[N,3,H]"), c, c, c, c}, {}, 3), Error);
  const auto four = type("float[4]");
  EXPECT_THROW(infer(BatchNormalization, 15, {}, {type("float[N,3,H]"), four, four, four, four}), Error);
  auto inputs = two_channels(DataType::Float, tensor<float>({1, 2}, {1, 2}));
  inputs[2] = tensor<float>({1}, {1});
  EXPECT_THROW(run(BatchNormalization, 15, {}, inputs), Error);
}

TEST(BatchNormalization, OldVersionsWithGivenStatistics) {
  const auto inputs = two_channels(DataType::Float, tensor<float>({1, 2, 2}, {1, 3, -1, 0}));
  const Doubles expected = {10, 12, 20, 23};
  const auto epsilon = make_attr("epsilon", 0.0f);
  const Attributes first = {epsilon, make_attr("is_test", kOne), make_attr("consumed_inputs", Ints{0, 0, 0, 1, 1})};
  EXPECT_EQ(doubles(run_lifted(BatchNormalization, 1, first, inputs)[0].tensor()), expected);
  for (int version : {6, 7, 9, 14}) {
    EXPECT_EQ(doubles(run_lifted(BatchNormalization, version, {epsilon}, inputs)[0].tensor()), expected) << version;
  }
  for (int version : {1, 6, 7, 9, 14}) {
    EXPECT_EQ(doubles(run_moved(BatchNormalization, 15, version, {epsilon}, inputs)[0].tensor()), expected) << version;
  }
}

TEST(BatchNormalization, OldVersionsInTraining) {
  const Tensor x = tensor_of(DataType::Double, {2, 2, 2}, {1, 3, 2, 2, 5, 7, 2, 2});
  const auto inputs = two_channels(DataType::Double, x);
  const auto momentum = make_attr("momentum", 0.5f);
  const Doubles mean = {2.5, 0.5}, variance = {4.5, 0.5};
  for (int version : {6, 7, 9}) {
    for (int outputs : {3, 5}) {  // with all five, no newer version has them
      const auto y = run_lifted(BatchNormalization, version, {momentum}, inputs, outputs);
      EXPECT_EQ(doubles(y[1].tensor()), mean);
      EXPECT_EQ(doubles(y[2].tensor()), variance);
      if (outputs == 5) {
        EXPECT_EQ(doubles(y[3].tensor()), (Doubles{4, 2}));
        EXPECT_EQ(doubles(y[4].tensor()), (Doubles{5, 0}));
      }
    }
  }
  const Attributes training = {momentum, make_attr("training_mode", kOne)};
  for (int version : {1, 6, 7, 9, 14}) {
    const auto y = run_moved(BatchNormalization, 15, version, training, inputs, 3);
    EXPECT_EQ(doubles(y[1].tensor()), mean) << version;
  }
  EXPECT_THROW(run_moved(BatchNormalization, 15, 9, training, inputs), Error);
}

TEST(BatchNormalization, StatisticsPerActivation) {
  const DataType t = DataType::Double;
  const Tensor x = tensor_of(t, {2, 1, 2}, {1, 10, 3, 30});
  const std::vector<Value> inputs = {x, tensor_of(t, {1, 2}, {1, 2}), tensor_of(t, {1, 2}, {0, 5}),
                                     tensor_of(t, {1, 2}, {1, 10}), tensor_of(t, {1, 2}, {1, 4})};
  const Attributes attrs = {make_attr("spatial", kZero), make_attr("epsilon", 0.0f)};
  const Doubles expected = {0, 5, 2, 25};
  EXPECT_EQ(doubles(run_and_check(BatchNormalization, 7, attrs, inputs)[0].tensor()), expected);
  EXPECT_EQ(doubles(run_lifted(BatchNormalization, 7, attrs, inputs)[0].tensor()), expected);
  const auto y = run_lifted(BatchNormalization, 7, attrs, inputs, 3);  // stays at 7
  EXPECT_EQ(y[1].tensor().dims(), (Shape{1, 2}));
  EXPECT_NEAR(doubles(y[1].tensor())[1], 10 * 0.9 + 20 * 0.1, 1e-6);
}

}  // namespace
}  // namespace norn::ops
