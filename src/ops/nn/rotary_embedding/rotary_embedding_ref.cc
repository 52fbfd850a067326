#include "ops/common/elements.h"
#include "ops/nn/rotary_embedding/rotary_embedding.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace rotary_embedding_ref_cc {
namespace {

void rotary_embedding_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Shape& cache = ctx.input(1).dims();
  const bool by_position = ctx.has_input(3);
  const RotaryParams p = resolve_rotary(ctx);
  const std::vector<double> from = load_all<double>(x), cosines = load_all<double>(ctx.input(1)),
                            sines = load_all<double>(ctx.input(2));
  std::vector<double> y = from;
  const std::vector<std::int64_t> positions = by_position ? to_ints(ctx.input(3)) : std::vector<std::int64_t>();
  const std::int64_t half = p.rotated / 2;
  for (std::int64_t b = 0; b < p.batch; ++b) {
    for (std::int64_t t = 0; t < p.sequence; ++t) {
      std::int64_t row = 0;
      if (by_position) {
        row = positions[static_cast<std::size_t>(b * p.sequence + t)];
        if (row < -cache[0] || row >= cache[0])
          ctx.fail("the position " + std::to_string(row) + " lies outside of the caches' " + std::to_string(cache[0]));
        if (row < 0) row += cache[0];
      } else {
        row = (cache[0] == 1 ? 0 : b * cache[1]) + (cache[1] == 1 ? 0 : t);
      }
      for (std::int64_t h = 0; h < p.heads; ++h) {
        const std::int64_t first = b * p.batch_stride + t * p.sequence_stride + h * p.head_stride;
        for (std::int64_t i = 0; i < half; ++i) {
          const auto one = static_cast<std::size_t>(first + (p.interleaved ? 2 * i : i));
          const std::size_t other = one + static_cast<std::size_t>(p.interleaved ? 1 : half);
          const double c = cosines[static_cast<std::size_t>(row * half + i)];
          const double s = sines[static_cast<std::size_t>(row * half + i)];
          y[one] = c * from[one] - s * from[other];
          y[other] = s * from[one] + c * from[other];
        }
      }
    }
  }
  store_all(ctx.output(0, x.dtype(), x.dims()), y);
}

}  // namespace
}  // namespace rotary_embedding_ref_cc

void rotary_embedding_references(opset::ReferenceTable& table) { table.add(RotaryEmbedding, rotary_embedding_ref); }

}  // namespace norn::ops
