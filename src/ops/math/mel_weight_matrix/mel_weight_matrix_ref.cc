// Triangles between points that are equally far apart in mel and rounded down to bins of the spectrum.
//
// The standard gives the scale only; the rest is what onnx's evaluator and ONNX Runtime do. The points divide the range
// into as many steps as there are points (bands + 2), so that the last one lies a step below the upper edge. Where two
// neighbours fall into one bin, the triangle's rising side is that bin alone.
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include "ops/common/loops.h"
#include "ops/math/mel_weight_matrix/mel_weight_matrix.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace mel_weight_matrix_ref_cc {
namespace {

const double kLog10 = std::log(10.0);

double edge(opset::ReferenceContext& ctx, int input, const char* name) {
  const double hertz = single_number(ctx, input);
  if (!(hertz >= 0 && hertz < HUGE_VAL)) ctx.fail(std::string(name) + " is " + std::to_string(hertz));
  return hertz;
}

struct Spectrum {
  double low, step;  // in mel
  double dft_length, sample_rate;

  // The bin of a point, rounded down.
  double bin(std::int64_t point) const {
    const double mel = low + step * static_cast<double>(point);
    const double hertz = 700.0 * std::expm1(mel / 2595.0 * kLog10);
    return std::floor((dft_length + 1) * hertz / sample_rate);
  }
};

void mel_weight_matrix_ref(opset::ReferenceContext& ctx) {
  const MelParams p = resolve_mel_weight_matrix(ctx);
  const std::int64_t bands = ctx.require(p.bands, "num_mel_bins").constant();
  const std::int64_t length = ctx.require(p.dft_length, "dft_length").constant(), rows = length / 2 + 1;
  const double lower = edge(ctx, 3, "lower_edge_hertz"), upper = edge(ctx, 4, "upper_edge_hertz");
  if (lower > upper) {
    ctx.fail("lower_edge_hertz is " + std::to_string(lower) + ", above upper_edge_hertz, which is " +
             std::to_string(upper));
  }
  const auto mel = [](double hertz) { return 2595.0 * std::log1p(hertz / 700.0) / kLog10; };
  const Spectrum spectrum{mel(lower), (mel(upper) - mel(lower)) / (static_cast<double>(bands) + 2),
                          static_cast<double>(length),
                          static_cast<double>(ctx.require(p.sample_rate, "sample_rate").constant())};
  Tensor& y = ctx.output(0, p.type, {rows, bands});
  if (y.size() == 0) return;
  if (spectrum.bin(bands) >= static_cast<double>(rows) || spectrum.bin(bands + 1) > static_cast<double>(rows)) {
    ctx.fail("the bands reach beyond the " + std::to_string(rows) + " bins of the spectrum",
             "give an upper_edge_hertz of at most half of sample_rate");
  }
  std::vector<double> weights(static_cast<std::size_t>(y.size()));
  for (std::int64_t i = 0; i < bands; ++i) {
    const auto left = static_cast<std::int64_t>(spectrum.bin(i)), peak = static_cast<std::int64_t>(spectrum.bin(i + 1)),
               right = static_cast<std::int64_t>(spectrum.bin(i + 2));
    const auto at = [&](std::int64_t row) -> double& { return weights[static_cast<std::size_t>(row * bands + i)]; };
    for (std::int64_t k = left; k < peak; ++k) at(k) = static_cast<double>(k - left) / static_cast<double>(peak - left);
    at(peak) = 1;
    for (std::int64_t k = peak + 1; k < right; ++k)
      at(k) = static_cast<double>(right - k) / static_cast<double>(right - peak);
  }
  visit_real(domain_of(p.type), [&]<class D>(D) {
    if constexpr (std::is_same_v<D, double>)
      store_all(y, weights);
    else
      store_all(y, std::vector<D>(weights.begin(), weights.end()));
  });
}

}  // namespace
}  // namespace mel_weight_matrix_ref_cc

void mel_weight_matrix_references(opset::ReferenceTable& table) { table.add(MelWeightMatrix, mel_weight_matrix_ref); }

}  // namespace norn::ops
