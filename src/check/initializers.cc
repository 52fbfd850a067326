// Rules about initializers beside their tensors' contents.
//
// Up to IR 3 every initializer is also an input, its default, and this holds in nested graphs too: there the operator
// feeds the leading inputs, and the constants follow. From IR 4 on an initializer that is not an input is a constant,
// and nested graphs do not list constants as inputs any more.
#include <algorithm>
#include <string>

#include "check/rule_checks.h"
#include "check/text.h"
#include "infer/body_faults.h"
#include "infer/model_faults.h"
#include "ir/walk.h"
#include "opset/registry.h"

namespace norn::checks {
namespace {

void check_nested_inputs(Context& ctx, const Place& place, const ir::Graph& graph, const ir::Node* owner) {
  TextSet constants;
  for (const auto& tensor : graph.initializer) constants.insert(tensor.name.get());
  for (const auto& sparse : graph.sparse_initializer) {
    if (sparse.values) constants.insert(sparse.values->name.get());
  }
  const std::int64_t fed = owner ? infer::fed_inputs(opset::find_operator(owner->domain.get(), owner->op_type.get()),
                                                     ctx.operators().imports().version(""), owner->input.size())
                                 : -1;
  bool after_constant = false;
  for (std::size_t i = 0; i < graph.input.size(); ++i) {
    const bool constant = constants.contains(graph.input[i].name.get());
    const Place at = place.value("input", i, graph.input[i]);
    if (constant) {
      after_constant = true;
      // Operators may allow it; those that ONNX defines do not.
      if (owner && fed < 0) {
        ctx.warn("init.subgraph.no-input-alias", at,
                 "a nested graph's input is an initializer too; whether the operator " + quoted(owner->op_type.get()) +
                     " allows that is not known",
                 "leave constants out of the inputs");
      } else {
        ctx.report("init.subgraph.no-input-alias", at, "a nested graph's input is an initializer too",
                   "leave constants out of the inputs");
      }
      if (static_cast<std::int64_t>(i) < fed) {
        ctx.report("init.subgraph.actuals-not-init", at, "the operator feeds this input, yet it is an initializer",
                   "list constants after the inputs that the operator feeds");
      }
    } else if (after_constant) {
      ctx.report("init.subgraph.order", at, infer::input_behind_constant());
    }
  }
}

// Whether a tensor of the type and shape may be a value that is declared so.
bool may_be(const ir::TypeTensor& declared, const ir::Field<std::int32_t>& elem_type,
            std::span<const std::int64_t> shape) {
  if (declared.elem_type.has() && elem_type.has() && declared.elem_type.get() != elem_type.get()) return false;
  if (!declared.shape) return true;
  const auto& dims = declared.shape->dim;
  if (dims.size() != shape.size()) return false;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const ir::Dimension& dim = dims[i];
    if (dim.dim_value.has() && dim.dim_value.get() >= 0 && dim.dim_value.get() != shape[i]) return false;
  }
  return true;
}

}  // namespace

void check_default(Context& ctx, const Place& place, const ir::Field<std::int32_t>& elem_type,
                   std::span<const std::int64_t> shape, const ir::ValueInfo& input) {
  if (!input.type) return;
  const ir::TypeTensor* type = input.type->tensor_type          ? &*input.type->tensor_type
                               : input.type->sparse_tensor_type ? &*input.type->sparse_tensor_type
                                                                : nullptr;
  const bool other_kind =
      input.type->sequence_type || input.type->map_type || input.type->optional_type || input.type->opaque_type;
  if (type ? may_be(*type, elem_type, shape) : !other_kind) return;
  const bool named = elem_type.get() >= 0 && elem_type.get() < kDataTypeCount;
  const std::string elem(named ? data_type_name(static_cast<DataType>(elem_type.get())) : "?");
  ctx.report("init.type-matches-input", place,
             infer::default_of_other_type(elem + norn::to_string(Shape(shape.begin(), shape.end())),
                                          ir::describe_type(*input.type)));
}

Initializers check_initializers(Context& ctx, const Place& place, const ir::Graph& graph, GraphRole role,
                                const ir::Node* owner) {
  // One pass: tensors are large, and there may be as many as nodes.
  Initializers found;
  found.names.reserve(graph.initializer.size());
  for (std::size_t i = 0; i < graph.initializer.size(); ++i) {
    const ir::Tensor& tensor = graph.initializer[i];
    const Place at = place.of_tensor("initializer", static_cast<std::int64_t>(i), tensor);
    if (tensor.name.get().empty()) {
      ctx.report("init.name", at, "the initializer has no name, so nothing can refer to it");
    }
    found.names.push_back(tensor.name.get());
    if (tensor.segment) found.parts.push_back(i);
    check_tensor(ctx, at, tensor, TensorUse::Initializer);
    check_tensor_versions(ctx, at, tensor);
    ctx.add_stored(tensor);
  }
  if (role == GraphRole::Nested && !graph.input.empty() &&
      !(graph.initializer.empty() && graph.sparse_initializer.empty())) {
    check_nested_inputs(ctx, place, graph, owner);
  }
  return found;
}

}  // namespace norn::checks
