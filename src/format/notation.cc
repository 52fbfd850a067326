#include "format/notation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <utility>

#include "ir/constants.h"
#include "norn/error.h"

namespace norn::format {
namespace {

constexpr bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

std::size_t characters(std::string_view text) {
  std::size_t n = 0;
  for (char c : text) n += !is_continuation(c);
  return n;
}

std::size_t line_start(std::string_view text, std::size_t at) {
  const std::size_t end_of_last = text.substr(0, at).rfind('\n');
  return end_of_last == text.npos ? 0 : end_of_last + 1;
}

// The line that holds `at`, at most some hundred bytes of it, and a caret below the place.
std::string excerpt(std::string_view text, std::size_t at) {
  constexpr std::size_t kBefore = 70, kAfter = 40;
  at = std::min(at, text.size());
  const std::size_t line_end = std::min(text.find('\n', at), text.size());
  std::size_t from = std::max(line_start(text, at), at > kBefore ? at - kBefore : 0);
  std::size_t to = std::min(line_end, at + kAfter);
  while (from < at && is_continuation(text[from])) ++from;
  while (to > at && to < text.size() && is_continuation(text[to])) --to;
  std::string shown(text.substr(from, to - from));
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  if (!is_utf8(shown))
    for (char& c : shown)
      if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  const std::size_t caret = characters(std::string_view(shown).substr(0, at - from));
  return "\n  | " + shown + "\n  | " + std::string(caret, ' ') + "^";
}

}  // namespace

void fail_at(std::string_view text, std::size_t at, std::string message, std::string hint) {
  throw Error(ErrorCode::InvalidProtobuf, std::move(message) + excerpt(text, at), place_at(text, at), std::move(hint));
}

std::string place_at(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  const std::size_t start = line_start(text, at);
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(start), '\n') + 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(characters(text.substr(start, at - start)) + 1);
}

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned char lead = byte(i);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const std::size_t n = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() - i < n) return i;
    for (std::size_t k = 1; k < n; ++k)
      if (!is_continuation(text[i + k])) return i;
    // Overlong forms, surrogates, beyond U+10FFFF.
    const unsigned char second = byte(i + 1);
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) || (lead == 0xf0 && second < 0x90) ||
        (lead == 0xf4 && second > 0x8f)) {
      return i;
    }
    i += n;
  }
  return std::nullopt;
}

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
    return;
  }
  if (c < 0x800) {
    out += static_cast<char>(0xc0 | (c >> 6));
  } else {
    if (c < 0x10000) {
      out += static_cast<char>(0xe0 | (c >> 12));
    } else {
      out += static_cast<char>(0xf0 | (c >> 18));
      out += static_cast<char>(0x80 | ((c >> 12) & 0x3f));
    }
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
  }
  out += static_cast<char>(0x80 | (c & 0x3f));
}

char Cursor::peek() noexcept {
  while (at_ < text_.size()) {
    if (is_blank(text_[at_]))
      ++at_;
    else if (text_[at_] == '#')
      at_ = std::min(text_.find('\n', at_), text_.size());
    else
      break;
  }
  return here();
}

std::string_view Cursor::peek_identifier() noexcept {
  const char first = peek();
  if (!is_letter(first) && first != '_') return {};
  std::size_t last = at_ + 1;
  while (last < text_.size() && (is_letter(text_[last]) || is_digit(text_[last]) || text_[last] == '_')) ++last;
  return text_.substr(at_, last - at_);
}

std::string_view Cursor::identifier() noexcept {
  const auto name = peek_identifier();
  at_ += name.size();
  return name;
}

void Cursor::expect(char c, const char* where) {
  if (!match(c)) fail_expected(std::string("\"") + c + "\"" + (*where ? std::string(" ") + where : ""));
}

void Cursor::fail_expected(const std::string& what, std::string hint) {
  std::string found = "the end of the text";
  if (!end()) {
    const auto word = peek_identifier();
    if (!word.empty())
      found = "\"" + std::string(word.substr(0, 40)) + "\"";
    else if (static_cast<unsigned char>(here()) < 0x20 || static_cast<unsigned char>(here()) >= 0x7f)
      found = "byte " + std::to_string(static_cast<unsigned char>(here()));
    else
      found = std::string("\"") + here() + "\"";
  }
  fail("expected " + what + ", found " + found, std::move(hint));
}

