// Sequences: what goes in comes out; the element type is what all elements share.
#include "ops/sequence/sequence_basic/sequence_basic.h"

#include "norn/error.h"
#include "ops/tensor/shape/chain_test.h"

namespace norn::ops::test {
namespace {

TEST(SequenceBasic, ElementsOfEveryType) {
  for (const DataType t : types_of(SequenceConstruct)) {
    const Tensor a = random_tensor(t, {2, 3}, 1, true), b = random_tensor(t, {}, 2), c = Tensor(t, {0, 4});
    const Value sequence = run(SequenceConstruct, 11, {}, {a, b, c})[0];
    const Tensor* expected[] = {&a, &b, &c};
    for (std::int64_t i = -3; i < 3; ++i) {
      const Tensor at = run(SequenceAt, 11, {}, {sequence, tensor<std::int64_t>({}, {i})})[0].tensor();
      const Tensor& wanted = *expected[i < 0 ? i + 3 : i];
      EXPECT_EQ(at.dims(), wanted.dims());
      EXPECT_TRUE(same_elements(at, wanted)) << data_type_name(t) << " at " << i;
    }
  }
}

TEST(SequenceBasic, ElementsDoNotShareTheInputsMemory) {
  Tensor x = tensor<float>({1}, {1});
  const Value sequence = run(SequenceConstruct, 11, {}, {x})[0];
  x.as_mutable<float>()[0] = 2;
  EXPECT_EQ(doubles(run(SequenceAt, 11, {}, {sequence, tensor<std::int32_t>({}, {0})})[0].tensor()),
            std::vector<double>{1});
}

TEST(SequenceBasic, Refusals) {
  const Value sequence = run(SequenceConstruct, 11, {}, {tensor<float>({1}, {1})})[0];
  for (const std::int64_t bad : {std::int64_t{1}, std::int64_t{-2}, INT64_MIN}) {
    EXPECT_THROW(run(SequenceAt, 11, {}, {sequence, tensor<std::int64_t>({}, {bad})}), Error);
  }
  EXPECT_THROW(run(SequenceConstruct, 11, {}, {tensor<float>({1}, {1}), tensor<double>({1}, {1})}), Error);
  Chain chain;
  EXPECT_THROW(chain(SequenceConstruct, 11, {}, {fact("float[1]"), fact("double[1]")}), Error);
  EXPECT_THROW(chain(SequenceAt, 11, {}, {fact("seq(float)"), fact("int64[2]")}), Error);
}

TEST(SequenceBasic, Types) {
  Chain chain;
  EXPECT_EQ(chain(SequenceConstruct, 11, {}, {fact("float[N,3]"), fact("float[N,3]")}).type.to_string(),
            "seq(float[N,3])");
  EXPECT_EQ(chain(SequenceConstruct, 11, {}, {fact("float[N]"), fact("float[N,3]")}).type.to_string(), "seq(float)");
  const Fact mixed = chain(SequenceConstruct, 11, {}, {fact("float[N,3]"), fact("float[N,4]")});
  const auto& dims = *mixed.type.element->shape;
  EXPECT_EQ(dims[0].to_string(), "N");
  EXPECT_EQ(dims[1].to_string()[0], '?');
  const auto element = [&] { return chain(SequenceAt, 11, {}, {mixed, fact("int64[]")}).type; };
  const auto one = element(), two = element();
  EXPECT_EQ((*one.shape)[0].to_string(), "N");
  EXPECT_NE((*one.shape)[1].to_string(), (*two.shape)[1].to_string());
  EXPECT_EQ(chain(SequenceAt, 11, {}, {fact("seq(string)"), fact("int64[]")}).type.to_string(), "string");
}

}  // namespace
}  // namespace norn::ops::test
