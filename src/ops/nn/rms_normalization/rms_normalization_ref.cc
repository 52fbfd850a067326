#include "ops/nn/layer_normalization/layer_normalization.h"
#include "ops/nn/rms_normalization/rms_normalization.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace rms_normalization_ref_cc {
namespace {

void rms_normalization_ref(opset::ReferenceContext& ctx) { row_norm_ref(ctx, true); }

}  // namespace
}  // namespace rms_normalization_ref_cc

void rms_normalization_references(opset::ReferenceTable& table) { table.add(RMSNormalization, rms_normalization_ref); }

}  // namespace norn::ops
