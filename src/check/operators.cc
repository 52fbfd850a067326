// Rules about which operator a node names: imported, declared, current.
//
// Names match by case. An operator of a domain that no known operator set declares is accepted unless the options say
// otherwise, since any producer may bring its own. The experimental operators of the first operator sets were
// withdrawn, but files that use them exist, and most of them run.
#include <string>
#include <utility>

#include "base/text.h"
#include "check/rule_checks.h"
#include "check/text.h"
#include "infer/operator_faults.h"
#include "opset/registry.h"

namespace norn::checks {
namespace {

infer::Importer importer(const Context& ctx) {
  return ctx.function() ? infer::Importer::Function : infer::Importer::Model;
}

void report_unknown(Context& ctx, const Place& place, const ir::Node& node, const BoundOperator& bound) {
  const std::string_view domain = ir::canonical_domain(node.domain.get());
  if (bound.op && bound.version < 1) return;  // the import is reported
  if (bound.op && bound.version < bound.op->history.front().since) {
    ctx.report("op.declared", place, infer::not_in_version(*bound.op, bound.version, importer(ctx)));
    return;
  }
  const auto similar = opset::similar_names(domain, node.op_type.get());
  const bool other_case = !bound.op && !similar.empty() && base::equal_but_case(similar.front(), node.op_type.get());
  infer::FaultText fault = infer::unknown_operator(domain, node);
  if (other_case)
    ctx.report("op.case-sensitive", place, std::move(fault));
  else
    ctx.report("op.declared", place, std::move(fault));
}

void report_not_imported(Context& ctx, const Place& place, const ir::Node& node, const BoundOperator& bound) {
  const std::string_view domain = ir::canonical_domain(node.domain.get());
  infer::FaultText fault =
      bound.function ? infer::not_imported(domain, importer(ctx)) : infer::not_imported(domain, node, importer(ctx));
  if (ctx.function()) {
    ctx.report("function.opset.import", place, std::move(fault));
  } else if (bound.function) {
    fault.message += ", though it holds the function that the node calls";
    ctx.report("function.opset.caller-domain", place, std::move(fault));
  } else {
    ctx.report("node.domain.imported", place, std::move(fault));
  }
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
        ctx.report("op.deprecated", place, infer::deprecated(*bound.op, *bound.schema, bound.version, importer(ctx)));
      }
      return;
    case Binding::Function: return;
    case Binding::Custom:
      if (const auto declared = declared_by_sets(ctx, node, bound); declared.known_domain) {
        if (!declared.declared_in) {
          ctx.report("op.declared", place,
                     infer::undeclared_operator(ir::canonical_domain(node.domain.get()), node, bound.version,
                                                ctx.operator_sets()));
        }
        return;
      }
      if (ctx.options().check_custom_domain && !ctx.operators().imports().missing()) {
        infer::FaultText fault = infer::unknown_operator(ir::canonical_domain(node.domain.get()), node);
        fault.hint += "; or allow operators of unknown domains";
        ctx.report("op.declared", place, std::move(fault));
      }
      return;
    case Binding::Experimental:
      return ctx.report("op.experimental-removed", place,
                        infer::unknown_operator(ir::canonical_domain(node.domain.get()), node));
    case Binding::NotImported: return report_not_imported(ctx, place, node, bound);
    case Binding::Unknown:
      if (!declared_by_sets(ctx, node, bound).declared_in) report_unknown(ctx, place, node, bound);
      return;
  }
}

}  // namespace norn::checks
