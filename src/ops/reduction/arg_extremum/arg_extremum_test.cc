#include "ops/reduction/arg_extremum/arg_extremum.h"

#include <cmath>

#include "norn/error.h"
#include "ops/common/slice_test.h"

namespace norn::ops {
namespace {

using namespace test;
using Doubles = std::vector<double>;
using opset::Operator;
using transform::make_attr;

constexpr std::int64_t kOne = 1, kZero = 0;
ir::Attribute axis(std::int64_t a) { return make_attr("axis", a); }

TEST(ArgExtremum, EveryType) {
  for (DataType t :
       {DataType::Float16, DataType::BFloat16, DataType::Float, DataType::Double, DataType::Int8, DataType::Int16,
        DataType::Int32, DataType::Int64, DataType::Uint8, DataType::Uint16, DataType::Uint32, DataType::Uint64}) {
    SCOPED_TRACE(data_type_name(t));
    const Tensor x = tensor_of(t, {2, 3}, {4, 9, 1, 7, 2, 7});
    EXPECT_EQ(doubles(run_and_check(ArgMax, 13, {axis(1)}, {x})[0].tensor()), (Doubles{1, 0}));
    EXPECT_EQ(doubles(run_and_check(ArgMin, 13, {axis(-1)}, {x})[0].tensor()), (Doubles{2, 1}));
    EXPECT_EQ(doubles(run_and_check(ArgMax, 13, {}, {x})[0].tensor()), (Doubles{1, 0, 1}));
  }
}

TEST(ArgExtremum, FirstOrLastOfEquals) {
  const Tensor x = tensor<float>({1, 4}, {2, 5, 5, 2});
  const auto last = make_attr("select_last_index", kOne);
  EXPECT_EQ(doubles(run_and_check(ArgMax, 12, {axis(1)}, {x})[0].tensor()), Doubles{1});
  EXPECT_EQ(doubles(run_and_check(ArgMax, 12, {axis(1), last}, {x})[0].tensor()), Doubles{2});
  EXPECT_EQ(doubles(run_and_check(ArgMin, 12, {axis(1), last}, {x})[0].tensor()), Doubles{3});
}

TEST(ArgExtremum, NaNIsTheExtremum) {
  const Tensor x = tensor<float>({5}, {1, NAN, 3, NAN, 0});
  for (const Operator* op : {&ArgMax, &ArgMin}) {
    EXPECT_EQ(doubles(run(*op, 13, {}, {x})[0].tensor()), Doubles{1});
    EXPECT_EQ(doubles(run(*op, 13, {make_attr("select_last_index", kOne)}, {x})[0].tensor()), Doubles{3});
  }
}

TEST(ArgExtremum, ShapesAndErrors) {
  const Tensor cube = random_tensor(DataType::Float, {2, 3, 4}, 3);
  const Tensor y = run_and_check(ArgMax, 13, {axis(1), make_attr("keepdims", kZero)}, {cube})[0].tensor();
  ASSERT_EQ(y.dims(), (Shape{2, 4}));
  const auto v = doubles(cube), at = doubles(y);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_GE(v[(i * 3 + static_cast<std::size_t>(at[i * 4 + j])) * 4 + j], v[(i * 3 + k) * 4 + j]);
      }
  EXPECT_EQ(run_and_check(ArgMax, 13, {axis(1)}, {Tensor(DataType::Float, {0, 3})})[0].tensor().dims(), (Shape{0, 1}));
  EXPECT_EQ(doubles(run_and_check(ArgMax, 13, {}, {tensor<float>({}, {7})})[0].tensor()), Doubles{0});
  EXPECT_THROW(run(ArgMax, 13, {axis(0)}, {Tensor(DataType::Float, {0, 3})}), Error);
  EXPECT_THROW(run(ArgMax, 13, {axis(2)}, {tensor<float>({1, 1}, {1})}), Error);
  EXPECT_THROW(infer(ArgMax, 13, {axis(2)}, {type("float[2,3]")}), Error);
  EXPECT_EQ(infer(ArgMax, 13, {axis(-1), make_attr("keepdims", kZero)}, {type("float[N,3]")}).types[0].to_string(),
            "int64[N]");
}

TEST(ArgExtremum, OldVersions) {
  const Tensor x = tensor<float>({2, 3}, {4, 9, 1, 7, 2, 7});
  for (int version : {1, 11, 12}) {
    EXPECT_EQ(doubles(run_lifted(ArgMax, version, {axis(1)}, {x})[0].tensor()), (Doubles{1, 0}));
    EXPECT_EQ(doubles(run_moved(ArgMax, 13, version, {axis(-1)}, {x})[0].tensor()), (Doubles{1, 0}));
  }
  EXPECT_THROW(run_moved(ArgMax, 13, 11, {axis(1), make_attr("select_last_index", kOne)}, {x}), Error);
}

}  // namespace
}  // namespace norn::ops
