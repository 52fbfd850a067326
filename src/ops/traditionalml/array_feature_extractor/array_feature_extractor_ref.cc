// ArrayFeatureExtractor: the same positions out of every row. The specification does not mention negative ones; models
// that search neighbours within a radius have -1 for none, and weigh what it picks with 0: they count from the end.
#include "ops/common/elements.h"
#include "ops/common/loops.h"
#include "ops/common/shapes.h"
#include "ops/traditionalml/array_feature_extractor/array_feature_extractor.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace array_feature_extractor_ref_cc {
namespace {

void array_feature_extractor_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const auto n = ctx.input(1).size();
  const Shape dims = opset::to_constants(picked_dims(ctx, opset::to_dims(x.dims()), n));
  const AxisView view = view_along(x.dims(), x.rank() - 1);
  const std::vector<std::int64_t> picks = indices_from_front(ctx, 1, view.n);
  Tensor& z = ctx.output(0, x.dtype(), dims);
  for (std::int64_t row = 0; z.size() > 0 && row < view.outer; ++row)
    for (std::int64_t k = 0; k < n; ++k)
      copy_elements(z, row * n + k, x, row * view.n + picks[static_cast<std::size_t>(k)], 1);
}

}  // namespace
}  // namespace array_feature_extractor_ref_cc

void array_feature_extractor_references(opset::ReferenceTable& table) {
  table.add(ArrayFeatureExtractor, array_feature_extractor_ref);
}

}  // namespace norn::ops
