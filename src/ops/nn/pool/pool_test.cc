#include "ops/nn/pool/pool.h"

#include <cmath>

#include "norn/error.h"
#include "ops/common/slice_test.h"

namespace norn::ops {
namespace {

using namespace test;
using Doubles = std::vector<double>;
using Ints = std::vector<std::int64_t>;
using transform::make_attr;

ir::Attribute kernel(Ints k) { return make_attr("kernel_shape", std::move(k)); }
ir::Attribute flag(const char* name) { return make_attr(name, std::int64_t{1}); }

TEST(MaxPool, EveryType) {
  for (DataType t : {DataType::Float16, DataType::BFloat16, DataType::Float, DataType::Double, DataType::Int8}) {
    SCOPED_TRACE(data_type_name(t));
    const Tensor x = tensor_of(t, {1, 1, 2, 3}, {-5, -2, -3, -1, -9, -4});
    EXPECT_EQ(doubles(run_and_check(MaxPool, 22, {kernel({2, 2})}, {x})[0].tensor()), (Doubles{-1, -2}));
  }
  const Tensor x = tensor_of(DataType::Uint8, {1, 1, 3}, {250, 3, 7});
  EXPECT_EQ(doubles(run_and_check(MaxPool, 22, {kernel({2})}, {x})[0].tensor()), (Doubles{250, 7}));
}

TEST(MaxPool, IndicesCountTheWholeTensorAndKnowBothOrders) {
  Doubles values;
  for (int i = 0; i < 2 * 2 * 3 * 4; ++i) values.push_back(i);
  const Tensor x = tensor_of(DataType::Float, {2, 2, 3, 4}, values);
  const Attributes rows = {kernel({2, 2}), make_attr("strides", Ints{2, 2})};
  auto y = run_and_check(MaxPool, 12, rows, {x}, 2);
  EXPECT_EQ(doubles(y[0].tensor()), (Doubles{5, 7, 17, 19, 29, 31, 41, 43}));
  EXPECT_EQ(doubles(y[1].tensor()), (Doubles{5, 7, 17, 19, 29, 31, 41, 43}));
  Attributes columns = rows;
  columns.push_back(flag("storage_order"));
  // Within a 3 x 4 plane, (1, 1) is 1 + 1*3 and (1, 3) is 1 + 3*3.
  EXPECT_EQ(doubles(run_and_check(MaxPool, 12, columns, {x}, 2)[1].tensor()), (Doubles{4, 10, 16, 22, 28, 34, 40, 46}));
}

TEST(MaxPool, TheFirstOfEqualsAndNaNWin) {
  const Tensor ties = tensor<float>({1, 1, 4}, {3, 3, 1, 3});
  EXPECT_EQ(doubles(run(MaxPool, 22, {kernel({4})}, {ties}, 2)[1].tensor()), Doubles{0});
  const Tensor odd = tensor<float>({1, 1, 4}, {3, NAN, 5, NAN});
  const auto y = run(MaxPool, 22, {kernel({4})}, {odd}, 2);
  EXPECT_TRUE(std::isnan(doubles(y[0].tensor())[0]));
  EXPECT_EQ(doubles(y[1].tensor()), Doubles{1});
  const Tensor low = tensor<float>({1, 1, 1}, {-INFINITY});
  EXPECT_EQ(doubles(run(MaxPool, 22, {kernel({1})}, {low}, 2)[1].tensor()), Doubles{0});
}

TEST(MaxPool, PaddingIsNeverTheMaximum) {
  const Tensor x = tensor<float>({1, 1, 3}, {-1, -2, -3});
  EXPECT_EQ(doubles(run_and_check(MaxPool, 22, {kernel({2}), make_attr("pads", Ints{1, 1})}, {x})[0].tensor()),
            (Doubles{-1, -1, -2, -3}));
  EXPECT_EQ(
      doubles(
          run_and_check(MaxPool, 22, {kernel({2}), make_attr("auto_pad", std::string("SAME_LOWER"))}, {x})[0].tensor()),
      (Doubles{-1, -1, -2}));
}

TEST(MaxPool, DilationAndCeilMode) {
  const Tensor x = tensor<float>({1, 1, 7}, {1, 9, 2, 8, 3, 7, 4});
  EXPECT_EQ(doubles(run_and_check(MaxPool, 22, {kernel({2}), make_attr("dilations", Ints{3})}, {x})[0].tensor()),
            (Doubles{8, 9, 7, 8}));
  const Attributes attrs = {kernel({3}), make_attr("strides", Ints{3}), flag("ceil_mode")};
  EXPECT_EQ(doubles(run_and_check(MaxPool, 22, attrs, {x})[0].tensor()), (Doubles{9, 8, 4}));
  // A window that would start in the padding behind the input does not exist.
  const Attributes padded = {kernel({1}), make_attr("strides", Ints{2}), make_attr("pads", Ints{0, 1}),
                             flag("ceil_mode")};
  EXPECT_EQ(doubles(run_and_check(MaxPool, 22, padded, {tensor<float>({1, 1, 2}, {1, 2})})[0].tensor()), (Doubles{1}));
}

TEST(AveragePool, CountsWithAndWithoutPadding) {
  for (DataType t : {DataType::Float16, DataType::BFloat16, DataType::Float, DataType::Double}) {
    SCOPED_TRACE(data_type_name(t));
    const Tensor x = tensor_of(t, {1, 1, 2, 2}, {4, 8, 12, 16});
    Attributes attrs = {kernel({2, 2}), make_attr("pads", Ints{1, 1, 0, 0})};
    EXPECT_EQ(doubles(run_and_check(AveragePool, 22, attrs, {x})[0].tensor()), (Doubles{4, 6, 8, 10}));
    attrs.push_back(flag("count_include_pad"));
    EXPECT_EQ(doubles(run_and_check(AveragePool, 22, attrs, {x})[0].tensor()), (Doubles{1, 3, 4, 10}));
  }
}

TEST(AveragePool, WhatCeilModeAddsIsNotCounted) {
  const Tensor x = tensor<float>({1, 1, 5}, {1, 2, 3, 4, 5});
  const Attributes attrs = {kernel({3}), make_attr("strides", Ints{3}), flag("ceil_mode"), flag("count_include_pad")};
  EXPECT_EQ(doubles(run_and_check(AveragePool, 22, attrs, {x})[0].tensor()), (Doubles{2, 4.5}));
  const Attributes padded = {kernel({4}), make_attr("strides", Ints{3}), flag("ceil_mode"), flag("count_include_pad"),
                             make_attr("pads", Ints{0, 1})};
  EXPECT_EQ(doubles(run_and_check(AveragePool, 22, padded, {x})[0].tensor()), (Doubles{2.5, 3}));
}

TEST(AveragePool, DilationInThreeDimensions) {
  Doubles values;
  for (int i = 0; i < 27; ++i) values.push_back(i);
  const Tensor x = tensor_of(DataType::Double, {1, 1, 3, 3, 3}, values);
  const Attributes attrs = {kernel({2, 2, 2}), make_attr("dilations", Ints{2, 2, 2})};
  EXPECT_EQ(doubles(run_and_check(AveragePool, 19, attrs, {x})[0].tensor()), Doubles{13});
}

TEST(Pool, RandomWindowsAreTheDefinition) {
  std::mt19937 random(11);
  for (std::uint32_t k = 0; k < 60; ++k) {
    SCOPED_TRACE(k);
    const auto pick = [&](int from, int to) { return static_cast<std::int64_t>(from + random() % (to - from + 1)); };
    const Ints size{pick(4, 8), pick(4, 8)}, window{pick(1, 3), pick(1, 3)}, step{pick(1, 3), pick(1, 3)},
        dilation{pick(1, 2), pick(1, 2)};
    Ints pads;
    for (std::size_t d = 0; d < 4; ++d) pads.push_back(pick(0, static_cast<int>(window[d % 2]) - 1));
    const bool ceil_mode = random() % 2, include = random() % 2;
    const Tensor x = random_tensor(DataType::Double, {2, 1, size[0], size[1]}, k);
    Attributes attrs = {kernel(window), make_attr("strides", step), make_attr("dilations", dilation),
                        make_attr("pads", pads), make_attr("ceil_mode", std::int64_t{ceil_mode})};
    const Tensor top = run_and_check(MaxPool, 22, attrs, {x})[0].tensor();
    attrs.push_back(make_attr("count_include_pad", std::int64_t{include}));
    const Tensor mean = run_and_check(AveragePool, 22, attrs, {x})[0].tensor();
    const auto xs = doubles(x), tops = doubles(top), means = doubles(mean);
    const Shape& out = top.dims();
    ASSERT_EQ(out, mean.dims());
    for (std::int64_t o = 0; o < top.size(); ++o) {
      const std::int64_t n = o / (out[2] * out[3]), i = o / out[3] % out[2], j = o % out[3];
      double best = -INFINITY, sum = 0;
      int inside = 0, padded = 0;
      for (std::int64_t p = 0; p < window[0]; ++p) {
        for (std::int64_t q = 0; q < window[1]; ++q) {
          const std::int64_t a = i * step[0] + p * dilation[0] - pads[0], b = j * step[1] + q * dilation[1] - pads[1];
          padded += a < size[0] + pads[2] && b < size[1] + pads[3];
          if (a < 0 || b < 0 || a >= size[0] || b >= size[1]) continue;
          const double v = xs[static_cast<std::size_t>((n * size[0] + a) * size[1] + b)];
          best = std::max(best, v);
          sum += v;
          ++inside;
        }
      }
      EXPECT_EQ(tops[static_cast<std::size_t>(o)], best);
      if (inside == 0 && !include)
        EXPECT_TRUE(std::isnan(means[static_cast<std::size_t>(o)]));
      else
        EXPECT_NEAR(means[static_cast<std::size_t>(o)], sum / (include ? padded : inside), 1e-12);
    }
  }
}

TEST(Pool, InfersSymbolicSizes) {
  const Attributes attrs = {kernel({3, 3}), make_attr("strides", Ints{2, 2}), make_attr("pads", Ints{1, 1, 1, 1})};
  const auto y = infer(MaxPool, 12, attrs, {type("float[N,C,H,32]")}, {}, 2);
  EXPECT_EQ(y.types[0].to_string(), "float[N,C,floor((H + 1)/2),16]");
  EXPECT_EQ(y.types[1].to_string(), "int64[N,C,floor((H + 1)/2),16]");
  EXPECT_EQ(infer(MaxPool, 12, attrs, {type("float")}).types[0].shape->size(), 4u);
  EXPECT_THROW(infer(MaxPool, 12, attrs, {type("float[N,C,H]")}), Error);
}

TEST(Pool, OldVersionsMeanTheSame) {
  const Tensor x = tensor<float>({1, 1, 3}, {1, 4, 2});
  EXPECT_EQ(doubles(run_lifted(MaxPool, 1, {kernel({2})}, {x})[0].tensor()), (Doubles{4, 4}));
  EXPECT_EQ(doubles(run_lifted(AveragePool, 1, {kernel({2})}, {x})[0].tensor()), (Doubles{2.5, 3}));
}

TEST(Pool, StepsDownRefuseWhatIsNotThere) {
  const Tensor x = tensor<float>({1, 1, 4}, {1, 4, 2, 0});
  const Attributes plain = {kernel({2}), make_attr("dilations", Ints{1}), make_attr("ceil_mode", std::int64_t{0})};
  EXPECT_EQ(doubles(run_moved(MaxPool, 22, 1, plain, {x})[0].tensor()), (Doubles{4, 4, 2}));
  EXPECT_THROW(run_moved(MaxPool, 22, 7, plain, {x}, 2), Error);
  EXPECT_NO_THROW(run_moved(MaxPool, 22, 8, plain, {x}, 2));
  EXPECT_THROW(run_moved(MaxPool, 22, 8, {kernel({2}), flag("ceil_mode")}, {x}), Error);
  EXPECT_THROW(run_moved(MaxPool, 22, 8, {kernel({2}), make_attr("dilations", Ints{2})}, {x}), Error);
  const Attributes counted = {kernel({2}), flag("count_include_pad")};
  EXPECT_EQ(doubles(run_moved(AveragePool, 22, 1, counted, {x})[0].tensor()), (Doubles{2.5, 3, 1}));
  EXPECT_THROW(
      run_moved(AveragePool, 22, 1, {kernel({2}), flag("count_include_pad"), make_attr("pads", Ints{1, 0})}, {x}),
      Error);
}

}  // namespace
}  // namespace norn::ops
