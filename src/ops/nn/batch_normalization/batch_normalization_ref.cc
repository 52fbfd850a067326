// One kernel for all versions: spatial statistics see X as N x C x (D1*...*Dn), those per activation as
// N x (C*D1*...*Dn) x 1. The variance is the population's in every version, as 14 made explicit.
#include <cmath>

#include "ops/common/elements.h"
#include "ops/nn/batch_normalization/batch_normalization.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace batch_normalization_ref_cc {
namespace {

void batch_normalization_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (x.rank() == 0) ctx.fail("X is a scalar; it needs a batch dimension at least");
  const Shape& dims = x.dims();
  bool wants_statistics = false;
  for (int o = 1; o < ctx.output_count(); ++o) wants_statistics |= ctx.wants_output(o);
  const BatchNormalizationParams p = resolve_batch_normalization(ctx, wants_statistics);
  Shape statistics = {1};
  if (dims.size() > 1) {
    statistics = Shape(dims.begin() + 1, p.per_activation ? dims.end() : dims.begin() + 2);
  }
  for (int i = 1; i < 5; ++i) {
    if (ctx.input(i).dims() != statistics) {
      ctx.fail("input " + std::to_string(i) + " has the shape " + to_string(ctx.input(i).dims()) + ", but " +
               to_string(statistics) + " is required");
    }
  }
  const auto n = static_cast<std::size_t>(dims[0]);
  const auto channels = static_cast<std::size_t>(element_count(statistics));
  std::size_t plane = 1;
  for (std::size_t d = 1 + statistics.size(); d < dims.size(); ++d) plane *= static_cast<std::size_t>(dims[d]);

  std::vector<double> values = load_all<double>(x);
  const std::vector<double> scale = load_all<double>(ctx.input(1)), bias = load_all<double>(ctx.input(2));
  std::vector<double> mean = load_all<double>(ctx.input(3)), variance = load_all<double>(ctx.input(4));
  const double epsilon = p.epsilon, momentum = p.momentum;
  std::vector<double> running_mean = mean, running_variance = variance;
  for (std::size_t c = 0; c < channels; ++c) {
    if (p.training) {
      const double count = static_cast<double>(n * plane);
      double sum = 0, squares = 0;
      for (std::size_t b = 0; b < n; ++b) {
        for (std::size_t i = 0; i < plane; ++i) sum += values[(b * channels + c) * plane + i];
      }
      mean[c] = sum / count;
      for (std::size_t b = 0; b < n; ++b) {
        for (std::size_t i = 0; i < plane; ++i) {
          const double distance = values[(b * channels + c) * plane + i] - mean[c];
          squares += distance * distance;
        }
      }
      variance[c] = squares / count;
      running_mean[c] = running_mean[c] * momentum + mean[c] * (1 - momentum);
      running_variance[c] = running_variance[c] * momentum + variance[c] * (1 - momentum);
    }
    const double factor = scale[c] / std::sqrt(variance[c] + epsilon);
    for (std::size_t b = 0; b < n; ++b) {
      for (std::size_t i = 0; i < plane; ++i) {
        double& v = values[(b * channels + c) * plane + i];
        v = (v - mean[c]) * factor + bias[c];
      }
    }
  }
  store_all(ctx.output(0, x.dtype(), dims), values);
  const std::vector<double>* more[] = {&running_mean, &running_variance, &mean, &variance};
  for (int o = 1; o < ctx.output_count() && o < 5; ++o) {
    if (!ctx.wants_output(o)) continue;
    if (ctx.version() >= 14 && !p.training) ctx.fail(kStatisticsOutsideTraining, kStatisticsHint);
    store_all(ctx.output(o, ctx.input(3).dtype(), statistics), *more[o - 1]);
  }
}

}  // namespace
}  // namespace batch_normalization_ref_cc

void batch_normalization_references(opset::ReferenceTable& table) {
  table.add(BatchNormalization, batch_normalization_ref);
}

}  // namespace norn::ops
