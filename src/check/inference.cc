// Types and shapes: what inference of the whole document finds, as findings under the rules that need types.
//
// Faults of signatures (arity, attributes, calls) are found without types, by the other areas, and left out here.
#include "infer/document.h"

#include <string>

#include "base/text.h"
#include "check/rule_checks.h"

namespace norn::checks {
namespace {

// Where inference found it is a text already.
Place place_of(const std::string& where) { return {.kind = where.c_str()}; }

void report_node(Context& ctx, const infer::Problem& p, const Place& at) {
  using infer::Fault;
  switch (p.fault) {
    case Fault::Signature: break;
    case Fault::LeftOut: ctx.report("function.call.arity", at, p.message, p.hint); break;
    case Fault::InputType: ctx.report("node.inputs.types", at, p.message, p.hint); break;
    case Fault::Conversion:
      ctx.report("node.optional.dynamic-convert", at, p.message,
                 p.hint.empty() ? "Optional makes an optional of a value, OptionalGetElement takes it out" : p.hint);
      break;
    case Fault::TypeVariable: ctx.report("node.inputs.type-var-consistent", at, p.message, p.hint); break;
    case Fault::OutputType: ctx.report("node.outputs.types", at, p.message, p.hint); break;
    case Fault::Rule:
      if (ctx.was_found(p.part)) break;
      [[fallthrough]];
    case Fault::Meaning:
      ctx.report("infer.node.shapes", at, p.message,
                 p.hint.empty() ? "correct this node, what it reads, or the sizes that are declared" : p.hint);
      break;
  }
}

}  // namespace

void check_inference(Context& ctx, const ir::Model& model, const infer::DocumentOptions& options) {
  infer::DocumentFacts facts;
  infer::infer_document(model, options, facts);
  for (const infer::Problem& p : facts.problems) {
    const Place at = place_of(p.where);
    switch (p.kind) {
      case infer::Problem::Kind::Node: report_node(ctx, p, at); break;
      case infer::Problem::Kind::DeclaredType: ctx.report("infer.merge.elem-conflict", at, p.message, p.hint); break;
      case infer::Problem::Kind::DeclaredShape: ctx.report("infer.merge.value-conflict", at, p.message, p.hint); break;
      // Exporters use one name for sizes that only happen to be equal in their example.
      case infer::Problem::Kind::Variables: ctx.warn("infer.merge.value-conflict", at, p.message, p.hint); break;
    }
  }
  if (facts.without_inference.empty()) return;
  std::size_t nodes = 0;
  std::string names;
  for (const auto& [name, count] : facts.without_inference) {
    nodes += count;
    names += (names.empty() ? "" : ", ") + name;
  }
  ctx.report("infer.complete", {},
             "the types and shapes of " + base::counted(nodes, "node") + " could not be inferred: this Norn has no " +
                 "inference for " + names,
             "faults that show behind such nodes only are not found");
}

}  // namespace norn::checks
