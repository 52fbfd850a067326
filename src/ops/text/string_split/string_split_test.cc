// StringSplit: substrings written out. Those without a delimiter are what Python's str.split gives but for white space
// at the end, which the specification removes.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace string_split_test_cc {
namespace {

const Cases all(
    "StringSplit",
    {
        {"StringSplit delimiter=.",
         "string[2] abc.com def.net",
         "string[2,2] abc com def net; int64[2] 2 2",
         {.late = true}},
        {"StringSplit delimiter=- maxsplit=2",
         "string[2,2] a-b-c-d x \"\" p--q",
         "string[2,2,3] a b c-d x \"\" \"\" \"\" \"\" \"\" p \"\" q; int64[2,2] 3 1 1 3",
         {.late = true}},
        {"StringSplit delimiter=,,",
         "string[3] a,,,b ,, \"\"",
         "string[3,2] a ,b \"\" \"\" \"\" \"\"; int64[3] 2 2 1",
         {.late = true}},
        {"StringSplit delimiter=é", "string[1] aéb", "string[1,2] a b; int64[1] 2", {.late = true}},
        {"StringSplit delimiter=, maxsplit=0", "string[2] a,b c", "string[2,1] a,b c; int64[2] 1 1", {.late = true}},
        {"StringSplit delimiter=, maxsplit={-1|min|max}",
         "string[1] a,b,c",
         "string[1,3] a b c; int64[1] 3",
         {.late = true}},
        {"{StringSplit|StringSplit delimiter=\"\"}",
         "string[3] \"  a  b  c \" \"a b\" \"\"",
         "string[3,3] a b c a b \"\" \"\" \"\" \"\"; int64[3] 3 2 0",
         {.late = true}},
        {"StringSplit maxsplit=1",
         "string[3] \"  a  b  c \" \"a b\" \"\"",
         "string[3,2] a \"b  c\" a b \"\" \"\"; int64[3] 2 2 0",
         {.late = true}},
        {"StringSplit maxsplit=0",
         "string[3] \" a  b \" \"  \" \"\"",
         "string[3,1] \"a  b\" \"\" \"\"; int64[3] 1 0 0",
         {.late = true}},
        // Tab, line feed, no-break space, ideographic space, line separator, Ogham space; a zero-width space is none.
        {"StringSplit",
         "string[6] \"a\tb\" \"a\nb\" \"a\u00a0b\" \"a\u3000b\" \"a\u2028b\" \"a\u1680b\"",
         "string[6,2] a b a b a b a b a b a b; int64[6] 2 2 2 2 2 2",
         {.late = true}},
        {"StringSplit",
         "string[2] \"a\u200bb\" \"\xc2\xa9 \xe2\x82\xac\"",
         "string[2,2] \"a\u200bb\" \"\" \"\xc2\xa9\" \"\xe2\x82\xac\"; int64[2] 1 2",
         {.late = true}},
        {"StringSplit", "string[] \"a b\"", "string[2] a b; int64[] 2", {.late = true}},
        {"StringSplit", "string[2] \"\" \" \"", "string[2,0]; int64[2] 0 0", {.late = true}},
        {"StringSplit", "string[0,3]", "string[0,3,0]; int64[0,3]", {.late = true}},
        {"StringSplit", "string[2] \"a b\" c", "-; int64[2] 2 1", {.late = true}},
        {"StringSplit", "string[N,3]", "string[N,3,?]; int64[N,3]"},
        {"StringSplit", "string", "string; int64"},
    });

}  // namespace
}  // namespace string_split_test_cc
}  // namespace norn::ops::cases
