// Documentation is plain text or Markdown. Markdown lets HTML through, which is what the rule forbids; what stands in
// its code spans, code blocks and after a backslash is text.
//
// Trap: people write placeholders, such as <eval>, and types, such as List<int>, without quoting them. A name alone in
// angle brackets counts if HTML has an element of that name; one with attribute values, and an end tag, in any case.
// Looking takes time linear in the text, whatever it holds.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "check/rule_checks.h"
#include "check/text.h"
#include "format/notation.h"

namespace norn::checks {
namespace {

// Of today's HTML and of older versions; sorted.
constexpr auto kElements = std::to_array<std::string_view>(
    {"a",        "abbr",     "acronym",  "address",  "applet",   "area",     "article",   "aside",      "audio",
     "b",        "base",     "basefont", "bdi",      "bdo",      "bgsound",  "big",       "blink",      "blockquote",
     "body",     "br",       "button",   "canvas",   "caption",  "center",   "cite",      "code",       "col",
     "colgroup", "command",  "data",     "datalist", "dd",       "del",      "details",   "dfn",        "dialog",
     "dir",      "div",      "dl",       "dt",       "em",       "embed",    "fieldset",  "figcaption", "figure",
     "font",     "footer",   "form",     "frame",    "frameset", "h1",       "h2",        "h3",         "h4",
     "h5",       "h6",       "head",     "header",   "hgroup",   "hr",       "html",      "i",          "iframe",
     "img",      "input",    "ins",      "isindex",  "kbd",      "keygen",   "label",     "legend",     "li",
     "link",     "listing",  "main",     "map",      "mark",     "marquee",  "math",      "menu",       "menuitem",
     "meta",     "meter",    "nav",      "nobr",     "noembed",  "noframes", "noscript",  "object",     "ol",
     "optgroup", "option",   "output",   "p",        "param",    "picture",  "plaintext", "pre",        "progress",
     "q",        "rb",       "rp",       "rt",       "rtc",      "ruby",     "s",         "samp",       "script",
     "search",   "section",  "select",   "slot",     "small",    "source",   "spacer",    "span",       "strike",
     "strong",   "style",    "sub",      "summary",  "sup",      "svg",      "table",     "tbody",      "td",
     "template", "textarea", "tfoot",    "th",       "thead",    "time",     "title",     "tr",         "track",
     "tt",       "u",        "ul",       "var",      "video",    "wbr",      "xmp"});
static_assert(std::is_sorted(kElements.begin(), kElements.end()));

bool is_element(std::string_view name) {
  std::string lower(name.substr(0, 16));
  for (char& c : lower) c = format::lower(c);
  return std::binary_search(kElements.begin(), kElements.end(), std::string_view(lower));
}

constexpr std::size_t kLongestTag = 1000;

// A cursor over the inside of a tag.
struct Cursor {
  std::string_view text;
  std::size_t at = 0;

