// Reading protobuf's JSON, without a tree in between: numbers and base64 go from the text into the document.
#include <algorithm>
#include <array>
#include <bitset>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

#include "format/bounds.h"
#include "format/json.h"
#include "format/notation.h"
#include "norn/error.h"

namespace norn::format {
namespace {

// The schema's name in lowerCamelCase, compared without making it.
bool is_camel_case_of(std::string_view camel, std::string_view name) {
  std::size_t k = 0;
  for (std::size_t i = 0; i < name.size(); ++i, ++k) {
    char c = name[i];
    if (c == '_' && i + 1 < name.size()) {
      c = name[++i];
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    if (k >= camel.size() || camel[k] != c) return false;
  }
  return k == camel.size();
}

int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr unsigned char byte(char c) { return static_cast<unsigned char>(c); }

// What a character stands for in either alphabet of base64; -1 for others.
constexpr auto kDigit64 = [] {
  std::array<std::int32_t, 256> digits{};
  digits.fill(-1);
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) digits[byte(kAlphabet[i])] = static_cast<std::int32_t>(i);
  digits['+'] = digits['-'] = 62;
  digits['/'] = digits['_'] = 63;
  return digits;
}();

// The index of the field of that name, in the schema's spelling or in JSON's; as many as there are if there is none.
std::size_t find_field(std::string_view name, std::span<const std::string_view> fields) {
  std::size_t i = 0;
  while (i < fields.size() && name != fields[i] && !is_camel_case_of(name, fields[i])) ++i;
  return i;
}

class Reader {
 public:
  Reader(std::string_view text, const Limits& limits) : text_(text), bounds_(text.size(), limits) {
    if (text_.starts_with("\xef\xbb\xbf")) p_ = 3;
  }

  template <class M>
  M whole() {
    whole_ = Message<M>::name;
    if (const auto bad = find_invalid_utf8(text_)) fail(*bad, "JSON is UTF-8, and this is not");
    M m;
    message(m);
    if (peek() != '\0' || p_ < text_.size()) fail(p_, "expected the end of the text");
    return m;
  }

 private:
  [[noreturn, gnu::noinline]] void fail(std::size_t at, std::string message, std::string hint = {}) const {
    fail_at(text_, at, "not readable as JSON of " + std::string(whole_) + ": " + std::move(message), std::move(hint));
  }

  char peek() {
    while (p_ < text_.size() && (text_[p_] == ' ' || text_[p_] == '\n' || text_[p_] == '\r' || text_[p_] == '\t')) ++p_;
    return p_ < text_.size() ? text_[p_] : '\0';
  }
  bool match(char c) {
    if (peek() != c || p_ >= text_.size()) return false;
    ++p_;
    return true;
  }
  void expect(char c, const char* what) {
    if (!match(c)) fail(p_, std::string("expected ") + what);
  }
  bool match_null() {
    peek();
    if (text_.substr(p_, 4) != "null") return false;
    p_ += 4;
    return true;
  }

  // [ element, ... ]
  template <class F>
  void elements(const char* name, F&& element) {
    if (!match('[')) fail(p_, std::string("expected \"[\": ") + name + " is a list");
    if (match(']')) return;
    do {
      peek();
      if (text_.substr(p_, 4) == "null") fail(p_, "null cannot be an element of a list");
      element();
    } while (match(','));
    expect(']', "\",\" or \"]\"");
  }

