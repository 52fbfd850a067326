// Every line along the axis is cut or filled with zeros to the length of the transform, and transformed in double. A
// one-sided spectrum is completed first: element n - k is the conjugate of element k.
#include "ops/common/elements.h"
#include "ops/common/fourier.h"
#include "ops/common/shapes.h"
#include "ops/math/dft/dft.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace dft_ref_cc {
namespace {

void dft_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const DftParams p = resolve_dft(ctx, opset::to_dims(x.dims()));
  const std::int64_t axis = ctx.require(p.axis, "axis"), n = ctx.require(p.length, "dft_length").constant();
  const std::int64_t parts = x.dims().back(), bins = p.output_size().constant();
  Shape dims = x.dims();
  const AxisView view = view_along(Shape(dims.begin(), dims.end() - 1), axis);
  dims[static_cast<std::size_t>(axis)] = bins;
  dims.back() = p.to_real() ? 1 : 2;
  Tensor& y = ctx.output(0, x.dtype(), dims);
  if (y.size() == 0) return;

  const std::vector<double> values = load_all<double>(x);
  std::vector<double> result(static_cast<std::size_t>(y.size()));
  Fourier transform(n, p.inverse);
  std::vector<Fourier::Complex> line(static_cast<std::size_t>(n));
  const auto taken = std::min(view.n, p.to_real() ? n / 2 + 1 : n);
  for (std::int64_t o = 0; o < view.outer; ++o) {
    for (std::int64_t i = 0; i < view.inner; ++i) {
      std::fill(line.begin(), line.end(), 0.0);
      for (std::int64_t k = 0; k < taken; ++k) {
        const auto at = static_cast<std::size_t>(((o * view.n + k) * view.inner + i) * parts);
        line[static_cast<std::size_t>(k)] = {values[at], parts == 2 ? values[at + 1] : 0.0};
      }
      if (p.to_real()) {
        for (std::size_t k = 1; k < line.size() - k; ++k) line[line.size() - k] = std::conj(line[k]);
      }
      transform.run(line);
      if (parts == 1) {  // by symmetry
        line[0].imag(0);
        if (n % 2 == 0) line[line.size() / 2].imag(0);
      }
      for (std::int64_t k = 0; k < bins; ++k) {
        const auto at = static_cast<std::size_t>(((o * bins + k) * view.inner + i) * dims.back());
        result[at] = line[static_cast<std::size_t>(k)].real();
        if (!p.to_real()) result[at + 1] = line[static_cast<std::size_t>(k)].imag();
      }
    }
  }
  store_all(y, result);
}

}  // namespace
}  // namespace dft_ref_cc

void dft_references(opset::ReferenceTable& table) { table.add(DFT, dft_ref); }

}  // namespace norn::ops
