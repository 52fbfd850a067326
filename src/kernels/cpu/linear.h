// Linear models: scores are rows of X times coefficients, in f32, plus intercepts.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "kernels/cpu/scores.h"
#include "kernels/kernel.h"

namespace norn::kernels {

struct LinearModel {
  std::int64_t scores = 0, features = 0;
  std::vector<float> coefficients;  // [scores, features]
  std::vector<float> intercepts;    // by score, or empty
  ScoreRule rule;
};
struct PackedLinear {
  LinearModel model;  // without coefficients
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

}  // namespace norn::kernels
