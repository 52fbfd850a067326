// Rules about a node against its operator's signature.
//
// Inputs and outputs match by position, attributes by name. An empty name stands for an omitted optional; trailing ones
// may be left off. Names that begin with two underscores are an implementation's own and escape the signature. What
// changed between versions is the common fault, so hints look at the operator's other versions.
#include <algorithm>
#include <span>
#include <string>

#include "base/text.h"
#include "check/rule_checks.h"
#include "check/text.h"
#include "infer/body_faults.h"
#include "infer/signature.h"
#include "ir/constants.h"
#include "ir/walk.h"
#include "ops/controlflow/if/if.h"
#include "ops/nn/batch_normalization/batch_normalization.h"

namespace norn::checks {
namespace {

using base::counted;

std::string operator_text(const BoundOperator& bound) {
  return opset::full_name(*bound.op) + " (version " + std::to_string(bound.schema->since) + ")";
}

bool ends_variadic(std::span<const opset::Param> params) {
  return !params.empty() && params.back().option == opset::ParamOption::Variadic;
}

void check_counts(Context& ctx, const Place& place, const ir::Node& node, const BoundOperator& bound) {
  const auto count = [&](bool inputs, std::size_t given, int least, int most) {
    if (given >= static_cast<std::size_t>(least) && given <= static_cast<std::size_t>(most)) return;
    const std::span<const opset::Param> params = inputs ? bound.schema->inputs : bound.schema->outputs;
    const auto fault = infer::wrong_count(inputs, given, least, most, *bound.op, *bound.schema);
    const bool too_few = given < static_cast<std::size_t>(least);
    if (too_few && ends_variadic(params) && (!inputs || given + 1 >= params.size()))
      ctx.report("node.variadic.min-arity", place, fault.message);
    else
      ctx.report(inputs ? Rule("node.inputs.count") : Rule("node.outputs.count"), place, fault.message, fault.hint);
  };
  count(true, node.input.size(), bound.min_inputs, bound.max_inputs);
  if (!node.output.empty()) count(false, node.output.size(), bound.min_outputs, bound.max_outputs);
}

void check_empty_names(Context& ctx, const Place& place, const ir::Node& node, const BoundOperator& bound) {
  const opset::Schema& schema = *bound.schema;
  for (std::size_t i = 0; i < node.input.size(); ++i) {
    if (!node.input[i].empty()) continue;
    const opset::Param* param = infer::param_at(schema.inputs, i);
    if (!param) break;
    const auto fault = [&] { return infer::empty_input(i, node.input.size(), *bound.op, schema); };
    if (param->option == opset::ParamOption::Single) {
      ctx.report("node.inputs.required-empty", ctx.input(place, node, i), fault());
    } else if (param->option == opset::ParamOption::Variadic && param->homogeneous) {
      ctx.report("node.variadic.no-holes", ctx.input(place, node, i), fault());
    }
  }
  for (std::size_t i = 0; i < node.output.size(); ++i) {
    if (!node.output[i].empty()) continue;
    const opset::Param* param = infer::param_at(schema.outputs, i);
    if (!param) break;
    if (param->option == opset::ParamOption::Single) {
      ctx.report("node.outputs.required-empty", ctx.output(place, node, i),
                 "the output " + quoted(param->name) + " is required; an empty name leaves it out");
    }
  }
}

void check_attributes(Context& ctx, const Place& place, const ir::Node& node, const BoundOperator& bound) {
  const opset::Schema& schema = *bound.schema;
  for (const ir::Attribute& attribute : node.attribute) {
    const std::string& name = attribute.name.get();
    if (name.starts_with("__") || name.empty()) continue;
    const opset::Attr* expected = opset::find_attr(schema, name);
    if (!expected) {
      const auto fault = infer::unknown_attribute(name, *bound.op, schema);
      ctx.report("node.attributes.known", place.attribute(attribute), fault.message, fault.hint);
      continue;
    }
    const ir::AttributeType given = attribute.kind();
    if (given != expected->type && given != ir::AttributeType::Undefined) {
      const auto fault = infer::attribute_of_other_type(attribute, *expected, *bound.op, schema);
      ctx.report("node.attributes.type", place.attribute(attribute), fault.message, fault.hint);
    }
  }
  if (!bound.requires_attributes) return;
  for (const opset::Attr& expected : schema.attrs) {
    if (!expected.required) continue;
    const bool given = std::any_of(node.attribute.begin(), node.attribute.end(),
                                   [&](const ir::Attribute& a) { return a.name.get() == expected.name; });
    if (given) continue;
    const auto fault = infer::missing_attribute(expected, *bound.op, schema);
    ctx.report("node.attributes.required", place, fault.message, fault.hint);
  }
}

// The attribute that holds a graph.
const ir::Attribute* body_of(const ir::Node& node, std::string_view name) {
  for (const ir::Attribute& attribute : node.attribute) {
    if (attribute.name.get() == name && attribute.g) return &attribute;
  }
  return nullptr;
}

// The numbers of a graph's inputs and outputs, beside those that the node has.
void check_body_counts(Context& ctx, const Place& place, const ir::Node& node, const BoundOperator& bound,
                       const ir::Attribute& holder) {
  using Of = infer::BodyFault::Of;
  const ir::Graph& body = *holder.g;
  const Place in = place.attribute(holder);
  const Place at = in.graph(body);
  const bool branch = bound.op->control_flow == opset::ControlFlow::If;
  for (infer::BodyFault& fault :
       infer::body_faults(*bound.op, bound.version, node.input.size(), node.output.size(), node.attribute, body)) {
    Rule rule = branch ? Rule("exec.if.outputs-match") : Rule("node.outputs.count");
    if (fault.of == Of::Inputs) rule = branch ? Rule("exec.if.no-inputs") : Rule("node.inputs.count");
    if (fault.of == Of::Condition) rule = Rule("exec.loop.cond-required-out");
    ctx.report(rule, at, std::move(fault.text));
  }
}

bool may_agree(std::int32_t a, std::int32_t b) { return a == b || a == 0 || b == 0; }

// Whether two types, of which parts may be unknown, can be the same. Shapes may differ.
bool may_agree(const ir::Box<ir::Type>& a, const ir::Box<ir::Type>& b) {
  if (!a || !b) return true;
  const auto stated = [](const ir::Type& t) {
    return t.tensor_type || t.sparse_tensor_type || t.sequence_type || t.optional_type || t.map_type || t.opaque_type;
  };
  if (!stated(*a) || !stated(*b)) return true;
  const auto elements = [](const auto& x, const auto& y) { return may_agree(x->elem_type, y->elem_type); };
  if (a->tensor_type && b->tensor_type) return elements(a->tensor_type, b->tensor_type);
  if (a->sparse_tensor_type && b->sparse_tensor_type) return elements(a->sparse_tensor_type, b->sparse_tensor_type);
  if (a->sequence_type && b->sequence_type) return elements(a->sequence_type, b->sequence_type);
  if (a->optional_type && b->optional_type) return elements(a->optional_type, b->optional_type);
  if (a->map_type && b->map_type) {
    return may_agree(a->map_type->key_type, b->map_type->key_type) &&
           may_agree(a->map_type->value_type, b->map_type->value_type);
  }
  return ir::type_string(*a) == ir::type_string(*b);
}

void check_if(Context& ctx, const Place& place, const ir::Node& node, const BoundOperator& bound) {
  const ir::Attribute* then_branch = body_of(node, ops::kThenBranch);
  const ir::Attribute* else_branch = body_of(node, ops::kElseBranch);
  for (const ir::Attribute* branch : {then_branch, else_branch}) {
    if (branch) check_body_counts(ctx, place, node, bound, *branch);
  }
  if (!then_branch || !else_branch) return;
  const auto &thens = then_branch->g->output, &elses = else_branch->g->output;
  for (std::size_t i = 0; i < std::min(thens.size(), elses.size()); ++i) {
    if (may_agree(thens[i].type, elses[i].type)) continue;
    ctx.report("exec.if.outputs-match", place,
               ops::branches_differ(i, ir::describe_type(*thens[i].type), ir::describe_type(*elses[i].type)),
               ops::kBranchesDifferHint);
    ctx.found_before_inference(node);
  }
}

// Of Loop, Scan and SequenceMap: what the node has and what its body has match one by one.
void check_repeated_body(Context& ctx, const Place& place, const ir::Node& node, const BoundOperator& bound) {
  if (const ir::Attribute* holder = body_of(node, "body")) check_body_counts(ctx, place, node, bound, *holder);
}

// BatchNormalization gives its first output alone or all of them; from version 14 on, statistics come out of training
// mode only.
void check_named_outputs(Context& ctx, const Place& place, const ir::Node& node, const BoundOperator& bound) {
  const std::size_t outputs = node.output.size(), all = bound.schema->outputs.size();
  if (bound.op != &ops::BatchNormalization || outputs < 2 || outputs > all) return;
  if (outputs < all) {
    ctx.report("node.outputs.count", place,
               counted(outputs, "output") + "; " + operator_text(bound) + " gives 1 or all " + std::to_string(all),
               "name those that nothing reads \"\"");
  }
  if (bound.schema->since < 14) return;
  for (const ir::Attribute& attribute : node.attribute) {
    if (attribute.name.get() == "training_mode" && (attribute.i.get() != 0 || !attribute.ref_attr_name.get().empty())) {
      return;
    }
  }
  const bool named = std::any_of(node.output.begin() + 1, node.output.end(), [](const auto& n) { return !n.empty(); });
  if (!named) return;
  ctx.report("node.outputs.named-iff-computed", place, ops::kStatisticsOutsideTraining, ops::kStatisticsHint);
  ctx.found_before_inference(node);
}

}  // namespace

void check_signature(Context& ctx, const Place& place, const ir::Node& node, const BoundOperator& bound) {
  if (node.output.empty()) {
    ctx.report("node.outputs.at-least-one", place, "the node has no outputs, so it computes nothing");
  }
  if (node.attribute.size() > 1) {
    const auto twice = [&](const ir::Attribute& attribute) {
      ctx.report("attr.unique", place.attribute(attribute), "the node has this attribute twice");
    };
    if (node.attribute.size() <= 16) {
      for (std::size_t i = 1; i < node.attribute.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          if (node.attribute[i].name.get() != node.attribute[j].name.get()) continue;
          twice(node.attribute[i]);
          break;
        }
      }
    } else {
      NameSet seen;
      for (const ir::Attribute& attribute : node.attribute) {
        if (!seen.insert(attribute.name.get())) twice(attribute);
      }
    }
  }
  if (bound.binding != Binding::Schema) return;
  check_counts(ctx, place, node, bound);
  check_empty_names(ctx, place, node, bound);
  check_attributes(ctx, place, node, bound);
  switch (bound.op->control_flow) {
    case opset::ControlFlow::None: break;
    case opset::ControlFlow::If: check_if(ctx, place, node, bound); break;
    default: check_repeated_body(ctx, place, node, bound);
  }
  if (bound.op->domain.empty()) check_named_outputs(ctx, place, node, bound);
}

}  // namespace norn::checks
