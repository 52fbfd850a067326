// Products with a constant matrix of 2, 4 or 8 bits an element, which has a scale for each block of a column.
#include "ops/microsoft/matmul_nbits/matmul_nbits.h"

#include <algorithm>

#include "base/checked.h"
#include "ops/microsoft/domain.h"
#include "opset/infer_context.h"

namespace norn::ops {
namespace microsoft {
inline namespace matmul_nbits_cc {
namespace {

using namespace opset;

constexpr Param kMatMulNBitsInputs[] = {
    {.name = "A", .type = "T1"},
    {.name = "B", .type = "T2"},
    {.name = "scales", .type = "T1"},
    {.name = "zero_points", .type = "T3", .option = ParamOption::Optional},
    {.name = "g_idx", .type = "T4", .option = ParamOption::Optional},
    {.name = "bias", .type = "T1", .option = ParamOption::Optional},
};
constexpr Param kMatMulNBitsOutputs[] = {
    {.name = "Y", .type = "T1"},
};
constexpr Attr kMatMulNBitsAttrs[] = {
    {.name = "K", .type = ir::AttributeType::Int, .required = true},
    {.name = "N", .type = ir::AttributeType::Int, .required = true},
    {.name = "accuracy_level", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "bits", .type = ir::AttributeType::Int, .def = def_int(4)},
    {.name = "block_size", .type = ir::AttributeType::Int, .required = true},
    {.name = "weight_prepacked", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kMatMulNBitsTypes[] = {
    {"T1", tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16))},
    {"T2", tensors(elems(DataType::Uint8))},
    {"T3", tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16, DataType::Uint8))},
    {"T4", tensors(elems(DataType::Int32))},
};

constexpr Schema kMatMulNBits[] = {
    {.since = 1,
     .inputs = kMatMulNBitsInputs,
     .outputs = kMatMulNBitsOutputs,
     .attrs = kMatMulNBitsAttrs,
     .types = kMatMulNBitsTypes},
};

void infer_matmul_nbits(InferContext& ctx) {
  const NBitsPacking p = resolve_matmul_nbits(ctx);
  if (!ctx.has_rank(0)) {
    if (ctx.elem(0) != DataType::Undefined) ctx.set(0, ctx.elem(0));
    return;
  }
  Dims dims = ctx.shape(0);
  dims.back() = p.columns;
  ctx.set(0, ctx.elem(0), std::move(dims));
}

constexpr std::string_view kAccuracyLevel = "com.microsoft.accuracy_level", kInt8 = "4";

}  // namespace
}  // namespace matmul_nbits_cc

NBitsPacking resolve_matmul_nbits(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  NBitsPacking p{
      .columns = attrs.i("N"), .depth = attrs.i("K"), .bits = attrs.i("bits"), .block = attrs.i("block_size")};
  if (p.columns <= 0 || p.depth <= 0) node.fail("the attributes N and K have to be positive");
  if (const auto a = node.known_shape(0)) {
    if (a->empty()) node.fail("A is a scalar");
    node.unify(a->back(), p.depth, "the last dimension of A and the attribute K");
  }
  if (p.bits < 2 || p.bits > 8)
    node.fail("the attribute bits is " + std::to_string(p.bits) + ", but has to be from 2 to 8");
  if (p.block < 16 || (p.block & (p.block - 1)) != 0)
    node.fail("block_size is " + std::to_string(p.block) + ", but has to be a power of two from 16 on");
  p.blocks = (p.depth - 1) / p.block + 1;
  const auto padded = base::checked_mul(p.blocks, p.block);
  if (!padded) node.fail("the attribute K is too large");
  p.padded_depth = *padded;
  // Other widths, and what is packed for a device, have layouts of their own.
  const bool is_laid_out = (p.bits == 2 || p.bits == 4 || p.bits == 8) && attrs.i("weight_prepacked") == 0;
  const auto b = node.known_shape(1);
  if (!b || b->size() != 3 || !is_laid_out) return p;
  const std::int64_t wanted[] = {p.columns, p.blocks, p.block / 8 * p.bits};
  for (std::size_t d = 0; d < 3; ++d)
    node.unify((*b)[d], wanted[d],
               "dimension " + std::to_string(d) + " of B and what N, K, bits and block_size make it");
  return p;
}

ir::Metadata rounding_to_int8() {
  ir::StringStringEntry entry;
  entry.key = std::string(kAccuracyLevel);
  entry.value = std::string(kInt8);
  return {std::move(entry)};
}

bool may_round_to_int8(const ir::Metadata& metadata) {
  return std::any_of(metadata.begin(), metadata.end(),
                     [](const auto& e) { return e.key.get() == kAccuracyLevel && e.value.get() == kInt8; });
}

constinit const Operator MatMulNBits = {
    .domain = kMicrosoftDomain, .name = "MatMulNBits", .history = kMatMulNBits, .infer = infer_matmul_nbits};

}  // namespace microsoft

void matmul_nbits_schemas(opset::SchemaTable& table) { table.add(microsoft::MatMulNBits); }

}  // namespace norn::ops
