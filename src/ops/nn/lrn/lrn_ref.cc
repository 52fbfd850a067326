// An even size reaches one channel further up than down: floor((size-1)/2) below, ceil((size-1)/2) above.
#include <algorithm>
#include <cmath>

#include "ops/common/elements.h"
#include "ops/nn/lrn/lrn.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace lrn_ref_cc {
namespace {

void lrn_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  if (x.rank() < 2) ctx.fail("X " + to_string(x.dims()) + " needs a batch and a channel dimension");
  const LrnParams p = resolve_lrn(ctx);
  const double alpha = p.alpha, beta = p.beta, bias = p.bias;
  const std::int64_t size = p.size;
  const std::int64_t batch = x.dims()[0], channels = x.dims()[1];
  const std::int64_t plane = element_count(Shape(x.dims().begin() + 2, x.dims().end()));
  const std::int64_t below = std::min((size - 1) / 2, channels), above = std::min(size / 2, channels);
  const std::vector<double> values = load_all<double>(x);
  std::vector<double> result(values.size());
  for (std::int64_t n = 0; n < batch; ++n) {
    for (std::int64_t c = 0; c < channels; ++c) {
      const std::int64_t first = std::max<std::int64_t>(0, c - below), last = std::min(channels - 1, c + above);
      for (std::int64_t i = 0; i < plane; ++i) {
        double squares = 0;
        for (std::int64_t k = first; k <= last; ++k) {
          const double v = values[static_cast<std::size_t>((n * channels + k) * plane + i)];
          squares += v * v;
        }
        const auto at = static_cast<std::size_t>((n * channels + c) * plane + i);
        result[at] = values[at] / std::pow(bias + alpha / static_cast<double>(size) * squares, beta);
      }
    }
  }
  store_all(ctx.output(0, x.dtype(), x.dims()), result);
}

}  // namespace
}  // namespace lrn_ref_cc

void lrn_references(opset::ReferenceTable& table) { table.add(LRN, lrn_ref); }

}  // namespace norn::ops
