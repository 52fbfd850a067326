// Reading protobuf's text format.
//
// Traps: a leading zero makes an integer octal; a number may end in f; adjacent strings are one; a singular field may
// stand only once, and a oneof only by one member.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <type_traits>

#include "format/bounds.h"
#include "format/notation.h"
#include "format/prototext.h"
#include "norn/error.h"

namespace norn::format {
namespace {

class Reader {
 public:
  Reader(std::string_view text, const Limits& limits) : in_(text), bounds_(text.size(), limits) {
    if (const auto bad = find_invalid_utf8(text)) fail_at(text, *bad, "protobuf's text format is UTF-8, this is not");
  }

  template <class M>
  M whole() {
    M m;
    message(m, '\0');
    return m;
  }

 private:
  // The index of the field whose name stands here; `at` is where.
  std::size_t field_name(std::size_t& at, const char* message, std::span<const std::string_view> fields) {
    const auto name = in_.identifier();
    at = in_.at() - name.size();
    if (name.empty()) in_.fail_expected("the name of a field", list_fields(message, fields));
    const auto found = std::find(fields.begin(), fields.end(), name);
    if (found == fields.end()) fail_unknown(message, name, at, list_fields(message, fields));
    return static_cast<std::size_t>(found - fields.begin());
  }

  template <class M>
  [[gnu::noinline]] void message(M& m, char close) {
    const std::size_t start = in_.at();
    const auto where = [&] { return place_at(in_.text(), start); };
    const Bounds::Level level(bounds_, where);
    if constexpr (std::is_same_v<M, ir::Node>) bounds_.count_nodes(1, where);
    Numbers<std::remove_cv_t<decltype(Message<M>::fields)>> numbers;
    while (close == '\0' ? !in_.end() : !in_.match(close)) {
      if (in_.end()) fail_at(in_.text(), start, "this message is never closed");
      std::size_t at = 0;
      at_field<M>(field_name(at, Message<M>::name, kFieldNames<M>), [&](const auto& row, auto number) {
        if constexpr (row_at<number.value>(Message<M>::fields).trait == Trait::OneOf)
          if (const char* other = other_of_oneof(m, row.number)) fail_both(row.name, other, at);
        auto& list = std::get<number.value>(numbers.rows);
        if constexpr (requires { list.list; })
          value(list.list, row.trait, row.name);
        else
          value(ir::plain_mut(m.*row.member), row.trait, row.name, at);
      });
      if (!in_.match(',')) in_.match(';');
    }
    each<M>([&](const auto& row, auto index) {
      auto& values = std::get<index.value>(numbers.rows);
      if constexpr (requires { values.list; }) {
        if (!values.list.empty()) ir::plain_mut(m.*row.member) = std::move(values.list);
      }
    });
    if constexpr (std::is_same_v<M, ir::Tensor>) bounds_.check_tensor(m, where);
  }

  // Number arrays grow beside the message, because the document's are immutable.
  template <class T>
  struct Gather {};
  template <class T>
  struct Gather<ir::SharedArray<T>> {
    std::vector<T> list;
  };
  template <class T>
  struct Gather<ir::Rare<T>> : Gather<T> {};
  template <class Rows>
  struct Numbers;
  template <class M, class... T>
  struct Numbers<Rows<FieldRow<M, T>...>> {
    std::tuple<Gather<T>...> rows;
  };

  template <class M, class F>
  static void each(F&& f) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (f(row_at<I>(Message<M>::fields), std::integral_constant<std::size_t, I>()), ...);
    }(row_indices<M>());
  }

  // Not in the templates above, which are there for every field.
  [[noreturn, gnu::noinline]] void fail_both(const char* name, const char* other, std::size_t at) const {
    fail_at(in_.text(), at, std::string(name) + " and " + other + " exclude each other");
  }
  [[noreturn, gnu::noinline]] void fail_unknown(const char* message, std::string_view name, std::size_t at,
                                                std::string hint) const {
    fail_at(in_.text(), at, std::string(message) + " has no field \"" + std::string(name) + "\"", std::move(hint));
  }
  [[noreturn, gnu::noinline]] void fail_twice(const char* name, std::size_t at) const {
    fail_at(in_.text(), at, std::string("the field ") + name + " is given twice");
  }
  void once(bool set, const char* name, std::size_t at) const {
    if (set) fail_twice(name, at);
  }
  [[gnu::noinline]] void begin(const char* message) {
    in_.expect('{', (std::string("(or \"<\"), which begins a ") + message).c_str());
  }

