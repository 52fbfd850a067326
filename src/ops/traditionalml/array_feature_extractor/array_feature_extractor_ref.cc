// ArrayFeatureExtractor: the same positions out of every row. They count from the front only.
#include <string>

#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/traditionalml/array_feature_extractor/array_feature_extractor.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

void array_feature_extractor_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (x.rank() == 0) ctx.fail("X is a scalar, which has no axis to pick along");
  const std::vector<std::int64_t> picks = to_ints(ctx.input(1));
  const AxisView view = view_along(x.dims(), x.rank() - 1);
  for (const std::int64_t pick : picks)
    if (pick < 0 || pick >= view.n)
      ctx.fail("the position " + std::to_string(pick) + " is outside of a row of " + std::to_string(view.n));
  Shape dims = x.dims();
  if (dims.size() == 1) dims.insert(dims.begin(), 1);
  const auto n = static_cast<std::int64_t>(picks.size());
  dims.back() = n;
  Tensor& z = ctx.output(0, x.dtype(), dims);
  for (std::int64_t row = 0; z.size() > 0 && row < view.outer; ++row)
    for (std::int64_t k = 0; k < n; ++k)
      copy_elements(z, row * n + k, x, row * view.n + picks[static_cast<std::size_t>(k)], 1);
}

}  // namespace

void array_feature_extractor_references(opset::ReferenceTable& table) {
  table.add(ArrayFeatureExtractor, array_feature_extractor_ref);
}

}  // namespace norn::ops
