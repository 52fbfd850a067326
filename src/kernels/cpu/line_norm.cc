#include "kernels/cpu/line_norm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/fold.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/row_folds.h"
#include "kernels/cpu/short_norm.h"
#include "kernels/cpu/typed.h"

namespace norn::kernels {
inline namespace line_norm_cc {
namespace {

constexpr std::int64_t kPart = 1024;

template <class T>
class LineNorm final : public Kernel {
 public:
  explicit LineNorm(const LineNormConfig& c)
      : c_(c),
        loops_(fold_loops(c.p == 1 ? FoldKind::L1 : FoldKind::L2, c.type)),
        add_(fold_loops(FoldKind::Sum, c.p == 2 ? DataType::Double : c.type).rows),
        divide_(typed_loop(TypedOp::Div, c.type)),
        turn_(transpose_loops(sizeof(T))) {
    if constexpr (std::is_same_v<T, float>)
      divide_turned_ = divide_turned_f32();
    else
      divide_turned_ = divide_turned_f64();
  }

  void run(void* const* operands, void*) const override {
    const T* x = static_cast<const T*>(operands[0]);
    T* out = static_cast<T*>(operands[1]);
    // Squares of floats are summed in double.
    if (c_.p == 2)
      lines<double>(x, out);
    else
      lines<T>(x, out);
  }

 private:
  template <class P>
  T factor(P sum) const {
    return static_cast<T>(c_.p == 2 ? std::sqrt(sum) : sum);
  }
  // Between them, nothing was lost of a norm other than 0, or of the sum (of squares, if p is 2) that it comes from.
  std::pair<double, double> bounds() const {
    if constexpr (std::is_same_v<T, double>) return {c_.p == 2 ? 1e-280 : 0.0, 1e300};
    return c_.p == 2 ? std::pair(1e-74, 1e76) : std::pair(1e-37, 1e38);
  }
  template <class P>
  bool holds(P sum) const {
    const auto [low, high] = bounds();
    const auto total = static_cast<double>(sum);
    return total > low && total < high;
  }
  // A line that does not hold: by its largest element first, in double.
  void careful(const T* x, T* out) const {
    double largest = 0, sum = 0;
    bool is_nan = false;
    const auto at = [&](std::int64_t k) { return static_cast<double>(x[k * c_.inner]); };
    for (std::int64_t k = 0; k < c_.n; ++k) {
      is_nan = is_nan || std::isnan(at(k));
      largest = std::max(largest, std::fabs(at(k)));
    }
    const double scale =
        std::scalbn(1.0, largest > 0 && std::isfinite(largest) ? std::max(-1022, std::ilogb(largest)) : 0);
    for (std::int64_t k = 0; k < c_.n; ++k) {
      const double scaled = std::fabs(at(k)) / scale;
      sum += c_.p == 1 ? scaled : scaled * scaled;
    }
    double norm = scale * (c_.p == 1 ? sum : std::sqrt(sum));
    if (is_nan) norm = std::numeric_limits<double>::quiet_NaN();
    for (std::int64_t k = 0; k < c_.n; ++k) out[k * c_.inner] = norm == 0 ? T{0} : static_cast<T>(at(k) / norm);
  }

  // m blocks of n rows of `inner` elements that lie behind each other.
  void small_blocks(const T* x, std::int64_t m, T* out) const {
    std::array<double, kShortNormRow * kNormBlock> sums;
    const std::int64_t block = c_.n * c_.inner;
    const auto [low, high] = bounds();
    for (std::int64_t first = 0; first < m; first += kNormBlock) {
      const std::int64_t count = std::min(kNormBlock, m - first);
      const T* const from = x + first * block;
      T* const to = out + first * block;
      in_turned_rows(turn_, from, to, block, count, [&](T* turned) {
        for (std::int64_t i = 0; i < c_.inner; ++i)
          divide_turned_(turned + i * kNormBlock, c_.n, c_.inner, count, c_.p, sums.data() + i * kNormBlock);
      });
      for (std::int64_t i = 0; i < c_.inner; ++i) {
        const double* const of = sums.data() + i * kNormBlock;
        int odd = 0;
        for (std::int64_t r = 0; r < count; ++r)
          odd |= static_cast<int>(!(of[r] > low)) | static_cast<int>(!(of[r] < high));
        for (std::int64_t r = 0; odd && r < count; ++r)
          if (!holds(of[r])) careful(from + r * block + i, to + r * block + i);
      }
    }
  }

  template <class P>
  void lines(const T* x, T* out) const {
    if (const std::int64_t block = c_.n * c_.inner; block <= kShortNormRow) {
      parallel_ranges(c_.outer, static_cast<double>(block), 1, [&](std::int64_t begin, std::int64_t end) {
        small_blocks(x + begin * block, end - begin, out + begin * block);
      });
      return;
    }
    if (c_.inner == 1) {
      parallel_ranges(c_.outer, 10 + static_cast<double>(c_.n), 1, [&](std::int64_t begin, std::int64_t end) {
        std::array<P, kPart> sums;
        for (std::int64_t first = begin; first < end; first += kPart) {
          const std::int64_t m = std::min(kPart, end - first);
          for (std::int64_t r = 0; r < m; ++r) {
            const T* from = x + (first + r) * c_.n;
            T* to = out + (first + r) * c_.n;
            P& sum = sums[static_cast<std::size_t>(r)];
            loops_.row(from, c_.n, &sum);
            const T by = factor(sum);
            if (sum == 0 && (std::is_same_v<T, float> || c_.p == 1))  // squares of doubles may vanish
              std::fill_n(to, c_.n, T{0});
            else if (!holds(sum))
              careful(from, to);
            else
              for (std::int64_t i = 0; i < c_.n; ++i) to[i] = from[i] / by;
          }
        }
      });
      return;
    }
    const std::int64_t parts = (c_.inner + kPart - 1) / kPart;
    const double unit_ns = static_cast<double>(c_.n * std::min(kPart, c_.inner));
    parallel_ranges(c_.outer * parts, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      std::array<P, kPart> sums;
      std::array<T, kPart> by;
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t first = i % parts * kPart, m = std::min(kPart, c_.inner - first);
        const std::int64_t at = i / parts * c_.n * c_.inner + first;
        // Short rows, which lie behind each other, are taken many at a time.
        const std::int64_t most = std::max<std::int64_t>(1, std::min(kPart / 4 / c_.inner, c_.n / 2));
        const std::int64_t together = c_.inner < 64 ? most : 1;
        const std::int64_t whole = c_.n / together, rest = c_.n % together;
        loops_.rows(x + at, c_.inner * together, whole, sums.data(), m * together, true);
        join_pieces(add_, sums.data(), sizeof(P), m, together);
        if (rest > 0) loops_.rows(x + at + whole * together * c_.inner, c_.inner, rest, sums.data(), m, false);
        for (std::int64_t j = 0; j < m; ++j) {
          const T norm = factor(sums[static_cast<std::size_t>(j)]);
          by[static_cast<std::size_t>(j)] = norm == 0 ? std::numeric_limits<T>::infinity() : norm;
        }
        for (std::int64_t k = 1; k < together; ++k) std::copy_n(by.data(), m, by.data() + k * m);
        const auto divide = [&](std::int64_t k, std::int64_t count) {
          const T* from = x + at + k * c_.inner;
          T* to = out + at + k * c_.inner;
          divide_(from, by.data(), to, count, 0, 0);
        };
        for (std::int64_t k = 0; k < whole; ++k) divide(k * together, m * together);
        if (rest > 0) divide(whole * together, m * rest);
        for (std::int64_t j = 0; j < m; ++j)
          if (!holds(sums[static_cast<std::size_t>(j)])) careful(x + at + j, out + at + j);
      }
    });
  }

  LineNormConfig c_;
  FoldLoops loops_;
  decltype(FoldLoops::rows) add_;
  TypedLoop divide_;
  TransposeLoops turn_;
  DivideTurned<T> divide_turned_;
};

std::string refuses(const LineNormConfig& c) {
  if (c.type != DataType::Float && c.type != DataType::Double)
    return "does not compute " + std::string(data_type_name(c.type));
  if (c.p != 1 && c.p != 2) return "norms other than of order 1 and 2";
  if (c.outer < 1 || c.n < 1 || c.inner < 1) return "an empty tensor";
  const Shape dims = {c.outer, c.n, c.inner};
  return extent_refusal({&dims});
}
std::unique_ptr<Kernel> make(const LineNormConfig& c, PackedConstants&) {
  if (c.type == DataType::Double) return std::make_unique<LineNorm<double>>(c);
  return std::make_unique<LineNorm<float>>(c);
}

constexpr Candidate<LineNormConfig> kLineNormCandidates[] = {{"lines", refuses, make}};

}  // namespace
}  // namespace line_norm_cc

std::span<const Candidate<LineNormConfig>> line_norm_candidates() { return kLineNormCandidates; }

}  // namespace norn::kernels
