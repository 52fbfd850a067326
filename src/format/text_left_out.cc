// What ONNX's text syntax has no form for. A list of exceptions, so that whether a new field of the schema is printed
// or named in the comment has to be decided; text_test.cc compares the list with the parser.
#include <algorithm>
#include <set>
#include <type_traits>

#include "format/attribute_fields.h"
#include "format/notation.h"
#include "format/text.h"

namespace norn::format {
namespace {

template <class M>
bool has_form(std::string_view field) {
  const auto is = [&](auto... names) { return ((field == names) || ...); };
  if constexpr (std::is_same_v<M, ir::Model>)
    return !is("training_info", "configuration");
  else if constexpr (std::is_same_v<M, ir::Graph>)
    return !is("doc_string", "quantization_annotation", "metadata_props");
  else if constexpr (std::is_same_v<M, ir::Node>)
    return !is("doc_string", "metadata_props", "device_configurations");
  else if constexpr (std::is_same_v<M, ir::Function>)
    return !is("metadata_props");
  else if constexpr (std::is_same_v<M, ir::ValueInfo>)
    return !is("doc_string", "metadata_props");
  else if constexpr (std::is_same_v<M, ir::Tensor>)
    return !is("doc_string", "segment", "metadata_props");
  else if constexpr (std::is_same_v<M, ir::Attribute>)
    return !is("doc_string");
  else if constexpr (std::is_same_v<M, ir::Type> || std::is_same_v<M, ir::Dimension>)
    return !is("denotation");
  else
    return true;
}

// Not text + text, of which GCC 12 warns where it is inlined.
std::string unknown_fields_of(std::string_view message) {
  std::string text = "unknown fields of ";
  return text.append(message);
}

class Collector {
 public:
  template <class M>
  void message(const M& m) {
    if (!m.unknown.empty()) names.insert(unknown_fields_of(Message<M>::name));
    for_each_field<M>([&](const auto& row) {
      const auto& member = ir::plain(m.*row.member);
      if (!is_set(member)) return;
      if (!has_form<M>(row.name) || is_second_value(m, row.name))
        names.insert(std::string(Message<M>::name) + "." + row.name);
      else
        inside(member);
    });
  }

  std::set<std::string> names;

 private:
  // Of an attribute that has values in several fields, or refers to another and has one, one is written.
  template <class M>
  static bool is_second_value(const M& m, std::string_view field) {
    if constexpr (std::is_same_v<M, ir::Attribute>)
      return is_value_field(field) && (m.ref_attr_name.has() || field != value_field(m.kind()));
    return false;
  }
  template <class T>
  void inside(const T&) {}
  template <class T>
  void inside(const ir::Box<T>& f) {
    message(*f);
  }
  template <class T>
    requires std::is_class_v<T>
  void inside(const std::vector<T>& f) {
    if constexpr (requires(T v) { v.unknown; })
      for (const T& v : f) message(v);
  }
};

}  // namespace

template <class T>
std::string left_out(const T& part) {
  Collector collector;
  collector.message(part);
  if (collector.names.empty()) return {};
  std::string text = "# Left out, because the syntax has no form for it: ";
  const char* separator = "";
  for (const auto& name : collector.names) {
    (text += separator) += name;
    separator = ", ";
  }
  return text += '\n';
}

template std::string left_out(const ir::Model&);
template std::string left_out(const ir::Graph&);
template std::string left_out(const ir::Function&);
template std::string left_out(const ir::Node&);

}  // namespace norn::format
