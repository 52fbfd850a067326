// What the text notations have in common: places in a text, numbers, the schema's enumerations.
//
// Every error names line and column (both from 1, columns in characters) and shows the line with a caret. Numbers
// never depend on the locale. JSON and protobuf's text format write them as Python's repr does, which is what the
// onnx package's files look like; ONNX text writes the shortest form.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/text.h"
#include "format/fields.h"
#include "ir/walk.h"
#include "norn/error.h"

namespace norn::format {

// Throws norn::Error (InvalidProtobuf) about the byte at `at` of `text`.
[[noreturn]] void fail_at(std::string_view text, std::size_t at, std::string message, std::string hint = {});

// "line 3, column 14"
std::string place_at(std::string_view text, std::size_t at);

// The offset of the first byte that is not part of well-formed UTF-8.
std::optional<std::size_t> find_invalid_utf8(std::string_view text);
inline bool is_utf8(std::string_view text) { return !find_invalid_utf8(text); }
void append_utf8(std::string& out, std::uint32_t code_point);

// A place in a text whose comments run from '#' to the end of the line.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
  }

  std::string_view text() const noexcept { return text_; }
  std::size_t at() const noexcept { return at_; }
  void move_to(std::size_t at) noexcept { at_ = at; }
  // The bytes as they lie; '\0' at the end.
  char here() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
  void next() noexcept { ++at_; }
  bool at_end() const noexcept { return at_ >= text_.size(); }

  // Skips blanks and comments first.
  char peek() noexcept;
  bool end() noexcept {
    peek();
    return at_end();
  }
  bool match(char c) noexcept {
    if (end() || here() != c) return false;
    ++at_;
    return true;
  }
  // `where`, as in "after the attribute's name", may be "".
  void expect(char c, const char* where = "");
  // [A-Za-z_][A-Za-z0-9_]*, or "" and nothing is taken.
  std::string_view identifier() noexcept;
  std::string_view peek_identifier() noexcept;

  [[noreturn]] void fail(const std::string& message, std::string hint = {}) const {
    fail_at(text_, at_, message, std::move(hint));
  }
  // "expected X, found Y".
  [[noreturn]] void fail_expected(const std::string& what, std::string hint = {});

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

using base::lower;

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// A decimal number that fills `text`, rounded to nearest: too small is zero and too large infinite, of the right sign.
// Nothing for any other text, words for infinity and NaN among them.
template <class T>
std::optional<T> parse_float(std::string_view text);
extern template std::optional<float> parse_float(std::string_view);
extern template std::optional<double> parse_float(std::string_view);
// inf, infinity, nan in any case, with an optional minus.
std::optional<double> parse_special_float(std::string_view text);

// As Python's repr writes finite numbers: 1.0, 1e-05. A float is widened by its fewest digits, six at least.
void append_python_number(std::string& out, double value);
void append_python_number(std::string& out, float value);

// The names of an enumeration by number; empty if the trait is none.
std::span<const std::string_view> enumeration(Trait trait);

template <class T>
bool is_set(const ir::Field<T>& f) {
  return f.has();
}
template <class T>
bool is_set(const ir::Box<T>& f) {
  return f.has();
}
template <ir::List L>
bool is_set(const L& f) {
  return !f.empty();
}
template <class T>
bool is_set(const ir::SharedArray<T>& f) {
  return !f.empty();
}

// Readers are made for every message, and what they do for each of its fields is compiled as often as there are fields:
// that is little, and the rest goes by the field's name or index.

template <class M>
inline constexpr auto kFieldNames = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array<std::string_view, sizeof...(I)>{row_at<I>(Message<M>::fields).name...};
}(row_indices<M>());

// Calls f(row, number) with the row of this number and the number as an integral_constant.
template <class M, class F>
void at_field(std::size_t index, F&& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (void)((I == index ? (f(row_at<I>(Message<M>::fields), std::integral_constant<std::size_t, I>()), true) : false) ||
           ...);
  }(row_indices<M>());
}

// The name of a set field of the message's oneof other than the one of this number, or null.
template <class M>
const char* other_of_oneof(const M& m, std::uint32_t number) {
  const char* other = nullptr;
  for_each_field<M>([&](const auto& r) {
    if (r.trait == Trait::OneOf && r.number != number && is_set(ir::plain(m.*r.member))) other = r.name;
  });
  return other;
}

// "the fields of ModelProto are ir_version, producer_name, ...", for a hint.
std::string list_fields(const char* message, std::span<const std::string_view> names);

// f(); what it throws gets the place `node 12 "conv1" (Conv)` of the message that it writes. `index` is -1 for a field
// that stands once.
template <class M, class F>
void writing(const char* field, std::ptrdiff_t index, const M& message, F&& f) {
  try {
    f();
  } catch (Error& e) {
    if constexpr (std::is_same_v<M, ir::Node>) {
      throw e.within(ir::describe_node(message, static_cast<std::size_t>(index)));
    } else {
      std::string name;
      if constexpr (requires { message.name.get().empty(); }) {
        if (!message.name.get().empty()) name = ' ' + base::quoted(message.name.get());
      }
      const bool by_name = std::is_same_v<M, ir::Attribute> && !name.empty();
      throw e.within(field + (index < 0 || by_name ? std::string() : ' ' + std::to_string(index)) + name);
    }
  }
}

// Throws: these notations have no place for fields that this version does not know.
[[noreturn]] void refuse_unknown_fields(const char* message, const char* notation);

}  // namespace norn::format
