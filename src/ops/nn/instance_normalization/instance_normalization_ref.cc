// The variance is the population's. A plane of one element has the variance 0 and becomes B.
#include <cmath>

#include "ops/common/elements.h"
#include "ops/nn/instance_normalization/instance_normalization.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace instance_normalization_ref_cc {
namespace {

void instance_normalization_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (x.rank() < 2) ctx.fail("the input " + to_string(x.dims()) + " needs a batch and a channel dimension");
  const std::int64_t channels = x.dims()[1];
  for (int i = 1; i < 3; ++i) {
    if (ctx.input(i).dims() != Shape{channels}) {
      ctx.fail("input " + std::to_string(i) + " has the shape " + to_string(ctx.input(i).dims()) + ", but there are " +
               std::to_string(channels) + " channels");
    }
  }
  const double epsilon = ctx.attrs().f("epsilon");
  const std::vector<double> scale = load_all<double>(ctx.input(1)), bias = load_all<double>(ctx.input(2));
  std::vector<double> values = load_all<double>(x);
  const Shape plane(x.dims().begin() + 2, x.dims().end());
  const auto n = static_cast<std::size_t>(element_count(plane));
  for (std::size_t first = 0, p = 0; first < values.size(); first += n, ++p) {
    const std::span<double> line(values.data() + first, n);
    double sum = 0, squares = 0;
    for (const double v : line) sum += v;
    const double mean = sum / static_cast<double>(n);
    for (const double v : line) squares += (v - mean) * (v - mean);
    const std::size_t c = p % scale.size();
    const double deviation = std::sqrt(squares / static_cast<double>(n) + epsilon);
    for (double& v : line) v = scale[c] * (v - mean) / deviation + bias[c];
  }
  store_all(ctx.output(0, x.dtype(), x.dims()), values);
}

}  // namespace
}  // namespace instance_normalization_ref_cc

void instance_normalization_references(opset::ReferenceTable& table) {
  table.add(InstanceNormalization, instance_normalization_ref);
}

}  // namespace norn::ops
