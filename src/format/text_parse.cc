// Parsing ONNX's text syntax.
//
// Traps of the syntax: a backslash only makes the next character literal, so "\n" is the letter n; "float" is a scalar
// and "float[]" a tensor of unknown rank; a lone comma is an empty name, but one after a name adds none; a type in
// front of "{", "=" or a name begins a tensor, otherwise it is a type; after the equals sign of an attribute, a word
// that is neither a type nor a number begins a graph. Fields come out set or unset as the onnx package's parser leaves
// them: a node's domain is always set, its name only where there are brackets.
#include <algorithm>
#include <type_traits>

#include "format/bounds.h"
#include "format/text.h"
#include "format/text_lexer.h"
#include "format/text_words.h"
#include "ir/tensor_data.h"
#include "norn/error.h"

namespace norn::format {
namespace {

using Kind = ir::AttributeType;

Kind element_kind(Kind list) {
  switch (list) {
    case Kind::Floats: return Kind::Float;
    case Kind::Ints: return Kind::Int;
    case Kind::Strings: return Kind::String;
    case Kind::Tensors: return Kind::Tensor;
    case Kind::Graphs: return Kind::Graph;
    case Kind::SparseTensors: return Kind::SparseTensor;
    case Kind::TypeProtos: return Kind::TypeProto;
    default: return Kind::Undefined;
  }
}

class Parser : TextLexer {
 public:
  Parser(std::string_view text, const Limits& limits) : TextLexer(text), bounds_(text.size(), limits) {}

  void finish() {
    if (!in_.end()) in_.fail_expected("the end of the text");
  }

  void part(ir::Model& m) {
    if (in_.match('<')) {
      header(
          "ir_version, opset_import, producer_name, producer_version, domain, model_version, doc_string and "
          "metadata_props",
          [&](std::string_view key) {
            if (key == "ir_version") {
              m.ir_version = integer<std::int64_t>();
              typed_attributes_ = m.ir_version.get() != 1;
            } else if (key == "opset_import")
              opsets(m.opset_import);
            else if (key == "producer_name")
              m.producer_name = string("the producer's name");
            else if (key == "producer_version")
              m.producer_version = string("the producer's version");
            else if (key == "domain")
              m.domain = string("the domain");
            else if (key == "model_version")
              m.model_version = integer<std::int64_t>();
            else if (key == "doc_string")
              m.doc_string = string("the documentation");
            else if (key == "metadata_props")
              in_.expect('[', "before the metadata"), pairs(m.metadata_props);
            else
              return false;
            return true;
          });
    }
    part(m.graph.mut());
    while (!in_.end()) part(m.functions.emplace_back());
  }

  void part(ir::Graph& g) {
    // As the binary format counts: a graph is in an attribute of a node.
    const Bounds::Level level(bounds_, here(), bounds_.at_top() ? 1 : 3);
    g.name = name("the graph's name");
    if (in_.match('(') && !in_.match(')')) {
      do {
        ir::ValueInfo& v = g.input.emplace_back();
        value_info(v);
        if (in_.match('=')) initializer(v, g.initializer.emplace_back());
      } while (in_.match(','));
      in_.expect(')', "or \",\" after an input");
    }
    arrow();
    in_.expect('(', "before the graph's outputs");
    list(')', "after an output", [&] { value_info(g.output.emplace_back()); });
    if (in_.match('<')) {
      list('>', "after a value", [&] {
        if (sparse_initializer(g)) return;
        ir::ValueInfo v;
        value_info(v);
        if (in_.match('='))
          initializer(v, g.initializer.emplace_back());
        else
          g.value_info.push_back(std::move(v));
      });
    }
    nodes(g.node);
  }

  void part(ir::Function& f) {
    if (in_.match('<')) {
      header("opset_import, doc_string, domain and overload", [&](std::string_view key) {
        if (key == "opset_import")
          opsets(f.opset_import);
        else if (key == "doc_string")
          f.doc_string = string("the documentation");
        else if (key == "domain")
          f.domain = string("the domain");
        else if (key == "overload")
          f.overload = string("the overload");
        else
          return false;
        return true;
      });
    }
    f.name = name("the function's name");
    if (in_.match('<')) {
      list('>', "after a parameter", [&] {
        std::string parameter = name("the name of an attribute parameter");
        if (in_.peek() == ':' || in_.here() == '=')
          attribute(f.attribute_proto.emplace_back(), std::move(parameter));
        else
          f.attribute.push_back(std::move(parameter));
      });
    }
    formals(f.input, f.value_info);
    arrow();
    formals(f.output, f.value_info);
    if (in_.match('<')) list('>', "after a value", [&] { value_info(f.value_info.emplace_back()); });
    nodes(f.node);
  }

