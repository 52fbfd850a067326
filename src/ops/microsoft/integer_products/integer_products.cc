// Products of 8-bit integers whose result is scaled to floating-point numbers.
#include "ops/microsoft/integer_products/integer_products.h"

#include <optional>
#include <string>

#include "ops/common/agree.h"
#include "ops/math/matmul/matmul.h"
#include "ops/microsoft/domain.h"
#include "opset/infer_context.h"

namespace norn::ops {
namespace microsoft {
inline namespace integer_products_cc {
namespace {

using namespace opset;

constexpr Param kDynamicQuantizeMatMulInputs[] = {
    {.name = "A", .type = "T1"},
    {.name = "B", .type = "T2"},
    {.name = "b_scale", .type = "T1"},
    {.name = "b_zero_point", .type = "T2", .option = ParamOption::Optional},
    {.name = "bias", .type = "T1", .option = ParamOption::Optional},
};
constexpr Param kDynamicQuantizeMatMulOutputs[] = {
    {.name = "Y", .type = "T1"},
};
constexpr TypeConstraint kDynamicQuantizeMatMulTypes[] = {
    {"T1", tensors(elems(DataType::Float))},
    {"T2", tensors(elems(DataType::Int8, DataType::Uint8))},
};
constexpr Param kMatMulIntegerToFloatInputs[] = {
    {.name = "A", .type = "T1"},
    {.name = "B", .type = "T2"},
    {.name = "a_scale", .type = "T3"},
    {.name = "b_scale", .type = "T3"},
    {.name = "a_zero_point", .type = "T1", .option = ParamOption::Optional},
    {.name = "b_zero_point", .type = "T2", .option = ParamOption::Optional},
    {.name = "bias", .type = "T3", .option = ParamOption::Optional},
};
constexpr Param kMatMulIntegerToFloatOutputs[] = {
    {.name = "Y", .type = "T3"},
};
constexpr TypeConstraint kMatMulIntegerToFloatTypes[] = {
    {"T1", tensors(elems(DataType::Int8, DataType::Uint8))},
    {"T2", tensors(elems(DataType::Int8, DataType::Uint8))},
    {"T3", tensors(elems(DataType::Float, DataType::Float16))},
};

constexpr Param kQGemmInputs[] = {
    {.name = "A", .type = "TA"},
    {.name = "a_scale", .type = "T"},
    {.name = "a_zero_point", .type = "TA"},
    {.name = "B", .type = "TB"},
    {.name = "b_scale", .type = "T"},
    {.name = "b_zero_point", .type = "TB"},
    {.name = "C", .type = "TC", .option = ParamOption::Optional},
    {.name = "y_scale", .type = "T", .option = ParamOption::Optional},
    {.name = "y_zero_point", .type = "TYZ", .option = ParamOption::Optional},
};
constexpr Param kQGemmOutputs[] = {
    {.name = "Y", .type = "TY"},
};
constexpr Attr kQGemmAttrs[] = {
    {.name = "alpha", .type = ir::AttributeType::Float, .def = def_float(1.0f)},
    {.name = "transA", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "transB", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kQGemmTypes[] = {
    {"T", tensors(elems(DataType::Float))},
    {"TA", tensors(elems(DataType::Int8, DataType::Uint8))},
    {"TB", tensors(elems(DataType::Int8, DataType::Uint8))},
    {"TC", tensors(elems(DataType::Int32))},
    {"TYZ", tensors(elems(DataType::Int8, DataType::Uint8))},
    {"TY", tensors(elems(DataType::Float, DataType::Int8, DataType::Uint8))},
};

constexpr Schema kQGemm[] = {
    {.since = 1, .inputs = kQGemmInputs, .outputs = kQGemmOutputs, .attrs = kQGemmAttrs, .types = kQGemmTypes},
};

constexpr Schema kDynamicQuantizeMatMul[] = {
    {.since = 1,
     .inputs = kDynamicQuantizeMatMulInputs,
     .outputs = kDynamicQuantizeMatMulOutputs,
     .types = kDynamicQuantizeMatMulTypes},
};

constexpr Schema kMatMulIntegerToFloat[] = {
    {.since = 1,
     .inputs = kMatMulIntegerToFloatInputs,
     .outputs = kMatMulIntegerToFloatOutputs,
     .types = kMatMulIntegerToFloatTypes},
};

// Input `i` is one number.
void require_number(const InferContext& ctx, int i) {
  if (!ctx.has_input(i) || !ctx.has_rank(i)) return;
  for (const DimExpr& d : ctx.shape(i))
    if (d.is_constant() && d.constant() != 1)
      ctx.fail(std::string(ctx.schema().inputs[static_cast<std::size_t>(i)].name) + " has to be one number, but is " +
               ctx.input(i).to_string());
}

// Input `i` is one number or one for each column of the product, which are those of input `b` along `axis`.
void require_columns(InferContext& ctx, int i, int b, int axis) {
  const auto own = size_of(ctx, i, -1);
  const auto columns = ctx.has_rank(b) && ctx.rank(b) >= 2 ? size_of(ctx, b, axis) : std::nullopt;
  if (own && columns && own->is_constant() && own->constant() != 1)
    agree(ctx, i, -1, *columns, "the columns of the product");
}

void infer_dynamic_quantize_matmul(InferContext& ctx) {
  infer_matmul(ctx, 0, 1, ctx.elem(0));
  for (const int i : {2, 4}) require_columns(ctx, i, 1, -1);
}

void infer_matmul_integer_to_float(InferContext& ctx) {
  infer_matmul(ctx, 0, 1, ctx.elem(2));
  for (const int i : {3, 6}) require_columns(ctx, i, 1, -1);
}

// A and B are matrices; C is broadcast to their product, which it does not enlarge.
void infer_qgemm(InferContext& ctx) {
  ctx.require_rank(0, 2);
  ctx.require_rank(3, 2);
  if (ctx.has_input(6)) require_rank_of(ctx, 6, {0, 1, 2});
  const bool a = ctx.attrs().flag("transA"), b = ctx.attrs().flag("transB");
  agree(ctx, 0, a ? 0 : 1, 3, b ? 1 : 0);
  const std::optional<DimExpr> sizes[] = {size_of(ctx, 0, a ? 1 : 0), size_of(ctx, 3, b ? 0 : 1)};
  for (const int d : {0, 1}) {
    const auto own = size_of(ctx, 6, d - 2);
    if (sizes[d] && own && own->is_constant() && own->constant() != 1)
      agree(ctx, 6, d - 2, *sizes[d], d == 0 ? "the rows of the product" : "the columns of the product");
  }
  require_number(ctx, 1);
  require_columns(ctx, 4, 3, b ? 0 : 1);
  const DataType type = !ctx.has_input(7) ? DataType::Float : ctx.has_input(8) ? ctx.elem(8) : DataType::Uint8;
  ctx.set(0, type, {sizes[0] ? *sizes[0] : ctx.fresh_dim(), sizes[1] ? *sizes[1] : ctx.fresh_dim()});
}

}  // namespace
}  // namespace integer_products_cc

constinit const Operator DynamicQuantizeMatMul = {.domain = kMicrosoftDomain,
                                                  .name = "DynamicQuantizeMatMul",
                                                  .history = kDynamicQuantizeMatMul,
                                                  .infer = infer_dynamic_quantize_matmul};
constinit const Operator QGemm = {.domain = kMicrosoftDomain, .name = "QGemm", .history = kQGemm, .infer = infer_qgemm};
constinit const Operator MatMulIntegerToFloat = {.domain = kMicrosoftDomain,
                                                 .name = "MatMulIntegerToFloat",
                                                 .history = kMatMulIntegerToFloat,
                                                 .infer = infer_matmul_integer_to_float};

}  // namespace microsoft

void integer_products_schemas(opset::SchemaTable& table) {
  table.add(microsoft::DynamicQuantizeMatMul);
  table.add(microsoft::MatMulIntegerToFloat);
  table.add(microsoft::QGemm);
}

}  // namespace norn::ops
