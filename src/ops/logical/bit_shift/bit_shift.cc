// Shift of integers' bits. Version 28 takes signed integers, shifts them right arithmetically, and says what a shift by
// at least the width gives.
#include "ops/logical/bit_shift/bit_shift.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs[] = {
    {.name = "X", .type = "T", .diff = kNonDiff},
    {.name = "Y", .type = "T", .diff = kNonDiff},
};
constexpr Param kOutputs[] = {{.name = "Z", .type = "T", .diff = kNonDiff}};
constexpr Attr kAttrs[] = {{.name = "direction", .type = ir::AttributeType::String, .required = true}};
constexpr TypeConstraint kTypes11[] = {{"T", tensors(types::kUnsigned)}};
constexpr TypeConstraint kTypes28[] = {{"T", tensors(types::kInts)}};

constexpr Schema kBitShift[] = {
    {.since = 11, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes11},
    {.since = 28, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes28, .same_meaning = true},
};

}  // namespace

constinit const Operator BitShift = {.name = "BitShift", .history = kBitShift};

void bit_shift_schemas(SchemaTable& table) { table.add(BitShift); }

}  // namespace norn::ops
