// Writing protobuf's JSON.
#include <charconv>
#include <cmath>
#include <type_traits>

#include "format/json.h"
#include "format/notation.h"
#include "norn/error.h"

namespace norn::format {
namespace {

constexpr char kHex[] = "0123456789abcdef";

class Writer {
 public:
  std::string take() { return std::move(out_); }

  template <class M>
  void message(const M& m) {
    if (!m.unknown.empty()) refuse_unknown_fields(Message<M>::name, "JSON");
    out_ += '{';
    ++level_;
    const char* separator = "";
    for_each_field<M>([&](const auto& row) {
      const auto& member = ir::plain(m.*row.member);
      if (!is_set(member)) return;
      out_ += separator;
      separator = ",";
      line();
      ((out_ += '"') += row.name) += "\": ";
      field(member, row.trait, row.name);
    });
    --level_;
    if (*separator) line();
    out_ += '}';
  }

 private:
  void line() { out_.append(1, '\n').append(2 * static_cast<std::size_t>(level_), ' '); }

  template <class T>
  void field(const ir::Field<T>& f, Trait trait, const char* name) {
    scalar(f.get(), trait, name);
  }
  template <class T>
  void field(const ir::Box<T>& f, Trait, const char* name) {
    writing(name, -1, *f, [&] { message(*f); });
  }
  template <ir::List L>
  void field(const L& f, Trait trait, const char* name) {
    list(f, trait, name);
  }
  template <class T>
  void field(const ir::SharedArray<T>& f, Trait trait, const char* name) {
    list(f, trait, name);
  }

  template <class C>
  void list(const C& values, Trait trait, const char* name) {
    out_ += '[';
    ++level_;
    const char* separator = "";
    std::ptrdiff_t i = 0;
    for (const auto& v : values) {
      out_ += separator;
      separator = ",";
      line();
      if constexpr (requires { v.unknown; })
        writing(name, i, v, [&] { message(v); });
      else
        scalar(v, trait, name);
      ++i;
    }
    --level_;
    line();
    out_ += ']';
  }

  void scalar(const std::string& text, Trait trait, const char* name) {
    if (trait == Trait::Bytes)
      base64(text);
    else
      string(text, name);
  }
  void scalar(const ir::Bytes& bytes, Trait, const char*) { base64(ir::as_text(bytes)); }

  template <class T>
    requires std::is_integral_v<T>
  void scalar(T value, Trait trait, const char*) {
    const auto names = enumeration(trait);
    if (value >= 0 && static_cast<std::uint64_t>(value) < names.size()) {
      ((out_ += '"') += names[static_cast<std::size_t>(value)]) += '"';
      return;
    }
    char buffer[24];
    const auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
    if (sizeof(T) == 8) out_ += '"';
    out_.append(buffer, end);
    if (sizeof(T) == 8) out_ += '"';
  }

  template <class T>
    requires std::is_floating_point_v<T>
  void scalar(T value, Trait, const char*) {
    if (std::isnan(value))
      out_ += "\"NaN\"";
    else if (std::isinf(value))
      out_ += value < 0 ? "\"-Infinity\"" : "\"Infinity\"";
    else
      append_python_number(out_, value);
  }

  void base64(std::string_view bytes) {
    constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out_ += '"';
    const std::size_t begin = out_.size(), whole = bytes.size() / 3 * 3, rest = bytes.size() - whole;
    out_.resize(begin + (bytes.size() + 2) / 3 * 4, '=');
    char* to = out_.data() + begin;
    const auto at = [&](std::size_t i) -> std::uint32_t { return static_cast<unsigned char>(bytes[i]); };
    const auto put = [&](std::uint32_t group, int digits) {
      for (int k = 0; k < digits; ++k) *to++ = kDigits[group >> (18 - 6 * k) & 63];
    };
    for (std::size_t i = 0; i < whole; i += 3) put(at(i) << 16 | at(i + 1) << 8 | at(i + 2), 4);
    if (rest != 0) put(at(whole) << 16 | (rest == 2 ? at(whole + 1) << 8 : 0), static_cast<int>(rest) + 1);
    out_ += '"';
  }

  void escape16(std::uint32_t unit) {
    out_ += "\\u";
    for (int shift = 12; shift >= 0; shift -= 4) out_ += kHex[unit >> shift & 15];
  }

  // Outside ASCII everything is written as \uXXXX, by its UTF-16 units.
  void string(std::string_view text, const char* name) {
    if (!is_utf8(text)) {
      throw Error(ErrorCode::NotImplemented, std::string(name) + " is not UTF-8, and JSON has no place for other text",
                  {}, "save the model in the binary format");
    }
    out_ += '"';
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto c = static_cast<unsigned char>(text[i]);
      if (c >= 0x80) {
        const int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : 1;
        std::uint32_t code = c & (0x3fu >> more);
        for (int k = 0; k < more; ++k) code = code << 6 | (static_cast<unsigned char>(text[++i]) & 0x3fu);
        if (code >= 0x10000) {
          escape16(0xd800 + ((code - 0x10000) >> 10));
          escape16(0xdc00 + ((code - 0x10000) & 0x3ff));
        } else {
          escape16(code);
        }
        continue;
      }
      switch (c) {
        case '"': out_ += "\\\""; break;
        case '\\': out_ += "\\\\"; break;
        case '\b': out_ += "\\b"; break;
        case '\f': out_ += "\\f"; break;
        case '\n': out_ += "\\n"; break;
        case '\r': out_ += "\\r"; break;
        case '\t': out_ += "\\t"; break;
        default:
          if (c < 0x20 || c == 0x7f)
            escape16(c);
          else
            out_ += static_cast<char>(c);
      }
    }
    out_ += '"';
  }

  std::string out_;
  int level_ = 0;
};

}  // namespace

template <class T>
std::string to_json(const T& message) {
  Writer writer;
  writer.message(message);
  return writer.take();
}

template std::string to_json(const ir::Model&);
template std::string to_json(const ir::Graph&);
template std::string to_json(const ir::Function&);
template std::string to_json(const ir::Node&);
template std::string to_json(const ir::Attribute&);
template std::string to_json(const ir::ValueInfo&);
template std::string to_json(const ir::Type&);
template std::string to_json(const ir::Tensor&);
template std::string to_json(const ir::SparseTensor&);
template std::string to_json(const ir::OperatorSet&);
template std::string to_json(const SequenceData&);
template std::string to_json(const MapData&);
template std::string to_json(const OptionalData&);

}  // namespace norn::format