  template <class T>
  [[gnu::noinline]] void value(ir::Field<T>& f, Trait trait, const char* name, std::size_t at) {
    once(f.has(), name, at);
    in_.expect(':', "after the field's name");
    f = scalar<T>(trait, name);
  }
  template <class T>
  [[gnu::noinline]] void value(ir::Box<T>& f, Trait, const char* name, std::size_t at) {
    once(f.has(), name, at);
    in_.match(':');
    nested(f.mut());
  }
  template <ir::List L>
  [[gnu::noinline]] void value(L& f, Trait trait, const char* name, std::size_t) {
    using T = typename L::value_type;
    if constexpr (requires(T v) { v.unknown; }) {
      in_.match(':');
      one_or_list([&] { nested(f.emplace_back()); });
    } else {
      in_.expect(':', "after the field's name");
      one_or_list([&] { f.push_back(scalar<T>(trait, name)); });
    }
  }
  // Of a number array.
  template <class T>
  [[gnu::noinline]] void value(std::vector<T>& list, Trait trait, const char* name) {
    in_.expect(':', "after the field's name");
    one_or_list([&] { list.push_back(scalar<T>(trait, name)); });
  }

  template <class F>
  void one_or_list(F&& read) {
    if (!in_.match('[')) return read();
    if (in_.match(']')) return;
    do read();
    while (in_.match(','));
    in_.expect(']', "or \",\" in a list");
  }

  template <class M>
  void nested(M& m) {
    if (in_.match('<')) return message(m, '>');
    begin(Message<M>::name);
    message(m, '}');
  }

  template <class T>
  [[gnu::noinline]] T scalar(Trait trait, const char* name) {
    if constexpr (std::is_same_v<T, ir::Bytes>)
      return ir::bytes_of(strings(name));
    else if constexpr (std::is_same_v<T, std::string>)
      return strings(name);
    else if constexpr (std::is_floating_point_v<T>)
      return floating<T>(name);
    else
      return integer<T>(trait, name);
  }

  std::string_view token() {
    in_.peek();
    const std::size_t start = in_.at();
    while (is_digit(in_.here()) || is_letter(in_.here()) || in_.here() == '_' || in_.here() == '.' ||
           in_.here() == '-' || in_.here() == '+') {
      in_.next();
    }
    return in_.text().substr(start, in_.at() - start);
  }

