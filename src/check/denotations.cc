// Denotations: standard words that say what a dimension or a value means (a batch, a channel; an image, a text).
//
// Case matters, and only these words have a meaning; others are not forbidden, but no reader understands them.
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "check/rule_checks.h"
#include "check/text.h"

namespace norn::checks {
namespace {

constexpr std::string_view kDimensionWords[] = {"DATA_BATCH",    "DATA_CHANNEL",      "DATA_TIME",
                                                "DATA_FEATURE",  "FILTER_IN_CHANNEL", "FILTER_OUT_CHANNEL",
                                                "FILTER_SPATIAL"};
constexpr std::string_view kTypeWords[] = {"TENSOR", "IMAGE", "AUDIO", "TEXT"};

template <std::size_t N>
bool is_one_of(std::string_view word, const std::string_view (&words)[N]) {
  return word.empty() || std::find(std::begin(words), std::end(words), word) != std::end(words);
}

template <std::size_t N>
std::string choice(const std::string_view (&words)[N]) {
  std::string text = "the standard ones are ";
  for (std::size_t i = 0; i < N; ++i) (text += i == 0 ? "" : i + 1 < N ? ", " : " and ") += words[i];
  return text;
}

}  // namespace

void check_dimension_denotation(Context& ctx, const Place& place, const ir::Dimension& dim) {
  const std::string& word = dim.denotation.get();
  if (is_one_of(word, kDimensionWords)) return;
  ctx.report("denotation.dim.standard", place, "the dimension's denotation " + quoted(word) + " is not standard",
             choice(kDimensionWords));
}

void check_type_denotation(Context& ctx, const Place& place, const ir::Type& type) {
  const std::string& word = type.denotation.get();
  if (is_one_of(word, kTypeWords)) return;
  ctx.report("denotation.type.standard", place, "the type's denotation " + quoted(word) + " is not standard",
             choice(kTypeWords));
}

}  // namespace norn::checks
