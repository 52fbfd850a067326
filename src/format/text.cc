// Printing ONNX's text syntax.
//
// Traps: "float" is a scalar and "float[]" a tensor of unknown rank; a name that is a type's word has to be quoted
// where a type may stand, and must not be where the onnx package takes no quotes; an attribute's type is always
// written, because "1" alone is an integer and a quoted word a string; a graph by the name of "nan" would be a number.
#include "format/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "format/text_words.h"
#include "ir/tensor_data.h"
#include "norn/error.h"
#include "norn/types.h"

namespace norn::format {
namespace {

class Printer {
 public:
  explicit Printer(const TextOptions& options) : options_(options) {}

  std::string take() { return std::move(out_); }

  void model(const ir::Model& m) {
    out_ += "<\n  ir_version: ";
    number(m.ir_version.get());
    out_ += ",\n  opset_import: ";
    opsets(m.opset_import);
    header("producer_name", m.producer_name);
    header("producer_version", m.producer_version);
    header("domain", m.domain);
    if (m.model_version.has()) {
      out_ += ",\n  model_version: ";
      number(m.model_version.get());
    }
    header("doc_string", m.doc_string);
    if (!m.metadata_props.empty()) {
      out_ += ",\n  metadata_props: ";
      pairs(m.metadata_props);
    }
    out_ += "\n>\n";
    static const ir::Graph kNone;
    const ir::Graph& main = m.graph ? *m.graph : kNone;
    writing("graph", -1, main, [&] { graph(main); });
    out_ += '\n';
    each("function", m.functions, [&](const ir::Function& f) {
      out_ += '\n';
      function(f);
    });
  }

  void graph(const ir::Graph& g, const std::string& name = {}) {
    if (name.empty())
      id(g.name.get());
    else
      out_ += name;
    out_ += ' ';
    values("input", g.input);
    out_ += " => ";
    values("output", g.output);
    out_ += '\n';
    if (!g.initializer.empty() || !g.sparse_initializer.empty() || !g.value_info.empty()) {
      indent(0);
      out_ += '<';
      const char* separator = "\n";
      const auto line = [&](auto&& print) {
        out_ += separator;
        separator = ",\n";
        indent(1);
        print();
      };
      each("initializer", g.initializer, [&](const ir::Tensor& t) { line([&] { tensor(t, true); }); });
      each("sparse_initializer", g.sparse_initializer, [&](const ir::SparseTensor& t) {
        line([&] {
          out_ += "sparse_tensor = ";
          sparse(t);
        });
      });
      each("value_info", g.value_info, [&](const ir::ValueInfo& v) { line([&] { value(v); }); });
      out_ += '\n';
      indent(0);
      out_ += ">\n";
    }
    nodes(g.node);
  }

  void function(const ir::Function& f) {
    out_ += "<\n  domain: ";
    quoted(f.domain.get());
    header("overload", f.overload);
    header("doc_string", f.doc_string);
    out_ += ",\n  opset_import: ";
    opsets(f.opset_import);
    out_ += "\n>\n";
    id(f.name.get());
    out_ += ' ';
    if (!f.attribute.empty() || !f.attribute_proto.empty()) {
      out_ += '<';
      list(f.attribute, ", ", [&](const std::string& a) { id(a); });
      if (!f.attribute.empty() && !f.attribute_proto.empty()) out_ += ", ";
      parts("attribute", f.attribute_proto, ", ", [&](const ir::Attribute& a) { attribute(a); });
      out_ += "> ";
    }
    ids("(", f.input, ")");
    out_ += " => ";
    ids("(", f.output, ")");
    out_ += '\n';
    if (!f.value_info.empty()) {
      out_ += "<\n  ";
      parts("value_info", f.value_info, ",\n  ", [&](const ir::ValueInfo& v) { value(v); });
      out_ += "\n>\n";
    }
    nodes(f.node);
    out_ += '\n';
  }

