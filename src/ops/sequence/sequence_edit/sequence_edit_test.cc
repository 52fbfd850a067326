// Sequences made empty, longer and shorter; what stays keeps its order.
#include "ops/sequence/sequence_edit/sequence_edit.h"

#include "ops/common/case.h"
#include "ops/tensor/shape/chain_test.h"

namespace norn::ops::test {
inline namespace sequence_edit_test_cc {
namespace {

const cases::Cases all(
    "SequenceEdit",
    {
        {"SequenceEmpty", "", "seq()"},
        {"SequenceEmpty dtype={float|string|complex128|bool}", "", "seq()"},
        {"SequenceEmpty dtype={0|-1|99|min|bfloat16|float4e2m1}", "", "", {.error = "dtype"}},
        {"SequenceInsert", "seq(float[2] 1 2 | float[] 3); float[0,4]", "seq(float[2] 1 2 | float[] 3 | float[0,4])"},
        {"SequenceInsert",
         "seq(T[1] fill 1 | T[1] fill 2); T[2] fill 3; I[] {0|-2}",
         "seq(T[2] fill 3 | T[1] fill 1 | T[1] fill 2)",
         {.types = "!complex64 !complex128"}},
        {"SequenceInsert",
         "seq(T[1] fill 1 | T[1] fill 2); T[] fill 3; I[] {1|-1}",
         "seq(T[1] fill 1 | T[] fill 3 | T[1] fill 2)",
         {.types = "!complex64 !complex128"}},
        {"SequenceInsert", "seq(int8[1] 1 | int8[1] 2); int8[1] 3; I[] 2", "seq(int8[1] 1 | int8[1] 2 | int8[1] 3)"},
        {"SequenceInsert", "seq(complex64[1] 1,2); complex64[] 3,4", "seq(complex64[1] 1,2 | complex64[] 3,4)"},
        {"SequenceInsert", "seq(); string[1] a; {-|int64[] 0}", "seq(string[1] a)"},
        {"SequenceInsert", "seq(float[1] 1); float[1] 2; int64[] {2|-2|min|max}", "", {.error = "position"}},
        {"SequenceInsert", "seq(float[1] 1); float[1] 2; int64[2] 0 0", "", {.error = "position"}},
        {"SequenceInsert", "seq(float[1] 1); double[1] 2", "", {.error = "*"}},
        {"SequenceErase", "seq(float[2] 1 2 | float[] 3 | float[0,4])", "seq(float[2] 1 2 | float[] 3)"},
        {"SequenceErase", "seq(string[1] a | string[1] b | string[1] c); I[] {0|-3}", "seq(string[1] b | string[1] c)"},
        {"SequenceErase", "seq(string[1] a | string[1] b | string[1] c); I[] {1|-2}", "seq(string[1] a | string[1] c)"},
        {"SequenceErase", "seq(bool[1] 1); int64[] {0|-1}", "seq()"},
        {"SequenceErase", "seq(float[1] 1); int64[] {1|-2|min|max}", "", {.error = "position"}},
        {"SequenceErase", "seq()", "", {.error = "empty"}},
        {"SequenceErase", "seq(); int64[] 0", "", {.error = "*"}},
        {"SequenceLength", "seq(float[2] 1 2 | float[] 3 | float[0,4])", "int64[] 3"},
        {"SequenceLength", "seq()", "int64[] 0"},
        {"SequenceInsert", "seq(float[N,3]); float[N,3]", "seq(float[N,3])"},
        {"SequenceInsert", "seq(float[N,3]); float[4]", "seq(float)"},
        {"SequenceInsert", "?; float[4]", "seq(float)"},
        {"SequenceInsert", "seq(float); double[4]", "", {.error = "*"}},
        {"SequenceInsert", "seq(float); float[4]; int64[2]", "", {.error = "*"}},
        {"SequenceErase", "seq(float[N,3]); int64[]", "seq(float[N,3])"},
        {"SequenceErase", "seq(float); int64[2]", "", {.error = "*"}},
        {"SequenceLength", "?", "int64[]"},
    });

TEST(SequenceEdit, TheTypeOfAnEmptySequenceIsSaid) {
  EXPECT_EQ(infer(SequenceEmpty, 11, {}, {}).types[0].to_string(), "seq(float)");
  EXPECT_EQ(infer(SequenceEmpty, 11, {transform::make_attr("dtype", std::int64_t{8})}, {}).types[0].to_string(),
            "seq(string)");
}

TEST(SequenceEdit, WhatIsInsertedDoesNotShareTheInputsMemory) {
  Tensor x = tensor<float>({1}, {1});
  const Value sequence = run(SequenceInsert, 11, {}, {Value(Sequence{}), x})[0];
  x.as_mutable<float>()[0] = 2;
  EXPECT_EQ(doubles(sequence.sequence().items[0].tensor()), std::vector<double>{1});
}

}  // namespace
}  // namespace sequence_edit_test_cc
}  // namespace norn::ops::test
