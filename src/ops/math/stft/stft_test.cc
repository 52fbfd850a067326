// STFT against its definition: every frame's sums.
#include <cmath>
#include <complex>
#include <numbers>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace stft_test_cc {
namespace {

void by_definition(Sample& s) {
  const auto& dims = s.in(0).dims;
  const auto step = static_cast<std::int64_t>(s.in(1).values[0]);
  const std::int64_t n = s.has(2) ? s.in(2).dims[0] : s.has(3) ? static_cast<std::int64_t>(s.in(3).values[0]) : dims[1];
  const std::int64_t frames = (dims[1] - n) / step + 1;
  const std::vector<std::int64_t> out = {dims[0], frames, s.number("onesided") != 0 ? n / 2 + 1 : n, 2};
  auto& y = s.out(0, out);
  std::vector<std::int64_t> at(4);
  do {
    std::complex<double> sum = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t from = at[1] * step + i;
      const std::complex<double> x(s.in(0).at({at[0], from, 0}), dims[2] == 2 ? s.in(0).at({at[0], from, 1}) : 0.0);
      const double turn = 2 * std::numbers::pi * static_cast<double>(i * at[2] % n) / static_cast<double>(n);
      sum += x * (s.has(2) ? s.in(2).values[static_cast<std::size_t>(i)] : 1.0) * std::polar(1.0, -turn);
    }
    y[static_cast<std::size_t>(position(at, out))] = at[3] ? sum.imag() : sum.real();
  } while (next(at, out));
}

const Cases cases(
    "STFT", {
                {"STFT onesided={0|1}",
                 "double[2,9,1] random; int64[] {1|2|9}; {-|double[5] random|-; int64[] 1|-; int64[] 4|-; int64[] 9}",
                 "",
                 {.formula = by_definition, .tolerance = 1e-12}},
                {"STFT onesided=0",
                 "double[2,9,2] random; int64[] 3; double[4] random; int64[] 4",
                 "",
                 {.formula = by_definition, .tolerance = 1e-12}},
                {"STFT",
                 "float[1,8,1] random; int32[] 2; float[3] random; int32[] 3",
                 "",
                 {.formula = by_definition, .tolerance = 1e-6}},
                {"STFT",
                 "T1[1,7,1] 1 2 4 8 16 32 64; T2[] 2; T1[4] 1 0.5 0.25 0.125",
                 "T1[1,2,3,2] 4 0 0 0 0 0 16 0 0 0 0 0",
                 {.tolerance = 1e-15}},
                {"STFT", "float[0,7,1]; int64[] 3; float[4] 1 1 1 1", "float[0,2,3,2]"},
                {"STFT", "float[1,4,1] random; int64[] {0|-1|min}", "", {.error = "frame_step"}},
                {"STFT", "float[1,4,1] random; int64[] 1; -; int64[] {0|-3}", "", {.error = "at least 1"}},
                {"STFT", "float[1,4,1] random; int64[] 1; -; int64[] {5|max}", "", {.error = "longer than the signal"}},
                {"STFT", "float[1,4,1] random; int64[] 1; float[3] random; int64[] 2", "", {.error = "the window has"}},
                {"STFT", "float[1,4,1] random; int64[] 1; float[0]", "", {.error = "at least 1"}},
                {"STFT", "float[1,4,1] random; int64[] max", "", {.formula = by_definition, .tolerance = 1e-6}},
                {"STFT", "float[1,4,2] random; int64[] 1; float[3] random", "", {.error = "one-sided"}},
                {"STFT", "float[1,4,3] random; int64[] 1", "", {.error = "last axis"}},
                {"STFT", "float[4,1] random; int64[] 1", "", {.error = "rank"}},
                {"STFT", "float[1,4,1] random; int64[] 1; float[2,2] random", "", {.error = "rank"}},

                {"STFT-17", "float[B,L,1]; int64[] 2; float[8]", "float[B,floor(L/2)-3,5,2]"},
                {"STFT-17 onesided=0", "float[B,L,1]; int64[]; float[W]", "float[B,?,W,2]"},
                {"STFT-17", "float[B,100,1]; int64[] 10; -; int64[] 20", "float[B,9,11,2]"},
                {"STFT-17", "float[B,100,1]; int64[] 10; -; int64[]", "float[B,?,?,2]"},
                {"STFT-17", "float; int64[] 10; float[16]", "float[?,?,9,2]"},
            });

}  // namespace
}  // namespace stft_test_cc
}  // namespace norn::ops::cases
