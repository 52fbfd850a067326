// StringNormalizer: words written out. Case follows Unicode's full mappings, and words are compared by its folding.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace string_normalizer_test_cc {
namespace {

const Cases all("StringNormalizer",
                {
                    {"StringNormalizer case_change_action=LOWER is_case_sensitive=1 stopwords=[monday]",
                     "string[4] monday tuesday WEDNESDAY Monday",
                     "string[3] tuesday wednesday monday",
                     {.late = true}},
                    {"StringNormalizer case_change_action=UPPER stopwords=[monday]",
                     "string[1,4] monday Tuesday wednesday MONDAY",
                     "string[1,2] TUESDAY WEDNESDAY",
                     {.late = true}},
                    {"StringNormalizer stopwords=[a,b]", "string[3] a B A", "string[1] \"\"", {.late = true}},
                    {"StringNormalizer stopwords=[a,b]", "string[1,1] a", "string[1,1] \"\"", {.late = true}},
                    {"StringNormalizer is_case_sensitive=1 stopwords=[A]",
                     "string[3] a A \"a A\"",
                     "string[2] a \"a A\"",
                     {.late = true}},
                    {"StringNormalizer", "string[3] a \"\" É", "string[3] a \"\" É"},
                    {"StringNormalizer case_change_action=UPPER", "string[6] é ß ﬁ ÿ ж ǆ", "string[6] É SS FI Ÿ Ж Ǆ"},
                    {"StringNormalizer case_change_action=LOWER", "string[8] ÀÉ ΣΑΣ İ Ж 漢字 Σ ΑΣ.Α \"ΑΣ ΣΑΣ.\"",
                     "string[8] àé σας i̇ ж 漢字 σ ασ.α \"ας σας.\""},
                    {"StringNormalizer case_change_action=LOWER", "string[2] \"\xff\x41\" \"\xc3\"",
                     "string[2] \"\xff\x61\" \"\xc3\""},
                    {"StringNormalizer stopwords=[STRASSE,σας]",
                     "string[4] straße Straße ΣΑΣ Σασ",
                     "string[1] \"\"",
                     {.late = true}},
                    {"StringNormalizer locale=tr_TR case_change_action=UPPER", "string[2] i ı", "string[2] I I"},
                    {"StringNormalizer", "{string[0]|string[1,0]}", "", {.error = "empty"}},
                    {"StringNormalizer", "{string[] a|string[2,1] a b|string[1,1,1] a}", "", {.error = "*"}},
                    {"StringNormalizer case_change_action=Lower", "string[1] a", "", {.error = "case_change_action"}},
                    {"StringNormalizer", "string[N]", "string[N]"},
                    {"StringNormalizer stopwords=[a]", "string[N]", "string[?]"},
                    {"StringNormalizer stopwords=[a]", "string[N,M]", "string[1,?]"},
                    {"StringNormalizer", "string", "string"},
                    {"StringNormalizer", "string[2,3]", "", {.error = "*"}},
                });

}  // namespace
}  // namespace string_normalizer_test_cc
}  // namespace norn::ops::cases
