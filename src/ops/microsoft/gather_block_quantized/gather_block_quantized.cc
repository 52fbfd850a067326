// Rows of a table of integers that have a scale for each block, as embeddings of quantised language models.
#include "ops/microsoft/gather_block_quantized/gather_block_quantized.h"

#include "ops/microsoft/domain.h"

namespace norn::ops {
namespace microsoft {
namespace {

using namespace opset;

constexpr Param kInputs[] = {
    {.name = "data", .type = "T1"},
    {.name = "indices", .type = "Tind"},
    {.name = "scales", .type = "T2"},
    {.name = "zero_points", .type = "T1", .option = ParamOption::Optional},
};
constexpr Param kOutputs[] = {
    {.name = "output", .type = "T2"},
};
constexpr Attr kAttrs[] = {
    {.name = "bits", .type = ir::AttributeType::Int, .def = def_int(4)},
    {.name = "block_size", .type = ir::AttributeType::Int, .def = def_int(128)},
    {.name = "gather_axis", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "quantize_axis", .type = ir::AttributeType::Int, .def = def_int(1)},
};
constexpr TypeConstraint kTypes[] = {
    {"T1", tensors(elems(DataType::Float4E2M1, DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                         DataType::Float8E5M2FNUZ, DataType::Int4, DataType::Uint4, DataType::Uint8))},
    {"T2", tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16))},
    {"Tind", tensors(types::kIndex)},
};

constexpr Schema kGatherBlockQuantized[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace

constinit const Operator GatherBlockQuantized = {
    .domain = kMicrosoftDomain, .name = "GatherBlockQuantized", .history = kGatherBlockQuantized};

}  // namespace microsoft

void gather_block_quantized_schemas(opset::SchemaTable& table) { table.add(microsoft::GatherBlockQuantized); }

}  // namespace norn::ops
