// Numbers from a start to a limit by a step. The count is max(ceil((limit - start) / delta), 0). 27 takes narrow
// floating types and counts them in stash_type.
#include "ops/generator/range/range.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr Param kInputs[] = {
    {.name = "start", .type = "T"},
    {.name = "limit", .type = "T"},
    {.name = "delta", .type = "T"},
};
constexpr Param kOutputs[] = {{.name = "output", .type = "T"}};
constexpr Attr kAttrs[] = {{.name = "stash_type", .type = ir::AttributeType::Int, .def = def_int(1)}};
constexpr TypeConstraint kTypes11[] = {
    {"T", tensors(types::kIndex | elems(DataType::Double, DataType::Float, DataType::Int16))},
};
constexpr TypeConstraint kTypes27[] = {{"T", tensors(types::kFloats | types::kIndex | elems(DataType::Int16))}};

constexpr Schema kRange[] = {
    {.since = 11, .inputs = kInputs, .outputs = kOutputs, .types = kTypes11},
    {.since = 27, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes27},
};

}  // namespace

constinit const Operator Range = {.name = "Range", .history = kRange};

void range_schemas(SchemaTable& table) { table.add(Range); }

}  // namespace norn::ops
