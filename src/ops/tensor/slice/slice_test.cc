// Slice against the rule written out element by element, for every start, end and step around a small size; and its
// symbolic sizes, which must hold for every value of their variable.
#include "ops/tensor/slice/slice.h"

#include "norn/error.h"
#include "ops/tensor/shape/chain_test.h"

namespace norn::ops::test {
namespace {

using transform::make_attr;

constexpr std::int64_t kMax = INT64_MAX, kMin = INT64_MIN;

Tensor list(const std::vector<std::int64_t>& values) {
  return tensor<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}

// The indices that start:end:step picks, walking.
std::vector<std::int64_t> walked(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step) {
  std::vector<std::int64_t> picked;
  if (size == 0) return picked;
  if (start < 0) start += size;
  if (end < 0) end += size;
  const std::int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  start = std::min(std::max<std::int64_t>(start, 0), high);
  end = std::min(std::max(end, low), high);
  for (std::int64_t i = start; step > 0 ? i < end : i > end;) {
    picked.push_back(i);
    if (step > size || step < -size) break;
    i += step;
  }
  return picked;
}

const std::vector<std::int64_t> kBounds = {kMin, -2147483648, -7, -5, -4, -2, -1, 0, 1, 3, 5, 6, 2147483647, kMax};
const std::vector<std::int64_t> kSteps = {kMin, -3, -1, 1, 2, kMax};

TEST(Slice, EveryBoundOfAVector) {
  for (const std::int64_t size : {0, 1, 5}) {
    const Tensor x = iota(DataType::Int64, {size});
    for (const std::int64_t start : kBounds) {
      for (const std::int64_t end : kBounds) {
        for (const std::int64_t step : kSteps) {
          const auto y = run_and_check(Slice, 13, {}, {x, list({start}), list({end}), list({0}), list({step})})[0];
          EXPECT_EQ(ints(y), walked(size, start, end, step)) << size << ": " << start << ":" << end << ":" << step;
        }
      }
    }
  }
}

TEST(Slice, SymbolicSizesHoldForEverySize) {
  for (const std::int64_t start : kBounds) {
    for (const std::int64_t end : kBounds) {
      for (const std::int64_t step : kSteps) {
        Chain chain;
        const Fact y = chain(
            Slice, 13, {}, {fact("float[N]"), ints_fact({start}), ints_fact({end}), ints_fact({0}), ints_fact({step})});
        for (const std::int64_t n : {0, 1, 2, 3, 4, 5, 6, 9}) {
          const auto size = (*y.type.shape)[0].evaluate([n](std::string_view) { return std::optional(n); });
          EXPECT_EQ(size.value_or(-1), static_cast<std::int64_t>(walked(n, start, end, step).size()))
              << y.shape() << " for N = " << n << ", " << start << ":" << end << ":" << step;
        }
      }
    }
  }
}

TEST(Slice, ReadableSymbolicSizes) {
  Chain chain;
  const auto size = [&](std::int64_t start, std::int64_t end, std::int64_t step) {
    return chain(Slice, 13, {},
                 {fact("float[N]"), ints_fact({start}), ints_fact({end}), ints_fact({0}), ints_fact({step})})
        .shape();
  };
  EXPECT_EQ(size(0, kMax, 1), "[N]");
  EXPECT_EQ(size(0, kMax, 2), "[floor((N + 1)/2)]");
  EXPECT_EQ(size(-1, kMin, -1), "[N]");
  EXPECT_EQ(size(0, 1, 1), "[min(1, N)]");
  const opset::DimExpr p = opset::DimExpr::variable("P"), s = opset::DimExpr::variable("S");
  const Fact kv = fact("float[P]");
  EXPECT_EQ(chain(Slice, 13, {}, {kv, ints_fact({0}), symbols({p}), ints_fact({0})}).shape(), "[P]");
  Fact total = fact("float[P]");
  total.type.shape = opset::Dims{p + s};
  EXPECT_EQ(chain(Slice, 13, {}, {total, symbols({p}), symbols({p + s}), ints_fact({0})}).shape(), "[S]");
  EXPECT_EQ(chain(Slice, 13, {}, {total, symbols({p}), ints_fact({kMax}), ints_fact({0})}).shape(), "[S]");
  EXPECT_EQ(chain(Slice, 13, {}, {total, ints_fact({0}), symbols({p}), ints_fact({0})}).shape(), "[P]");
  // A bound of unknown sign tells nothing.
  EXPECT_EQ(chain(Slice, 13, {}, {total, symbols({p - 3}), ints_fact({kMax}), ints_fact({0})}).shape().substr(0, 2),
            "[?");
}

TEST(Slice, SeveralAxesOfEveryType) {
  for (const DataType t : types_of(Slice)) {
    const Tensor x = random_tensor(t, {3, 4, 5}, 2, true);
    const Tensor all =
        run_and_check(Slice, 13, {}, {x, list({-1, 0}), list({kMin, 3}), list({2, 0}), list({-1, 1})})[0].tensor();
    ASSERT_EQ(all.dims(), x.dims());
    const Tensor back = run(Slice, 13, {}, {all, list({4}), list({kMin}), list({-1}), list({-1})})[0].tensor();
    EXPECT_TRUE(same_elements(back, x)) << data_type_name(t);
  }
  const Tensor x = iota(DataType::Int32, {2, 4});
  const Tensor y = run_and_check(Slice, 13, {}, {x, list({0, 1}), list({-1, 1000})})[0].tensor();
  EXPECT_EQ(y.dims(), (norn::Shape{1, 3}));
  EXPECT_EQ(doubles(y), (std::vector<double>{1, 2, 3}));
  const auto narrow = [](std::int32_t v) { return tensor<std::int32_t>({1}, {v}); };
  EXPECT_EQ(
      doubles(run_and_check(Slice, 13, {}, {x, narrow(1), narrow(2147483647), narrow(-1), narrow(2)})[0].tensor()),
      (std::vector<double>{1, 3, 5, 7}));
  EXPECT_EQ(run_and_check(Slice, 13, {}, {tensor<float>({}, {1}), list({}), list({})})[0].tensor().rank(), 0);
}

TEST(Slice, PartlyKnown) {
  Chain chain;
  const Fact x = fact("float[N,M,7]");
  const Fact axis = chain(Slice, 13, {}, {x, fact("int64[1]"), fact("int64[1]"), ints_fact({1})});
  EXPECT_EQ((*axis.type.shape)[0].to_string(), "N");
  EXPECT_EQ((*axis.type.shape)[1].to_string()[0], '?');
  EXPECT_EQ((*axis.type.shape)[2].to_string(), "7");
  EXPECT_EQ(chain(Slice, 13, {}, {x, fact("int64[1]"), fact("int64[1]")}).shape().find("M,7]"), 4u);
  EXPECT_EQ(chain(Slice, 13, {}, {x, fact("int64"), fact("int64"), fact("int64")}).type.shape->size(), 3u);
  EXPECT_FALSE(chain(Slice, 13, {}, {fact("float"), ints_fact({0}), ints_fact({1})}).type.has_rank());
}

TEST(Slice, Refusals) {
  const Tensor x = iota(DataType::Float, {4, 4});
  EXPECT_THROW(run(Slice, 13, {}, {x, list({0}), list({1}), list({2})}), Error);
  EXPECT_THROW(run(Slice, 13, {}, {x, list({0, 0}), list({1, 1}), list({0, -2})}), Error);
  EXPECT_THROW(run(Slice, 13, {}, {x, list({0}), list({1, 2})}), Error);
  EXPECT_THROW(run(Slice, 13, {}, {x, list({0}), list({1}), list({0}), list({0})}), Error);
  EXPECT_THROW(run(Slice, 13, {}, {x, list({0, 0, 0}), list({1, 1, 1})}), Error);
  Chain chain;
  EXPECT_THROW(chain(Slice, 13, {}, {fact("float[N]"), ints_fact({0}), ints_fact({1}), ints_fact({1})}), Error);
  EXPECT_THROW(chain(Slice, 13, {}, {fact("float[N]"), ints_fact({0}), ints_fact({1}), ints_fact({0}), ints_fact({0})}),
               Error);
  EXPECT_THROW(chain(Slice, 13, {}, {fact("float[N]"), ints_fact({0, 0}), ints_fact({1, 1})}), Error);
  EXPECT_THROW(chain(Slice, 10, {}, {fact("float[N]"), ints_fact({0}), ints_fact({1}), ints_fact({-1})}), Error);
}

TEST(Slice, Versions) {
  const Tensor x = iota(DataType::Float, {3, 4});
  const Attributes attrs = {make_attr("starts", std::vector<std::int64_t>{1}),
                            make_attr("ends", std::vector<std::int64_t>{-1}),
                            make_attr("axes", std::vector<std::int64_t>{1})};
  EXPECT_EQ(doubles(run_lifted(Slice, 1, attrs, {x})[0].tensor()), (std::vector<double>{1, 2, 5, 6, 9, 10}));
  EXPECT_EQ(infer(Slice, 1, attrs, {type("float[A,4]")}).types[0].to_string(), "float[A,2]");
  const std::vector<Operand> in = {{x}, {list({1}), true}, {list({-1}), true}, {list({-1}), true}, {list({1}), true}};
  const auto down = moved(Slice, 13, 9, {}, in);
  EXPECT_EQ(down.nodes.at(0).node.input.size(), 1u);
  EXPECT_EQ(doubles(run_moved(down, in).tensor()), (std::vector<double>{1, 2, 5, 6, 9, 10}));
  EXPECT_EQ(doubles(run_moved(moved(Slice, 13, 10, {}, in), in).tensor()), (std::vector<double>{1, 2, 5, 6, 9, 10}));
  EXPECT_THROW(moved(Slice, 13, 9, {}, {{x}, {list({1})}, {list({2}), true}}), Error);
  EXPECT_THROW(
      moved(Slice, 13, 9, {}, {{x}, {list({1}), true}, {list({2}), true}, {list({0}), true}, {list({2}), true}}),
      Error);
}

}  // namespace
}  // namespace norn::ops::test
