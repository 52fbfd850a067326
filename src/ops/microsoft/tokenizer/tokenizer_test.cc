// Tokens by separators, by an expression, and by characters.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace tokenizer_test_cc {
namespace {

const Cases cases(
    "Tokenizer",
    {
        {"com.microsoft.Tokenizer mark=0 mincharnum=1 pad_value=# separators=\" \"",
         "string[2] \"Hello World\" \"I love cs !\"",
         "string[2,4] Hello World # # I love cs !",
         {.late = true}},
        {"com.microsoft.Tokenizer mark=0 mincharnum=2 pad_value=# separators=x,b+",
         "string[2,2] axcc bbddxee \"\" ébbñ",
         "string[2,2,2] cc # dd ee # # # #",
         {.late = true}},
        {"com.microsoft.Tokenizer mark=1 mincharnum=1 pad_value=# tokenexp=a|ab",
         "string[2] \"abc ab\" a",
         "string[2,4] \"\x02\" ab ab \"\x03\" \"\x02\" a \"\x03\" #",
         {.late = true}},
        {"com.microsoft.Tokenizer mark=1 mincharnum=1 pad_value=# tokenexp=a",
         "string[2] b \"\"",
         "string[2,0]",
         {.late = true}},
        {"com.microsoft.Tokenizer mark=0 mincharnum=1 pad_value=# tokenexp=[0-9]*",
         "string[1] a1bb22",
         "string[1,2] 1 22",
         {.late = true}},
        {"com.microsoft.Tokenizer mark=0 mincharnum=1 pad_value=# separators=x*",
         "string[1] aaxbb",
         "string[1,2] aa bb",
         {.late = true}},
        {"com.microsoft.Tokenizer mark=0 mincharnum=1 pad_value=# separators=\"\"",
         "string[2] aéb \"\"",
         "string[2,3] a é b # # #",
         {.late = true}},
        {"com.microsoft.Tokenizer mark=0 mincharnum=1 pad_value=# tokenexp=(", "string[1] a", "", {.error = "RE2"}},
        {"com.microsoft.Tokenizer mark=0 mincharnum=1 pad_value=#", "string[1] a", "", {.error = "exactly one"}},
        {"com.microsoft.Tokenizer mark=0 mincharnum=2 pad_value=# separators=\"\"",
         "string[N]",
         "",
         {.error = "each character"}},
        {"com.microsoft.Tokenizer mark=0 mincharnum=1 pad_value=# separators=a,\"\"",
         "string[N]",
         "",
         {.error = "alone"}},
        {"com.microsoft.Tokenizer mark=0 mincharnum=0 pad_value=# tokenexp=a",
         "string[1] a",
         "",
         {.error = "mincharnum"}},
        {"com.microsoft.Tokenizer mark=0 mincharnum=1 pad_value=# tokenexp=a",
         "string[1,1,1] a",
         "",
         {.error = "a list or a table"}},
    });

}  // namespace
}  // namespace tokenizer_test_cc
}  // namespace norn::ops::cases
