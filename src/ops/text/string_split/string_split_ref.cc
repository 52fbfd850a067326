// StringSplit. Without a delimiter words stand between runs of Unicode's white space, and none is empty. What is left
// behind the last split is the last substring, without white space at its end if there is no delimiter.
#include <algorithm>
#include <string_view>

#include "base/checked.h"
#include "ops/common/elements.h"
#include "ops/text/string_split/string_split.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace string_split_ref_cc {
namespace {

// Bytes of the white space that the text begins with; 0 if it begins with none.
std::size_t space_at(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  if (first == ' ' || (first >= '\t' && first <= '\r') || (first >= 0x1c && first <= 0x1f)) return 1;
  if (first == 0xc2) return byte(1) == 0x85 || byte(1) == 0xa0 ? 2 : 0;  // U+0085, U+00A0
  if (first < 0xe1 || first > 0xe3) return 0;
  const unsigned code = (first & 15u) << 12 | (byte(1) & 63u) << 6 | (byte(2) & 63u);
  if ((byte(1) & 0xc0) != 0x80 || (byte(2) & 0xc0) != 0x80) return 0;
  const bool space = code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 ||
                     code == 0x202f || code == 0x205f || code == 0x3000;
  return space ? 3 : 0;
}

// Calls take(substring) for each; a negative `most` sets no bound to the number of splits.
template <class F>
void split_words(std::string_view text, std::int64_t most, F&& take) {
  std::int64_t splits = 0;
  const auto skip_spaces = [&] {
    while (const std::size_t n = space_at(text)) text.remove_prefix(n);
  };
  for (skip_spaces(); !text.empty(); skip_spaces(), ++splits) {
    // The last one ends with its last character other than white space.
    const bool last = splits == most;
    std::size_t end = 0;
    for (std::size_t i = 0; i < text.size();) {
      const std::size_t n = space_at(text.substr(i));
      if (n > 0 && !last) break;
      i += std::max<std::size_t>(n, 1);
      if (n == 0) end = i;
    }
    take(text.substr(0, end));
    if (last) return;
    text.remove_prefix(end);
  }
}

template <class F>
void split_at(std::string_view text, std::string_view delimiter, std::int64_t most, F&& take) {
  for (std::int64_t splits = 0;; ++splits) {
    const auto at = splits == most ? std::string_view::npos : text.find(delimiter);
    take(text.substr(0, at));
    if (at == std::string_view::npos) return;
    text.remove_prefix(at + delimiter.size());
  }
}

void string_split_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const std::string delimiter = ctx.attrs().find_s("delimiter").value_or("");
  const std::int64_t most = ctx.attrs().find_i("maxsplit").value_or(-1);
  const std::string* texts = x.as<std::string>();
  const auto split = [&](std::int64_t i, auto&& take) {
    if (delimiter.empty())
      split_words(texts[i], most, take);
    else
      split_at(texts[i], delimiter, most, take);
  };
  std::vector<std::int64_t> counts(static_cast<std::size_t>(x.size()));
  for (std::int64_t i = 0; i < x.size(); ++i)
    split(i, [&](std::string_view) { ++counts[static_cast<std::size_t>(i)]; });
  const std::int64_t width = counts.empty() ? 0 : *std::max_element(counts.begin(), counts.end());
  Shape dims = x.dims();
  dims.push_back(width);
  if (!base::checked_count(dims)) ctx.fail("the result of shape " + to_string(dims) + " has too many elements");
  if (ctx.wants_output(0)) {
    Tensor& y = ctx.output(0, DataType::String, dims);
    std::string* to = y.as_mutable<std::string>();
    for (std::int64_t i = 0; i < x.size(); ++i) {
      std::string* word = to + i * width;
      std::string* const end = word + width;
      split(i, [&](std::string_view part) { *word++ = part; });
      while (word != end) (word++)->clear();
    }
  }
  if (ctx.wants_output(1)) store_all<std::int64_t>(ctx.output(1, DataType::Int64, x.dims()), counts);
}

}  // namespace
}  // namespace string_split_ref_cc

void string_split_references(opset::ReferenceTable& table) { table.add(StringSplit, string_split_ref); }

}  // namespace norn::ops