  // The index of the field whose name stands here, at `at`; it is one of the `seen` then.
  std::size_t field_name(std::size_t& at, std::bitset<64>& seen, const char* message,
                         std::span<const std::string_view> fields) {
    if (peek() != '"') fail(p_, "expected a field's name in double quotes");
    at = p_;
    const std::string name(string());
    expect(':', "\":\"");
    const std::size_t index = find_field(name, fields);
    if (index == fields.size())
      fail(at, std::string(message) + " has no field \"" + name + "\"", list_fields(message, fields));
    if (seen[index]) fail(at, "the field " + name + " is given twice");
    seen[index] = true;
    return index;
  }
  // Behind a field: whether another one follows.
  bool goes_on(std::size_t start) {
    if (match(',')) return true;
    if (match('}')) return false;
    if (peek() == '\0') fail(start, "this \"{\" is never closed");
    fail(p_, "expected \",\" or \"}\"");
  }
  void begin(const char* message) {
    if (!match('{')) fail(p_, std::string("expected \"{\", which begins a ") + message);
  }
  [[noreturn, gnu::noinline]] void fail_both(const char* name, const char* other, std::size_t at) const {
    fail(at, std::string(name) + " and " + other + " exclude each other");
  }

  template <class M>
  [[gnu::noinline]] void message(M& m) {
    peek();
    const std::size_t start = p_;
    begin(Message<M>::name);
    const auto where = [&] { return place_at(text_, start); };
    const Bounds::Level level(bounds_, where);
    if constexpr (std::is_same_v<M, ir::Node>) bounds_.count_nodes(1, where);
    std::bitset<64> seen;
    if (!match('}')) {
      do {
        std::size_t at = 0;
        const std::size_t index = field_name(at, seen, Message<M>::name, kFieldNames<M>);
        if (match_null()) continue;  // as if it were absent
        at_field<M>(index, [&](const auto& row, auto number) {
          if constexpr (row_at<number.value>(Message<M>::fields).trait == Trait::OneOf)
            if (const char* other = other_of_oneof(m, row.number)) fail_both(row.name, other, at);
          value(ir::plain_mut(m.*row.member), row.trait, row.name);
        });
      } while (goes_on(start));
    }
    if constexpr (std::is_same_v<M, ir::Tensor>) bounds_.check_tensor(m, where);
  }

  template <class T>
  [[gnu::noinline]] void value(ir::Field<T>& f, Trait trait, const char* name) {
    f = scalar<T>(trait, name);
  }
  template <class T>
  void value(ir::Box<T>& f, Trait, const char*) {
    message(f.mut());
  }
  template <ir::List L>
  [[gnu::noinline]] void value(L& f, Trait trait, const char* name) {
    using T = typename L::value_type;
    elements(name, [&] {
      if constexpr (requires(T v) { v.unknown; })
        message(f.emplace_back());
      else
        f.push_back(scalar<T>(trait, name));
    });
  }
  template <class T>
  [[gnu::noinline]] void value(ir::SharedArray<T>& f, Trait trait, const char* name) {
    std::vector<T> values;
    elements(name, [&] { values.push_back(scalar<T>(trait, name)); });
    f = ir::SharedArray<T>(std::move(values));
  }

  template <class T>
  [[gnu::noinline]] T scalar(Trait trait, const char* name) {
    peek();
    if constexpr (std::is_same_v<T, ir::Bytes>) {
      return ir::Bytes(base64<std::vector<std::byte>>(name));
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (trait == Trait::Bytes) return base64<std::string>(name);
      if (peek() != '"') fail(p_, std::string("expected a string in double quotes for ") + name);
      return std::string(string());
    } else if constexpr (std::is_floating_point_v<T>) {
      return floating<T>(name);
    } else {
      return integer<T>(trait, name);
    }
  }

  // A number, or the content of a string, which JSON's form of 64-bit numbers is.
  std::string_view number_text(const char* name, const char* hint = "") {
    if (peek() == '"') return string();
    const std::size_t start = p_;
    while (p_ < text_.size() &&
           (is_digit(text_[p_]) || is_letter(text_[p_]) || text_[p_] == '-' || text_[p_] == '+' || text_[p_] == '.')) {
      ++p_;
    }
    const auto token = text_.substr(start, p_ - start);
    // JSON's grammar allows no leading zero and no bare point.
    const auto digits = token.substr(token.starts_with('-'));
    const std::size_t point = digits.find('.');
    if (digits.empty() || !is_digit(digits[0]) || (digits.size() > 1 && digits[0] == '0' && is_digit(digits[1])) ||
        (point != digits.npos && (point + 1 >= digits.size() || !is_digit(digits[point + 1])))) {
      fail(start, std::string("expected a number for ") + name, hint);
    }
    return token;
  }

