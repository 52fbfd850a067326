// TfIdfVectorizer. What is expected counts n-grams by the definition; ONNX Runtime gives the same.
#include <random>

#include "ops/common/case.h"
#include "ops/common/slice_test.h"
#include "ops/nn/tfidf_vectorizer/tfidf_vectorizer.h"

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

using transform::make_attr;

// Each n-gram is looked for at each place of each row, with each distance between its words; those of one word have
// none.
TEST(TfIdfVectorizer, CountsWhatIsThere) {
  std::mt19937 random(3);
  for (const std::int64_t words : {3, 8, 40}) {  // of X; those of the pool are below 6
    std::vector<std::vector<std::int64_t>> grams;
    std::vector<std::int64_t> pool, counts, indexes;
    for (std::size_t length = 1; length <= 3; ++length) {
      counts.push_back(std::ssize(pool));
      for (int k = 0; k < 7; ++k) {
        auto& gram = grams.emplace_back(length);
        for (std::int64_t& word : gram) pool.push_back(word = static_cast<std::int64_t>(random() % 6));
        indexes.push_back(std::ssize(indexes));
      }
    }
    constexpr std::int64_t kRows = 4, kColumns = 37, kSkip = 2;
    std::vector<std::int64_t> x(kRows * kColumns);
    for (std::int64_t& word : x) word = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(words));
    std::vector<float> expected;
    for (std::int64_t r = 0; r < kRows; ++r) {
      for (const auto& gram : grams) {
        float found = 0;
        for (std::int64_t step = 1; step <= (gram.size() == 1 ? 1 : kSkip + 1); ++step) {
          for (std::int64_t begin = 0; begin + step * (std::ssize(gram) - 1) < kColumns; ++begin) {
            bool same = true;
            for (std::int64_t k = 0; k < std::ssize(gram); ++k)
              same &= x[static_cast<std::size_t>(r * kColumns + begin + k * step)] == gram[static_cast<std::size_t>(k)];
            found += same ? 1.0f : 0.0f;
          }
        }
        expected.push_back(found);
      }
    }
    const auto given = test::run(
        TfIdfVectorizer, 9,
        {make_attr("mode", "TF"), make_attr("min_gram_length", std::int64_t{1}),
         make_attr("max_gram_length", std::int64_t{3}), make_attr("max_skip_count", kSkip),
         make_attr("ngram_counts", counts), make_attr("ngram_indexes", indexes), make_attr("pool_int64s", pool)},
        {test::tensor<std::int64_t>({kRows, kColumns}, x)});
    const auto* values = given[0].tensor().as<float>();
    EXPECT_EQ(std::vector<float>(values, values + given[0].tensor().size()), expected) << words;
  }
}

}  // namespace
}  // namespace tfidf_vectorizer_test_cc
}  // namespace norn::ops::cases
