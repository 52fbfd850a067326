// Rows of a table of integers that have a scale for each block, as embeddings of quantised language models.
#include "ops/microsoft/gather_block_quantized/gather_block_quantized.h"

#include "ops/common/agree.h"
#include "ops/microsoft/domain.h"
#include "opset/infer_context.h"

namespace norn::ops {
namespace microsoft {
inline namespace gather_block_quantized_cc {
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

// Scales have data's axes, of which only that of the blocks differs; zero points are packed as data is.
void infer_gather_block_quantized(InferContext& ctx) {
  const GatherBlockQuantizedParams p = resolve_gather_block_quantized(ctx, ctx.elem(0));
  const bool bytes = ctx.elem(0) == DataType::Uint8;
  if (ctx.has_rank(0)) {
    for (const int i : {2, 3}) ctx.require_rank(i, ctx.rank(0));
    const std::int64_t packed = bytes ? ctx.rank(0) - 1 : -1;
    for (int d = 0; d < ctx.rank(0); ++d) {
      if (d != p.blocked) agree(ctx, 0, d, 2, d);
      if (d != packed) agree(ctx, 2, d, 3, d);
    }
  }
  if (!ctx.has_rank(0) || !ctx.has_rank(1)) {
    if (ctx.elem(2) != DataType::Undefined) ctx.set(0, ctx.elem(2));
    return;
  }
  Dims rows = ctx.shape(0), dims;
  if (bytes) rows.back() = rows.back() * (8 / p.bits);
  for (std::size_t d = 0; d < rows.size(); ++d) {
    if (static_cast<std::int64_t>(d) == p.gathered)
      dims.insert(dims.end(), ctx.shape(1).begin(), ctx.shape(1).end());
    else
      dims.push_back(rows[d]);
  }
  ctx.set(0, ctx.elem(2), std::move(dims));
}

}  // namespace
}  // namespace gather_block_quantized_cc

GatherBlockQuantizedParams resolve_gather_block_quantized(const NodeView& node, DataType data) {
  GatherBlockQuantizedParams p{.bits = data == DataType::Uint8 ? node.attrs().i("bits") : 4,
                               .block = node.attrs().i("block_size")};
  if (p.bits != 2 && p.bits != 4 && p.bits != 8)
    node.fail("the attribute bits is " + std::to_string(p.bits) + ", but has to be 2, 4 or 8");
  if (p.block < 16 || (p.block & (p.block - 1)) != 0)
    node.fail("block_size is " + std::to_string(p.block) + ", but has to be a power of two from 16 on");
  if (const auto shape = node.known_shape(0)) {
    const auto axis = [&](std::string_view name) {
      return node.normalize_axis(node.attrs().i(name), static_cast<std::int64_t>(shape->size()), false, name);
    };
    p.gathered = axis("gather_axis");
    p.blocked = axis("quantize_axis");
    if (data == DataType::Uint8 && *p.gathered != 0) node.fail("gather_axis has to be 0 for data of bytes");
  }
  return p;
}

constinit const Operator GatherBlockQuantized = {.domain = kMicrosoftDomain,
                                                 .name = "GatherBlockQuantized",
                                                 .history = kGatherBlockQuantized,
                                                 .infer = infer_gather_block_quantized};

}  // namespace microsoft

void gather_block_quantized_schemas(opset::SchemaTable& table) { table.add(microsoft::GatherBlockQuantized); }

}  // namespace norn::ops
