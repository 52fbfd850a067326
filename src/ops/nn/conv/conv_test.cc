#include "ops/nn/conv/conv.h"

#include <cmath>

#include "norn/error.h"
#include "ops/common/slice_test.h"

namespace norn::ops {
namespace {

using namespace test;
using Ints = std::vector<std::int64_t>;
using transform::make_attr;

// The definition, one output element at a time, in 2-D.
std::vector<double> direct(const Tensor& x, const Tensor& w, std::int64_t group, std::array<std::int64_t, 4> pads,
                           std::array<std::int64_t, 2> s, std::array<std::int64_t, 2> d, const Shape& out) {
  const auto xs = doubles(x), ws = doubles(w);
  const Shape &xd = x.dims(), &wd = w.dims();
  std::vector<double> y;
  for (std::int64_t n = 0; n < out[0]; ++n)
    for (std::int64_t m = 0; m < out[1]; ++m)
      for (std::int64_t i = 0; i < out[2]; ++i)
        for (std::int64_t j = 0; j < out[3]; ++j) {
          double sum = 0;
          for (std::int64_t c = 0; c < wd[1]; ++c)
            for (std::int64_t p = 0; p < wd[2]; ++p)
              for (std::int64_t q = 0; q < wd[3]; ++q) {
                const std::int64_t a = i * s[0] + p * d[0] - pads[0], b = j * s[1] + q * d[1] - pads[1];
                if (a < 0 || b < 0 || a >= xd[2] || b >= xd[3]) continue;
                const std::int64_t channel = m / (out[1] / group) * wd[1] + c;
                sum +=
                    xs[((n * xd[1] + channel) * xd[2] + a) * xd[3] + b] * ws[((m * wd[1] + c) * wd[2] + p) * wd[3] + q];
              }
          y.push_back(sum);
        }
  return y;
}

TEST(Conv, IsTheDefinition) {
  struct Case {
    std::int64_t group;
    std::array<std::int64_t, 4> pads;
    std::array<std::int64_t, 2> strides, dilations;
  };
  const Case cases[] = {{1, {0, 0, 0, 0}, {1, 1}, {1, 1}},
                        {1, {1, 2, 0, 3}, {2, 1}, {1, 2}},
                        {2, {1, 1, 1, 1}, {3, 2}, {2, 1}},
                        {4, {0, 1, 2, 0}, {1, 3}, {1, 1}},
                        {1, {4, 4, 4, 4}, {1, 1}, {2, 2}}};
  std::uint32_t seed = 1;
  for (const Case& c : cases) {
    SCOPED_TRACE(seed);
    const Tensor x = random_tensor(DataType::Double, {2, 4, 7, 6}, ++seed);
    const Tensor w = random_tensor(DataType::Double, {8, 4 / c.group, 3, 2}, ++seed);
    const Attributes attrs = {make_attr("group", c.group), make_attr("pads", Ints(c.pads.begin(), c.pads.end())),
                              make_attr("strides", Ints(c.strides.begin(), c.strides.end())),
                              make_attr("dilations", Ints(c.dilations.begin(), c.dilations.end()))};
    const Tensor y = run_and_check(Conv, 22, attrs, {x, w})[0].tensor();
    const auto expected = direct(x, w, c.group, c.pads, c.strides, c.dilations, y.dims());
    ASSERT_EQ(expected.size(), static_cast<std::size_t>(y.size()));
    const auto got = doubles(y);
    for (std::size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-12);
  }
}

TEST(Conv, EveryTypeAndEveryRank) {
  for (DataType type : {DataType::Float16, DataType::BFloat16, DataType::Float, DataType::Double}) {
    SCOPED_TRACE(data_type_name(type));
    const Tensor line = tensor_of(type, {1, 1, 4}, {1, 2, 3, 4}), w1 = tensor_of(type, {1, 1, 2}, {1, -1});
    EXPECT_EQ(doubles(run_and_check(Conv, 22, {}, {line, w1, tensor_of(type, {1}, {10})})[0].tensor()),
              (std::vector<double>{9, 9, 9}));
    const Tensor cube = tensor_of(type, {1, 1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    const Tensor w3 = tensor_of(type, {2, 1, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 2});
    EXPECT_EQ(doubles(run_and_check(Conv, 22, {}, {cube, w3})[0].tensor()), (std::vector<double>{36, 16}));
  }
}

TEST(Conv, AutoPad) {
  const Tensor x = tensor<float>({1, 1, 1, 4}, {1, 2, 3, 4}), w = tensor<float>({1, 1, 1, 2}, {1, 1});
  const auto with = [&](const char* mode) {
    return doubles(run_and_check(Conv, 11, {make_attr("auto_pad", std::string(mode))}, {x, w})[0].tensor());
  };
  EXPECT_EQ(with("SAME_UPPER"), (std::vector<double>{3, 5, 7, 4}));
  EXPECT_EQ(with("SAME_LOWER"), (std::vector<double>{1, 3, 5, 7}));
  EXPECT_EQ(with("VALID"), (std::vector<double>{3, 5, 7}));
}

TEST(Conv, EmptyTensors) {
  const Tensor w(DataType::Float, {2, 0, 1, 1});
  const Tensor bias = tensor<float>({2}, {1, 2});
  const auto y = run_and_check(Conv, 22, {}, {Tensor(DataType::Float, {1, 0, 1, 2}), w, bias})[0].tensor();
  EXPECT_EQ(doubles(y), (std::vector<double>{1, 1, 2, 2}));
  const Tensor ones = tensor<float>({1, 1, 1, 1}, {1});
  EXPECT_EQ(run_and_check(Conv, 22, {}, {Tensor(DataType::Float, {0, 1, 3, 3}), ones})[0].tensor().dims(),
            (Shape{0, 1, 3, 3}));
}

TEST(Conv, InfersSymbolicSizes) {
  const Attributes attrs = {make_attr("strides", Ints{2, 2}), make_attr("pads", Ints{1, 1, 1, 1})};
  EXPECT_EQ(infer(Conv, 22, attrs, {type("float[N,3,H,W]"), type("float[8,3,3,3]")}).types[0].to_string(),
            "float[N,8,floor((H + 1)/2),floor((W + 1)/2)]");
  const auto unknown = infer(Conv, 22, {}, {type("float"), type("float[8,3,3,3]")}).types[0];
  ASSERT_TRUE(unknown.has_rank());
  EXPECT_EQ((*unknown.shape)[1], opset::DimExpr(8));
  EXPECT_FALSE(infer(Conv, 22, {}, {type("float"), type("float")}).types[0].has_rank());
}

TEST(Conv, ContradictionsAreErrors) {
  const auto x = type("float[1,4,8,8]");
  EXPECT_THROW(infer(Conv, 22, {}, {x, type("float[2,3,3,3]")}), Error);
  EXPECT_THROW(infer(Conv, 22, {make_attr("group", std::int64_t{2})}, {x, type("float[3,2,3,3]")}), Error);
  EXPECT_THROW(infer(Conv, 22, {make_attr("group", std::int64_t{0})}, {x, type("float[4,4,3,3]")}), Error);
  EXPECT_THROW(infer(Conv, 22, {make_attr("kernel_shape", Ints{2, 2})}, {x, type("float[2,4,3,3]")}), Error);
  EXPECT_THROW(infer(Conv, 22, {}, {x, type("float[2,4,3]")}), Error);
  EXPECT_THROW(infer(Conv, 22, {}, {x, type("float[2,4,3,3]"), type("float[3]")}), Error);
  const Tensor input = random_tensor(DataType::Float, {1, 4, 8, 8}, 1);
  EXPECT_THROW(run(Conv, 22, {}, {input, random_tensor(DataType::Float, {2, 3, 3, 3}, 2)}), Error);
  EXPECT_THROW(
      run(Conv, 22, {make_attr("kernel_shape", Ints{2, 2})}, {input, random_tensor(DataType::Float, {2, 4, 3, 3}, 2)}),
      Error);
}

}  // namespace
}  // namespace norn::ops