namespace {

// Whether the decimal point of a number stands so far right that out of range means too large.
bool is_large(std::string_view text) {
  std::int64_t exponent = 0;
  const std::size_t e = text.find_first_of("eE");
  if (e != text.npos) {
    std::string_view digits = text.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (error != std::errc()) return !digits.starts_with('-');
  }
  std::string_view mantissa = text.substr(0, e);
  if (mantissa.starts_with('-')) mantissa.remove_prefix(1);
  const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  const auto first = static_cast<std::int64_t>(mantissa.find_first_not_of("0."));
  const std::int64_t magnitude = first < point ? point - first : point + 1 - first;
  return exponent > 0 ? magnitude > -exponent : exponent > -magnitude;
}

}  // namespace

template <class T>
std::optional<T> parse_float(std::string_view text) {
  const std::string_view unsigned_text = text.starts_with('-') ? text.substr(1) : text;
  if (unsigned_text.empty() || !(is_digit(unsigned_text[0]) || unsigned_text[0] == '.')) return std::nullopt;
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc()) return value;
  const T beyond = is_large(text) ? std::numeric_limits<T>::infinity() : T(0);
  return text[0] == '-' ? -beyond : beyond;
}
template std::optional<float> parse_float(std::string_view);
template std::optional<double> parse_float(std::string_view);

std::optional<double> parse_special_float(std::string_view text) {
  const bool minus = text.starts_with('-');
  if (minus) text.remove_prefix(1);
  if (text.size() > 8) return std::nullopt;
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  const double value = lower == "inf" || lower == "infinity" ? HUGE_VAL : lower == "nan" ? std::nan("") : 0;
  if (value == 0) return std::nullopt;
  return minus ? -value : value;
}

void append_python_number(std::string& out, double value) {
  char buffer[400];
  const double size = std::abs(value);
  const bool fixed = value == 0 || (size >= 1e-4 && size < 1e16);
  const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value,
                                 fixed ? std::chars_format::fixed : std::chars_format::scientific)
                       .ptr;
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  out += text;
  if (fixed && text.find('.') == text.npos) out += ".0";
}

void append_python_number(std::string& out, float value) {
  char buffer[64];
  for (int precision = 6;; ++precision) {
    const auto end = std::to_chars(buffer, buffer + sizeof(buffer), static_cast<double>(value),
                                   std::chars_format::general, precision)
                         .ptr;
    double wide = 0;
    std::from_chars(buffer, end, wide);
    if (static_cast<float>(wide) != value && precision < 9) continue;
    // protobuf takes no number beyond the largest float, even one that would be rounded to it.
    const bool beyond = std::abs(wide) > static_cast<double>(std::numeric_limits<float>::max());
    return append_python_number(out, beyond ? static_cast<double>(value) : wide);
  }
}

std::span<const std::string_view> enumeration(Trait trait) {
  static constexpr std::array<std::string_view, 2> kDataLocation{"DEFAULT", "EXTERNAL"};
  static constexpr std::array<std::string_view, 2> kOperatorStatus{"EXPERIMENTAL", "STABLE"};
  if (trait == Trait::OperatorStatus) return kOperatorStatus;
  if (trait == Trait::AttributeType) return ir::attribute_type_names();
  if (trait == Trait::DataLocation) return kDataLocation;
  return {};
}

std::string list_fields(const char* message, std::span<const std::string_view> names) {
  std::string text;
  for (const std::string_view name : names) (text += text.empty() ? "" : ", ") += name;
  return std::string("the fields of ") + message + " are " + text;
}

void refuse_unknown_fields(const char* message, const char* notation) {
  throw Error(ErrorCode::NotImplemented,
              std::string("a ") + message + " has fields that this version does not know, and " + notation +
                  " has no place for them",
              {}, "save the model in the binary format, which keeps them");
}

}  // namespace norn::format
