// Rows of a table of integers that have a scale for each block, as embeddings of quantised language models.
#include "ops/microsoft/gather_block_quantized/gather_block_quantized.h"

#include "ops/common/agree.h"
#include "ops/microsoft/domain.h"

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
  if (ctx.has_rank(0)) {
    ctx.require_rank(2, ctx.rank(0));
    if (ctx.has_input(3)) ctx.require_rank(3, ctx.rank(0));
    const std::int64_t blocked =
        ctx.normalize_axis(ctx.attrs().i("quantize_axis"), ctx.rank(0), false, "quantize_axis");
    const std::int64_t packed = ctx.elem(0) == DataType::Uint8 ? ctx.rank(0) - 1 : -1;
    for (int d = 0; d < ctx.rank(0); ++d) {
      if (d != blocked) agree(ctx, 0, d, 2, d);
      if (d != packed) agree(ctx, 2, d, 3, d);
    }
  }
  if (!ctx.has_rank(0) || !ctx.has_rank(1) || ctx.rank(0) == 0) {
    if (ctx.elem(2) != DataType::Undefined) ctx.set(0, ctx.elem(2));
    return;
  }
  Dims rows = ctx.shape(0), dims;
  const std::int64_t bits = ctx.elem(0) == DataType::Uint8 ? ctx.attrs().i("bits") : 8;
  if (bits == 2 || bits == 4) rows.back() = rows.back() * (8 / bits);
  const auto gathered =
      static_cast<std::size_t>(ctx.normalize_axis(ctx.attrs().i("gather_axis"), ctx.rank(0), false, "gather_axis"));
  for (std::size_t d = 0; d < rows.size(); ++d) {
    if (d == gathered)
      dims.insert(dims.end(), ctx.shape(1).begin(), ctx.shape(1).end());
    else
      dims.push_back(rows[d]);
  }
  ctx.set(0, ctx.elem(2), std::move(dims));
}

}  // namespace
}  // namespace gather_block_quantized_cc

constinit const Operator GatherBlockQuantized = {.domain = kMicrosoftDomain,
                                                 .name = "GatherBlockQuantized",
                                                 .history = kGatherBlockQuantized,
                                                 .infer = infer_gather_block_quantized};

}  // namespace microsoft

void gather_block_quantized_schemas(opset::SchemaTable& table) { table.add(microsoft::GatherBlockQuantized); }

}  // namespace norn::ops