  void node(const ir::Node& n) {
    if (!n.name.get().empty()) {
      out_ += '[';
      id(n.name.get());
      out_ += "] ";
    }
    ids("", n.output, "");
    out_ += " = ";
    if (!n.domain.get().empty()) {
      dotted(n.domain.get());
      out_ += '.';
    }
    word(n.op_type.get());
    if (!n.overload.get().empty()) {
      out_ += ':';
      word(n.overload.get());
    }
    bool subgraphs = false;
    for (const auto& a : n.attribute) subgraphs = subgraphs || a.g.has() || !a.graphs.empty();
    if (!subgraphs) attributes(n.attribute);
    ids(" (", n.input, ")");
    if (subgraphs) attributes(n.attribute);
  }

 private:
  template <class C, class F>
  void list(const C& items, std::string_view separator, F&& print) {
    bool first = true;
    for (const auto& item : items) {
      if (!first) out_ += separator;
      first = false;
      print(item);
    }
  }

  // As list(), of messages, which errors are placed at.
  template <class C, class F>
  void parts(const char* field, const C& messages, std::string_view separator, F&& print) {
    std::ptrdiff_t i = 0;
    list(messages, separator, [&](const auto& m) { writing(field, i++, m, [&] { print(m); }); });
  }
  template <class C, class F>
  void each(const char* field, const C& messages, F&& print) {
    parts(field, messages, "", print);
  }

  template <class C, class F>
  void many(const C& items, F&& print) {
    out_ += '[';
    list(items, ", ", print);
    out_ += ']';
  }

  void indent(int more) { out_.append(2 * static_cast<std::size_t>(level_ + more), ' '); }

  void quoted(std::string_view text) {
    constexpr char kHex[] = "0123456789abcdef";
    const bool is_text = is_utf8(text);
    out_ += '"';
    for (std::size_t i = 0; i < text.size(); ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      if (!is_text && byte >= 0x80) {
        // Text in UTF-8 has to hold any bytes; those of its letters need no escape.
        std::size_t length = 2;
        while (length <= 4 && (i + length > text.size() || !is_utf8(text.substr(i, length)))) ++length;
        if (length > 4) {
          ((out_ += "\\x") += kHex[byte >> 4]) += kHex[byte & 15];
          continue;
        }
        out_ += text.substr(i, length);
        i += length - 1;
        continue;
      }
      if (byte == '"' || byte == '\\') out_ += '\\';
      out_ += text[i];
    }
    out_ += '"';
  }
  // A name where no type may stand.
  void word(std::string_view name) {
    if (is_word(name))
      out_ += name;
    else
      quoted(name);
  }
  void id(std::string_view name) {
    if (is_word(name) && !is_type_word(name))
      out_ += name;
    else
      quoted(name);
  }
  // Words with dots in between, such as a domain.
  void dotted(std::string_view name) {
    for (std::size_t from = 0;;) {
      const std::size_t dot = name.find('.', from);
      if (!is_word(name.substr(from, dot - from))) return quoted(name);
      if (dot == name.npos) break;
      from = dot + 1;
    }
    out_ += name;
  }
  // What the syntax cannot write.
  void cannot(const std::string& what, std::string_view instead = "?") {
    if (options_.complete) {
      throw Error(ErrorCode::NotImplemented, "ONNX's text syntax cannot write " + what, {},
                  "save the model in another notation, or mend it first");
    }
    out_ += instead;
  }
  void ids(const char* open, std::span<const std::string> names, const char* close) {
    out_ += open;
    list(names, ", ", [&](const std::string& n) { id(n); });
    out_ += close;
  }

  template <class T>
  void number(T value) {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) {
        out_ += std::signbit(value) ? "-nan" : "nan";
        return;
      }
    }
    char buffer[40];
    const auto result = std::to_chars(buffer, buffer + sizeof(buffer), value);
    out_.append(buffer, result.ptr);
  }

  void header(const char* key, const ir::Field<std::string>& text) {
    if (!text.has()) return;
    ((out_ += ",\n  ") += key) += ": ";
    quoted(text.get());
  }
  void pairs(const ir::Metadata& entries) {
    out_ += '[';
    list(entries, ", ", [&](const ir::StringStringEntry& e) {
      quoted(e.key.get());
      out_ += ": ";
      quoted(e.value.get());
    });
    out_ += ']';
  }
  void opsets(const std::vector<ir::OperatorSetId>& imports) {
    out_ += '[';
    list(imports, ", ", [&](const ir::OperatorSetId& o) {
      quoted(o.domain.get());
      out_ += ": ";
      number(o.version.get());
    });
    out_ += ']';
  }

