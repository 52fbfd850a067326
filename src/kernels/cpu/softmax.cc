#include "kernels/cpu/softmax.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/fold.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/steps.h"
#include "kernels/cpu/transpose_loops.h"
#include "kernels/cpu/typed.h"

namespace norn::kernels {
inline namespace softmax_cc {
namespace {

constexpr std::int64_t kColumns = 256;                     // done together, when the softmax runs down columns
constexpr std::int64_t kFew = 16;                          // columns of which many rows are taken as one
constexpr std::int64_t kTurned = 8192, kLeastTurned = 16;  // elements, and blocks of them, that are turned

// Blocks of n rows of `inner` columns, many that lie behind each other: turned, so that columns of all of them lie side
// by side. f(turned, step, columns) computes them in place.
template <class T, std::int64_t kMost, class F>
void turn_blocks(const SoftmaxConfig& c, const T* x, T* out, std::int64_t blocks, std::int64_t together, const F& f) {
  const TransposeLoops loops = transpose_loops(sizeof(T));
  const std::int64_t block = c.n * c.inner;
  alignas(64) T turned[kMost];
  for (std::int64_t b = 0; b < blocks; b += together) {
    const std::int64_t m = std::min(together, blocks - b), at = b * block;
    loops.block(x + at, block, turned, m, m, block);
    f(turned, c.inner * m);
    loops.block(turned, m, out + at, block, block, m);
  }
}

class Softmax final : public Kernel {
 public:
  explicit Softmax(const SoftmaxConfig& c) : c_(c), table_(row_table()) {}

  void run(void* const* operands, void*) const override {
    const float* x = static_cast<const float*>(operands[0]);
    float* out = static_cast<float*>(operands[1]);
    const double row_ns = 20 + 0.7 * static_cast<double>(c_.n);
    if (c_.inner == 1) {
      parallel_ranges(c_.outer, row_ns, 1, [&](std::int64_t begin, std::int64_t end) {
        table_.softmax(x + begin * c_.n, out + begin * c_.n, end - begin, c_.n, c_.log);
      });
      return;
    }
    if (c_.inner < kFew && c_.n * c_.inner <= kTurned / kLeastTurned && c_.outer >= kLeastTurned) {
      const std::int64_t block = c_.n * c_.inner;
      const std::int64_t together = std::min(kColumns / c_.inner, kTurned / block) / kLeastTurned * kLeastTurned;
      parallel_ranges(c_.outer, static_cast<double>(block), kLeastTurned, [&](std::int64_t begin, std::int64_t end) {
        float work[4 * kColumns];
        turn_blocks<float, kTurned>(c_, x + begin * block, out + begin * block, end - begin, together,
                                    [&](float* turned, std::int64_t columns) {
                                      table_.softmax_columns(turned, turned, c_.n, columns, columns, c_.log, work);
                                    });
      });
      return;
    }
    if (c_.inner < kFew && c_.n >= 4 * kFew) {
      parallel_ranges(c_.outer, row_ns * static_cast<double>(c_.inner), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t o = begin; o < end; ++o)
          table_.softmax_few_columns(x + o * c_.n * c_.inner, out + o * c_.n * c_.inner, c_.n, c_.inner, c_.log);
      });
      return;
    }
    const std::int64_t blocks = (c_.inner + kColumns - 1) / kColumns;
    const double block_ns = row_ns * static_cast<double>(std::min(kColumns, c_.inner));
    parallel_ranges(c_.outer * blocks, block_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      float work[4 * kColumns];
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t first = i % blocks * kColumns, at = i / blocks * c_.n * c_.inner + first;
        table_.softmax_columns(x + at, out + at, c_.n, c_.inner, std::min(kColumns, c_.inner - first), c_.log, work);
      }
    });
  }

 private:
  SoftmaxConfig c_;
  const RowTable& table_;
};

// In double: by pieces of lines, or of rows of columns; many short lines are turned into columns.
class SoftmaxDouble final : public Kernel {
 public:
  explicit SoftmaxDouble(const SoftmaxConfig& c)
      : c_(c),
        most_(fold_loops(FoldKind::Max, DataType::Double)),
        sum_(fold_loops(FoldKind::Sum, DataType::Double)),
        exp_(typed_function(TypedOp::Exp, DataType::Double)),
        log_(typed_function(TypedOp::Log, DataType::Double)) {}

