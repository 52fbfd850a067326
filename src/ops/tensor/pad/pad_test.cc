// Pad: along one axis every mode is known by what NumPy's pad repeats; more axes are one after another.
#include "ops/tensor/pad/pad.h"

#include "norn/error.h"
#include "ops/tensor/shape/chain_test.h"

namespace norn::ops::test {
namespace {

using transform::make_attr;

Tensor list(const std::vector<std::int64_t>& values) {
  return tensor<std::int64_t>({static_cast<std::int64_t>(values.size())}, values);
}
Attributes mode(const char* name) { return {make_attr("mode", std::string(name))}; }

TEST(Pad, ModesOfAVector) {
  const Tensor x = tensor<float>({3}, {1, 2, 3});
  const auto padded = [&](const char* how, std::int64_t begin, std::int64_t end) {
    return doubles(run_and_check(Pad, 25, mode(how), {x, list({begin, end})})[0].tensor());
  };
  EXPECT_EQ(padded("constant", 2, 1), (std::vector<double>{0, 0, 1, 2, 3, 0}));
  EXPECT_EQ(padded("edge", 2, 1), (std::vector<double>{1, 1, 1, 2, 3, 3}));
  EXPECT_EQ(padded("reflect", 2, 1), (std::vector<double>{3, 2, 1, 2, 3, 2}));
  EXPECT_EQ(padded("reflect", 5, 4), (std::vector<double>{2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3}));
  EXPECT_EQ(padded("wrap", 4, 2), (std::vector<double>{3, 1, 2, 3, 1, 2, 3, 1, 2}));
  EXPECT_EQ(padded("constant", -1, 1), (std::vector<double>{2, 3, 0}));
  EXPECT_EQ(padded("constant", -1, -1), (std::vector<double>{2}));
  EXPECT_EQ(padded("constant", -3, 0), (std::vector<double>{}));
  EXPECT_EQ(padded("constant", -4, 2), (std::vector<double>{0}));
  EXPECT_EQ(padded("edge", -1, 2), (std::vector<double>{2, 3, 3, 3}));
  EXPECT_EQ(padded("reflect", 1, -1), (std::vector<double>{2, 1, 2}));
  EXPECT_EQ(padded("wrap", 1, -1), (std::vector<double>{2, 1, 2}));
  EXPECT_EQ(padded("reflect", 2, -2), (std::vector<double>{1, 1, 1}));
  EXPECT_THROW(run(Pad, 25, mode("constant"), {x, list({-3, -1})}), Error);
  EXPECT_THROW(run(Pad, 25, mode("edge"), {x, list({-3, 1})}), Error);
  EXPECT_THROW(run(Pad, 25, mode("constant"), {x, list({INT64_MAX, INT64_MAX})}), Error);
  EXPECT_THROW(run(Pad, 25, mode("mirror"), {x, list({1, 1})}), Error);
  EXPECT_THROW(run(Pad, 25, mode("edge"), {Tensor(DataType::Float, {0}), list({1, 0})}), Error);
  EXPECT_EQ(doubles(run_and_check(Pad, 25, {}, {Tensor(DataType::Float, {0}), list({1, 0})})[0].tensor()),
            std::vector<double>{0});
}

TEST(Pad, EveryTypeWithAValueAndAxes) {
  for (const DataType t : types_of(Pad)) {
    const Tensor x = random_tensor(t, {2, 3}, 8, true), fill = random_tensor(t, {}, 12);
    const Value padded = run_and_check(Pad, 25, {}, {x, list({1, 2}), fill, list({-1})})[0];
    ASSERT_EQ(padded.tensor().dims(), (norn::Shape{2, 6}));
    const Value cropped = run_and_check(Pad, 25, {}, {padded, list({0, -1, 0, -2})})[0];
    EXPECT_TRUE(same_elements(cropped.tensor(), x)) << data_type_name(t);
    const Value border = run(Pad, 25, {}, {padded, list({0, 0, 0, -5})})[0];
    const Value filled = run(Pad, 25, {}, {run(Pad, 25, {}, {x, list({0, -3, 0, 0})})[0], list({0, 1, 0, 0}), fill})[0];
    EXPECT_TRUE(same_elements(border.tensor(), filled.tensor())) << data_type_name(t);
  }
  const Value words = run(Pad, 25, {}, {tensor<std::string>({1}, {"a"}), list({1, 1})})[0];
  EXPECT_EQ(strings(words), (std::vector<std::string>{"", "a", ""}));
}

TEST(Pad, TwoAxesAreOneAfterTheOther) {
  const Tensor x = iota(DataType::Double, {3, 4});
  for (const char* how : {"constant", "reflect", "edge", "wrap"}) {
    const Value both = run_and_check(Pad, 19, mode(how), {x, list({2, -1, 1, 3})})[0];
    const Value first = run(Pad, 19, mode(how), {x, list({2, 1}), Value(), list({0})})[0];
    const Value second = run(Pad, 19, mode(how), {first, list({-1, 3}), Value(), tensor<std::int32_t>({1}, {1})})[0];
    EXPECT_EQ(doubles(both.tensor()), doubles(second.tensor())) << how;
  }
  EXPECT_THROW(run(Pad, 19, {}, {x, list({1, 1}), Value(), list({2})}), Error);
  EXPECT_THROW(run(Pad, 19, {}, {x, list({1, 1})}), Error);
  EXPECT_THROW(run(Pad, 19, {}, {x, list({1, 1, 1, 1}), Value(), list({0, -2})}), Error);
}

TEST(Pad, Symbolic) {
  Chain chain;
  const opset::DimExpr k = opset::DimExpr::variable("K");
  EXPECT_EQ(chain(Pad, 18, {}, {fact("float[N,C]"), ints_fact({0, 1, 2, 3})}).shape(), "[N + 2,C + 4]");
  EXPECT_EQ(chain(Pad, 18, {}, {fact("float[N,C]"), symbols({k, 0}), absent(), ints_fact({1})}).shape(), "[N,C + K]");
  EXPECT_EQ(chain(Pad, 18, {}, {fact("float[N,C]"), fact("int64[2]"), absent(), ints_fact({0})}).shape().substr(3),
            ",C]");
  EXPECT_EQ(chain(Pad, 18, {}, {fact("float"), fact("int64[6]")}).type.shape->size(), 3u);
  EXPECT_FALSE(chain(Pad, 18, {}, {fact("float"), fact("int64")}).type.has_rank());
  EXPECT_THROW(chain(Pad, 18, {}, {fact("float[N]"), ints_fact({0, 1, 2})}), Error);
  EXPECT_THROW(chain(Pad, 18, {}, {fact("float[2]"), ints_fact({-2, -1})}), Error);
  EXPECT_THROW(chain(Pad, 18, mode("wrap"), {fact("float[2]"), ints_fact({1, 1})}), Error);
}

TEST(Pad, Versions) {
  for (const DataType t : {DataType::Float, DataType::Double, DataType::Float16}) {
    const Tensor x = iota(t, {2});
    const Attributes one = {make_attr("paddings", std::vector<std::int64_t>{1, 0}), make_attr("value", 1.5f)};
    EXPECT_EQ(doubles(run_lifted(Pad, 1, one, {x})[0].tensor()), (std::vector<double>{1.5, 0, 1}));
    const std::vector<Operand> in = {{x}, {list({1, 0}), true}, {tensor_of(t, {}, {1.5}), true}};
    const auto down = moved(Pad, 13, 1, {}, in);
    EXPECT_EQ(down.nodes.at(0).schema->since, 1);
    EXPECT_EQ(doubles(run_moved(down, in).tensor()), (std::vector<double>{1.5, 0, 1}));
  }
  const Tensor x = iota(DataType::Float, {2, 2});
  const Attributes two = {make_attr("pads", std::vector<std::int64_t>{0, -1, 0, 1}),
                          make_attr("mode", std::string("edge"))};
  EXPECT_EQ(doubles(run_lifted(Pad, 2, two, {x})[0].tensor()), (std::vector<double>{1, 1, 3, 3}));
  EXPECT_EQ(infer(Pad, 2, two, {type("float[A,B]")}).types[0].to_string(), "float[A,B]");
  const std::vector<Operand> axes = {{x}, {list({1, 2}), true}, {}, {list({-1}), true}};
  const auto down = moved(Pad, 18, 11, {}, axes);
  EXPECT_EQ(run_moved(down, axes).tensor().dims(), (norn::Shape{2, 5}));
  EXPECT_THROW(moved(Pad, 18, 13, {}, {{x}, {list({1, 2})}, {}, {list({-1}), true}}), Error);
  EXPECT_THROW(moved(Pad, 19, 18, mode("wrap"), {{x}, {list({1, 2, 1, 1}), true}}), Error);
  EXPECT_THROW(moved(Pad, 11, 1, {}, {{x}, {list({0, -1, 0, 0}), true}}), Error);
  EXPECT_THROW(moved(Pad, 11, 2, {}, {{x}, {list({0, 1, 0, 0})}}), Error);
  const Tensor wide = iota(DataType::Double, {1});
  EXPECT_THROW(moved(Pad, 11, 2, {}, {{wide}, {list({0, 1}), true}, {tensor<double>({}, {0.1}), true}}), Error);
}

}  // namespace
}  // namespace norn::ops::test