  template <class T>
  T integer(Trait trait, const char* name) {
    peek();
    const std::size_t at = p_;
    const std::string_view token = number_text(name);
    const auto names = enumeration(trait);
    if (const auto it = std::find(names.begin(), names.end(), token); it != names.end())
      return static_cast<T>(it - names.begin());
    T v = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), v);
    if (error == std::errc() && end == token.data() + token.size() && !token.empty()) return v;
    if (error != std::errc::result_out_of_range || end != token.data() + token.size()) {
      // 1e3 and 2.0 are integers too.
      const auto d = parse_float<double>(token);
      constexpr double kAbove = sizeof(T) == 4 ? 0x1p31 : std::is_signed_v<T> ? 0x1p63 : 0x1p64;
      if (d && std::trunc(*d) == *d && *d < kAbove && *d >= (std::is_signed_v<T> ? -kAbove : 0))
        return static_cast<T>(*d);
      if (!d || std::trunc(*d) != *d)
        fail(at, std::string("expected ") + (names.empty() ? "an integer" : "the name of an enumeration's value") +
                     " for " + name);
    }
    fail(at, std::string(name) + " is an integer of " + std::to_string(8 * sizeof(T)) +
                 (std::is_signed_v<T> ? " bits" : " bits without a sign") + ", and this does not fit it");
  }

  template <class T>
  T floating(const char* name) {
    peek();
    const std::size_t at = p_;
    const bool quoted = peek() == '"';
    constexpr char kHint[] = "other than finite numbers is written \"NaN\", \"Infinity\" or \"-Infinity\", in quotes";
    const std::string_view token = number_text(name, kHint);
    if (quoted) {
      if (token == "NaN") return std::numeric_limits<T>::quiet_NaN();
      if (token == "Infinity") return std::numeric_limits<T>::infinity();
      if (token == "-Infinity") return -std::numeric_limits<T>::infinity();
    }
    const auto d = parse_float<double>(token);
    if (!d || !std::isfinite(static_cast<T>(*d))) {
      fail(at, std::string("expected a number for ") + name + " that fits " + (sizeof(T) == 4 ? "32" : "64") + " bits",
           kHint);
    }
    return static_cast<T>(*d);
  }

  // The content of a string: a view of the text if it has no escapes, of scratch_ otherwise.
  std::string_view string() {
    const std::size_t start = p_++;
    const auto stop = [&] {
      while (p_ < text_.size() && text_[p_] != '"' && text_[p_] != '\\' &&
             static_cast<unsigned char>(text_[p_]) >= 0x20)
        ++p_;
      if (p_ >= text_.size()) fail(start, "this string is never closed");
      if (static_cast<unsigned char>(text_[p_]) < 0x20)
        fail(p_, "a control character in a string has to be written as \\u00XX");
      return text_[p_];
    };
    std::size_t piece = p_;
    if (stop() == '"') return text_.substr(piece, p_++ - piece);
    scratch_.clear();
    for (;;) {
      scratch_ += text_.substr(piece, p_ - piece);
      if (text_[p_] == '"') break;
      escape();
      piece = p_;
      stop();
    }
    ++p_;
    return scratch_;
  }

