// RegexFullMatch by RE2, which the specification names; it takes time in proportion to the text, whatever the pattern.
// Strings that are not UTF-8 match nothing but what stands for any byte (\C).
#include <re2/re2.h>

#include <string>

#include "base/text.h"
#include "ops/text/regex_full_match/regex_full_match.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace regex_full_match_ref_cc {
namespace {

void regex_full_match_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const std::string pattern = ctx.attrs().s("pattern");
  RE2::Options options;
  options.set_log_errors(false);
  const RE2 regex(pattern, options);
  if (!regex.ok())
    ctx.fail("the pattern " + base::quoted(pattern) + " is not a regular expression of RE2: " + regex.error(),
             "correct the attribute \"pattern\"; RE2 has no look-ahead, no look-behind and no back-references");
  const std::string* texts = x.as<std::string>();
  auto* y = ctx.output(0, DataType::Bool, x.dims()).as_mutable<std::uint8_t>();
  for (std::int64_t i = 0; i < x.size(); ++i) y[i] = RE2::FullMatch(texts[i], regex);
}

}  // namespace
}  // namespace regex_full_match_ref_cc

void regex_full_match_references(opset::ReferenceTable& table) { table.add(RegexFullMatch, regex_full_match_ref); }

}  // namespace norn::ops
