// X and what is computed of it are rounded to stash_type, as the function body does; scale and bias apply to the
// result.
#include "ops/nn/layer_normalization/layer_normalization.h"

#include <cmath>

#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace layer_normalization_ref_cc {
namespace {

// An input broadcast to X, one value for each of its elements; `otherwise` for one that is left out.
std::vector<double> broadcast_to_x(const opset::ReferenceContext& ctx, int i, const Shape& dims, double otherwise) {
  std::vector<double> values(static_cast<std::size_t>(element_count(dims)), otherwise);
  if (!ctx.has_input(i)) return values;
  const Tensor& t = ctx.input(i);
  require_row_factor(ctx, i);
  if (values.empty()) return values;
  const std::vector<double> own = load_all<double>(t);
  std::size_t at = 0;
  for (Odometer o(dims, {broadcast_strides(t.dims(), dims)}); !o.done(); o.next())
    values[at++] = own[static_cast<std::size_t>(o.offset(0))];
  return values;
}

void layer_normalization_ref(opset::ReferenceContext& ctx) { row_norm_ref(ctx, false); }

}  // namespace
}  // namespace layer_normalization_ref_cc

void row_norm_ref(opset::ReferenceContext& ctx, bool root_mean_square) {
  const Tensor& x = ctx.input(0);
  const RowNormParams p = resolve_row_norm(ctx);
  Shape statistics = x.dims();
  for (auto d = static_cast<std::size_t>(p.axis); d < statistics.size(); ++d) statistics[d] = 1;
  const std::int64_t rows = element_count(statistics);
  const std::int64_t n = rows == 0 ? 0 : x.size() / rows;
  std::vector<double> values = load_all<double>(x), means, inverses;
  const std::vector<double> scale = broadcast_to_x(ctx, 1, x.dims(), 1), bias = broadcast_to_x(ctx, 2, x.dims(), 0);
  const auto in_stash = [&](double v) { return round_to(p.stash, v); };
  const double epsilon = in_stash(static_cast<double>(p.epsilon));
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::span<double> row(values.data() + r * n, static_cast<std::size_t>(n));
    double sum = 0, squares = 0;
    for (double& v : row) sum += v = in_stash(v);
    const double mean = root_mean_square ? 0 : sum / static_cast<double>(n);
    for (const double v : row) squares += (v - mean) * (v - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(n) + epsilon);
    const auto first = static_cast<std::size_t>(r * n);
    for (std::size_t i = 0; i < row.size(); ++i)
      row[i] = (row[i] - mean) / deviation * scale[first + i] + bias[first + i];
    means.push_back(mean);
    inverses.push_back(1 / deviation);
  }
  const DataType type = root_mean_square ? ctx.input(1).dtype() : x.dtype();
  store_all(ctx.output(0, type, x.dims()), values);
  if (ctx.wants_output(1)) store_all(ctx.output(1, p.stash, statistics), means);
  if (ctx.wants_output(2)) store_all(ctx.output(2, p.stash, statistics), inverses);
}

void layer_normalization_references(opset::ReferenceTable& table) {
  table.add(LayerNormalization, layer_normalization_ref);
}

}  // namespace norn::ops
