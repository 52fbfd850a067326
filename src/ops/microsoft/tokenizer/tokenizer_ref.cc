// Tokens are what matches `tokenexp`, or what is left when what matches the `separators` is taken out, one separator
// after the other. Expressions are RE2's; of the matches at a place the longest counts. One empty separator makes each
// character a token. An empty match separates nothing and is not a token.
#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/checked.h"
#include "base/text.h"
#include "ops/microsoft/tokenizer/tokenizer.h"
#include "opset/reference.h"

namespace norn::ops {
namespace microsoft {
inline namespace tokenizer_ref_cc {
namespace {

using Tokens = std::vector<std::string_view>;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

std::int64_t count_characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), begins_character);
}

std::size_t character_length(std::string_view text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && !begins_character(text[end])) ++end;
  return end - at;
}

std::unique_ptr<RE2> compile(const opset::ReferenceContext& ctx, const std::string& expression) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_longest_match(true);
  auto regex = std::make_unique<RE2>(expression, options);
  if (!regex->ok()) ctx.fail(base::quoted(expression) + " is not a regular expression of RE2: " + regex->error());
  return regex;
}

// Calls take(begin, end) for each match that is not empty, from the left.
template <class F>
void each_match(const RE2& regex, std::string_view text, F&& take) {
  const re2::StringPiece all(text.data(), text.size());
  re2::StringPiece match;
  for (std::size_t at = 0; at < text.size() && regex.Match(all, at, text.size(), RE2::UNANCHORED, &match, 1);) {
    const auto begin = static_cast<std::size_t>(match.data() - text.data());
    if (match.empty()) {
      at = begin < text.size() ? begin + character_length(text, begin) : text.size();
      continue;
    }
    at = begin + match.size();
    take(begin, at);
  }
}

class Splitter {
 public:
  explicit Splitter(const opset::ReferenceContext& ctx) {
    const TokenizerParams p = resolve_tokenizer(ctx);
    least_ = p.least;
    by_character_ = p.by_character;
    if (p.token) token_ = compile(ctx, *p.token);
    for (const std::string& separator : p.separators) separators_.push_back(compile(ctx, separator));
  }

  Tokens split(std::string_view text) const {
    Tokens tokens;
    if (by_character_) {
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t n = character_length(text, at);
        tokens.push_back(text.substr(at, n));
        at += n;
      }
      return tokens;
    }
    if (token_) {
      each_match(*token_, text,
                 [&](std::size_t begin, std::size_t end) { keep(tokens, text.substr(begin, end - begin)); });
      return tokens;
    }
    keep(tokens, text);
    for (const auto& separator : separators_) {
      Tokens parts;
      for (const std::string_view part : tokens) {
        std::size_t done = 0;
        each_match(*separator, part, [&](std::size_t begin, std::size_t end) {
          keep(parts, part.substr(done, begin - done));
          done = end;
        });
        keep(parts, part.substr(done));
      }
      tokens = std::move(parts);
    }
    return tokens;
  }

 private:
  void keep(Tokens& tokens, std::string_view token) const {
    if (!token.empty() && count_characters(token) >= least_) tokens.push_back(token);
  }

  std::int64_t least_;
  bool by_character_;
  std::unique_ptr<RE2> token_;
  std::vector<std::unique_ptr<RE2>> separators_;
};

void tokenizer_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (x.rank() < 1 || x.rank() > 2)
    ctx.fail("X has to be a list or a table of strings, not of shape " + to_string(x.dims()));
  const Splitter splitter(ctx);
  const bool mark = ctx.attrs().flag("mark");
  const std::string pad = ctx.attrs().s("pad_value");
  const std::string* texts = x.as<std::string>();
  std::vector<Tokens> rows;
  std::size_t most = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    rows.push_back(splitter.split(texts[i]));
    most = std::max(most, rows.back().size());
  }
  const std::int64_t width = most == 0 ? 0 : static_cast<std::int64_t>(most) + (mark ? 2 : 0);
  Shape dims = x.dims();
  dims.push_back(width);
  if (!base::checked_count(dims)) ctx.fail("the result of shape " + to_string(dims) + " has too many elements");
  std::string* to = ctx.output(0, DataType::String, dims).as_mutable<std::string>();
  if (width == 0) return;
  for (const Tokens& row : rows) {
    std::string* const end = to + width;
    if (mark) *to++ = "\x02";
    for (const std::string_view token : row) *to++ = token;
    if (mark) *to++ = "\x03";
    while (to != end) *to++ = pad;
  }
}

}  // namespace
}  // namespace tokenizer_ref_cc
}  // namespace microsoft

void tokenizer_references(opset::ReferenceTable& table) { table.add(microsoft::Tokenizer, microsoft::tokenizer_ref); }

}  // namespace norn::ops
