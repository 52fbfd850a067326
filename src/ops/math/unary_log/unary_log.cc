// Log, Reciprocal and Sign, element by element. Log of a negative number and Sign of NaN are NaN. Sign takes integers
// too, unsigned ones included.
#include "ops/math/unary_log/unary_log.h"

#include "ops/common/shapes.h"

namespace norn::ops {
inline namespace unary_log_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kLogInputs1[] = {{.name = "input", .type = "T"}};
constexpr Param kLogInputs13[] = {{.name = "input", .type = "T", .diff = kDiff}};
constexpr Param kReciprocalInputs1[] = {{.name = "X", .type = "T"}};
constexpr Param kReciprocalInputs13[] = {{.name = "X", .type = "T", .diff = kDiff}};
constexpr Param kSignInputs[] = {{.name = "input", .type = "T", .diff = kNonDiff}};
constexpr Param kLogOutputs1[] = {{.name = "output", .type = "T"}};
constexpr Param kLogOutputs13[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Param kReciprocalOutputs1[] = {{.name = "Y", .type = "T"}};
constexpr Param kReciprocalOutputs13[] = {{.name = "Y", .type = "T", .diff = kDiff}};
constexpr Param kSignOutputs[] = {{.name = "output", .type = "T", .diff = kNonDiff}};
constexpr Attr kAttrs[] = {{.name = "consumed_inputs", .type = ir::AttributeType::Ints}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kLogTypes13[] = {{"T", tensors(types::kFloats)}};
constexpr TypeConstraint kSignTypes9[] = {{"T", tensors(types::kNumeric)}};
constexpr TypeConstraint kSignTypes13[] = {{"T", tensors(types::kNumericBf)}};

constexpr Schema kLog[] = {
    {.since = 1, .inputs = kLogInputs1, .outputs = kLogOutputs1, .attrs = kAttrs, .types = kTypes1},
    {.since = 6, .inputs = kLogInputs1, .outputs = kLogOutputs1, .types = kTypes1},
    {.since = 13, .inputs = kLogInputs13, .outputs = kLogOutputs13, .types = kLogTypes13, .same_meaning = true},
};

constexpr Schema kReciprocal[] = {
    {.since = 1, .inputs = kReciprocalInputs1, .outputs = kReciprocalOutputs1, .attrs = kAttrs, .types = kTypes1},
    {.since = 6, .inputs = kReciprocalInputs1, .outputs = kReciprocalOutputs1, .types = kTypes1},
    {.since = 13,
     .inputs = kReciprocalInputs13,
     .outputs = kReciprocalOutputs13,
     .types = kLogTypes13,
     .same_meaning = true},
};

constexpr Schema kSign[] = {
    {.since = 9, .inputs = kLogInputs1, .outputs = kLogOutputs1, .types = kSignTypes9},
    {.since = 13, .inputs = kSignInputs, .outputs = kSignOutputs, .types = kSignTypes13, .same_meaning = true},
};

}  // namespace
}  // namespace unary_log_cc

constinit const Operator Log = {.name = "Log", .history = kLog, .infer = same_as_input, .elementwise = true};
constinit const Operator Reciprocal = {
    .name = "Reciprocal", .history = kReciprocal, .infer = same_as_input, .elementwise = true};
constinit const Operator Sign = {.name = "Sign", .history = kSign, .infer = same_as_input, .elementwise = true};

void unary_log_schemas(SchemaTable& table) {
  for (const Operator* op : {&Log, &Reciprocal, &Sign}) table.add(*op);
}

}  // namespace norn::ops