  char here() const { return at < text.size() ? text[at] : '\0'; }
  bool spaces() {
    const std::size_t before = at;
    while (format::is_blank(here())) ++at;
    return at > before;
  }
  std::string_view word(std::string_view beyond_alphanumeric) {
    const std::size_t before = at;
    const auto belongs = [&](char c) {
      return format::is_letter(c) || format::is_digit(c) || beyond_alphanumeric.find(c) != std::string_view::npos;
    };
    while (at < text.size() && belongs(text[at])) ++at;
    return text.substr(before, at - before);
  }
  // What stands after '='.
  bool value() {
    if (const char quote = here(); quote == '"' || quote == '\'') {
      const std::size_t end = text.find(quote, at + 1);
      if (end == std::string_view::npos) return false;
      at = end + 1;
      return true;
    }
    const std::size_t before = at;
    at = std::min(text.find_first_of(" \t\r\n\"'=<>`", at), text.size());
    return at > before;
  }
};

// The markup at the text's begin, which is a '<'; "" if there is none.
std::string_view markup_at(std::string_view text) {
  for (const std::string_view other : {"<!--", "<![CDATA[", "<!DOCTYPE", "<!doctype", "<?xml"}) {
    if (text.starts_with(other)) return text.substr(0, other.size());
  }
  Cursor cursor{text, 1};
  const bool end_tag = cursor.here() == '/';
  if (end_tag) ++cursor.at;
  if (!format::is_letter(cursor.here())) return {};
  bool counts = is_element(cursor.word("-")) || end_tag;
  bool spaces = cursor.spaces();
  while (!end_tag && spaces && !cursor.word("_:.-").empty()) {
    spaces = cursor.spaces();
    if (cursor.here() != '=') continue;
    ++cursor.at;
    cursor.spaces();
    if (!cursor.value()) return {};
    counts = true;
    spaces = cursor.spaces();
  }
  if (!end_tag && cursor.here() == '/') {
    ++cursor.at;
    counts = true;
  }
  return counts && cursor.here() == '>' ? text.substr(0, cursor.at + 1) : std::string_view{};
}

// The first markup in a paragraph, outside of code spans.
std::string_view markup_in(std::string_view text) {
  std::uint32_t unclosed = 0;  // lengths of backtick runs that nothing closes
  for (std::size_t at = text.find_first_of("<`\\"); at < text.size(); at = text.find_first_of("<`\\", at)) {
    if (text[at] == '\\') {
      at += 2;
      continue;
    }
    if (text[at] == '<') {
      if (const std::string_view found = markup_at(text.substr(at, kLongestTag)); !found.empty()) return found;
      ++at;
      continue;
    }
    const auto run_end = [&](std::size_t i) { return std::min(text.find_first_not_of('`', i), text.size()); };
    const std::size_t length = run_end(at) - at;
    at += length;
    if (length >= 32 || (unclosed >> length & 1)) continue;
    std::size_t close = text.find('`', at);
    while (close != std::string_view::npos && run_end(close) - close != length) close = text.find('`', run_end(close));
    if (close == std::string_view::npos)
      unclosed |= std::uint32_t{1} << length;
    else
      at = close + length;
  }
  return {};
}

// A line's indentation, a tab counting as four.
std::size_t indent_of(std::string_view line) {
  std::size_t columns = 0;
  for (char c : line) {
    if (c == ' ')
      ++columns;
    else if (c == '\t')
      columns += 4;
    else
      break;
  }
  return columns;
}

// The run of three or more backticks or tildes that opens or closes a fenced block; "" if the line begins otherwise.
std::string_view fence_of(std::string_view line) {
  if (indent_of(line) > 3) return {};
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  if (line.empty() || (line[0] != '`' && line[0] != '~')) return {};
  const std::string_view run = line.substr(0, line.find_first_not_of(line[0]));
  if (run.size() < 3 || (run[0] == '`' && line.find('`', run.size()) != std::string_view::npos)) return {};
  return run;
}

// The first markup in a text: paragraphs are looked at, code blocks passed over.
std::string_view markup_of(std::string_view text) {
  if (text.find('<') == std::string_view::npos) return {};
  std::string_view fence;     // of the block that is open
  std::size_t paragraph = 0;  // where the present one begins
  bool in_paragraph = false;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const bool blank = std::all_of(line.begin(), line.end(), format::is_blank);
    const std::string_view run = fence_of(line);
    const bool closes = !fence.empty() && !run.empty() && run[0] == fence[0] && run.size() >= fence.size();
    const bool text_line = fence.empty() && run.empty() && !blank && (in_paragraph || indent_of(line) < 4);
    if (in_paragraph && !text_line) {
      if (const std::string_view found = markup_in(text.substr(paragraph, begin - paragraph)); !found.empty()) {
        return found;
      }
    }
    if (text_line && !in_paragraph) paragraph = begin;
    in_paragraph = text_line;
    if (closes)
      fence = {};
    else if (fence.empty())
      fence = run;
    begin = end + 1;
  }
  return in_paragraph ? markup_in(text.substr(paragraph)) : std::string_view{};
}

}  // namespace

void check_doc_string(Context& ctx, const Place& place, const std::string& text) {
  if (text.empty()) return;
  if (const std::string_view found = markup_of(text); !found.empty()) {
    ctx.report("graph.doc-string.no-html", place, "the doc_string holds markup other than Markdown: " + quoted(found),
               "documentation is plain text or Markdown");
  }
}

}  // namespace norn::checks
