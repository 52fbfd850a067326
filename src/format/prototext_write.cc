// Writing protobuf's text format.
#include <charconv>
#include <cmath>
#include <type_traits>

#include "format/notation.h"
#include "format/prototext.h"

namespace norn::format {
namespace {

class Writer {
 public:
  std::string take() { return std::move(out_); }

  template <class M>
  void message(const M& m) {
    if (!m.unknown.empty()) refuse_unknown_fields(Message<M>::name, "protobuf's text format");
    for_each_field<M>([&](const auto& row) {
      if (is_set(ir::plain(m.*row.member))) field(ir::plain(m.*row.member), row.trait, row.name);
    });
  }

 private:
  template <class T>
  void field(const ir::Field<T>& f, Trait trait, const char* name) {
    one(f.get(), trait, name);
  }
  template <class T>
  void field(const ir::Box<T>& f, Trait trait, const char* name) {
    writing(name, -1, *f, [&] { one(*f, trait, name); });
  }
  template <ir::List L>
  void field(const L& f, Trait trait, const char* name) {
    std::ptrdiff_t i = 0;
    for (const auto& v : f) writing(name, i++, v, [&] { one(v, trait, name); });
  }
  template <class T>
  void field(const ir::SharedArray<T>& f, Trait trait, const char* name) {
    for (const T& v : f) one(v, trait, name);
  }

  template <class T>
  void one(const T& v, Trait trait, const char* name) {
    out_.append(2 * static_cast<std::size_t>(level_), ' ') += name;
    if constexpr (requires { v.unknown; }) {
      out_ += " {\n";
      ++level_;
      message(v);
      --level_;
      out_.append(2 * static_cast<std::size_t>(level_), ' ') += "}\n";
    } else {
      out_ += ": ";
      scalar(v, trait);
      out_ += '\n';
    }
  }

  void scalar(const std::string& text, Trait trait) { quoted(text, trait != Trait::Bytes && is_utf8(text)); }
  void scalar(const ir::Bytes& bytes, Trait) { quoted(ir::as_text(bytes), false); }

  template <class T>
    requires std::is_integral_v<T>
  void scalar(T value, Trait trait) {
    const auto names = enumeration(trait);
    if (value >= 0 && static_cast<std::uint64_t>(value) < names.size()) {
      out_ += names[static_cast<std::size_t>(value)];
      return;
    }
    char buffer[24];
    out_.append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), value).ptr);
  }
  template <class T>
    requires std::is_floating_point_v<T>
  void scalar(T value, Trait) {
    if (std::isnan(value))
      out_ += "nan";
    else if (std::isinf(value))
      out_ += value < 0 ? "-inf" : "inf";
    else
      append_python_number(out_, value);
  }

  void quoted(std::string_view text, bool utf8) {
    out_ += '"';
    for (const char c : text) {
      const auto u = static_cast<unsigned char>(c);
      switch (c) {
        case '\t': out_ += "\\t"; break;
        case '\n': out_ += "\\n"; break;
        case '\r': out_ += "\\r"; break;
        case '"': out_ += "\\\""; break;
        case '\'': out_ += "\\'"; break;
        case '\\': out_ += "\\\\"; break;
        default:
          if (u < 0x20 || u == 0x7f || (u >= 0x80 && !utf8)) {
            const char octal[] = {'\\', static_cast<char>('0' + (u >> 6)), static_cast<char>('0' + (u >> 3 & 7)),
                                  static_cast<char>('0' + (u & 7))};
            out_.append(octal, 4);
          } else {
            out_ += c;
          }
      }
    }
    out_ += '"';
  }

  std::string out_;
  int level_ = 0;
};

}  // namespace

template <class T>
std::string to_prototext(const T& message) {
  Writer writer;
  writer.message(message);
  return writer.take();
}

template std::string to_prototext(const ir::Model&);
template std::string to_prototext(const ir::Graph&);
template std::string to_prototext(const ir::Function&);
template std::string to_prototext(const ir::Node&);
template std::string to_prototext(const ir::Attribute&);
template std::string to_prototext(const ir::ValueInfo&);
template std::string to_prototext(const ir::Type&);
template std::string to_prototext(const ir::Tensor&);
template std::string to_prototext(const ir::SparseTensor&);
template std::string to_prototext(const ir::OperatorSet&);
template std::string to_prototext(const SequenceData&);
template std::string to_prototext(const MapData&);
template std::string to_prototext(const OptionalData&);

}  // namespace norn::format
