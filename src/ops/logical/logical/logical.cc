// Logic on booleans. Version 1 of the binary ones broadcasts only where the attribute says so, from `axis` on; since 7
// both sides broadcast.
#include "ops/logical/logical/logical.h"

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace logical_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kAndInputs1[] = {{.name = "A", .type = "T"}, {.name = "B", .type = "T"}};
constexpr Param kInputs7[] = {
    {.name = "A", .type = "T", .diff = kNonDiff},
    {.name = "B", .type = "T", .diff = kNonDiff},
};
constexpr Param kNotInputs[] = {{.name = "X", .type = "T", .diff = kNonDiff}};
constexpr Param kAndOutputs1[] = {{.name = "C", .type = "T1"}};
constexpr Param kOutputs7[] = {{.name = "C", .type = "T1", .diff = kNonDiff}};
constexpr Param kNotOutputs[] = {{.name = "Y", .type = "T", .diff = kNonDiff}};
constexpr Attr kAttrs[] = {
    {.name = "axis", .type = ir::AttributeType::Int},
    {.name = "broadcast", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kAndTypes[] = {{"T", tensors(types::kBool)}, {"T1", tensors(types::kBool)}};
constexpr TypeConstraint kNotTypes[] = {{"T", tensors(types::kBool)}};

constexpr Schema kLogicalRows1[] = {
    {.since = 1, .inputs = kAndInputs1, .outputs = kAndOutputs1, .attrs = kAttrs, .types = kAndTypes},
    {.since = 7, .inputs = kInputs7, .outputs = kOutputs7, .types = kAndTypes},
};

constexpr Schema kNot[] = {
    {.since = 1, .inputs = kNotInputs, .outputs = kNotOutputs, .types = kNotTypes},
};

void infer_logical(InferContext& ctx) { infer_pairs(ctx, DataType::Bool); }

}  // namespace
}  // namespace logical_cc

constinit const Operator And = {.name = "And", .history = kLogicalRows1, .infer = infer_logical};
constinit const Operator Or = {.name = "Or", .history = kLogicalRows1, .infer = infer_logical};
constinit const Operator Xor = {.name = "Xor", .history = kLogicalRows1, .infer = infer_logical};
constinit const Operator Not = {.name = "Not", .history = kNot, .infer = same_as_input};

void logical_schemas(SchemaTable& table) {
  for (const Operator* op : {&And, &Or, &Xor, &Not}) table.add(*op);
}

}  // namespace norn::ops
