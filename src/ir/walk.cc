#include "ir/walk.h"

#include "base/text.h"
#include "norn/types.h"

namespace norn::ir {
namespace {

using base::quoted;

std::string type_name(std::int32_t number) {
  auto name =
      number > 0 && number < kDataTypeCount ? data_type_name(static_cast<DataType>(number)) : std::string_view();
  return name.empty() ? "undefined" + (number ? "(" + std::to_string(number) + ")" : std::string()) : std::string(name);
}

std::string with_shape(const TypeTensor& t) {
  constexpr std::size_t kMostDims = 32;  // shown
  std::string text = type_name(t.elem_type);
  if (!t.shape) return text;
  text += '[';
  for (std::size_t i = 0; i < t.shape->dim.size(); ++i) {
    const Dimension& d = t.shape->dim[i];
    if (i) text += ',';
    if (i == kMostDims) {
      text += "...";
      break;
    }
    if (d.dim_value.has())
      text += std::to_string(d.dim_value.get());
    else if (!d.dim_param.get().empty())
      text += d.dim_param.get();
    else
      text += '?';
  }
  return text + "]";
}

std::string opaque(const TypeOpaque& o) {
  return "opaque(" + (o.domain.get().empty() ? std::string() : o.domain.get() + ",") + o.name.get() + ")";
}

// visit(tensor, loaded_inside), for a document that may change and for one that may not.

template <class Visit>
void visit_sparse(auto& sparse, Visit& visit) {
  if (sparse.values) visit(*sparse.values, true);
  if (sparse.indices) visit(*sparse.indices, true);
}

// `in_function`: readers of external data look at the tensors of a function's nodes, but not at initializers of their
// graphs.
template <class Visit>
void visit_graph(auto& graph, Visit& visit, bool in_function);

// A list that may be Rare, which is not asked for elements that it does not have.
void each(auto& list, auto&& visit) {
  if (list.empty()) return;
  for (auto& element : list) visit(element);
}

template <class Visit>
void visit_attributes(auto& attributes, Visit& visit, bool in_function) {
  for (auto& a : attributes) {
    if (a.t) visit(*a.t, false);
    if (a.g) visit_graph(*a.g, visit, in_function);
    if (a.sparse_tensor) visit_sparse(*a.sparse_tensor, visit);
    each(a.tensors, [&](auto& t) { visit(t, false); });
    each(a.graphs, [&](auto& g) { visit_graph(g, visit, in_function); });
    each(a.sparse_tensors, [&](auto& s) { visit_sparse(s, visit); });
  }
}

template <class Visit>
void visit_graph(auto& graph, Visit& visit, bool in_function) {
  for (auto& t : graph.initializer) visit(t, in_function);
  for (auto& s : graph.sparse_initializer) visit_sparse(s, visit);
  for (auto& n : graph.node) visit_attributes(n.attribute, visit, in_function);
}

template <class Visit>
void visit_model(auto& model, Visit&& visit) {
  if (model.graph) visit_graph(*model.graph, visit, false);
  auto inside = [&](auto& tensor, bool) { visit(tensor, true); };
  for (auto& f : model.functions) {
    visit_attributes(f.attribute_proto, inside, true);
    for (auto& n : f.node) visit_attributes(n.attribute, visit, true);
  }
  for (auto& t : model.training_info) {
    if (t.initialization) visit_graph(*t.initialization, inside, false);
    if (t.algorithm) visit_graph(*t.algorithm, inside, false);
  }
}

}  // namespace

void for_each_tensor(const Model& model, const std::function<void(const Tensor&)>& visit) {
  visit_model(model, [&](const Tensor& tensor, bool) { visit(tensor); });
}

void for_each_tensor(Model& model, const std::function<void(Tensor& tensor, bool loaded_inside)>& visit) {
  visit_model(model, visit);
}

void for_each_graph(const Graph& graph, const std::function<void(const Graph&, const std::string&)>& visit,
                    const std::string& path) {
  const std::string here = path.empty() ? describe_graph(graph) : path;
  visit(graph, here);
  for (std::size_t n = 0; n < graph.node.size(); ++n) {
    const Node& node = graph.node[n];
    for (const Attribute& a : node.attribute) {
      if (!a.g && a.graphs.empty()) continue;
      const std::string place = here + " / " + describe_node(node, n) + " / attribute " + quoted(a.name.get());
      if (a.g) for_each_graph(*a.g, visit, place);
      for (std::size_t i = 0; i < a.graphs.size(); ++i) {
        for_each_graph(a.graphs[i], visit, place + "[" + std::to_string(i) + "]");
      }
    }
  }
}

std::string describe_node(const Node& node, std::size_t index) {
  std::string text = "node " + std::to_string(index);
  if (!node.name.get().empty()) text += " " + quoted(node.name.get());
  text += " (";
  const auto name = [&](std::string_view part) { base::append_escaped(text, part, "\"\\"); };
  if (auto domain = canonical_domain(node.domain.get()); !domain.empty()) name(domain), text += '.';
  name(node.op_type.get());
  return text += ')';
}

std::string describe_graph(const Graph& graph) { return "graph " + quoted(graph.name.get()); }

std::string describe_type(const Type& type) {
  if (type.tensor_type) return with_shape(*type.tensor_type);
  if (type.sparse_tensor_type) return "sparse " + with_shape(*type.sparse_tensor_type);
  const auto inner = [](const Box<Type>& t) { return t ? describe_type(*t) : std::string("?"); };
  if (type.sequence_type) return "seq(" + inner(type.sequence_type->elem_type) + ")";
  if (type.optional_type) return "optional(" + inner(type.optional_type->elem_type) + ")";
  if (type.map_type) return "map(" + type_name(type.map_type->key_type) + ", " + inner(type.map_type->value_type) + ")";
  if (type.opaque_type) return opaque(*type.opaque_type);
  return "?";
}

std::string type_string(const Type& type) {
  if (type.tensor_type) return "tensor(" + type_name(type.tensor_type->elem_type) + ")";
  if (type.sparse_tensor_type) return "sparse_tensor(" + type_name(type.sparse_tensor_type->elem_type) + ")";
  const auto inner = [](const Box<Type>& t) { return t ? type_string(*t) : std::string("?"); };
  if (type.sequence_type) return "seq(" + inner(type.sequence_type->elem_type) + ")";
  if (type.optional_type) return "optional(" + inner(type.optional_type->elem_type) + ")";
  if (type.map_type) return "map(" + type_name(type.map_type->key_type) + "," + inner(type.map_type->value_type) + ")";
  if (type.opaque_type) return opaque(*type.opaque_type);
  return "?";
}

}  // namespace norn::ir
