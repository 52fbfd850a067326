// The product of two dense matrices, added to a third: double for floating types, modulo 2^64 for integers.
#pragma once
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/stop.h"
#include "ops/common/shapes.h"
#include "ops/math/matmul/matmul.h"

namespace norn::ops {

// c[m x n] += a[m x k] * b[k x n]. Signed integers wrap.
template <class D>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const D* a, const D* b, D* c) {
  using Wrapping = std::conditional_t<std::is_same_v<D, std::int64_t>, std::uint64_t, D>;
  constexpr std::int64_t kLongWork = 1 << 20;
  const base::Stop* const stop = m * n > kLongWork / std::max<std::int64_t>(k, 1) ? base::current_stop() : nullptr;
  std::int64_t done = 0;  // since it was looked whether to stop
  for (std::int64_t i = 0; i < m; ++i) {
    D* row = c + i * n;
    for (std::int64_t p = 0; p < k; ++p) {
      if (stop && (done += n) >= kLongWork) {
        stop->check();
        done = 0;
      }
      const auto factor = static_cast<Wrapping>(a[i * k + p]);
      const D* from = b + p * n;
      for (std::int64_t j = 0; j < n; ++j) {
        row[j] = static_cast<D>(static_cast<Wrapping>(row[j]) + factor * static_cast<Wrapping>(from[j]));
      }
    }
  }
}

// All matrices of one operand times those of the other.
template <class D>
std::vector<D> multiply_all(const MatMulShape& s, const std::vector<D>& a, const std::vector<D>& b) {
  std::vector<D> product(static_cast<std::size_t>(element_count(s.out)));
  if (product.empty()) return product;  // however many matrices there are
  D* to = product.data();
  Odometer at(s.batch, {broadcast_strides(s.a_batch, s.batch), broadcast_strides(s.b_batch, s.batch)});
  for (; !at.done(); at.next(), to += s.m * s.n) {
    multiply(s.m, s.n, s.k, a.data() + at.offset(0) * s.m * s.k, b.data() + at.offset(1) * s.k * s.n, to);
  }
  return product;
}

}  // namespace norn::ops
