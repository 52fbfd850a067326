#include "ops/nn/layer_normalization/layer_normalization.h"
#include "ops/nn/rms_normalization/rms_normalization.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

void rms_normalization_ref(opset::ReferenceContext& ctx) { row_norm_ref(ctx, true); }

}  // namespace

void rms_normalization_references(opset::ReferenceTable& table) { table.add(RMSNormalization, rms_normalization_ref); }

}  // namespace norn::ops
