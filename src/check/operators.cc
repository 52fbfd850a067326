// Rules about which operator a node names: imported, declared, current.
//
// Names match by case. An operator of a domain that no known operator set declares is accepted unless the options say
// otherwise, since any producer may bring its own. The experimental operators of the first operator sets were
// withdrawn, but files that use them are around, and most of them run.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "check/rule_checks.h"
#include "check/text.h"
#include "opset/registry.h"

namespace norn::checks {
namespace {

void report_unknown(Context& ctx, const Place& place, const ir::Node& node, const BoundOperator& bound) {
  const std::string_view domain = ir::canonical_domain(node.domain.get());
  const std::string op = quoted(node.op_type.get());
  const std::string set = domain_text(domain) + " " + std::to_string(bound.version);
  if (bound.op && !bound.op->history.empty()) {
    const int first = bound.op->history.front().since;
    ctx.report("op.declared", place,
               op + " is not declared by " + set + ": it exists from version " + std::to_string(first),
               "import " + domain_text(domain) + " " + std::to_string(first) + " or newer");
    return;
  }
  const auto similar = opset::similar_names(domain, node.op_type.get());
  if (!similar.empty() && base::equal_but_case(similar.front(), node.op_type.get())) {
    ctx.report("op.case-sensitive", place, op + " is not an operator of " + set + "; case matters",
               "write " + quoted(similar.front()));
    return;
  }
  std::string hint;
  for (std::string_view name : similar) hint += (hint.empty() ? "did you mean " : ", ") + quoted(name);
  if (hint.empty() && domain == "ai.onnx.preview.training" && node.op_type.get() == "GraphCall") {
    hint = "only release 1.7 had it; since 1.8 the algorithm and the main graph are joined";
  }
  for (std::string_view other : {std::string_view{}, std::string_view("ai.onnx.ml")}) {
    if (!hint.empty() || other == domain || !opset::find_operator(other, node.op_type.get())) continue;
    hint = "it is an operator of " + domain_text(other) + ": set the node's domain to " + quoted(other);
  }
  if (hint.empty()) hint = "an operator of your own belongs into a domain of your own, or into a function of the model";
  ctx.report("op.declared", place, op + " is not declared by " + set, std::move(hint));
}

void report_not_imported(Context& ctx, const Place& place, const ir::Node& node, const BoundOperator& bound) {
  const std::string_view domain = ir::canonical_domain(node.domain.get());
  const int newest = opset::newest_version(domain);
  std::string hint =
      "add {domain: " + quoted(domain) + ", version: " + std::to_string(std::max(1, newest)) + "} to opset_import";
  const std::string what = "the node's domain " + domain_text(domain) + " is not imported";
  if (ctx.function()) {
    ctx.report("function.opset.import", place, what + " by the function", hint + " of the function");
  } else if (bound.function) {
    ctx.report("function.opset.caller-domain", place, what + ", though it holds the function that the node calls",
               std::move(hint));
  } else {
    ctx.report("node.domain.imported", place, what, std::move(hint));
  }
}

// The way out: a version in which the operator is not deprecated, or another operator.
std::string deprecated_hint(const BoundOperator& bound) {
  const int since = bound.schema->since;
  const opset::Schema* earlier = nullptr;
  for (const auto& row : bound.op->history) {
    if (row.since < since)
      earlier = &row;
    else if (row.since > since && !row.deprecated) {
      return "from version " + std::to_string(row.since) + " on it is not deprecated: import that";
    }
  }
  std::string replace = "replace the node by the operator that took its place";
  if (!earlier || earlier->deprecated) return replace;
  return "import a version below " + std::to_string(since) + ", or " + replace;
}

// What operator-set documents declare.
ir::DeclaredOperator declared_by_sets(const Context& ctx, const ir::Node& node, const BoundOperator& bound) {
  if (ctx.operator_sets().empty() || bound.version < 0) return {};
  return ir::find_declared(ctx.operator_sets(), node.domain.get(), node.op_type.get(), node.overload.get(),
                           bound.version);
}

void report_experimental(Context& ctx, const Place& place, const ir::Node& node) {
  ctx.report("op.experimental-removed", place,
             node.op_type.get() + " is one of the experimental operators that were withdrawn",
             "replace it by operators of the current set");
}

void report_undeclared(Context& ctx, const Place& place, const ir::Node& node, const BoundOperator& bound) {
  ctx.report("op.declared", place,
             "the operator set " + domain_text(ir::canonical_domain(node.domain.get())) + " has no operator " +
                 quoted(node.op_type.get()) + " in version " + std::to_string(bound.version) + ", by its document",
             "names are case-sensitive");
}

}  // namespace

void check_operator(Context& ctx, const Place& place, const ir::Node& node, const BoundOperator& bound) {
  if (node.op_type.get().empty()) {
    ctx.report("node.op-type", place, "the node names no operator", "set op_type");
    return;
  }
  if (!node.overload.get().empty() && !bound.function) {
    ctx.report("function.overload.resolves", place,
               "no function of the model has the overload " + quoted(node.overload.get()) + " that the node names");
  }
  switch (bound.binding) {
    case Binding::Schema:
      if (opset::was_experimental(*bound.op)) {
        report_experimental(ctx, place, node);
      } else if (bound.schema->deprecated) {
        ctx.report("op.deprecated", place,
                   node.op_type.get() + " is deprecated since version " + std::to_string(bound.schema->since) + " of " +
                       domain_text(ir::canonical_domain(node.domain.get())),
                   deprecated_hint(bound));
      }
      return;
    case Binding::Function: return;
    case Binding::Custom:
      if (const auto declared = declared_by_sets(ctx, node, bound); declared.known_domain) {
        if (!declared.declared_in) report_undeclared(ctx, place, node, bound);
        return;
      }
      if (ctx.options().check_custom_domain && !ctx.operators().imports().missing()) {
        ctx.report("op.declared", place,
                   quoted(node.op_type.get()) + ": no known operator set " + "declares operators of the domain " +
                       domain_text(node.domain.get()),
                   "give its operator-set document, or allow operators of unknown domains");
      }
      return;
    case Binding::Experimental: return report_experimental(ctx, place, node);
    case Binding::NotImported: return report_not_imported(ctx, place, node, bound);
    case Binding::Unknown:
      if (!declared_by_sets(ctx, node, bound).declared_in) report_unknown(ctx, place, node, bound);
      return;
  }
}

}  // namespace norn::checks
