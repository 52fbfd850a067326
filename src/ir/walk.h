// Walking a document: every graph of a model, nested ones included, in document order.
#pragma once
#include <functional>
#include <string>

#include "ir/model.h"

namespace norn::ir {

// Calls visit(graph, path) for `graph` and every graph in its nodes' attributes, depth first. `path` is the place as
// error messages spell it: graph "main" / node 3 "if1" (If) / attribute "then_branch".
void for_each_graph(const Graph& graph, const std::function<void(const Graph&, const std::string& path)>& visit,
                    const std::string& path = {});

// Every tensor of a model: initializers, attributes' values, and both parts of sparse tensors, in all graphs, functions
// and training information.
void for_each_tensor(const Model& model, const std::function<void(const Tensor&)>& visit);
// `loaded_inside` is true for those that readers of external data, the onnx package among them, do not look at: parts
// of sparse tensors, training information, functions' defaults of attributes and initializers of graphs in functions.
void for_each_tensor(Model& model, const std::function<void(Tensor& tensor, bool loaded_inside)>& visit);

// 'node 12 "conv1" (Conv)'; without the name if it has none.
std::string describe_node(const Node& node, std::size_t index);
// 'graph "main"'
std::string describe_graph(const Graph& graph);

// A type as people read it: "float[N,3,224,224]", "int64[]" for a scalar, "float" when no shape is given,
// "seq(float[2])", "map(int64, float)", "optional(...)", "sparse float[4,4]", "opaque(d,n)", "?" when nothing is set.
std::string describe_type(const Type& type);
// As onnxruntime and the schemas spell it, without shapes: "tensor(float)", "seq(tensor(int64))".
std::string type_string(const Type& type);

}  // namespace norn::ir
