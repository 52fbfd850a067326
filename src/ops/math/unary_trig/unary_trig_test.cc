#include <cmath>
#include <complex>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace unary_trig_test_cc {
namespace {

using Complex = std::complex<double>;
constexpr Complex i(0, 1);

// By the exponential and the logarithm of complex numbers.
double sine(double x) { return ((std::exp(i * x) - std::exp(-i * x)) / (2.0 * i)).real(); }
double cosine(double x) { return ((std::exp(i * x) + std::exp(-i * x)) / 2.0).real(); }
double tangent(double x) { return sine(x) / cosine(x); }
double arc_sine(double x) { return (-i * std::log(i * x + std::sqrt(Complex(1 - x * x)))).real(); }
double arc_cosine(double x) { return M_PI / 2 - arc_sine(x); }
double arc_tangent(double x) { return (std::log((1.0 + i * x) / (1.0 - i * x)) / (2.0 * i)).real(); }
double hyperbolic_sine(double x) { return (std::exp(x) - std::exp(-x)) / 2; }
double hyperbolic_cosine(double x) { return (std::exp(x) + std::exp(-x)) / 2; }
double area_sine(double x) { return x < 0 ? -std::log(-x + std::sqrt(x * x + 1)) : std::log(x + std::sqrt(x * x + 1)); }
double area_cosine(double x) { return std::log(x + std::sqrt(x * x - 1)); }
double area_tangent(double x) { return std::log((1 + x) / (1 - x)) / 2; }

const Cases cases("UnaryTrig",
                  {
                      {"Sin", "{T[5] uniform -3 3|T[1,0]|T[] random}", "", {.each = sine, .tolerance = 1e-14}},
                      {"Cos", "{T[5] uniform -3 3|T[1,0]|T[] random}", "", {.each = cosine, .tolerance = 1e-14}},
                      {"Tan", "{T[5] uniform -1.4 1.4|T[1,0]}", "", {.each = tangent, .tolerance = 1e-14}},
                      {"Asin", "{T[5] uniform -0.95 0.95|T[1,0]}", "", {.each = arc_sine, .tolerance = 1e-14}},
                      {"Acos", "{T[5] uniform -0.95 0.95|T[1,0]}", "", {.each = arc_cosine, .tolerance = 1e-14}},
                      {"Atan", "{T[5] uniform -3 3|T[1,0]}", "", {.each = arc_tangent, .tolerance = 1e-14}},
                      {"Sinh", "{T[5] uniform -3 3|T[1,0]}", "", {.each = hyperbolic_sine, .tolerance = 1e-14}},
                      {"Cosh", "{T[5] uniform -3 3|T[1,0]}", "", {.each = hyperbolic_cosine, .tolerance = 1e-14}},
                      {"Asinh", "{T[5] uniform -3 3|T[1,0]}", "", {.each = area_sine, .tolerance = 1e-14}},
                      {"Acosh", "{T[5] uniform 1.5 4|T[1,0]}", "", {.each = area_cosine, .tolerance = 1e-14}},
                      {"Atanh", "{T[5] uniform -0.9 0.9|T[1,0]}", "", {.each = area_tangent, .tolerance = 1e-14}},
                      {"Acosh-9", "float[1] 0.5", "float[1] nan"},
                  });

}  // namespace
}  // namespace unary_trig_test_cc
}  // namespace norn::ops::cases
