// The matrix from spectrum bins to mel bands. Bands are triangles, equal in mel; all five inputs are scalars.
#include "ops/math/mel_weight_matrix/mel_weight_matrix.h"

#include "ops/common/shapes.h"

namespace norn::ops {
inline namespace mel_weight_matrix_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs[] = {
    {.name = "num_mel_bins", .type = "T1", .diff = kNonDiff},
    {.name = "dft_length", .type = "T1", .diff = kNonDiff},
    {.name = "sample_rate", .type = "T1", .diff = kNonDiff},
    {.name = "lower_edge_hertz", .type = "T2", .diff = kNonDiff},
    {.name = "upper_edge_hertz", .type = "T2", .diff = kNonDiff},
};
constexpr Param kOutputs[] = {{.name = "output", .type = "T3", .diff = kNonDiff}};
constexpr Attr kAttrs[] = {{.name = "output_datatype", .type = ir::AttributeType::Int, .def = def_int(1)}};
constexpr TypeConstraint kTypes[] = {
    {"T1", tensors(types::kIndex)},
    {"T2", tensors(types::kFloats)},
    {"T3", tensors(types::kNumericBf)},
};

constexpr Schema kMelWeightMatrix[] = {
    {.since = 17, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_mel_weight_matrix(InferContext& ctx) {
  for (int i = 0; i < 5; ++i) require_single(ctx, i);
  const MelParams p = resolve_mel_weight_matrix(ctx);
  const DimExpr rows =
      p.dft_length ? DimExpr::floor_div(*p.dft_length, 2) + DimExpr(1) : ctx.fresh_dim("dft_length is not known");
  ctx.set(0, p.type, {rows, p.bands ? *p.bands : ctx.fresh_dim("num_mel_bins is not known")});
}

std::optional<DimExpr> count_from(const NodeView& node, int i, std::int64_t least) {
  auto given = one_int(node, i);
  if (given && given->is_constant() && given->constant() < least) {
    node.fail(std::string(kInputs[i].name) + " is " + given->to_string() + ", but has to be at least " +
              std::to_string(least));
  }
  return given;
}

}  // namespace
}  // namespace mel_weight_matrix_cc

MelParams resolve_mel_weight_matrix(const NodeView& node) {
  return {.type = *type_attribute(node, "output_datatype", "T3"),
          .bands = count_from(node, 0, 0),
          .dft_length = count_from(node, 1, 0),
          .sample_rate = count_from(node, 2, 1)};
}

constinit const Operator MelWeightMatrix = {
    .name = "MelWeightMatrix", .history = kMelWeightMatrix, .infer = infer_mel_weight_matrix};

void mel_weight_matrix_schemas(SchemaTable& table) { table.add(MelWeightMatrix); }

}  // namespace norn::ops