  void part(ir::Node& n) {
    bounds_.count_nodes(1, here());
    if (in_.match('[')) {
      n.name = optional_name();
      in_.expect(']', "after the node's name");
    }
    names(n.output);
    in_.expect('=', "after the node's outputs");
    // A leading dot names the default domain.
    std::string id = in_.peek() == '.' ? std::string() : name("an operator"), domain;
    while (in_.match('.')) {
      if (!domain.empty()) domain += '.';
      domain += id;
      id = name("the rest of an operator's name");
    }
    n.domain = std::move(domain);
    n.op_type = std::move(id);
    if (in_.match(':')) n.overload = name("an overload");
    attributes(n.attribute);
    in_.expect('(', "before the node's inputs");
    names(n.input);
    in_.expect(')', "or \",\" after an input");
    if (n.attribute.empty()) attributes(n.attribute);
  }

 private:
  // The place, for messages.
  struct Here {
    const Cursor& in;
    std::string operator()() const { return place_at(in.text(), in.at()); }
  };
  Here here() const noexcept { return {in_}; }

  // Elements up to `close`, which may follow at once.
  template <class F>
  void list(char close, const char* where, F&& element) {
    if (in_.match(close)) return;
    do element();
    while (in_.match(','));
    in_.expect(close, (std::string("or \",\" ") + where).c_str());
  }

  template <class F>
  void header(const char* keys, F&& entry) {
    do {
      in_.peek();
      const std::size_t at = in_.at();
      const std::string_view key = in_.identifier();
      if (key.empty()) in_.fail_expected("a key", std::string("the keys are ") + keys);
      in_.expect(':', "after a key");
      if (!entry(key))
        fail_at(in_.text(), at, "\"" + std::string(key) + "\" is not a key of this header",
                std::string("the keys are ") + keys);
    } while (in_.match(','));
    in_.expect('>', "or \",\" after an entry of the header");
  }

  template <ir::List L>
  void names(L& out) {
    do {
      const bool is_quoted = in_.peek() == '"';
      std::string id = optional_name();
      if (!is_quoted && id.empty() && in_.peek() != ',') return;
      out.push_back(std::move(id));
    } while (in_.match(','));
  }

  void arrow() {
    in_.expect('=', "of the arrow \"=>\" before the outputs");
    if (in_.here() != '>') in_.fail_expected("\">\" of the arrow \"=>\"");
    in_.next();
  }

  void nodes(std::vector<ir::Node>& out) {
    in_.peek();
    const std::size_t start = in_.at();
    in_.expect('{', "before the nodes");
    while (!in_.match('}')) {
      if (in_.end()) fail_at(in_.text(), start, "this \"{\" is never closed");
      part(out.emplace_back());
    }
  }

  void formals(std::vector<std::string>& ids, std::vector<ir::ValueInfo>& infos) {
    in_.expect('(', "before the function's inputs or outputs");
    list(')', "after an input or output", [&] {
      if (!at_type()) return ids.push_back(name("the name of an input or output"));
      ir::ValueInfo& v = infos.emplace_back();
      value_info(v);
      ids.push_back(v.name.get());
    });
  }

  void pairs(ir::Metadata& out) {
    list(']', "after an entry", [&] {
      auto& entry = out.emplace_back();
      entry.key = string("a key");
      in_.expect(':', "after a key");
      entry.value = string("a value");
    });
  }
  void opsets(std::vector<ir::OperatorSetId>& out) {
    in_.expect('[', "before the operator sets");
    list(']', "after an operator set", [&] {
      auto& set = out.emplace_back();
      set.domain = string("an operator set's domain");
      in_.expect(':', "after a domain");
      set.version = integer<std::int64_t>();
    });
  }

  bool at_type() { return is_type_word(in_.peek_identifier()); }

