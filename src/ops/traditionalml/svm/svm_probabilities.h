// From scores of pairs of classes to probabilities of classes: those of pairs are sigmoids, and become those of classes
// by the iteration of Wu, Lin and Weng (2004), as in LIBSVM, which ends within 0.005 / classes of its goal.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace norn::ops {

// Numbers that svm_probabilities() works on.
constexpr std::size_t svm_probability_work(std::size_t classes) { return classes * (2 * classes + 1); }

// `scores`, `a` and `b` are of the pairs (0, 1), (0, 2), ...
inline void svm_probabilities(std::span<const double> scores, std::span<const float> a, std::span<const float> b,
                              std::span<double> probability, double* work) {
  const std::size_t n = probability.size();
  double *r = work, *q = r + n * n, *qp = q + n * n;
  std::fill_n(work, svm_probability_work(n), 0.0);
  std::fill(probability.begin(), probability.end(), 1.0 / static_cast<double>(n));
  std::size_t pair = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i + 1; j < n; ++j, ++pair) {
      const double for_i = 1 / (1 + std::exp(scores[pair] * a[pair] + b[pair]));
      r[i * n + j] = std::clamp(for_i, 1e-7, 1 - 1e-7);
      r[j * n + i] = 1 - r[i * n + j];
    }
  }
  for (std::size_t t = 0; t < n; ++t) {
    for (std::size_t j = 0; j < n; ++j) {
      if (j == t) continue;
      q[t * n + t] += r[j * n + t] * r[j * n + t];
      q[t * n + j] = -r[j * n + t] * r[t * n + j];
    }
  }
  const double enough = 0.005 / static_cast<double>(n);
  for (std::size_t round = 0; round < std::max<std::size_t>(100, n); ++round) {
    double mean = 0;
    for (std::size_t t = 0; t < n; ++t) {
      qp[t] = 0;
      for (std::size_t j = 0; j < n; ++j) qp[t] += q[t * n + j] * probability[j];
      mean += probability[t] * qp[t];
    }
    double error = 0;
    for (std::size_t t = 0; t < n; ++t) error = std::max(error, std::fabs(qp[t] - mean));
    if (error < enough) break;
    for (std::size_t t = 0; t < n; ++t) {
      const double own = q[t * n + t], step = (mean - qp[t]) / own;
      probability[t] += step;
      mean = (mean + step * (step * own + 2 * qp[t])) / (1 + step) / (1 + step);
      for (std::size_t j = 0; j < n; ++j) {
        qp[j] = (qp[j] + step * q[t * n + j]) / (1 + step);
        probability[j] /= 1 + step;
      }
    }
  }
}

}  // namespace norn::ops
