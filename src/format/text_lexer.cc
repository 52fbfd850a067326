#include "format/text_lexer.h"

#include <charconv>
#include <cmath>
#include <system_error>
#include <type_traits>

namespace norn::format {

namespace {

// The byte of `x` and two digits behind a backslash, which stand for one that is not UTF-8; else -1.
int escaped_byte(std::string_view text, std::size_t at) {
  if (at + 3 > text.size() || text[at] != 'x') return -1;
  int byte = 0;
  for (const char c : text.substr(at + 1, 2)) {
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0) return -1;
    byte = byte * 16 + digit;
  }
  return byte >= 0x80 ? byte : -1;
}

}  // namespace

std::string TextLexer::quoted() {
  const std::size_t start = in_.at();
  in_.next();
  std::string out;
  for (; in_.at_end() || in_.here() != '"'; in_.next()) {
    if (in_.here() == '\\') {
      in_.next();
      if (const int byte = escaped_byte(in_.text(), in_.at()); byte >= 0) {
        out += static_cast<char>(byte);
        in_.next();
        in_.next();
        continue;
      }
    }
    if (in_.at_end()) fail_at(in_.text(), start, "this string is never closed");
    out += in_.here();
  }
  in_.next();
  return out;
}

std::string TextLexer::string(const char* what) {
  if (in_.peek() != '"') in_.fail_expected(std::string(what) + " in double quotes");
  return quoted();
}

std::string TextLexer::name(const char* what) {
  if (in_.peek() == '"') return quoted();
  const auto id = in_.identifier();
  if (id.empty())
    in_.fail_expected(what, "a name that is not made of letters, digits and _ has to be in double quotes");
  return std::string(id);
}

std::string TextLexer::optional_name() { return in_.peek() == '"' ? quoted() : std::string(in_.identifier()); }

std::string_view TextLexer::number(bool& integral) {
  const char first = in_.peek();
  const std::size_t start = in_.at();
  integral = true;
  if (first == '-') in_.next();
  if (is_letter(in_.here())) {
    in_.identifier();
    integral = false;
  } else {
    const auto digits = [&] {
      const std::size_t from = in_.at();
      while (is_digit(in_.here())) in_.next();
      return in_.at() > from;
    };
    if (!digits()) {
      in_.move_to(start);
      in_.fail_expected("a number");
    }
    if (in_.here() == '.') {
      integral = false;
      in_.next();
      digits();
    }
    if (in_.here() == 'e' || in_.here() == 'E') {
      integral = false;
      in_.next();
      if (in_.here() == '+' || in_.here() == '-') in_.next();
      if (!digits()) in_.fail_expected("the digits of an exponent");
    }
  }
  return in_.text().substr(start, in_.at() - start);
}

template <class T>
T TextLexer::integer() {
  in_.peek();
  bool integral = false;
  const auto text = number(integral);
  const std::size_t at = in_.at() - text.size();
  if (!integral) {
    in_.move_to(at);
    fail_at(in_.text(), at, "expected an integer, found \"" + std::string(text.substr(0, 40)) + "\"");
  }
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    fail_at(in_.text(), at,
            "this does not fit an integer of " + std::to_string(8 * sizeof(T)) +
                (std::is_signed_v<T> ? " bits" : " bits without a sign"));
  }
  return value;
}

template <class T>
T TextLexer::floating() {
  in_.peek();
  bool integral = false;
  const auto text = number(integral);
  if (const auto special = parse_special_float(text)) return static_cast<T>(*special);
  if (const auto value = parse_float<T>(text); value && std::isfinite(*value)) return *value;
  fail_at(in_.text(), in_.at() - text.size(),
          "\"" + std::string(text.substr(0, 40)) + "\" is not a number that fits " + (sizeof(T) == 4 ? "32" : "64") +
              " bits");
}

template std::int32_t TextLexer::integer();
template std::int64_t TextLexer::integer();
template std::uint64_t TextLexer::integer();
template float TextLexer::floating();
template double TextLexer::floating();

}  // namespace norn::format
