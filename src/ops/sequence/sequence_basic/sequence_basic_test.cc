// Sequences: what goes in comes out; the element type is what all elements share.
#include "ops/sequence/sequence_basic/sequence_basic.h"

#include "ops/common/case.h"
#include "ops/tensor/shape/chain_test.h"

namespace norn::ops::test {
inline namespace sequence_basic_test_cc {
namespace {

const cases::Cases all(
    "SequenceBasic",
    {
        {"SequenceConstruct", "T[2,3] random 1; T[] random 2; T[0,4]", "seq(T[2,3] random 1 | T[] random 2 | T[0,4])"},
        {"SequenceAt", "seq(float[2] 1 2 | float[] 3 | float[0,4]); I[] {0|-3}", "float[2] 1 2", {.late = true}},
        {"SequenceAt", "seq(string[2] a b | string[] c | string[0,4]); I[] {1|-2}", "string[] c", {.late = true}},
        {"SequenceAt", "seq(int8[2] 1 2 | int8[] 3 | int8[0,4]); I[] {2|-1}", "int8[0,4]", {.late = true}},
        {"SequenceAt", "seq(float[1] 1); int64[] {1|-2|min}", "", {.error = "*"}},
        {"SequenceConstruct", "float[1] 1; double[1] 1", "", {.error = "*"}},
        {"SequenceConstruct", "float[1]; double[1]", "", {.error = "*"}},
        {"SequenceAt", "seq(float); int64[2]", "", {.error = "*"}},
        {"SequenceConstruct", "float[N,3]; float[N,3]", "seq(float[N,3])"},
        {"SequenceConstruct", "float[N]; float[N,3]", "seq(float)"},
        {"SequenceAt", "seq(string); int64[]", "string"},
    });

TEST(SequenceBasic, ElementsDoNotShareTheInputsMemory) {
  Tensor x = tensor<float>({1}, {1});
  const Value sequence = run(SequenceConstruct, 11, {}, {x})[0];
  x.as_mutable<float>()[0] = 2;
  EXPECT_EQ(doubles(run(SequenceAt, 11, {}, {sequence, tensor<std::int32_t>({}, {0})})[0].tensor()),
            std::vector<double>{1});
}

TEST(SequenceBasic, EachElementHasItsOwnUnknownSizes) {
  Chain chain;
  const Fact mixed = chain(SequenceConstruct, 11, {}, {fact("float[N,3]"), fact("float[N,4]")});
  const auto& dims = *mixed.type.element->shape;
  EXPECT_EQ(dims[0].to_string(), "N");
  EXPECT_EQ(dims[1].to_string()[0], '?');
  const auto element = [&] { return chain(SequenceAt, 11, {}, {mixed, fact("int64[]")}).type; };
  const auto one = element(), two = element();
  EXPECT_EQ((*one.shape)[0].to_string(), "N");
  EXPECT_NE((*one.shape)[1].to_string(), (*two.shape)[1].to_string());
}

}  // namespace
}  // namespace sequence_basic_test_cc
}  // namespace norn::ops::test
