// RegexFullMatch: the whole string has to match, by RE2's syntax.
#include <string>

#include "ops/common/case.h"
#include "ops/common/slice_test.h"
#include "ops/text/regex_full_match/regex_full_match.h"

namespace norn::ops::test {
inline namespace regex_full_match_test_cc {
namespace {

const cases::Cases all("RegexFullMatch",
                       {
                           {"RegexFullMatch pattern=www\\.[\\w.-]+\\.\\bcom\\b",
                            "string[3] www.google.com www.facebook.com www.bbc.co.uk", "bool[3] 1 1 0"},
                           {"RegexFullMatch pattern=a|ab", "string[2,2] ab a abc \"\"", "bool[2,2] 1 1 0 0"},
                           {"RegexFullMatch pattern=\"\"", "string[2] \"\" a", "bool[2] 1 0"},
                           {"RegexFullMatch pattern=.", "string[4] é 漢 ab \"\n\"", "bool[4] 1 1 0 0"},
                           {"RegexFullMatch pattern=(?s).", "string[] \"\n\"", "bool[] 1"},
                           {"RegexFullMatch pattern=(?i)straSSe", "string[2] STRASSE strasse", "bool[2] 1 1"},
                           {"RegexFullMatch pattern=\\pL+", "string[2] Σπ x1", "bool[2] 1 0"},
                           {"RegexFullMatch pattern=a", "string[0,2]", "bool[0,2]"},
                           {"RegexFullMatch pattern=(a+)+b",
                            "string[1] aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac", "bool[1] 0"},
                           // What RE2 has not: back references and looking ahead.
                           {"RegexFullMatch pattern={(a)\\1|(?=a)a|[|(|a**}", "string[1] a", "", {.error = "RE2"}},
                           {"RegexFullMatch", "string[1] a", "", {.error = "pattern"}},
                           {"RegexFullMatch pattern=a", "string[N,3]", "bool[N,3]"},
                           {"RegexFullMatch pattern=a", "string", "bool"},
                           {"RegexFullMatch pattern=a", "float[2]", "", {.error = "*"}},
                       });

TEST(RegexFullMatch, BytesThatAreNoTextMatchNothing) {
  ir::Attribute pattern;
  pattern.name = std::string("pattern");
  pattern.type = static_cast<std::int32_t>(ir::AttributeType::String);
  pattern.s = std::string(".*");
  const Tensor x = tensor<std::string>({3}, {"\xff", std::string("a\0b", 3), "\xc3"});
  EXPECT_EQ(doubles(run(RegexFullMatch, 20, {pattern}, {x})[0].tensor()), (std::vector<double>{0, 1, 0}));
}

}  // namespace
}  // namespace regex_full_match_test_cc
}  // namespace norn::ops::test
