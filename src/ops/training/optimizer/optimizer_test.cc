// Optimizers against the formulas of the standard, written with means and powers, for one tensor and for two.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace optimizer_test_cc {
namespace {

// Calls f(x, g, a, b), which gives the new x and, through references, the new states, for every element of the `count`
// tensors behind R and T.
template <class F>
void each_tensor(Sample& s, int states, F&& f) {
  const int count = (s.inputs() - 2) / (2 + states);
  for (int i = 0; i < count; ++i) {
    const auto in = [&](int group) -> const Numbers& { return s.in(2 + group * count + i); };
    std::vector<double> x = in(0).values, a = in(2).values, b = states > 1 ? in(3).values : a;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double g = in(1).values[k] + s.number("norm_coefficient") * x[k];
      x[k] = f(x[k], g, a[k], b[k]);
    }
    s.out(i, in(0).dims) = x;
    s.out(count + i, in(0).dims) = a;
    if (states > 1) s.out(2 * count + i, in(0).dims) = b;
  }
}

void adagrad(Sample& s) {
  const double r = s.in(0).values[0] / (1 + s.in(1).values[0] * s.number("decay_factor"));
  each_tensor(s, 1, [&](double x, double g, double& h, double&) {
    h = h + g * g;
    return x - r * g / (std::pow(h, 0.5) + s.number("epsilon"));
  });
}
void adam(Sample& s) {
  const double t = s.in(1).values[0], a = s.number("alpha"), b = s.number("beta");
  const double bias = t > 0 ? std::sqrt(1 - std::exp(t * std::log(b))) / (1 - std::exp(t * std::log(a))) : 1;
  each_tensor(s, 2, [&](double x, double g, double& v, double& h) {
    v = g + a * (v - g);
    h = g * g + b * (h - g * g);
    return (x - s.in(0).values[0] * bias * v / (std::sqrt(h) + s.number("epsilon"))) *
           (1 - s.number("norm_coefficient_post"));
  });
}
void momentum(Sample& s) {
  const double r = s.in(0).values[0], a = s.number("alpha"), b = s.in(1).values[0] > 0 ? s.number("beta") : 1;
  each_tensor(s, 1, [&](double x, double g, double& v, double&) {
    v = a * v + b * g;
    return s.word("mode") == "nesterov" ? x - r * g - r * a * v : x - r * v;
  });
}

#define ONE "T1[] 0.1; int64[] {0|1|5}; "
#define THREE "T3[2,3] random 1; T3[2,3] random 2; T3[2,3] positive 3"
#define FOUR "float[2]; double[]; float[2]; double[]"
#define SIX "float[2] random; double[] random; float[2] random; double[] random; float[2] positive; double[] positive"

const Cases cases(
    "Optimizer",
    {
        {"ai.onnx.preview.training.Adagrad norm_coefficient=0.01 decay_factor=0.5 epsilon=0.001",
         ONE THREE,
         "T3[2,3]; T3[2,3]",
         {.formula = adagrad, .tolerance = 1e-6}},
        {"ai.onnx.preview.training.Adagrad",
         "float[1] 0.5; int64[1] 3; " SIX,
         FOUR,
         {.formula = adagrad, .tolerance = 1e-6}},
        {"ai.onnx.preview.training.Adam norm_coefficient=0.01 norm_coefficient_post=0.25",
         ONE THREE "; T3[2,3] positive",
         "T3[2,3]; T3[2,3]; T3[2,3]",
         {.formula = adam, .tolerance = 1e-6}},
        {"ai.onnx.preview.training.Adam alpha=0.5 beta=0.75",
         "float[] 0.5; int64[] 3; " SIX "; float[2] positive; double[] positive",
         FOUR "; float[2]; double[]",
         {.formula = adam, .tolerance = 1e-6}},
        {"ai.onnx.preview.training.Momentum mode={standard|nesterov} alpha=0.95 beta=0.1 norm_coefficient=0.001",
         ONE THREE,
         "T3[2,3]; T3[2,3]",
         {.formula = momentum, .tolerance = 1e-6}},
        {"ai.onnx.preview.training.Momentum mode={standard|nesterov} alpha=0.95 beta=0.1 norm_coefficient=0.001",
         "float[] 0.5; int64[] 3; " SIX,
         FOUR,
         {.formula = momentum, .tolerance = 1e-6}},

        {"ai.onnx.preview.training.Adagrad", "float[] 1; int64[] 0; float[0]; float[0]; float[0]",
         "float[0]; float[0]"},
        // Steps far into training, and none yet.
        {"ai.onnx.preview.training.Adam",
         "double[] 1; int64[] {max|min}; double[1] 0; double[1] 1; double[1] 1; double[1] 1",
         "double[1]; double[1]; double[1]",
         {.formula = adam, .tolerance = 1e-6}},
        {"ai.onnx.preview.training.Momentum alpha=1 beta=1 norm_coefficient=0 mode=other",
         "float[] 1; int64[] 0; float[1] 1; float[1] 1; float[1] 1",
         "",
         {.error = "mode"}},
        {"ai.onnx.preview.training.Adagrad",
         "float[] 1; int64[] 0; {float[1] 1; float[1] 1|float[1] 1; float[1] 1; float[1] 1; float[1] 1}",
         "",
         {.error = "a multiple of 3"}},
        {"ai.onnx.preview.training.Adagrad",
         "float[] 1; int64[] 0; float[1] 1; -; float[1] 1",
         "",
         {.error = "missing"}},
        {"ai.onnx.preview.training.Adam",
         "float[] 1; int64[] 0; float[1] 1; float[1] 1; float[1] 1",
         "",
         {.error = "a multiple of 4"}},
        {"ai.onnx.preview.training.Adagrad",
         "float[] 1; int64[] 0; float[2] 1 2; {float[1] 1|float[2,1] 1 2}; float[2] 1 2",
         "",
         {.error = "*"}},
        {"ai.onnx.preview.training.Adagrad",
         "{float[0]|float[2] 1 2}; int64[] 0; float[2] 1 2; float[2] 1 2; float[2] 1 2",
         "",
         {.error = "*"}},
        {"ai.onnx.preview.training.Adagrad",
         "float[2]; int64[]; float[N]; float[N]; float[N]",
         "",
         {.error = "has to be one number"}},
        {"ai.onnx.preview.training.Adagrad", "float[]; int64[]; float[N,2]; float; float[?,2]",
         "float[N,2]; float[N,2]"},
        {"ai.onnx.preview.training.Adam",
         "float[]; int64[]; float; double[3]; float; double; float; double; double; float",
         "float; double[3]; float; double[3]; double; float[3]"},
    });

}  // namespace
}  // namespace optimizer_test_cc
}  // namespace norn::ops::cases
