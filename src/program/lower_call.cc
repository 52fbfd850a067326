// Calls: a function's body in place of the node. A body sees its formal parameters only and imports operator sets of
// its own, but its nodes land in the caller's graph. Bodies come from the model's own functions, which go before
// operators of the same name, from loaded operator sets, which come after what can be run already (binding.cc), and
// from ONNX's definition of an operator that has no kernel.
#include <algorithm>
#include <cstdint>
#include <memory>

#include "infer/function_body.h"
#include "ir/operator_set.h"
#include "norn/error.h"
#include "opset/reference.h"
#include "opset/registry.h"
#include "opset/type_not_known.h"
#include "program/inlined.h"
#include "program/lowerer.h"

namespace norn::program {

std::uint64_t Lowerer::expanded_size(const std::vector<ir::Node>& nodes, int depth) {
  if (depth > infer::kMaxCallDepth + options_.limits.max_depth) return 0;  // refused when lowering comes there
  std::uint64_t size = 0;
  const auto add = [&](std::uint64_t more) { size = size > UINT64_MAX - more ? UINT64_MAX : size + more; };
  for (const ir::Node& node : nodes) {
    add(1);
    for (const ir::Attribute& attr : node.attribute) {
      if (attr.g) add(expanded_size(attr.g->node, depth + 1));
    }
    const ir::Function* callee = functions_.find(ir::canonical_domain(node.domain.get()), node);
    if (!callee) continue;
    const auto [at, is_new] =
        expanded_sizes_.try_emplace(callee, 0);  // 0 while it is open: a call of itself is refused
    if (is_new) {
      const std::uint64_t body = expanded_size(callee->node, depth + 1);
      expanded_sizes_[callee] = body;
      add(body);
    } else {
      add(at->second);
    }
  }
  return size;
}

void Lowerer::inline_call(const ir::Node& node, const ir::Function& function, Scope& scope, const Place& place,
                          const std::string& path, bool standard) {
  count_node();  // a body may be empty
  Call call = infer::begin_call(function, node, place.call);
  const std::vector<ir::Attribute> given =
      infer::resolve_attributes(node, place.call, model_.ir_version.get(), options_.external);
  for (const ir::Attribute& attr : given) call.attributes[attr.name] = &attr;

  // A graph of the node's, which a body of one of ONNX's operators runs, sees what the node sees.
  const bool sees_caller = standard && function.opset_import.empty();
  if (sees_caller && place.call) call.attributes.insert(place.call->attributes.begin(), place.call->attributes.end());

  Graph& graph = scope.graph();
  Scope body(graph, sees_caller ? &scope : nullptr, Scope::Of::Function);
  for (std::size_t i = 0; i < node.input.size(); ++i)
    if (!node.input[i].empty() && !body.has(function.input[i]))
      body.define(function.input[i], scope.capture(node.input[i]), infer::Definer::Input);
  for (const std::string& formal : function.input)
    if (!body.has(formal)) body.omit(formal);

  const Imports own = infer::imports_of(function.opset_import, model_.ir_version.get());
  Place inside;
  inside.path = path;
  inside.imports = function.opset_import.empty() ? place.imports : &own;
  inside.call = &call;
  inside.standard = standard && !sees_caller;
  inside.in_operator = place.in_operator || standard;
  const std::size_t first_value = graph.values.size();
  lower_nodes(function.node, body, inside);

  // Body values are named after the call, so that two calls of a function do not share names.
  const std::string prefix = node.name.get().empty() ? function.name.get() + "_" + fresh_suffix() : node.name.get();
  for (std::size_t i = first_value; i < graph.values.size(); ++i)
    graph.values[i].name = prefix + "/" + graph.values[i].name;
  for (std::size_t i = 0; i < node.output.size(); ++i) {
    if (node.output[i].empty()) continue;
    const ValueId id = body.find(function.output[i]);
    if (id == kNone && body.omits(function.output[i]))
      throw Error(ErrorCode::InvalidGraph,
                  "the function's output \"" + function.output[i] + "\" is an input that the call leaves out");
    if (id == kNone) {
      infer::FaultText fault = infer::undefined_output(function.output[i], true, body.similar(function.output[i]));
      throw Error(ErrorCode::InvalidGraph, std::move(fault.message), {}, std::move(fault.hint));
    }
    scope.define(node.output[i], id);
    if (id >= first_value) graph.value(id).name = node.output[i];
  }
}

Lowerer::Body Lowerer::inline_body(const transform::BoundNode& bound, const std::vector<ValueId>& inputs, Scope& scope,
                                   const Place& place, const std::string& path) {
  const opset::Operator& op = *bound.op;
  if (!runs_as_body(op, *bound.schema)) return Body::None;
  std::vector<const opset::ValueType*> types;
  std::vector<const norn::Tensor*> constants;
  for (ValueId id : inputs) {
    const Value* value = id == kNone ? nullptr : &scope.graph().value(id);
    types.push_back(value ? &value->type : nullptr);
    constants.push_back(value && value->is_constant() && value->constant.defined() ? &value->constant : nullptr);
  }
  std::vector<bool> wanted;
  for (const std::string& output : bound.node.output) wanted.push_back(!output.empty());
  Inlined inlined{path, opset::full_name(op), {}};
  for (ValueId id : inputs)
    inlined.inputs.push_back(id == kNone ? Inlined::Input{}
                                         : Inlined::Input{scope.graph().value(id).name, scope.graph().value(id).type});
  try {
    const auto body =
        infer::function_body(op, opset::Attrs(*bound.schema, bound.node.attribute), types, wanted, constants);
    inline_call(bound.node, *body, scope, place, path, true);
  } catch (const opset::TypeNotKnown& e) {
    if (options_.may_wait) {
      waits_ = true;
      return Body::Waits;
    }
    if (place.in_operator) throw;
    throw of_operator(inlined, e, describe_inputs(inlined), e.hint());
  } catch (const Error& e) {
    if (place.in_operator) throw;
    const bool foreign = e.code() == ErrorCode::InvalidGraph && is_in_body(inlined, e.where());
    const auto* guard = dynamic_cast<const GuardRefuses*>(&e);
    throw of_operator(inlined, e, describe_inputs(inlined), foreign ? std::string() : e.hint(),
                      guard ? guard->asked() : std::string());
  }
  if (!place.in_operator) scope.graph().inlined.push_back(std::move(inlined));
  return Body::Inlined;
}

}  // namespace norn::program