  DataType element_type(const char* what) {
    const DataType type = data_type_from_name(in_.peek_identifier());
    if (type == DataType::Undefined) in_.fail_expected(what);
    in_.identifier();
    return type;
  }

  void tensor_type(ir::TypeTensor& t) {
    t.elem_type = static_cast<std::int32_t>(element_type("an element type, such as float"));
    if (!in_.match('[')) {
      t.shape.mut();
      return;
    }
    if (in_.match(']')) return;
    list(']', "after a dimension", [&] {
      ir::Dimension& d = t.shape.mut().dim.emplace_back();
      if (in_.match('?')) return;
      if (in_.peek() == '"')
        d.dim_param = quoted();
      else if (!in_.peek_identifier().empty())
        d.dim_param = std::string(in_.identifier());
      else if (is_digit(in_.here()) || in_.here() == '-')
        d.dim_value = integer<std::int64_t>();
      else
        in_.fail_expected("a dimension: a number, a name or \"?\"");
    });
  }

  void type(ir::Type& t) {
    const Bounds::Level level(bounds_, here(), 2);  // a type is in a type's member
    if (data_type_from_name(in_.peek_identifier()) != DataType::Undefined) return tensor_type(t.tensor_type.mut());
    const std::string word(in_.peek_identifier());
    if (!is_type_word(word)) in_.fail_expected("a type");
    in_.identifier();
    in_.expect('(', ("after " + word).c_str());
    if (word == "seq") {
      type(t.sequence_type.mut().elem_type.mut());
    } else if (word == "map") {
      t.map_type.mut().key_type = static_cast<std::int32_t>(element_type("the type of a map's keys"));
      in_.expect(',', "after the type of a map's keys");
      type(t.map_type->value_type.mut());
    } else if (word == "optional") {
      type(t.optional_type.mut().elem_type.mut());
    } else if (word == "sparse_tensor") {
      tensor_type(t.sparse_tensor_type.mut());
    } else {
      auto& opaque = t.opaque_type.mut();
      if (in_.match(')')) return;
      std::string id = name("an opaque type's domain or name");
      while (in_.match('.')) (id += '.') += name("the rest of a name");
      if (in_.match(',')) {
        opaque.domain = std::move(id);
        opaque.name = name("an opaque type's name");
      } else {
        opaque.name = std::move(id);
      }
    }
    in_.expect(')', ("after the content of " + word).c_str());
  }

  void value_info(ir::ValueInfo& v) {
    if (at_type()) type(v.type.mut());
    v.name = name("a type or the name of a value");
  }

  void initializer(const ir::ValueInfo& v, ir::Tensor& t) {
    t.name = v.name.get();
    if (!v.type) in_.fail("the initializer \"" + v.name.get() + "\" has no type", "as in float[2] w = {1, 2}");
    tensor_data(t, *v.type);
  }

  bool sparse_initializer(ir::Graph& g) {
    if (in_.peek_identifier() != "sparse_tensor") return false;
    const std::size_t start = in_.at();
    in_.identifier();
    if (!in_.match('=')) {
      in_.move_to(start);
      return false;
    }
    sparse(g.sparse_initializer.emplace_back());
    return true;
  }

  // The literal of a tensor whose type has been read.
  void tensor_data(ir::Tensor& t, const ir::Type& type) {
    if (!type.tensor_type) in_.fail("the value of a tensor stands here, but the type before it is not a tensor's");
    if (!type.tensor_type->shape)
      in_.fail("the shape of this tensor is not known",
               "a tensor's dimensions are numbers, as in float[2,3]; float is a scalar");
    for (const auto& d : type.tensor_type->shape->dim) {
      if (!d.dim_value.has()) in_.fail("the shape of this tensor has a dimension that is not a number");
      t.dims.push_back(d.dim_value);
    }
    t.data_type = type.tensor_type->elem_type;
    if (in_.match('[')) {
      t.data_location = ir::kDataLocationExternal;
      return pairs(t.external_data.mut_value());
    }
    refuse_cut();
    in_.expect('{', "before a tensor's elements (or \"[\" before the place of its file)");
    if (in_.match('}')) return;
    refuse_cut();
    const std::size_t start = in_.at();
    switch (static_cast<DataType>(t.data_type.get())) {
      case DataType::Float:
      case DataType::Complex64: t.float_data = elements<float>(); break;
      case DataType::Double:
      case DataType::Complex128: t.double_data = elements<double>(); break;
      case DataType::Int64: t.int64_data = elements<std::int64_t>(); break;
      case DataType::Uint32:
      case DataType::Uint64: t.uint64_data = elements<std::uint64_t>(); break;
      case DataType::String:
        list('}', "after an element", [&] { t.string_data.push_back(ir::bytes_of(string("a string"))); });
        break;
      default: t.int32_data = packed(t, elements<std::int32_t>(), start);
    }
    bounds_.check_tensor(t, [&] { return place_at(in_.text(), start); });
  }

