// A graph applied to each element of sequences. It is a function around Loop. Further inputs may be tensors, which
// every call gets whole.
#include "ops/sequence/sequence_map/sequence_map.h"

#include <string>
#include <vector>

#include "ops/sequence/sequence_basic/sequence_basic.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace sequence_map_cc {
namespace {

using namespace opset;

constexpr auto kVariadic = ParamOption::Variadic;

constexpr Param kInputs[] = {
    {.name = "input_sequence", .type = "S"},
    {.name = "additional_inputs", .type = "V", .option = kVariadic, .min_arity = 0, .homogeneous = false},
};
constexpr Param kOutputs[] = {{.name = "out_sequence", .type = "S", .option = kVariadic, .homogeneous = false}};
constexpr Attr kAttrs[] = {{.name = "body", .type = ir::AttributeType::Graph, .required = true}};
constexpr TypeConstraint kTypes[] = {
    {"S", sequences(types::kAll)},
    {"V", tensors(types::kAll) | sequences(types::kAll)},
};

constexpr Schema kSequenceMap[] = {
    {.since = 17,
     .inputs = kInputs,
     .outputs = kOutputs,
     .attrs = kAttrs,
     .types = kTypes,
     .determinism = Determinism::NonDeterministic},
};

// The body gets an element of each sequence, and every call the same tensors.
void infer_sequence_map(InferContext& ctx) {
  std::vector<Fact> formals;
  for (int i = 0; i < ctx.input_count(); ++i) {
    const ValueType& type = ctx.input(i);
    const bool sequence = type.kind == ValueType::Kind::Sequence;
    formals.push_back({.type = sequence ? element_of(ctx, type) : type, .value = {}});
  }
  const std::vector<Fact> found = ctx.infer_subgraph("body", formals);
  for (std::size_t i = 0; i < found.size(); ++i)
    if (found[i].type.known()) ctx.set(static_cast<int>(i), ValueType::sequence(found[i].type));
}

}  // namespace
}  // namespace sequence_map_cc

constinit const Operator SequenceMap = {.name = "SequenceMap",
                                        .history = kSequenceMap,
                                        .infer = infer_sequence_map,
                                        .control_flow = ControlFlow::SequenceMap};

void sequence_map_schemas(SchemaTable& table) { table.add(SequenceMap); }

}  // namespace norn::ops
