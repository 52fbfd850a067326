// TfIdfVectorizer. What is expected counts n-grams by the definition; ONNX Runtime gives the same.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace tfidf_vectorizer_test_cc {
namespace {

const Cases all("TfIdfVectorizer",
                {
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_int64s=[1,2,1,2] max_skip_count=1 "
                     "min_gram_length=1 max_gram_length=2 mode=TF",
                     "{int32|int64}[5] 1 2 1 1 2", "float[3] 2 3 3"},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_int64s=[1,2,1,2] max_skip_count=0 "
                     "min_gram_length=1 max_gram_length=2 mode=TF",
                     "int64[5] 1 2 1 1 2", "float[3] 2 2 3"},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_int64s=[1,2,1,2] max_skip_count=0 "
                     "min_gram_length=2 max_gram_length=2 mode=TF",
                     "int64[5] 1 2 1 1 2", "float[3] 0 2 0"},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_int64s=[1,2,1,2] max_skip_count=0 "
                     "min_gram_length=1 max_gram_length=1 mode=TF",
                     "int64[5] 1 2 1 1 2", "float[3] 2 0 3"},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_int64s=[1,2,1,2] max_skip_count=1 "
                     "min_gram_length=1 max_gram_length=2 mode=IDF weights=[10,20,30]",
                     "int64[5] 1 2 1 1 2", "float[3] 20 30 10"},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_int64s=[1,2,1,2] max_skip_count=1 "
                     "min_gram_length=1 max_gram_length=2 mode=TFIDF weights=[10,20,30]",
                     "int64[5] 1 2 1 1 2", "float[3] 40 90 30"},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_int64s=[1,2,1,2] max_skip_count=1 "
                     "min_gram_length=1 max_gram_length=2 mode=TF weights=[10,20,30]",
                     "int64[5] 1 2 1 1 2", "float[3] 2 3 3"},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_int64s=[1,2,1,2] max_skip_count=1 "
                     "min_gram_length=1 max_gram_length=2 mode=IDF",
                     "int64[2,3] 1 2 1 3 3 2", "float[2,3] 1 1 1 1 0 0"},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_strings=[a,b,a,b] max_skip_count=1 "
                     "min_gram_length=1 max_gram_length=2 mode=TF",
                     "string[2,3] a c b b a A", "float[2,3] 1 1 1 1 0 1"},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_int64s=[1,2,1,2] "
                     "max_skip_count=max min_gram_length=1 max_gram_length=2 mode=TF",
                     "int64[4] 1 3 3 2", "float[3] 1 1 1"},
                    {"TfIdfVectorizer ngram_counts=[0,0,4] ngram_indexes=[0,1,2] pool_int64s=[5,6,7,8,5,6,7] "
                     "max_skip_count=5 min_gram_length=2 max_gram_length=3 mode=TF",
                     "int64[2,6] 5 6 7 8 5 7 7 5 8 6 7 6", "float[2,3] 1 1 1 2 1 0"},
                    {"TfIdfVectorizer ngram_counts=[0] ngram_indexes=[0,1,1] pool_int64s=[1,1,2] max_skip_count=0 "
                     "min_gram_length=1 max_gram_length=max mode=TF",
                     "int64[4] 1 1 1 2", "float[2] 3 4"},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_int64s=[1,2,1,2] max_skip_count=1 "
                     "min_gram_length=1 max_gram_length=2 mode=TF",
                     "int64[0]", "float[3] 0 0 0"},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_int64s=[1,2,1,2] max_skip_count=1 "
                     "min_gram_length=1 max_gram_length=2 mode=TF",
                     "int64[2,0]", "float[2,3] 0 0 0 0 0 0"},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_int64s=[1,2,1,2] max_skip_count=1 "
                     "min_gram_length=1 max_gram_length=2 mode=TF",
                     "int64[0,2]", "float[0,3]"},
                    {"TfIdfVectorizer ngram_counts=[] ngram_indexes=[] pool_int64s=[] max_skip_count=0 "
                     "min_gram_length=1 max_gram_length=1 mode=TF",
                     "int64[2] 1 2", "float[0]"},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_strings=[a,b,a,b] max_skip_count=1 "
                     "min_gram_length=1 max_gram_length=2 mode=TF",
                     "string[N,M]", "float[N,3]"},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_strings=[a,b,a,b] max_skip_count=1 "
                     "min_gram_length=1 max_gram_length=2 mode=TF",
                     "string[N]", "float[3]"},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_strings=[a,b,a,b] max_skip_count=1 "
                     "min_gram_length=1 max_gram_length=2 mode=TF",
                     "string", "float"},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_int64s=[1,2,1,2] max_skip_count=1 "
                     "min_gram_length=1 max_gram_length=2 mode=TF",
                     "{int64[] 1|int64[1,1,1] 1}",
                     "",
                     {.error = "rank"}},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_int64s=[1,2,1,2] max_skip_count=1 "
                     "min_gram_length=1 max_gram_length=2 mode=TF",
                     "string[1] 1",
                     "",
                     {.error = "pool"}},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_strings=[a,b,a,b] max_skip_count=1 "
                     "min_gram_length=1 max_gram_length=2 mode=TF",
                     "int64[1] 1",
                     "",
                     {.error = "pool"}},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_int64s=[1,2,1,2] max_skip_count=-1 "
                     "min_gram_length=1 max_gram_length=2 mode=TF",
                     "int64[1] 1",
                     "",
                     {.error = "max_skip_count"}},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_int64s=[1,2,1,2] max_skip_count=0 "
                     "min_gram_length={0|-1|3|max} max_gram_length=2 mode=TF",
                     "int64[1] 1",
                     "",
                     {.error = "n-grams"}},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_int64s=[1,2,1,2] max_skip_count=0 "
                     "min_gram_length=1 max_gram_length=2 mode=tf",
                     "int64[1] 1",
                     "",
                     {.error = "mode"}},
                    {"TfIdfVectorizer ngram_counts=[0,2] ngram_indexes=[2,0,1] pool_int64s=[1,2,1,2] max_skip_count=0 "
                     "min_gram_length=1 max_gram_length=2 mode=TFIDF weights=[1]",
                     "int64[1] 1",
                     "",
                     {.error = "weights"}},
                    {"TfIdfVectorizer ngram_counts=[{0,3|0,5|-1,2|3,2|0,max|0,min}] ngram_indexes=[2,0,1] "
                     "pool_int64s=[1,2,1,2] max_skip_count=0 min_gram_length=1 max_gram_length=2 mode=TF",
                     "int64[1] 1",
                     "",
                     {.error = "*"}},
                    {"TfIdfVectorizer ngram_counts=[0] ngram_indexes=[{0|0,-1|0,max|0,1,2}] pool_int64s=[1,2] "
                     "max_skip_count=0 min_gram_length=1 max_gram_length=2 mode=TF",
                     "int64[1] 1",
                     "",
                     {.error = "ngram_indexes"}},
                    {"TfIdfVectorizer ngram_counts=[0] ngram_indexes=[0] max_skip_count=0 min_gram_length=1 "
                     "max_gram_length=2 mode=TF",
                     "int64[1] 1",
                     "",
                     {.error = "pool"}},
                    {"TfIdfVectorizer ngram_counts=[0] ngram_indexes=[0] pool_int64s=[1] pool_strings=[a] "
                     "max_skip_count=0 min_gram_length=1 max_gram_length=2 mode=TF",
                     "int64[1] 1",
                     "",
                     {.error = "pool"}},
                });

}  // namespace
}  // namespace tfidf_vectorizer_test_cc
}  // namespace norn::ops::cases