  void type_name(std::int32_t type) {
    if (type > 0 && type < kDataTypeCount)
      out_ += data_type_name(static_cast<DataType>(type));
    else
      cannot("the element type " + std::to_string(type), type ? "undefined_" + std::to_string(type) : "undefined");
  }
  void tensor_type(const ir::TypeTensor& t) {
    type_name(t.elem_type);
    if (!t.shape) out_ += "[]";
    if (!t.shape || t.shape->dim.empty()) return;
    out_ += '[';
    list(t.shape->dim, ",", [&](const ir::Dimension& d) {
      if (d.dim_value.has())
        number(d.dim_value.get());
      else if (d.dim_param.has())
        id(d.dim_param.get());
      else
        out_ += '?';
    });
    out_ += ']';
  }
  void type(const ir::Type& t) {
    const auto inner = [&](const ir::Box<ir::Type>& element) {
      if (element)
        type(*element);
      else
        cannot("a type without the type of its elements");
      out_ += ')';
    };
    if (t.tensor_type) {
      tensor_type(*t.tensor_type);
    } else if (t.sequence_type) {
      out_ += "seq(";
      inner(t.sequence_type->elem_type);
    } else if (t.map_type) {
      out_ += "map(";
      type_name(t.map_type->key_type);
      out_ += ", ";
      inner(t.map_type->value_type);
    } else if (t.optional_type) {
      out_ += "optional(";
      inner(t.optional_type->elem_type);
    } else if (t.sparse_tensor_type) {
      out_ += "sparse_tensor(";
      tensor_type(*t.sparse_tensor_type);
      out_ += ')';
    } else if (t.opaque_type) {
      out_ += "opaque(";
      const auto& domain = t.opaque_type->domain.get();
      const auto& name = t.opaque_type->name.get();
      if (!domain.empty()) {
        dotted(domain);
        out_ += ',';
        word(name);
      } else if (!name.empty()) {
        dotted(name);
      }
      out_ += ')';
    } else if (options_.complete) {
      cannot("a type other than tensor, sequence, map, optional, sparse tensor and opaque");
    }
  }
  void value(const ir::ValueInfo& v) {
    if (v.type) {
      type(*v.type);
      out_ += ' ';
    }
    id(v.name.get());
  }
  void values(const char* field, const std::vector<ir::ValueInfo>& list_of_values) {
    out_ += '(';
    parts(field, list_of_values, ", ", [&](const ir::ValueInfo& v) { value(v); });
    out_ += ')';
  }

  template <class Item>
  void elements(std::span<const Item> items, std::size_t per_element = 1) {
    const bool cut = !options_.complete && items.size() / per_element > options_.max_elements;
    const std::size_t shown = cut ? std::min<std::size_t>(options_.max_elements, 8) * per_element : items.size();
    for (std::size_t i = 0; i < shown; ++i) {
      if (i) out_ += ", ";
      if constexpr (std::is_same_v<Item, ir::Bytes>)
        quoted(ir::as_text(items[i]));
      else if constexpr (std::is_same_v<Item, std::string>)
        quoted(items[i]);
      else if constexpr (std::is_integral_v<Item> && sizeof(Item) < sizeof(int))
        number(static_cast<int>(items[i]));
      else
        number(items[i]);
    }
    if (cut) out_ += shown ? ", ..." : "...";
  }

  template <class T>
  void elements_of(const norn::Tensor& v, std::size_t per_element = 1) {
    elements(std::span<const T>(v.as<T>(), static_cast<std::size_t>(v.size()) * per_element), per_element);
  }