  template <class T>
  T integer(Trait trait, const char* name) {
    const std::string_view word = token();
    const std::size_t at = in_.at() - word.size();
    const auto names = enumeration(trait);
    if (const auto it = std::find(names.begin(), names.end(), word); it != names.end())
      return static_cast<T>(it - names.begin());
    std::string_view digits = word;
    const bool minus = digits.starts_with('-');
    digits.remove_prefix(minus || digits.starts_with('+'));
    int base = 10;
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
      base = 16;
      digits.remove_prefix(2);
    } else if (digits.size() > 1 && digits[0] == '0') {
      base = 8;
      digits.remove_prefix(1);
    }
    std::uint64_t size = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), size, base);
    if (digits.empty() || error == std::errc::invalid_argument || end != digits.data() + digits.size()) {
      in_.move_to(at);
      in_.fail_expected(std::string(names.empty() ? "an integer" : "the name of an enumeration's value") + " for " +
                        name);
    }
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    const std::uint64_t bound = minus ? (std::is_signed_v<T> ? kMost + 1 : 0) : kMost;
    if (error != std::errc() || size > bound) {
      fail_at(in_.text(), at,
              std::string(name) + " is an integer of " + std::to_string(8 * sizeof(T)) +
                  (std::is_signed_v<T> ? " bits" : " bits without a sign") + ", and this does not fit it");
    }
    return static_cast<T>(minus ? 0 - size : size);
  }

  template <class T>
  T floating(const char* name) {
    std::string_view word = token();
    const std::size_t at = in_.at() - word.size();
    std::string_view body = word;
    if (body.starts_with('+')) body.remove_prefix(1);
    for (const bool suffix : {false, true}) {
      if (suffix) {
        if (!body.ends_with('f') && !body.ends_with('F')) break;
        body.remove_suffix(1);
      }
      if (const auto special = parse_special_float(body)) return static_cast<T>(*special);
      const auto digits = body.substr(body.starts_with('-'));
      if (digits.size() > 1 && digits[0] == '0' && is_digit(digits[1])) break;  // octal, which floats are not
      const auto d = parse_float<double>(body);
      if (d) return static_cast<T>(*d);  // infinite beyond the range, as protobuf reads it
    }
    fail_at(in_.text(), at, std::string("expected a number for ") + name);
  }

  std::string strings(const char* name) {
    std::string out;
    if (in_.peek() != '"' && in_.here() != '\'') in_.fail_expected(std::string("a string in quotes for ") + name);
    while (in_.peek() == '"' || in_.here() == '\'') piece(out);
    return out;
  }

  void piece(std::string& out) {
    const std::size_t start = in_.at();
    const char quote = in_.here();
    in_.next();
    while (in_.here() != quote || in_.at_end()) {
      if (in_.at_end() || in_.here() == '\n') fail_at(in_.text(), start, "this string is not closed on its line");
      if (in_.here() == '\\') {
        escape(out);
      } else {
        out += in_.here();
        in_.next();
      }
    }
    in_.next();
  }

  void escape(std::string& out) {
    const std::size_t at = in_.at();
    in_.next();
    const char c = in_.here();
    in_.next();
    const auto digits = [&](int base, int least, int most) {
      std::uint32_t value = 0;
      int n = 0;
      for (; n < most; ++n, in_.next()) {
        const char d = in_.here();
        int digit = 99;
        if (is_digit(d))
          digit = d - '0';
        else if (is_letter(d))
          digit = (d | 0x20) - 'a' + 10;
        if (digit >= base) break;
        value = value * static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(digit);
      }
      if (n < least) fail_at(in_.text(), at, "this escape has too few digits");
      return value;
    };
    switch (c) {
      case 'a': out += '\a'; return;
      case 'b': out += '\b'; return;
      case 'f': out += '\f'; return;
      case 'n': out += '\n'; return;
      case 'r': out += '\r'; return;
      case 't': out += '\t'; return;
      case 'v': out += '\v'; return;
      case '\\':
      case '\'':
      case '"':
      case '?': out += c; return;
      case 'x':
      case 'X': out += static_cast<char>(digits(16, 1, 2)); return;
      case 'u':
      case 'U': {
        std::uint32_t code = c == 'u' ? digits(16, 4, 4) : digits(16, 8, 8);
        if (code >= 0xd800 && code < 0xdc00 && in_.here() == '\\') {
          in_.next();
          if (in_.here() != 'u') fail_at(in_.text(), at, "half of a surrogate pair without the other half");
          in_.next();
          const std::uint32_t low = digits(16, 4, 4);
          if (low >= 0xdc00 && low < 0xe000) code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
        if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
          fail_at(in_.text(), at, "this is not a character of Unicode");
        append_utf8(out, code);
        return;
      }
      default: break;
    }
    if (c < '0' || c > '7' || in_.at() > in_.text().size()) fail_at(in_.text(), at, "there is no such escape");
    in_.move_to(at + 1);
    const std::uint32_t value = digits(8, 1, 3);
    if (value > 0xff) fail_at(in_.text(), at, "this octal escape is larger than a byte");
    out += static_cast<char>(value);
  }

  Cursor in_;
  Bounds bounds_;
};

}  // namespace

template <class T>
T from_prototext(std::string_view text, const Limits& limits) {
  return Reader(text, limits).whole<T>();
}

template ir::Model from_prototext(std::string_view, const Limits&);
template ir::Graph from_prototext(std::string_view, const Limits&);
template ir::Function from_prototext(std::string_view, const Limits&);
template ir::Node from_prototext(std::string_view, const Limits&);
template ir::Attribute from_prototext(std::string_view, const Limits&);
template ir::ValueInfo from_prototext(std::string_view, const Limits&);
template ir::Type from_prototext(std::string_view, const Limits&);
template ir::Tensor from_prototext(std::string_view, const Limits&);
template ir::SparseTensor from_prototext(std::string_view, const Limits&);
template ir::OperatorSet from_prototext(std::string_view, const Limits&);
template SequenceData from_prototext(std::string_view, const Limits&);
template MapData from_prototext(std::string_view, const Limits&);
template OptionalData from_prototext(std::string_view, const Limits&);

}  // namespace norn::format
