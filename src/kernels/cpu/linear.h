// Linear models: scores are rows of X, as f32, times coefficients, plus intercepts.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "kernels/cpu/scores.h"
#include "kernels/kernel.h"

namespace norn::kernels {

enum class RowTransform : std::uint8_t { None, Softmax, Logistic, Other };
struct LinearModel {
  std::int64_t scores = 0, features = 0;
  std::vector<float> coefficients;  // [scores, features]
  std::vector<float> intercepts;    // by score, or empty
  ScoreRule rule;
  RowTransform transform = RowTransform::Other;  // what rule.transform is
};
struct PackedLinear {
  LinearModel model;  // without coefficients, unless they are few
  std::shared_ptr<const void> panels;
};
std::shared_ptr<const PackedLinear> pack_linear(LinearModel model);

// Operands: X [rows, features], then the outputs: the labels, or null, and the scores (float), or null.
struct LinearConfig {
  std::shared_ptr<const PackedLinear> model;
  DataType x = DataType::Float;
  std::int64_t rows = 0, features = 0;
};
std::span<const Candidate<LinearConfig>> linear_candidates();

// For a target's instruction set: out[r * n + s] = bias[s] (0 if null) + the product of row r of x with row s of w,
// rows of k; n is at most 4.
using DotRows = void (*)(const float* x, std::int64_t rows, std::int64_t k, const float* w, std::int64_t n,
                         const float* bias, float* out);
DotRows dot_rows();

}  // namespace norn::kernels