  void value(const norn::Tensor& v) {
    switch (v.dtype()) {
      case DataType::Float: return elements_of<float>(v);
      case DataType::Double: return elements_of<double>(v);
      case DataType::Complex64: return elements_of<float>(v, 2);
      case DataType::Complex128: return elements_of<double>(v, 2);
      case DataType::String: return elements_of<std::string>(v);
      case DataType::Int8:
      case DataType::Int4:
      case DataType::Int2: return elements_of<std::int8_t>(v);
      case DataType::Int16: return elements_of<std::int16_t>(v);
      case DataType::Int32: return elements_of<std::int32_t>(v);
      case DataType::Int64: return elements_of<std::int64_t>(v);
      case DataType::Uint32: return elements_of<std::uint32_t>(v);
      case DataType::Uint64: return elements_of<std::uint64_t>(v);
      case DataType::Uint16:
      case DataType::Float16:
      case DataType::BFloat16: return elements_of<std::uint16_t>(v);
      default: return elements_of<std::uint8_t>(v);
    }
  }

  // Entries of the element type's own field stand in the text as in the tensor, even if they do not fit the shape; what
  // stands elsewhere, or shares entries, has to be a sound tensor.
  void data(const ir::Tensor& t) {
    const auto type = static_cast<DataType>(t.data_type > 0 && t.data_type < kDataTypeCount ? t.data_type.get() : 0);
    const int width = storage_bits(type);
    if (type == DataType::Undefined || !t.raw_data.get().empty() || t.segment || width == 2 || width == 4) {
      return value(head(t));
    }
    const int filled = !t.float_data.empty() + !t.int32_data.empty() + !t.string_data.empty() + !t.int64_data.empty() +
                       !t.double_data.empty() + !t.uint64_data.empty();
    const auto own = [&](const auto& field, std::size_t per_element = 1) {
      if (filled == !field.empty())
        elements(std::span(field.data(), field.size()), per_element);
      else
        value(head(t));
    };
    switch (type) {
      case DataType::Float: return own(t.float_data);
      case DataType::Complex64: return own(t.float_data, 2);
      case DataType::Double: return own(t.double_data);
      case DataType::Complex128: return own(t.double_data, 2);
      case DataType::String: return own(t.string_data);
      case DataType::Int64: return own(t.int64_data);
      case DataType::Uint32:
      case DataType::Uint64: return own(t.uint64_data);
      default: return own(t.int32_data);
    }
  }

  // The tensor's value or, when more would be cut anyway, enough of its beginning.
  norn::Tensor head(const ir::Tensor& t) const {
    const auto type = static_cast<DataType>(t.data_type > 0 && t.data_type < kDataTypeCount ? t.data_type.get() : 0);
    const auto bytes = static_cast<std::size_t>(storage_bits(type) / 8);
    if (options_.complete) return ir::to_value(t);
    const auto keep = options_.max_elements + 1;
    const auto& raw = t.raw_data.get();
    const auto count = static_cast<std::size_t>(element_count(t.dims));
    if (bytes == 0 || count <= keep || raw.size() / bytes != count || raw.size() % bytes) return ir::to_value(t);
    ir::Tensor part;
    part.data_type = t.data_type;
    part.dims = {static_cast<std::int64_t>(keep)};
    part.raw_data = ir::Bytes(raw.data(), keep * bytes, raw.owner());
    return ir::to_value(part);
  }

  void tensor(const ir::Tensor& t, bool initializer) {
    type_name(t.data_type);
    if (!t.dims.empty()) {
      out_ += '[';
      list(t.dims, ",", [&](std::int64_t d) { number(d); });
      out_ += ']';
    }
    out_ += ' ';
    if (initializer || !t.name.get().empty()) {
      id(t.name.get());
      out_ += ' ';
    }
    const bool external = t.data_location == ir::kDataLocationExternal;
    if (initializer || external) out_ += "= ";
    if (external) return pairs(t.external_data);
    out_ += '{';
    try {
      data(t);
    } catch (const Error&) {
      if (options_.complete) throw;
      out_ += "...";  // the stored data does not fit the type and shape
    }
    out_ += '}';
  }