  void refuse_cut() {
    if (in_.peek() == '.') in_.fail("\"...\" stands for elements that were cut, so this text cannot be read back");
  }

  template <class T>
  std::vector<T> elements() {
    std::vector<T> out;
    list('}', "after an element", [&] {
      refuse_cut();
      if constexpr (std::is_floating_point_v<T>)
        out.push_back(floating<T>());
      else
        out.push_back(integer<T>());
    });
    return out;
  }

  // Elements of 4 and 2 bits share an entry of int32_data, the first in the low bits.
  std::vector<std::int32_t> packed(const ir::Tensor& t, std::vector<std::int32_t> values, std::size_t at) const {
    const auto type = static_cast<DataType>(t.data_type.get());
    const int width = storage_bits(type);
    if (width != 4 && width != 2) return values;
    const std::int32_t least = type == DataType::Int4 || type == DataType::Int2 ? -(1 << (width - 1)) : 0;
    if (static_cast<std::uint64_t>(element_count(t.dims)) != values.size())
      fail_at(in_.text(), at,
              "these are " + std::to_string(values.size()) + " elements for the shape " + to_string(t.dims));
    const std::size_t share = 8 / static_cast<std::size_t>(width);
    std::vector<std::int32_t> out((values.size() + share - 1) / share);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (values[i] < least || values[i] >= least + (1 << width))
        fail_at(in_.text(), at, std::to_string(values[i]) + " does not fit " + std::string(data_type_name(type)));
      out[i / share] |= (values[i] & ((1 << width) - 1)) << (width * static_cast<int>(i % share));
    }
    return out;
  }

  void sparse(ir::SparseTensor& s) {
    in_.expect('{', "before a sparse tensor's parts");
    list('}', "after a part", [&] {
      const auto word = in_.peek_identifier();
      if (word == "dims") {
        in_.identifier();
        in_.expect('[', "before the dimensions");
        list(']', "after a dimension", [&] { s.dims.push_back(integer<std::int64_t>()); });
      } else if (word == "values" || word == "indices") {
        in_.identifier();
        ir::Type t;
        type(t);
        tensor((word == "values" ? s.values : s.indices).mut(), t);
      } else {
        in_.fail_expected("\"dims\", \"values\" or \"indices\"");
      }
    });
  }

  void tensor(ir::Tensor& t, const ir::Type& type) {
    t.name = optional_name();
    in_.match('=');
    tensor_data(t, type);
  }

  bool at_special_float() {
    const auto word = in_.peek_identifier();
    return !word.empty() && parse_special_float(word).has_value();
  }

  // One value into the field of its kind, which is returned.
  Kind single_value(ir::Attribute& a, Kind expected) {
    const char c = in_.peek();
    if (expected == Kind::Graph || (is_letter(c) && !at_type() && !at_special_float()) || c == '_') {
      part(a.g.mut());
      return Kind::Graph;
    }
    if (c == '{') {
      sparse(a.sparse_tensor.mut());
      return Kind::SparseTensor;
    }
    if (is_letter(c) && at_type()) {
      ir::Type t;
      type(t);
      const char after = in_.peek();
      if (after != '{' && after != '=' && after != '"' && in_.peek_identifier().empty()) {
        a.tp = std::move(t);
        return Kind::TypeProto;
      }
      tensor(a.t.mut(), t);
      return Kind::Tensor;
    }
    if (c == '"') {
      a.s = quoted();
      return Kind::String;
    }
    if (c != '-' && !is_digit(c) && !is_letter(c)) in_.fail_expected("an attribute's value");
    const std::size_t start = in_.at();
    bool integral = false;
    number(integral);
    in_.move_to(start);
    if (integral && expected != Kind::Float) {
      a.i = integer<std::int64_t>();
      return Kind::Int;
    }
    a.f = floating<float>();
    return Kind::Float;
  }

