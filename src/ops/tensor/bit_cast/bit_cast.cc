// The same bits under another element type. The two types have the same width: unlike Cast it converts nothing. Strings
// have no bits to take.
#include "ops/tensor/bit_cast/bit_cast.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr TypeSet kSetT126 = tensors(types::kNumericBf | types::kBool | types::kComplex |
                                     elems(DataType::Float4E2M1, DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ,
                                           DataType::Float8E5M2, DataType::Float8E5M2FNUZ, DataType::Float8E8M0,
                                           DataType::Int2, DataType::Int4, DataType::Uint2, DataType::Uint4));
constexpr Param kInputs[] = {{.name = "input", .type = "T1", .diff = kNonDiff}};
constexpr Param kOutputs[] = {{.name = "output", .type = "T2", .diff = kNonDiff}};
constexpr Attr kAttrs[] = {{.name = "to", .type = ir::AttributeType::Int, .required = true}};
constexpr TypeConstraint kTypes[] = {{"T1", kSetT126}, {"T2", kSetT126}};

constexpr Schema kBitCast[] = {
    {.since = 26, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace

constinit const Operator BitCast = {.name = "BitCast", .history = kBitCast};

void bit_cast_schemas(SchemaTable& table) { table.add(BitCast); }

}  // namespace norn::ops
