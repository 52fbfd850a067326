// StringNormalizer. Elements that are stop words go, whole; then case is changed. Both follow Unicode's default case
// conversions (The Unicode Standard, 3.13) and no locale of the machine's: the attribute `locale` changes nothing. One
// character may become several (the capitals of a sharp s are SS). Bytes that are not UTF-8 stay.
#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <span>
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

// Calls f(text, code, rest), which appends what stands for each character; `rest` is the text behind it.
template <class F>
std::string mapped(std::string_view text, F&& f) {
  std::string result;
  while (!text.empty()) {
    utf8proc_int32_t code = 0;
    const auto n = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                    static_cast<utf8proc_ssize_t>(text.size()), &code);
    const char first = text[0];
    text.remove_prefix(static_cast<std::size_t>(n > 0 ? n : 1));
    if (n > 0)
      f(result, code, text);
    else
      result += first;
  }
  return result;
}

// The full case folding of a character: what is equal but for case has one.
std::span<const utf8proc_int32_t> fold(utf8proc_int32_t code, std::array<utf8proc_int32_t, 8>& codes) {
  const auto n = utf8proc_decompose_char(code, codes.data(), codes.size(), UTF8PROC_CASEFOLD, nullptr);
  if (n >= 0 && n <= std::ssize(codes)) return std::span(codes).first(static_cast<std::size_t>(n));
  codes[0] = code;
  return std::span(codes).first(1);
}

std::string folded(std::string_view text) {
  return mapped(text, [](std::string& to, utf8proc_int32_t code, std::string_view) {
    std::array<utf8proc_int32_t, 8> codes;
    for (const auto c : fold(code, codes)) append(to, c);
  });
}

// A character whose folding is several characters has their capital letters, unless it is a capital letter itself.
std::string upper(std::string_view text) {
  return mapped(text, [](std::string& to, utf8proc_int32_t code, std::string_view) {
    std::array<utf8proc_int32_t, 8> codes;
    const auto parts = fold(code, codes);
    if (parts.size() == 1 || utf8proc_category(code) == UTF8PROC_CATEGORY_LU) return append(to, utf8proc_toupper(code));
    for (const auto c : parts) append(to, utf8proc_toupper(c));
  });
}

// What the rule of the final sigma looks at: letters that have a case, and what may stand between them.
enum class Casing { None, Cased, Ignorable };
Casing casing(utf8proc_int32_t code) {
  switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT: return Casing::Cased;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK: return Casing::Ignorable;
    default: break;
  }
  // Word_Break of MidLetter, MidNumLet or Single_Quote.
  static constexpr std::array between{0x27,   0x2e,   0x3a,   0xb7,   0x387,  0x55f,  0x5f4,  0x2018, 0x2019,
                                      0x2024, 0x2027, 0xfe13, 0xfe52, 0xfe55, 0xff07, 0xff0e, 0xff1a};
  return std::ranges::find(between, code) != between.end() ? Casing::Ignorable : Casing::None;
}
bool goes_on(std::string_view text) {
  while (!text.empty()) {
    utf8proc_int32_t code = 0;
    const auto n = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                                    static_cast<utf8proc_ssize_t>(text.size()), &code);
    if (n <= 0) return false;
    if (const Casing c = casing(code); c != Casing::Ignorable) return c == Casing::Cased;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return false;
}

// A capital sigma at the end of a word becomes the sigma of ends; a capital I with a dot becomes an i and a dot.
std::string lower(std::string_view text) {
  constexpr utf8proc_int32_t sigma = 0x3a3, final_sigma = 0x3c2, dotted_i = 0x130, dot_above = 0x307;
  bool in_word = false;
  return mapped(text, [&](std::string& to, utf8proc_int32_t code, std::string_view rest) {
    append(to, code == sigma && in_word && !goes_on(rest) ? final_sigma
               : code == dotted_i                         ? 'i'
                                                          : utf8proc_tolower(code));
    if (code == dotted_i) append(to, dot_above);
    if (const Casing c = casing(code); c != Casing::Ignorable) in_word = c == Casing::Cased;
  });
}

void string_normalizer_ref(opset::ReferenceContext& ctx) {
  const StringNormalizerParams p = resolve_string_normalizer(ctx);
  const Tensor& x = ctx.input(0);
  const bool row = x.rank() == 2;
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