  void attribute(ir::Attribute& a, std::string attribute_name) {
    a.name = std::move(attribute_name);
    Kind declared = Kind::Undefined;
    if (in_.match(':')) {
      const auto word = in_.peek_identifier();
      const auto it = std::find(std::begin(kAttributeTypeWords), std::end(kAttributeTypeWords), word);
      if (it == std::end(kAttributeTypeWords))
        in_.fail_expected("an attribute's type",
                          "the types are float, int, string, tensor, graph, sparse_tensor, "
                          "type_proto, and each with an s");
      in_.identifier();
      declared = static_cast<Kind>(it - std::begin(kAttributeTypeWords));
      if (declared == Kind::Undefined && in_.peek() != '=') return;  // an attribute without a value
      if (declared != Kind::Undefined) a.type = static_cast<std::int32_t>(declared);
    }
    in_.expect('=', "after the attribute's name or type");
    in_.peek();
    const std::size_t start = in_.at();
    if (in_.match('@')) {
      a.ref_attr_name = name("the name of the function's attribute");
      return;
    }
    const auto check = [&](Kind kind) {
      if (declared == Kind::Undefined || kind == declared) return;
      fail_at(in_.text(), start,
              "the attribute \"" + a.name.get() + "\" is declared as " +
                  std::string(kAttributeTypeWords[static_cast<std::size_t>(declared)]) + ", but its value is of type " +
                  std::string(kAttributeTypeWords[static_cast<std::size_t>(kind)]));
    };
    if (!in_.match('[')) {
      const Kind kind = single_value(a, declared);
      check(kind);
      a.type = static_cast<std::int32_t>(kind);
      return;
    }
    if (in_.match(']')) {
      if (element_kind(declared) == Kind::Undefined)
        fail_at(in_.text(), start, "the type of an empty list has to be given", "as in axes: ints = []");
      return;
    }
    Kind kind = Kind::Undefined;
    list(']', "after an element", [&] {
      const Kind next = list_element(a, element_kind(declared));
      if (kind != Kind::Undefined && next != kind) in_.fail("the elements of a list are of one type");
      kind = next;
    });
    check(kind);
    a.type = static_cast<std::int32_t>(kind);
  }

  // Appends to the list of its kind, which is returned.
  Kind list_element(ir::Attribute& a, Kind expected) {
    ir::Attribute one;
    switch (single_value(one, expected)) {
      case Kind::Float: a.floats.push_back(one.f); return Kind::Floats;
      case Kind::Int: a.ints.push_back(one.i); return Kind::Ints;
      case Kind::String: a.strings.push_back(std::move(one.s.mut())); return Kind::Strings;
      case Kind::Tensor: a.tensors.push_back(std::move(*one.t)); return Kind::Tensors;
      case Kind::Graph: a.graphs.push_back(std::move(*one.g)); return Kind::Graphs;
      case Kind::SparseTensor: a.sparse_tensors.push_back(std::move(*one.sparse_tensor)); return Kind::SparseTensors;
      default: a.type_protos.push_back(std::move(*one.tp)); return Kind::TypeProtos;
    }
  }

  void attributes(std::vector<ir::Attribute>& out) {
    if (!in_.match('<')) return;
    do {
      std::string id = name("an attribute's name");
      attribute(out.emplace_back(), std::move(id));
      if (!typed_attributes_) out.back().type.clear();
    } while (in_.match(','));
    in_.expect('>', "or \",\" after an attribute");
  }

  Bounds bounds_;
  bool typed_attributes_ = true;  // AttributeProto.type came with IR 2
};

}  // namespace

template <class T>
T from_text(std::string_view text, const Limits& limits) {
  T part;
  Parser parser(text, limits);
  parser.part(part);
  parser.finish();
  return part;
}

template ir::Model from_text(std::string_view, const Limits&);
template ir::Graph from_text(std::string_view, const Limits&);
template ir::Function from_text(std::string_view, const Limits&);
template ir::Node from_text(std::string_view, const Limits&);

}  // namespace norn::format
