// Positions as rotations of pairs of elements. Pairs are halves of a head or, if interleaved, neighbours. Without
// position_ids the caches have a row for each token.
#include "ops/nn/rotary_embedding/rotary_embedding.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr Param kInputs[] = {
    {.name = "X", .type = "T"},
    {.name = "cos_cache", .type = "T"},
    {.name = "sin_cache", .type = "T"},
    {.name = "position_ids", .type = "M", .option = ParamOption::Optional},
};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T"}};
constexpr Attr kAttrs[] = {
    {.name = "interleaved", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "num_heads", .type = ir::AttributeType::Int},
    {.name = "rotary_embedding_dim", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kTypes[] = {
    {"T", tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16))},
    {"M", tensors(elems(DataType::Int64))},
};

constexpr Schema kRotaryEmbedding[] = {
    {.since = 23, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace

constinit const Operator RotaryEmbedding = {.name = "RotaryEmbedding", .history = kRotaryEmbedding};

void rotary_embedding_schemas(SchemaTable& table) { table.add(RotaryEmbedding); }

}  // namespace norn::ops