  void run(void* const* operands, void*) const override {
    const double* x = static_cast<const double*>(operands[0]);
    double* out = static_cast<double*>(operands[1]);
    const std::int64_t block = c_.n * c_.inner;
    if (block <= kSmall && c_.inner <= kSmall / 4 && c_.outer >= kTogether) {
      parallel_ranges(c_.outer, static_cast<double>(block) * 3, kTogether, [&](std::int64_t begin, std::int64_t end) {
        Work work;
        const std::int64_t together = std::min(kTogether, std::min(kPart / c_.inner, kSmall * kTogether / 2 / block));
        turn_blocks<double, kSmall * kTogether / 2>(
            c_, x + begin * block, out + begin * block, end - begin, together,
            [&](double* turned, std::int64_t m) { columns(turned, turned, m, m, work); });
      });
      return;
    }
    const std::int64_t blocks = c_.inner == 1 ? 1 : (c_.inner + kPart - 1) / kPart;
    const double unit_ns = static_cast<double>(c_.n * std::min(c_.inner, kPart)) * 3;
    parallel_ranges(c_.outer * blocks, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      Work work;
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t first = i % blocks * kPart, at = i / blocks * c_.n * c_.inner + first;
        if (c_.inner == 1)
          row(x + at, out + at, work);
        else
          columns(x + at, out + at, c_.inner, std::min(kPart, c_.inner - first), work);
      }
    });
  }

 private:
  static constexpr std::int64_t kPart = 512, kSmall = 64, kTogether = 128;
  struct Work {
    double most[kPart], sum[kPart], t[kPart], e[kPart];
  };

  // exp(x - most) that vanishes in the sum is 0, and so is that of infinite distances.
  void exponentials(const double* t, double* e, std::int64_t n, double* bounded) const {
    for (std::int64_t i = 0; i < n; ++i) bounded[i] = t[i] < -700 ? -700 : t[i];
    const std::int64_t whole = (n + 7) / 8 * 8;  // vectors
    std::fill(bounded + n, bounded + whole, 0.0);
    exp_(bounded, nullptr, e, whole, 0, 0);
    for (std::int64_t i = 0; i < n; ++i) e[i] = t[i] < -700 ? 0 : e[i];
  }

  void row(const double* x, double* out, Work& work) const {
    double most;
    most_.row(x, c_.n, &most);
    double sum = 0;
    for (std::int64_t at = 0; at < c_.n; at += kPart) {
      const std::int64_t n = std::min(kPart, c_.n - at);
      for (std::int64_t i = 0; i < n; ++i) work.t[i] = x[at + i] - most;
      exponentials(work.t, work.e, n, work.sum);
      double piece;
      sum_.row(work.e, n, &piece);
      sum += piece;
      if (!c_.log) std::copy_n(work.e, n, out + at);
    }
    if (c_.log) {
      const double shift = std::log(sum);
      for (std::int64_t i = 0; i < c_.n; ++i) out[i] = x[i] - most - shift;
    } else {
      const double scale = 1 / sum;
      for (std::int64_t i = 0; i < c_.n; ++i) out[i] *= scale;
    }
  }
  // m columns of rows that are `step` elements apart; out may be x. Short rows that lie behind each other are taken
  // many at a time as one, whose columns are joined.
  void columns(const double* x, double* out, std::int64_t step, std::int64_t m, Work& work) const {
    const std::int64_t together = step == m && m < 64 ? std::min(c_.n, kPart / m) : 1, width = together * m;
    const auto each_piece = [&](const auto& f) {
      for (std::int64_t k = 0; k < c_.n; k += together) f(k * step, std::min(together, c_.n - k) * m);
    };
    const auto repeat = [&](double* row) {
      for (std::int64_t i = m; i < width; ++i) row[i] = row[i - m];
    };
    each_piece([&](std::int64_t at, std::int64_t n) { most_.rows(x + at, 0, 1, work.most, n, at == 0); });
    most_.rows(work.most + m, m, together - 1, work.most, m, false);
    repeat(work.most);
    std::fill_n(work.sum, width, 0.0);
    double bounded[kPart];
    each_piece([&](std::int64_t at, std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) work.t[i] = x[at + i] - work.most[i];
      exponentials(work.t, work.e, n, bounded);
      for (std::int64_t i = 0; i < n; ++i) work.sum[i] += work.e[i];
      if (!c_.log) std::copy_n(work.e, n, out + at);
    });
    sum_.rows(work.sum + m, m, together - 1, work.sum, m, false);
    if (c_.log) {
      log_(work.sum, nullptr, work.t, m, 0, 0);
      repeat(work.t);
      each_piece([&](std::int64_t at, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) out[at + i] = x[at + i] - work.most[i] - work.t[i];
      });
    } else {
      for (std::int64_t i = 0; i < m; ++i) work.t[i] = 1 / work.sum[i];
      repeat(work.t);
      each_piece([&](std::int64_t at, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) out[at + i] *= work.t[i];
      });
    }
  }

  SoftmaxConfig c_;
  FoldLoops most_, sum_;
  TypedLoop exp_, log_;
};

std::string refuses(const SoftmaxConfig& c) {
  if (c.type != DataType::Float && c.type != DataType::Double)
    return "computes float and double, not " + std::string(data_type_name(c.type));
  if (c.outer < 1 || c.n < 1 || c.inner < 1) return "an empty tensor";
  const Shape dims = {c.outer, c.n, c.inner};
  return extent_refusal({&dims});
}
std::unique_ptr<Kernel> make(const SoftmaxConfig& c, PackedConstants&) {
  if (c.type == DataType::Double) return std::make_unique<SoftmaxDouble>(c);
  return std::make_unique<Softmax>(c);
}

constexpr Candidate<SoftmaxConfig> kSoftmaxCandidates[] = {{"simd", refuses, make}};

}  // namespace
}  // namespace softmax_cc

std::span<const Candidate<SoftmaxConfig>> softmax_candidates() { return kSoftmaxCandidates; }

}  // namespace norn::kernels
