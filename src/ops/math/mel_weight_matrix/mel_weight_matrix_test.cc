// MelWeightMatrix against triangles written as minima, over points computed by powers of ten.
#include <algorithm>
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace mel_weight_matrix_test_cc {
namespace {

void triangles(Sample& s) {
  const auto bands = static_cast<std::int64_t>(s.in(0).values[0]);
  const double length = s.in(1).values[0], rate = s.in(2).values[0];
  const double low = std::log10(1 + s.in(3).values[0] / 700), high = std::log10(1 + s.in(4).values[0] / 700);
  const auto bin = [&](std::int64_t i) {
    const double hertz =
        700 * (std::pow(10, low + (high - low) * static_cast<double>(i) / static_cast<double>(bands + 2)) - 1);
    return std::floor((length + 1) * hertz / rate);
  };
  const std::vector<std::int64_t> dims = {static_cast<std::int64_t>(length) / 2 + 1, bands};
  auto& y = s.out(0, dims);
  for (std::int64_t row = 0; row < dims[0]; ++row)
    for (std::int64_t i = 0; i < bands; ++i) {
      const double left = bin(i), peak = bin(i + 1), right = bin(i + 2), k = static_cast<double>(row);
      const double up = k == peak ? 1 : (k - left) / (peak - left), down = k == peak ? 1 : (right - k) / (right - peak);
      const double weight = k <= peak ? up : down;
      y[static_cast<std::size_t>(row * bands + i)] =
          (peak == left && k < peak) || (peak == right && k > peak) ? 0 : std::max(0.0, weight);
    }
}

#define BANDS "T1[] {1|8|20}; T1[] {16|257}; T1[] 8193; T2[] {0|50}; T2[] 4000"

const Cases cases(
    "MelWeightMatrix",
    {
        {"MelWeightMatrix output_datatype=1", BANDS, "float", {.formula = triangles}},
        {"MelWeightMatrix output_datatype=10", BANDS, "float16", {.formula = triangles}},
        {"MelWeightMatrix output_datatype=11", BANDS, "double", {.formula = triangles}},
        {"MelWeightMatrix output_datatype=16", BANDS, "bfloat16", {.formula = triangles}},
        // Numbers of onnx's evaluator; whole numbers are cut.
        {"MelWeightMatrix", "int64[] 3; int64[] 16; int64[] 8192; float[] 0; float[] 4096",
         "float[9,3] 1 0 0 0 1 0 0 0.5 0.5 0 0 1 0 0 0.5 0 0 0 0 0 0 0 0 0 0 0 0"},
        {"MelWeightMatrix output_datatype=6", "int64[] 3; int64[] 16; int64[] 8192; float[] 0; float[] 4096",
         "int32[9,3] 1 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"},
        {"MelWeightMatrix output_datatype=2", "int64[] 3; int64[] 16; int64[] 8192; float[] 0; float[] 4096",
         "uint8[9,3] 1 0 0 0 1 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0"},
        {"MelWeightMatrix", "int64[] 2; int64[] 4; int64[] 100; float[] 0; float[] 0", "float[3,2] 1 1 0 0 0 0"},
        {"MelWeightMatrix", "int64[] 0; int64[] 4; int64[] 100; float[] 0; float[] 50", "float[3,0]"},
        {"MelWeightMatrix", "int64[] 2; int64[] 0; int64[] 1000; float[] 0; float[] 50", "float[1,2] 1 1"},
        {"MelWeightMatrix",
         "int64[] {-1|min}; int64[] 4; int64[] 100; float[] 0; float[] 50",
         "",
         {.error = "at least"}},
        {"MelWeightMatrix", "int64[] 2; int64[] -2; int64[] 100; float[] 0; float[] 50", "", {.error = "at least"}},
        {"MelWeightMatrix", "int64[] 2; int64[] 4; int64[] {0|-5}; float[] 0; float[] 50", "", {.error = "at least"}},
        {"MelWeightMatrix", "int64[] 2; int64[] 4; int64[] 100; float[] 60; float[] 50", "", {.error = "above"}},
        {"MelWeightMatrix", "int64[] 2; int64[] 4; int64[] 100; float[] {nan|-1|inf}; float[] 50", "", {.error = "*"}},
        {"MelWeightMatrix", "int64[] 2; int64[] 4; int64[] 100; float[] 0; float[] {nan|inf}", "", {.error = "*"}},
        {"MelWeightMatrix", "int64[] 2; int64[] 4; int64[] 100; float[] 0; float[] 5000", "", {.error = "beyond"}},
        {"MelWeightMatrix output_datatype={0|8|9|99}",
         "int64[] 2; int64[] 4; int64[] 100; float[] 0; float[] 50",
         "",
         {.error = "output_datatype"}},
        {"MelWeightMatrix", "int64[2] 2 3; int64[] 4; int64[] 100; float[] 0; float[] 50", "", {.error = "one number"}},
        {"MelWeightMatrix", "int64[2]; int64[]; int64[]; float[]; float[]", "", {.error = "has to be one number"}},

        {"MelWeightMatrix-17", "int64[] M; int64[] N; int64[]; float[]; float[]", "float[floor(N/2)+1,M]"},
        {"MelWeightMatrix-17 output_datatype=11", "int64[]; int64[] 32; int64[]; float[]; float[]", "double[17,?]"},
    });

}  // namespace
}  // namespace mel_weight_matrix_test_cc
}  // namespace norn::ops::cases
