// Gemm: alpha * A' * B' + beta * C on matrices, C broadcast one way to M x N.
//
// Before 7, C was broadcast only if the attribute `broadcast` said so; from 11 on it may be left out. Integer types
// came with 9.
#include "ops/math/gemm/gemm.h"

#include "opset/infer_context.h"

namespace norn::ops {
inline namespace gemm_cc {
namespace {

using namespace opset;

constexpr Attr kAlpha = {.name = "alpha", .type = ir::AttributeType::Float, .def = def_float(1.0f)};
constexpr Attr kBeta = {.name = "beta", .type = ir::AttributeType::Float, .def = def_float(1.0f)};
constexpr Attr kTransA = {.name = "transA", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kTransB = {.name = "transB", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kAttrs1[] = {
    kAlpha, kBeta, {.name = "broadcast", .type = ir::AttributeType::Int, .def = def_int(0)}, kTransA, kTransB};
constexpr Attr kAttrs7[] = {kAlpha, kBeta, kTransA, kTransB};

constexpr Param kInputs1[] = {{.name = "A", .type = "T"}, {.name = "B", .type = "T"}, {.name = "C", .type = "T"}};
constexpr Param kInputs11[] = {
    {.name = "A", .type = "T"},
    {.name = "B", .type = "T"},
    {.name = "C", .type = "T", .option = ParamOption::Optional},
};
constexpr Param kInputs13[] = {
    {.name = "A", .type = "T", .diff = Differentiability::Differentiable},
    {.name = "B", .type = "T", .diff = Differentiability::Differentiable},
    {.name = "C", .type = "T", .option = ParamOption::Optional, .diff = Differentiability::Differentiable},
};
constexpr Param kOutputs1[] = {{.name = "Y", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "Y", .type = "T", .diff = Differentiability::Differentiable}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes9[] = {{"T", tensors(types::kWideInts | types::kFloat16To64)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kWideInts | types::kFloats)}};

constexpr Schema kGemm[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1},
    {.since = 6, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1, .same_meaning = true},
    {.since = 7, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs7, .types = kTypes1},
    {.since = 9, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs7, .types = kTypes9, .same_meaning = true},
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs1, .attrs = kAttrs7, .types = kTypes9},
    {.since = 13,
     .inputs = kInputs13,
     .outputs = kOutputs13,
     .attrs = kAttrs7,
     .types = kTypes13,
     .same_meaning = true},
};

void infer_gemm(InferContext& ctx) {
  const DataType elem = ctx.elem(0) != DataType::Undefined ? ctx.elem(0) : ctx.elem(1);
  ctx.require_rank(0, 2);
  ctx.require_rank(1, 2);
  const GemmParams p = resolve_gemm(ctx);
  const int ta = p.trans_a, tb = p.trans_b;
  const DimExpr m = ctx.has_rank(0) ? ctx.shape(0)[ta] : ctx.fresh_dim();
  const DimExpr n = ctx.has_rank(1) ? ctx.shape(1)[1 - tb] : ctx.fresh_dim();
  if (ctx.has_rank(0) && ctx.has_rank(1)) {
    ctx.unify(ctx.shape(0)[1 - ta], ctx.shape(1)[tb], "columns of A' and rows of B'");
  }
  const Dims out{m, n};
  if (ctx.has_input(2) && ctx.has_rank(2)) {
    const Dims& c = ctx.shape(2);
    if (c.size() > 2 || (p.exact_c && c.size() != 2)) {
      ctx.fail("C " + to_string(c) + " does not have the shape " + to_string(out) + " of A' * B'",
               p.exact_c ? "the attribute broadcast = 1 lets C be broadcast" : "");
    }
    for (std::size_t d = 0; d < c.size(); ++d) {
      if (p.exact_c || (c[d].is_constant() && c[d].constant() != 1)) {
        ctx.unify(c[d], out[out.size() - c.size() + d], "C and A' * B'");
      }
    }
  }
  ctx.set(0, elem, out);
}

}  // namespace
}  // namespace gemm_cc

GemmParams resolve_gemm(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  return {.trans_a = attrs.flag("transA"),
          .trans_b = attrs.flag("transB"),
          .exact_c = node.version() < 7 && !attrs.flag("broadcast"),
          .alpha = attrs.f("alpha"),
          .beta = attrs.f("beta")};
}

constinit const Operator Gemm = {.name = "Gemm", .history = kGemm, .infer = infer_gemm};

void gemm_schemas(SchemaTable& table) { table.add(Gemm); }

}  // namespace norn::ops
