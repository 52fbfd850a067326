#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace string_concat_test_cc {
namespace {

const Cases all("StringConcat",
                {
                    {"StringConcat", "string[2] abc \"\"; string[2] .com é", "string[2] abc.com é"},
                    {"StringConcat", "string[2,1] a b; string[3] x y \"\"", "string[2,3] ax ay a bx by b"},
                    {"StringConcat", "string[] a; string[2,2] p q r s", "string[2,2] ap aq ar as"},
                    {"StringConcat", "string[2,2] p q r s; string[1] \" \"", "string[2,2] \"p \" \"q \" \"r \" \"s \""},
                    {"StringConcat", "string[] \"\"; string[] \"\"", "string[] \"\""},
                    {"StringConcat", "string[0,2]; string[1,2] a b", "string[0,2]"},
                    {"StringConcat", "string[2] a b; string[3] a b c", "", {.error = "*"}},
                    {"StringConcat", "string[N,1]; string[M]", "string[N,M]"},
                    {"StringConcat", "string; string[2]", "string"},
                    {"StringConcat", "float[2]; string[2]", "", {.error = "*"}},
                });

}  // namespace
}  // namespace string_concat_test_cc
}  // namespace norn::ops::cases
