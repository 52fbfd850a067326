// Each frame, times the window, is transformed in double.
#include "ops/common/elements.h"
#include "ops/common/fourier.h"
#include "ops/math/stft/stft.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace stft_ref_cc {
namespace {

opset::Dims dims_of(opset::ReferenceContext& ctx, int input, std::int64_t rank) {
  const Tensor& t = ctx.input(input);
  if (t.rank() != rank) {
    ctx.fail(std::string(ctx.schema().inputs[static_cast<std::size_t>(input)].name) + " must have rank " +
             std::to_string(rank) + ", not shape " + to_string(t.dims()));
  }
  return opset::to_dims(t.dims());
}

void stft_ref(opset::ReferenceContext& ctx) {
  const Tensor& signal = ctx.input(0);
  const opset::Dims signal_dims = dims_of(ctx, 0, 3);
  const bool has_window = ctx.has_input(2);
  const opset::Dims window_dims = has_window ? dims_of(ctx, 2, 1) : opset::Dims();
  const StftParams p = resolve_stft(ctx, &signal_dims, has_window ? &window_dims : nullptr);
  const std::int64_t step = ctx.require(p.step, "frame_step").constant(), n = p.length->constant();
  const std::int64_t batch = signal.dims()[0], samples = signal.dims()[1], parts = signal.dims()[2];
  const std::int64_t frames = (samples - n) / step + 1, bins = p.onesided ? n / 2 + 1 : n;
  Tensor& y = ctx.output(0, signal.dtype(), {batch, frames, bins, 2});
  if (y.size() == 0) return;

  const std::vector<double> values = load_all<double>(signal);
  const std::vector<double> window =
      has_window ? load_all<double>(ctx.input(2)) : std::vector<double>(static_cast<std::size_t>(n), 1.0);
  Fourier transform(n, false);
  std::vector<Fourier::Complex> line(static_cast<std::size_t>(n));
  std::vector<double> spectrum(static_cast<std::size_t>(bins * 2));
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t f = 0; f < frames; ++f) {
      const double* frame = values.data() + (b * samples + f * step) * parts;
      for (std::size_t k = 0; k < line.size(); ++k, frame += parts)
        line[k] = {window[k] * frame[0], parts == 2 ? window[k] * frame[1] : 0.0};
      transform.run(line);
      if (parts == 1) {  // by symmetry
        line[0].imag(0);
        if (n % 2 == 0) line[line.size() / 2].imag(0);
      }
      for (std::size_t k = 0; k < spectrum.size() / 2; ++k) {
        spectrum[2 * k] = line[k].real();
        spectrum[2 * k + 1] = line[k].imag();
      }
      store<double>(y, (b * frames + f) * bins * 2, bins * 2, spectrum.data());
    }
  }
}

}  // namespace
}  // namespace stft_ref_cc

void stft_references(opset::ReferenceTable& table) { table.add(STFT, stft_ref); }

}  // namespace norn::ops
