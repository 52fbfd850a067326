// DictVectorizer: values at the places of their keys in the vocabulary.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace dict_vectorizer_test_cc {
namespace {

const Cases cases(
    "DictVectorizer",
    {
        {"ai.onnx.ml.DictVectorizer string_vocabulary=[a,c,b,z]", "map(string[2] c a | int64[2] 8 4)",
         "int64[4] 4 8 0 0"},
        {"ai.onnx.ml.DictVectorizer string_vocabulary=[b,a]", "map(string[1] a | float[1] 1.5)", "float[2] 0 1.5"},
        {"ai.onnx.ml.DictVectorizer string_vocabulary=[b,a]", "map(string[1] a | double[1] 1.5)", "double[2] 0 1.5"},
        {"ai.onnx.ml.DictVectorizer int64_vocabulary=[3,-1]", "map(int64[1] -1 | double[1] 0.1)", "double[2] 0 0.1"},
        {"ai.onnx.ml.DictVectorizer int64_vocabulary=[3,-1]", "map(int64[1] -1 | float[1] 0.5)", "float[2] 0 0.5"},
        {"ai.onnx.ml.DictVectorizer int64_vocabulary=[3,5]", "map(int64[1] 5 | string[1] x)", "string[2] \"\" x"},
        // Keys that the vocabulary does not have are passed over.
        {"ai.onnx.ml.DictVectorizer string_vocabulary=[a]", "map(string[2] b a | float[2] 1 2)", "float[1] 2"},
        {"ai.onnx.ml.DictVectorizer string_vocabulary=[a]",
         "map(int64[1] 1 | float[1] 1)",
         "",
         {.error = "vocabulary"}},
        {"ai.onnx.ml.DictVectorizer", "map(int64[1] 1 | float[1] 1)", "", {.error = "exactly one"}},
        {"ai.onnx.ml.DictVectorizer string_vocabulary=[a]", "map(string[0] | float[0])", "", {.error = "empty"}},
        {"ai.onnx.ml.DictVectorizer string_vocabulary=[a] int64_vocabulary=1",
         "map(string[1] a | float[1] 1)",
         "",
         {.error = "exactly one"}},
        {"ai.onnx.ml.DictVectorizer string_vocabulary=[a,b]", "map(string,double[])", "double[2]"},
        {"ai.onnx.ml.DictVectorizer string_vocabulary=[a]", "map(int64,double[])", "", {.error = "vocabulary"}},
    });

}  // namespace
}  // namespace dict_vectorizer_test_cc
}  // namespace norn::ops::cases