  void escape() {
    const std::size_t at = p_++;
    const char c = p_ < text_.size() ? text_[p_++] : '\0';
    switch (c) {
      case '"':
      case '\\':
      case '/': scratch_ += c; return;
      case 'b': scratch_ += '\b'; return;
      case 'f': scratch_ += '\f'; return;
      case 'n': scratch_ += '\n'; return;
      case 'r': scratch_ += '\r'; return;
      case 't': scratch_ += '\t'; return;
      case 'u': break;
      default: fail(at, "there is no such escape in JSON");
    }
    std::uint32_t unit = unit16(at);
    if (unit >= 0xd800 && unit < 0xdc00 && text_.substr(p_, 2) == "\\u") {
      p_ += 2;
      const std::uint32_t low = unit16(at);
      if (low >= 0xdc00 && low < 0xe000)
        return append_utf8(scratch_, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
      unit = 0xd800;
    }
    if (unit >= 0xd800 && unit < 0xe000) fail(at, "half of a surrogate pair without the other half");
    append_utf8(scratch_, unit);
  }

  std::uint32_t unit16(std::size_t at) {
    std::uint32_t unit = 0;
    for (int i = 0; i < 4; ++i, ++p_) {
      const int digit = p_ < text_.size() ? hex_digit(text_[p_]) : -1;
      if (digit < 0) fail(at, "expected four hexadecimal digits after \\u");
      unit = unit << 4 | static_cast<std::uint32_t>(digit);
    }
    return unit;
  }

  template <class Out>
  Out base64(const char* name) {
    if (peek() != '"') fail(p_, std::string("expected bytes in base64 for ") + name);
    const std::size_t at = p_;
    std::string_view digits = string();
    while (!digits.empty() && (digits.back() == '=' || is_blank(digits.back()))) digits.remove_suffix(1);
    // Blanks between digits are passed over, as protobuf does.
    const auto count = digits.size() - static_cast<std::size_t>(std::count_if(digits.begin(), digits.end(), is_blank));
    const std::size_t bytes = count / 4 * 3 + count % 4 * 3 / 4;
    bounds_.check_payload(bytes, name, [&] { return place_at(text_, at); });
    if (count % 4 == 1) fail(at, std::string("the base64 of ") + name + " is cut off");
    Out out(bytes, {});
    auto* to = reinterpret_cast<unsigned char*>(out.data());
    std::uint32_t group = 0;
    int bits = 0;
    for (std::size_t i = 0; i < digits.size(); ++i) {
      // Nearly always four digits follow each other and make three bytes.
      for (; bits == 0 && digits.size() - i >= 4; i += 4, to += 3) {
        const std::int32_t four = kDigit64[byte(digits[i])] << 18 | kDigit64[byte(digits[i + 1])] << 12 |
                                  kDigit64[byte(digits[i + 2])] << 6 | kDigit64[byte(digits[i + 3])];
        if (four < 0) break;
        to[0] = static_cast<unsigned char>(four >> 16);
        to[1] = static_cast<unsigned char>(four >> 8);
        to[2] = static_cast<unsigned char>(four);
      }
      if (i == digits.size()) break;
      if (is_blank(digits[i])) continue;
      const std::int32_t digit = kDigit64[byte(digits[i])];
      if (digit < 0) fail(at, std::string("the value of ") + name + " is not base64");
      group = group << 6 | static_cast<std::uint32_t>(digit);
      if ((bits += 6) >= 8) {
        bits -= 8;
        *to++ = static_cast<unsigned char>(group >> bits & 0xff);
      }
    }
    return out;
  }

  std::string_view whole_;  // the message that is read
  std::string_view text_;
  std::size_t p_ = 0;
  Bounds bounds_;
  std::string scratch_;
};

}  // namespace

template <class T>
T from_json(std::string_view text, const Limits& limits) {
  return Reader(text, limits).whole<T>();
}

template ir::Model from_json(std::string_view, const Limits&);
template ir::Graph from_json(std::string_view, const Limits&);
template ir::Function from_json(std::string_view, const Limits&);
template ir::Node from_json(std::string_view, const Limits&);
template ir::Attribute from_json(std::string_view, const Limits&);
template ir::ValueInfo from_json(std::string_view, const Limits&);
template ir::Type from_json(std::string_view, const Limits&);
template ir::Tensor from_json(std::string_view, const Limits&);
template ir::SparseTensor from_json(std::string_view, const Limits&);
template ir::OperatorSet from_json(std::string_view, const Limits&);
template SequenceData from_json(std::string_view, const Limits&);
template MapData from_json(std::string_view, const Limits&);
template OptionalData from_json(std::string_view, const Limits&);

}  // namespace norn::format
