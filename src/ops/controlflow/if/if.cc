// If: one of two graphs that see the enclosing scope. The runtime runs it; there is no kernel.
//
// Trap: of a condition known beforehand only the branch taken is inferred. Exporters leave the other one in the file
// although it does not fit the shapes at hand ("if the rank is 3, squeeze").
#include "ops/controlflow/if/if.h"

#include <string>
#include <utility>
#include <vector>

#include "ops/sequence/sequence_basic/sequence_basic.h"
#include "opset/infer_context.h"
#include "opset/inference_faults.h"
#include "opset/type_check.h"

namespace norn::ops {

using namespace opset;

inline namespace if_cc {
namespace {

constexpr Param kInputs[] = {{.name = "cond", .type = "B"}};
constexpr Param kOutputs[] = {{.name = "outputs", .type = "V", .option = ParamOption::Variadic, .homogeneous = false}};
constexpr Attr kAttrs[] = {
    {.name = kElseBranch, .type = ir::AttributeType::Graph, .required = true},
    {.name = kThenBranch, .type = ir::AttributeType::Graph, .required = true},
};

constexpr TypeConstraint kTypes1[] = {{"V", tensors(types::kAll)}, {"B", tensors(types::kBool)}};
constexpr TypeConstraint kTypes13[] = {
    {"V", tensors(types::kAll) | sequences(types::kAll)},
    {"B", tensors(types::kBool)},
};
// optional(seq(tensor)) was never widened beyond the types of version 16.
template <std::uint32_t kElements>
constexpr TypeConstraint kTypes16[] = {
    {"V", tensors(kElements) | sequences(kElements) | optionals(kElements) | optional_sequences(types::kAllBf)},
    {"B", tensors(types::kBool)},
};

constexpr Schema row(int since, std::span<const TypeConstraint> types) {
  return {.since = since,
          .inputs = kInputs,
          .outputs = kOutputs,
          .attrs = kAttrs,
          .types = types,
          .determinism = Determinism::NonDeterministic,
          .same_meaning = since != 1};
}
constexpr Schema kIf[] = {
    row(1, kTypes1),
    row(11, kTypes1),
    row(13, kTypes13),
    row(16, kTypes16<types::kAllBf>),
    row(19, kTypes16<types::kAllIr9>),
    row(21, kTypes16<types::kAllIr10>),
    row(23, kTypes16<types::kAllIr11>),
    row(24, kTypes16<types::kAllIr12>),
    row(25, kTypes16<types::kAllIr13>),
};

// Contents that both branches give. A number and a list of one are not the same.
KnownValue common_value(const Fact& a, const Fact& b) {
  const bool of_one_rank = a.type.has_rank() && b.type.has_rank() && a.type.shape->size() == b.type.shape->size();
  if (of_one_rank && a.value.ints && b.value.ints && *a.value.ints == *b.value.ints) return a.value;
  return {};
}

void infer_if(InferContext& ctx) {
  if (ctx.has_rank(0)) {
    for (const DimExpr& d : ctx.shape(0)) {
      if (DimExpr::differ(d, 1)) throw RuleBroken(not_one_condition(ctx.input(0).to_string()), kOneConditionHint);
    }
  }
  std::vector<Fact> facts;
  if (const Tensor* cond = ctx.constant(0); cond && cond->dtype() == DataType::Bool && cond->size() == 1) {
    facts = ctx.infer_subgraph(cond->as<bool>()[0] ? kThenBranch : kElseBranch, {});
  } else {
    facts = ctx.infer_subgraph(kThenBranch, {});
    const std::vector<Fact> other = ctx.infer_subgraph(kElseBranch, {});
    ctx.explain("the branches give different shapes");
    for (std::size_t i = 0; i < facts.size(); ++i) {
      facts[i].value = common_value(facts[i], other[i]);
      if (!same_type(facts[i].type, other[i].type))
        throw RuleBroken(branches_differ(i, facts[i].type.to_string(), other[i].type.to_string()), kBranchesDifferHint);
      facts[i].type = common_type(ctx, facts[i].type, other[i].type, "outputs of the two branches");
    }
  }
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (!facts[i].type.known()) continue;
    const int output = static_cast<int>(i);
    ctx.set(output, std::move(facts[i].type));
    if (facts[i].value.constant.defined())
      ctx.set_constant(output, std::move(facts[i].value.constant));
    else if (facts[i].value.ints)
      ctx.set_ints(output, *std::move(facts[i].value.ints));
  }
}

}  // namespace
}  // namespace if_cc

std::string not_one_condition(std::string_view condition) {
  return "the condition is " + std::string(condition) + ", but has to have one element";
}

std::string branches_differ(std::size_t output, std::string_view thens, std::string_view elses) {
  return "output " + std::to_string(output) + " is " + std::string(thens) + " in then_branch, but " +
         std::string(elses) + " in else_branch";
}

constinit const Operator If = {.name = "If", .history = kIf, .infer = infer_if, .control_flow = ControlFlow::If};

void if_schemas(SchemaTable& table) { table.add(If); }

}  // namespace norn::ops
