// Dropout: identity unless training, the documented generator, masks of both kinds, and the three senses of training.
#include "ops/nn/dropout/dropout.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/common/case.h"
#include "ops/common/elements.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
inline namespace dropout_test_cc {
namespace {

using transform::make_attr;

Attributes seeded(std::int64_t seed) { return {make_attr("seed", seed)}; }
Tensor truth(bool value) { return tensor_of(DataType::Bool, {}, {value ? 1.0 : 0.0}); }

// The first uniform numbers of NumPy's RandomState(0) are 0.5488, 0.7152, 0.6028, 0.5449, 0.4237, 0.6459, 0.4376,
// 0.8918; of RandomState(42) 0.3745, 0.9507, 0.7320, 0.5987, 0.1560, 0.1560, 0.0581, 0.8662.
const cases::Cases all("Dropout",
                       {
                           {"Dropout-22",
                            "T[4] 1 2 3 0{|; float[] 0.5|; float[] 0.5; bool[] 0|; -; bool[] 0|; float[] 0; bool[] 1}",
                            "T[4] 1 2 3 0; bool[4] 1 1 1 1",
                            {.types = "!float8e8m0"}},
                           {"Dropout-12.. seed=0",
                            "float[8] 1 2 3 4 5 6 7 8; float[] 0.6; bool[] 1",
                            "float[8] 0 5 7.5 0 0 15 0 20; bool[8] 0 1 1 0 0 1 0 1",
                            {.tolerance = 1e-6}},
                           {"Dropout-12.. seed=42", "float[8] 1 2 3 4 5 6 7 8; -; bool[] 1",
                            "float[8] 0 4 6 8 0 0 0 16; bool[8] 0 1 1 1 0 0 0 1"},
                           {"Dropout-13", "float[0,2]; -; bool[] 1", "float[0,2]; bool[0,2]"},
                           {"Dropout-13", "float[] 3", "float[] 3"},
                           {"Dropout-12", "float16[N,2]", "float16[N,2]; bool[N,2]"},
                           {"Dropout-7", "float16[N,2]", "float16[N,2]; float16[N,2]"},
                           {"Dropout-10", "float", "float; bool"},
                           {"Dropout-{1|6} is_test=1 ratio=0.25", "float[3] 1 2 3", "float[3] 1 2 3; float[3] 1 1 1"},
                           {"Dropout-7 ratio=0.25", "float[3] 1 2 3", "float[3] 1 2 3; float[3] 1 1 1"},
                           {"Dropout-10 ratio=0.25", "float[3] 1 2 3", "float[3] 1 2 3; bool[3] 1 1 1"},
                       });

TEST(Dropout, KeepsAboutTheRightShare) {
  const std::int64_t n = 20000;
  const Tensor x = tensor<float>({n}, std::vector<float>(static_cast<std::size_t>(n), 1.0f));
  const auto mask = doubles(run(Dropout, 13, seeded(7), {x, tensor<float>({}, {0.3f}), truth(true)}, 2)[1].tensor());
  const auto kept = static_cast<double>(std::count(mask.begin(), mask.end(), 1.0));
  EXPECT_NEAR(kept / static_cast<double>(n), 0.7, 0.02);
}

TEST(Dropout, SeedsDecide) {
  const Tensor x = random_tensor(DataType::Float, {1000}, 1);
  const auto mask = [&](const Attributes& attrs) {
    return doubles(run(Dropout, 13, attrs, {x, Value(), truth(true)}, 2)[1].tensor());
  };
  EXPECT_EQ(mask(seeded(3)), mask(seeded(3)));
  EXPECT_NE(mask(seeded(3)), mask(seeded(4)));
  EXPECT_NE(mask({}), mask({}));
}

TEST(Dropout, RefusesImpossibleRatios) {
  const Tensor x = tensor<float>({2}, {1, 2});
  for (const float ratio : {1.0f, -0.1f, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_THROW(run(Dropout, 13, {}, {x, tensor<float>({}, {ratio}), truth(true)}), Error);
    EXPECT_NO_THROW(run(Dropout, 13, {}, {x, tensor<float>({}, {ratio})}));
  }
  EXPECT_THROW(run(Dropout, 13, {}, {x, tensor<float>({2}, {0.1f, 0.2f}), truth(true)}), Error);
  EXPECT_THROW(infer(Dropout, 13, {}, {type("float[2]"), type("float[2]")}), Error);
  const std::vector<opset::ValueType> types = {type("float[2]"), type("float[]"), type("bool[]")};
  EXPECT_THROW(infer(Dropout, 13, {}, types, {{}, tensor<float>({}, {1}), truth(true)}), Error);
  EXPECT_NO_THROW(infer(Dropout, 13, {}, types, {{}, tensor<float>({}, {1}), truth(false)}));
}

TEST(Dropout, VersionSixTrainsByDefault) {
  const Tensor x = tensor<float>({1000}, std::vector<float>(1000, 1.0f));
  for (const int opset : {1, 6}) {
    for (const auto& y : {run_lifted(Dropout, opset, {make_attr("ratio", 0.75f)}, {x}, 2),
                          run(Dropout, opset, {make_attr("ratio", 0.75f)}, {x}, 2)}) {
      const auto values = doubles(y[0].tensor()), mask = doubles(y[1].tensor());
      EXPECT_EQ(y[1].tensor().dtype(), DataType::Float);
      for (std::size_t i = 0; i < 1000; ++i) EXPECT_EQ(values[i], mask[i] * 4);
      const auto kept = std::count(mask.begin(), mask.end(), 1.0);
      EXPECT_GT(kept, 150);
      EXPECT_LT(kept, 350);
    }
  }
}

TEST(Dropout, StepsDown) {
  const auto x = type("float[2]"), ratio = type("float[]"), mode = type("bool[]");
  const auto ten =
      moved(Dropout, 22, 10, seeded(1), {x, ratio, mode}, {{}, tensor<float>({}, {0.25f}), truth(false)}).nodes.at(0);
  EXPECT_EQ(ten.schema->since, 10);
  EXPECT_EQ(ten.node.input, std::vector<std::string>{"in0"});
  ASSERT_EQ(ten.node.attribute.size(), 1u);
  EXPECT_EQ(opset::Attrs(*ten.schema, ten.node.attribute).f("ratio"), 0.25f);

  const auto seven = moved(Dropout, 13, 7, {}, {x}, {}, 2);
  ASSERT_EQ(seven.nodes.size(), 2u);
  EXPECT_EQ(seven.nodes[1].op->name, "Cast");
  EXPECT_EQ(seven.nodes[1].node.output, std::vector<std::string>{"out1"});
  EXPECT_EQ(seven.nodes[1].schema->since, 6);

  const auto one = moved(Dropout, 13, 1, {}, {x}).nodes.at(0);
  EXPECT_EQ(opset::Attrs(*one.schema, one.node.attribute).i("is_test"), 1);

  EXPECT_THROW(moved(Dropout, 13, 10, {}, {x, ratio, mode}, {{}, {}, truth(true)}), Error);
  EXPECT_THROW(moved(Dropout, 13, 10, {}, {x, ratio, mode}), Error);
  EXPECT_THROW(moved(Dropout, 6, 9, {}, {x}), Error);  // trains, which 7 cannot
}

}  // namespace
}  // namespace dropout_test_cc
}  // namespace norn::ops::test
