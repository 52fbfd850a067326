// Products with a constant matrix of 2, 4 or 8 bits an element, which has a scale for each block of a column.
#include "ops/microsoft/matmul_nbits/matmul_nbits.h"

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
  const std::int64_t columns = ctx.attrs().i("N"), depth = ctx.attrs().i("K");
  if (columns <= 0 || depth <= 0) ctx.fail("the attributes N and K have to be positive");
  if (!ctx.has_rank(0)) {
    if (ctx.elem(0) != DataType::Undefined) ctx.set(0, ctx.elem(0));
    return;
  }
  Dims dims = ctx.shape(0);
  if (dims.empty()) ctx.fail("A is a scalar");
  ctx.unify(dims.back(), depth, "the last dimension of A and the attribute K");
  dims.back() = columns;
  ctx.set(0, ctx.elem(0), std::move(dims));
}

}  // namespace
}  // namespace matmul_nbits_cc

constinit const Operator MatMulNBits = {
    .domain = kMicrosoftDomain, .name = "MatMulNBits", .history = kMatMulNBits, .infer = infer_matmul_nbits};

}  // namespace microsoft

void matmul_nbits_schemas(opset::SchemaTable& table) { table.add(microsoft::MatMulNBits); }

}  // namespace norn::ops
