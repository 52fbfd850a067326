// Positions as rotations, in ONNX Runtime's form: the order of inputs and the shape of positions differ from ONNX's.
#include "ops/microsoft/rotary_positions/rotary_positions.h"

#include <algorithm>

#include "ops/common/agree.h"
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
  require_rank_of(ctx, 0, {3, 4});
  const std::int64_t turned = resolve_rotary_size(ctx);
  same_as_input(ctx);
  require_rank_of(ctx, 1, {1, 2});
  for (const int cache : {2, 3}) ctx.require_rank(cache, 2);
  for (const int axis : {0, 1}) agree(ctx, 2, axis, 3, axis);
  if (turned > 0) agree(ctx, 2, 1, turned / 2, "half of rotary_embedding_dim");
  if (!ctx.has_rank(0)) return;
  const bool packed = ctx.rank(0) == 3;
  if (ctx.has_rank(1) && ctx.rank(1) == 2) {
    agree(ctx, 0, 0, 1, 0);
    agree(ctx, 0, packed ? 1 : 2, 1, 1);
  } else {
    require_single(ctx, 1);
  }
  if (!packed && turned == 0)
    if (const auto columns = size_of(ctx, 2, 1)) agree(ctx, 0, 3, *columns * 2, "twice the columns of the caches");
}

}  // namespace
}  // namespace rotary_positions_cc

std::int64_t resolve_rotary_size(const NodeView& node) {
  const std::int64_t turned = std::max<std::int64_t>(0, node.attrs().find_i("rotary_embedding_dim").value_or(0));
  if (turned > 0 && node.attrs().find_i("num_heads").value_or(0) <= 0)
    node.fail("rotary_embedding_dim takes the attribute num_heads");
  if (turned % 2 != 0)
    node.fail("rotary_embedding_dim is " + std::to_string(turned) + ", but pairs of elements are turned");
  return turned;
}

constinit const Operator RotaryEmbedding = {.domain = kMicrosoftDomain,
                                            .name = "RotaryEmbedding",
                                            .history = kRotaryEmbedding,
                                            .infer = infer_rotary_positions};

}  // namespace microsoft

void rotary_positions_schemas(opset::SchemaTable& table) { table.add(microsoft::RotaryEmbedding); }

}  // namespace norn::ops
