// Positions as rotations, in ONNX Runtime's form: the order of inputs and the shape of positions differ from ONNX's.
#include "ops/microsoft/rotary_positions/rotary_positions.h"

#include "ops/common/shapes.h"
#include "ops/microsoft/domain.h"

namespace norn::ops {
namespace microsoft {
inline namespace rotary_positions_cc {
namespace {

using namespace opset;

constexpr Param kRotaryEmbeddingInputs[] = {
    {.name = "input", .type = "T"},
    {.name = "position_ids", .type = "M"},
    {.name = "cos_cache", .type = "T"},
    {.name = "sin_cache", .type = "T"},
};
constexpr Param kRotaryEmbeddingOutputs[] = {
    {.name = "output", .type = "T"},
};
constexpr Attr kRotaryEmbeddingAttrs[] = {
    {.name = "interleaved", .type = ir::AttributeType::Int},
    {.name = "is_packed_batching", .type = ir::AttributeType::Int},
    {.name = "num_heads", .type = ir::AttributeType::Int},
    {.name = "rotary_embedding_dim", .type = ir::AttributeType::Int},
    {.name = "scale", .type = ir::AttributeType::Float},
};
constexpr TypeConstraint kRotaryEmbeddingTypes[] = {
    {"T", tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16))},
    {"M", tensors(elems(DataType::Int64))},
};

constexpr Schema kRotaryEmbedding[] = {
    {.since = 1,
     .inputs = kRotaryEmbeddingInputs,
     .outputs = kRotaryEmbeddingOutputs,
     .attrs = kRotaryEmbeddingAttrs,
     .types = kRotaryEmbeddingTypes},
};

void infer_rotary_positions(InferContext& ctx) {
  if (ctx.has_rank(0) && ctx.rank(0) != 3 && ctx.rank(0) != 4)
    ctx.fail("input has rank " + std::to_string(ctx.rank(0)) + ", but has to have 3 or 4");
  if (ctx.attrs().find_i("rotary_embedding_dim").value_or(0) > 0 && ctx.attrs().find_i("num_heads").value_or(0) <= 0)
    ctx.fail("rotary_embedding_dim takes the attribute num_heads");
  same_as_input(ctx);
}

}  // namespace
}  // namespace rotary_positions_cc

constinit const Operator RotaryEmbedding = {.domain = kMicrosoftDomain,
                                            .name = "RotaryEmbedding",
                                            .history = kRotaryEmbedding,
                                            .infer = infer_rotary_positions};

}  // namespace microsoft

void rotary_positions_schemas(opset::SchemaTable& table) { table.add(microsoft::RotaryEmbedding); }

}  // namespace norn::ops