  void sparse(const ir::SparseTensor& s) {
    out_ += "{dims [";
    list(s.dims, ",", [&](std::int64_t d) { number(d); });
    out_ += ']';
    if (s.values) {
      out_ += ", values ";
      tensor(*s.values, false);
    }
    if (s.indices) {
      out_ += ", indices ";
      tensor(*s.indices, false);
    }
    out_ += '}';
  }

  // A graph in an attribute, where a word may also be a number.
  void subgraph(const ir::Graph& g) {
    const auto& name = g.name.get();
    writing("graph", -1, g, [&] { graph(g, parse_special_float(name) ? "\"" + name + "\"" : ""); });
  }

  void attribute(const ir::Attribute& a) {
    word(a.name.get());
    const auto kind = static_cast<std::size_t>(a.kind());
    const bool known = kind > 0 && kind < std::size(kAttributeTypeWords);
    if (known) (out_ += ": ") += kAttributeTypeWords[kind];
    if (!known && !a.ref_attr_name.has()) {
      if (kind == 0)
        out_ += ": undefined";
      else
        cannot("an attribute of type " + std::to_string(static_cast<int>(a.kind())), ": undefined");
      return;
    }
    out_ += " = ";
    if (a.ref_attr_name.has()) {
      out_ += '@';
      return id(a.ref_attr_name.get());
    }
    const auto any_number = [&](auto v) { number(v); };
    const auto need = [&](const auto& box, auto&& print) {
      if (box)
        print(*box);
      else
        cannot("the attribute \"" + a.name.get() + "\", which has a type and no value");
    };
    using Kind = ir::AttributeType;
    switch (a.kind()) {
      case Kind::Float: return number(a.f.get());
      case Kind::Int: return number(a.i.get());
      case Kind::String: return quoted(a.s.get());
      case Kind::Floats: return many(a.floats, any_number);
      case Kind::Ints: return many(a.ints, any_number);
      case Kind::Strings: return many(a.strings, [&](const std::string& s) { quoted(s); });
      case Kind::Tensor: return need(a.t, [&](const ir::Tensor& t) { tensor(t, false); });
      case Kind::Tensors: return many(a.tensors, [&](const ir::Tensor& t) { tensor(t, false); });
      case Kind::TypeProto: return need(a.tp, [&](const ir::Type& t) { type(t); });
      case Kind::TypeProtos: return many(a.type_protos, [&](const ir::Type& t) { type(t); });
      case Kind::SparseTensor: return need(a.sparse_tensor, [&](const ir::SparseTensor& s) { sparse(s); });
      case Kind::SparseTensors: return many(a.sparse_tensors, [&](const ir::SparseTensor& s) { sparse(s); });
      default: break;
    }
    ++level_;
    if (a.kind() == Kind::Graphs)
      many(a.graphs, [&](const ir::Graph& g) { subgraph(g); });
    else
      need(a.g, [&](const ir::Graph& g) { subgraph(g); });
    --level_;
  }
  void attributes(const std::vector<ir::Attribute>& all) {
    if (all.empty()) return;
    out_ += " <";
    parts("attribute", all, ", ", [&](const ir::Attribute& a) { attribute(a); });
    out_ += '>';
  }

  void nodes(const std::vector<ir::Node>& all) {
    indent(0);
    out_ += "{\n";
    ++level_;
    each("node", all, [&](const ir::Node& n) {
      indent(0);
      node(n);
      out_ += '\n';
    });
    --level_;
    indent(0);
    out_ += '}';
  }

  const TextOptions options_;
  std::string out_;
  int level_ = 0;
};

}  // namespace

std::string to_text(const ir::Model& m, const TextOptions& options) {
  Printer printer(options);
  printer.model(m);
  return left_out(m) + printer.take();
}

std::string to_text(const ir::Graph& g, const TextOptions& options) {
  Printer printer(options);
  printer.graph(g);
  return left_out(g) + printer.take() + '\n';
}

std::string to_text(const ir::Function& f, const TextOptions& options) {
  Printer printer(options);
  printer.function(f);
  return left_out(f) + printer.take();
}

std::string to_text(const ir::Node& n, const TextOptions& options) {
  Printer printer(options);
  printer.node(n);
  return left_out(n) + printer.take();
}

}  // namespace norn::format
