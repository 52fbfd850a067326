// StringNormalizer. Elements that are stop words go, whole; then case is changed, character by character. Both follow
// Unicode's tables and no locale of the machine's: the attribute `locale` changes nothing. Bytes that are not UTF-8
// stay.
#include <utf8proc.h>

#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "ops/common/elements.h"
#include "ops/text/string_normalizer/string_normalizer.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace string_normalizer_ref_cc {
namespace {

void append(std::string& text, utf8proc_int32_t code) {
  utf8proc_uint8_t bytes[4];
  text.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(utf8proc_encode_char(code, bytes)));
}

// Calls f(text, code), which appends what stands for each character.
template <class F>
std::string mapped(std::string_view text, F&& f) {
  std::string result;
  while (!text.empty()) {
    utf8proc_int32_t code = 0;
    const auto n = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                    static_cast<utf8proc_ssize_t>(text.size()), &code);
    if (n > 0)
      f(result, code);
    else
      result += text[0];
    text.remove_prefix(static_cast<std::size_t>(n > 0 ? n : 1));
  }
  return result;
}

std::string lower(std::string_view text) {
  return mapped(text, [](std::string& to, utf8proc_int32_t code) { append(to, utf8proc_tolower(code)); });
}
// utf8proc makes U+1E9E of a sharp s, for which Unicode's simple mappings have no capital letter.
std::string upper(std::string_view text) {
  return mapped(
      text, [](std::string& to, utf8proc_int32_t code) { append(to, code == 0xdf ? code : utf8proc_toupper(code)); });
}
// What is equal but for case has one folded form.
std::string folded(std::string_view text) {
  return mapped(text, [](std::string& to, utf8proc_int32_t code) {
    utf8proc_int32_t codes[8];
    const auto n = utf8proc_decompose_char(code, codes, 8, UTF8PROC_CASEFOLD, nullptr);
    if (n < 0 || n > 8) return append(to, code);
    for (utf8proc_ssize_t i = 0; i < n; ++i) append(to, codes[i]);
  });
}

void string_normalizer_ref(opset::ReferenceContext& ctx) {
  const StringNormalizerParams p = resolve_string_normalizer(ctx);
  const Tensor& x = ctx.input(0);
  const bool row = x.rank() == 2 && x.dims()[0] == 1;
  if (x.rank() != 1 && !row) ctx.fail("X must have shape [C] or [1,C], not " + to_string(x.dims()));
  if (x.size() == 0) ctx.fail("X must not be empty");
  std::unordered_set<std::string> stops;
  for (const std::string& word : p.stopwords) stops.insert(p.case_sensitive ? word : folded(word));
  std::vector<std::string> words;
  for (std::string& word : load_all<std::string>(x)) {
    if (!stops.empty() && stops.contains(p.case_sensitive ? word : folded(word))) continue;
    words.push_back(p.action == CaseChange::Lower   ? lower(word)
                    : p.action == CaseChange::Upper ? upper(word)
                                                    : std::move(word));
  }
  if (words.empty()) words.emplace_back();
  const auto n = static_cast<std::int64_t>(words.size());
  store_all<std::string>(ctx.output(0, DataType::String, row ? Shape{1, n} : Shape{n}), words);
}

}  // namespace
}  // namespace string_normalizer_ref_cc

void string_normalizer_references(opset::ReferenceTable& table) { table.add(StringNormalizer, string_normalizer_ref); }

}  // namespace norn::ops
