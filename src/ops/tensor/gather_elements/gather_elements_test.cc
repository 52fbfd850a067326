// GatherElements against its definition, output[i][j][k] = data[i][index[i][j][k]][k] for axis 1 and its like.
#include "ops/tensor/gather_elements/gather_elements.h"

#include "norn/error.h"
#include "ops/common/slice_test.h"

namespace norn::ops::test {
namespace {

using transform::make_attr;

TEST(GatherElements, EveryAxisFollowsTheDefinition) {
  const norn::Shape dims{2, 3, 4}, picked{2, 2, 3};
  const Tensor data = random_tensor(DataType::Double, dims, 1);
  const std::vector<double> x = doubles(data);
  for (std::int64_t axis = -3; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis < 0 ? axis + 3 : axis);
    std::vector<double> index, expected;
    for (std::int64_t i = 0; i < 2; ++i) {
      for (std::int64_t j = 0; j < 2; ++j) {
        for (std::int64_t k = 0; k < 3; ++k) {
          std::int64_t at[3] = {i, j, k};
          const std::int64_t pick = (7 * i + 5 * j + 3 * k) % dims[a];
          index.push_back(static_cast<double>((i + j + k) % 2 ? pick : pick - dims[a]));
          at[a] = pick;
          expected.push_back(x[static_cast<std::size_t>(at[0] * 12 + at[1] * 4 + at[2])]);
        }
      }
    }
    for (const DataType type : {DataType::Int32, DataType::Int64}) {
      const auto y =
          run_and_check(GatherElements, 13, {make_attr("axis", axis)}, {data, tensor_of(type, picked, index)});
      EXPECT_EQ(doubles(y[0].tensor()), expected) << "axis " << axis;
    }
  }
}

TEST(GatherElements, StringsEmptyIndicesAndOlderVersions) {
  const Tensor words = tensor<std::string>({2, 2}, {"a", "b", "c", "d"});
  const Tensor swap = tensor<std::int64_t>({2, 2}, {1, 0, 0, 1});
  const auto y = run_lifted(GatherElements, 11, {make_attr("axis", std::int64_t{1})}, {words, swap});
  const std::string* text = y[0].tensor().as<std::string>();
  EXPECT_EQ(std::vector<std::string>(text, text + 4), (std::vector<std::string>{"b", "a", "c", "d"}));
  const auto none = run_and_check(GatherElements, 13, {}, {words, Tensor(DataType::Int64, {0, 2})});
  EXPECT_EQ(none[0].tensor().dims(), (norn::Shape{0, 2}));
}

TEST(GatherElements, SymbolicShapesComeFromTheIndices) {
  const auto inferred = infer(GatherElements, 13, {}, {type("float16[N,4]"), type("int64[M,2]")});
  EXPECT_EQ(inferred.types[0].to_string(), "float16[M,2]");
  EXPECT_EQ(infer(GatherElements, 13, {}, {type("int8"), type("int64")}).types[0].to_string(), "int8");
}

TEST(GatherElements, RefusesWhatLiesOutside) {
  const Tensor data = random_tensor(DataType::Float, {2, 3}, 2);
  EXPECT_THROW(run(GatherElements, 13, {}, {data, tensor<std::int64_t>({1, 1}, {2})}), Error);
  EXPECT_THROW(run(GatherElements, 13, {}, {data, tensor<std::int64_t>({1, 1}, {-3})}), Error);
  EXPECT_THROW(run(GatherElements, 13, {}, {data, Tensor(DataType::Int64, {1, 4})}), Error);
  EXPECT_THROW(infer(GatherElements, 13, {}, {type("float[2,3]"), type("int64[2]")}), Error);
  EXPECT_THROW(infer(GatherElements, 13, {}, {type("float[2,3]"), type("int64[1,4]")}), Error);
  EXPECT_THROW(
      infer(GatherElements, 13, {make_attr("axis", std::int64_t{2})}, {type("float[2,3]"), type("int64[1,1]")}), Error);
}

}  // namespace
}  // namespace norn::ops::test
