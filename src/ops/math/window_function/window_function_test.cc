// Windows against their usual form with sines: 1 - cos(a) = 2 sin(a/2)^2.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace window_function_test_cc {
namespace {

// sin(pi k / n)^2 for the k-th element, where n is the size, or one less of a symmetric window.
std::vector<double> squared_sines(Sample& s) {
  const auto size = static_cast<std::int64_t>(s.in(0).values[0]);
  const double n = static_cast<double>(size) - (s.number("periodic") != 0 ? 0 : 1);
  std::vector<double> squares;
  for (std::int64_t k = 0; k < size; ++k) {
    const double sine = size == 1 ? 0 : std::sin(std::acos(-1.0) * static_cast<double>(k) / n);
    squares.push_back(sine * sine);
  }
  return squares;
}
void hann(Sample& s) {
  const auto q = squared_sines(s);
  s.out(0, {static_cast<std::int64_t>(q.size())}) = q;
}
void hamming(Sample& s) {
  auto q = squared_sines(s);
  for (double& v : q) v = (4 + 42 * v) / 46;
  s.out(0, {static_cast<std::int64_t>(q.size())}) = q;
}
// cos(2 a) = 2 cos(a)^2 - 1
void blackman(Sample& s) {
  auto q = squared_sines(s);
  for (double& v : q) v = 0.42 - 0.5 * (1 - 2 * v) + 0.08 * (2 * (1 - 2 * v) * (1 - 2 * v) - 1);
  s.out(0, {static_cast<std::int64_t>(q.size())}) = q;
}

const Cases cases(
    "WindowFunction",
    {
        {"HannWindow periodic={0|1}", "T1[] {0|1|2|9}", "float", {.formula = hann, .tolerance = 1e-7}},
        {"HammingWindow periodic={0|1}", "T1[] {0|1|2|9}", "float", {.formula = hamming, .tolerance = 1e-7}},
        {"BlackmanWindow periodic={0|1}", "T1[] {0|1|2|9}", "float", {.formula = blackman, .tolerance = 1e-7}},
        {"HannWindow output_datatype=double", "int64[] 10", "double", {.formula = hann, .tolerance = 1e-14}},
        {"BlackmanWindow output_datatype=double", "int32[] 10", "double", {.formula = blackman, .tolerance = 1e-14}},
        {"HannWindow", "int64[1] 4", "float[4] 0 0.5 1 0.5", {.tolerance = 1e-7}},
        {"{HannWindow|HammingWindow|BlackmanWindow}", "{int64[]|int32[]|int64[1]} -3", "", {.error = "*"}},
        {"HannWindow output_datatype=int32 periodic=0", "int64[] 3", "int32[3] 0 1 0"},
        {"BlackmanWindow output_datatype=uint8", "int64[] 4", "uint8[4] 0 0 1 0"},
        {"BlackmanWindow output_datatype=double periodic=0", "int64[] 3", "double[3] 0 1 0"},
        {"{HannWindow|HammingWindow|BlackmanWindow}", "{int64[0]|int64[2] 3 3|int64[1,1] 3}", "", {.error = "*"}},
        {"HannWindow output_datatype={bool|string|0|99}", "int64[] 3", "", {.error = "output_datatype"}},

        {"{HannWindow|HammingWindow|BlackmanWindow}", "int64[] N", "float[N]"},
        {"HannWindow output_datatype=bfloat16", "int64[]", "bfloat16[?]"},
        {"HannWindow", "int32", "float[?]"},
        {"HannWindow", "int64[2]", "", {.error = "one number"}},
    });

}  // namespace
}  // namespace window_function_test_cc
}  // namespace norn::ops::cases
