// LogSumExp of integers: distances from the largest are integers as well, whose exponentials are a table's. The result
// is computed in double and cut as a Cast does it.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "base/fork.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/exponential_sums.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/fold_space.h"
#include "kernels/cpu/fold_wide.h"
#include "kernels/cpu/row_folds.h"
#include "kernels/cpu/transpose_loops.h"
#include "kernels/cpu/typed.h"

namespace norn::kernels {
inline namespace fold_integers_cc {
namespace {

constexpr std::int64_t kLeastRow = 48;  // which is summed by itself
constexpr std::int64_t kVector = 8;     // columns

const Exponentials& exponentials() {
  return base::made_once([] {
    Exponentials made;
    for (std::size_t i = 0; i < kDistances; ++i) made[i] = std::exp(-static_cast<double>(i));
    return made;
  });
}

template <class T>
class LogSumExpOfIntegers final : public Kernel, private FoldSpace {
 public:
  explicit LogSumExpOfIntegers(const FoldConfig& c)
      : FoldSpace(c),
        most_(fold_loops(FoldKind::Max, c.type)),
        cut_(cast_loop(DataType::Double, c.type)),
        table_(exponentials()),
        sum_(exponential_sum(c.type)),
        columns_(exponential_columns(c.type)),
        log_(typed_function(TypedOp::Log, DataType::Double)),
        turn_(transpose_loops(sizeof(T)).block),
        tails_(FoldKind::Max, c.type) {
    leave_tail(kLeastRow - 1);
  }

  void run(void* const* operands, void*) const override {
    const T* x = static_cast<const T*>(operands[0]);
    T* out = static_cast<T*>(operands[1]);
    if (!inner_reduced_) return into_rows(x, out);
    parallel_ranges(kept_count_, static_cast<double>(folded_) * 0.4, 1, [&](std::int64_t begin, std::int64_t end) {
      std::array<double, kPart> results;
      for (std::int64_t first = begin; first < end; first += kPart) {
        const std::int64_t n = std::min(kPart, end - first);
        if (inner_ < kLeastRow)
          short_rows(x + first * inner_, n, results.data());
        else
          for (std::int64_t k = 0; k < n; ++k)
            results[static_cast<std::size_t>(k)] = of_group(x + offset_of(kept_, first + k));
        cut_(results.data(), out + first, n);
      }
    });
  }

 private:
  static constexpr std::int64_t kPart = 256, kTurned = 64, kRows = 16;

  // Rows that lie further apart, of which `tail_` neighbours are one in the end: by parts of rows.
  void into_rows(const T* x, T* out) const {
    const std::int64_t width = kPart / tail_ * tail_, parts = (inner_ + width - 1) / width;
    const double unit_ns = static_cast<double>(reduced_count_ * std::min(width, inner_)) * 0.4;
    parallel_ranges(kept_count_ * parts, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t first = i % parts * width, n = std::min(width, inner_ - first);
        part(x + offset_of(kept_, i / parts) + first, n, out + (i / parts * inner_ + first) / tail_);
      }
    });
  }
  // Of n columns.
  void part(const T* x, std::int64_t n, T* out) const {
    std::array<T, kPart> most, top;
    std::array<double, kPart> sums, total{};
    // Rows that the first cache holds between two steps.
    const StridedDim down = reduced_.back();
    const auto each = [&](const auto& f) {
      for (std::int64_t g = 0; g < reduced_count_; g += down.size)
        for (std::int64_t r = 0; r < down.size; r += kRows)
          f(x + offset_of(reduced_, g) + r * down.stride, std::min(kRows, down.size - r));
    };
    bool first = true;
    each([&](const T* from, std::int64_t rows) {
      most_.rows(from, down.stride, rows, most.data(), n, first);
      first = false;
    });
    const std::int64_t results = n / tail_;
    if (tails_.takes(tail_))
      tails_(most.data(), tail_, top.data(), results);
    else
      for (std::int64_t k = 0; k < results; ++k) most_.row(most.data() + k * tail_, tail_, top.data() + k);
    for (std::int64_t k = 0; k < results; ++k)
      std::fill_n(most.data() + k * tail_, tail_, top[static_cast<std::size_t>(k)]);
    const std::int64_t whole = n / kVector * kVector;
    each([&](const T* from, std::int64_t rows) {
      columns_(from, down.stride, rows, most.data(), whole, table_, sums.data());
      if (n > whole) columns_after(from, rows, most.data(), whole, n, sums.data());
      for (std::int64_t i = 0; i < n; ++i) total[static_cast<std::size_t>(i)] += sums[static_cast<std::size_t>(i)];
    });
    for (std::int64_t k = 0; k < results; ++k) {
      double sum = 0;
      for (std::int64_t i = k * tail_; i < (k + 1) * tail_; ++i) sum += total[static_cast<std::size_t>(i)];
      total[static_cast<std::size_t>(k)] = sum;
    }
    log_(total.data(), nullptr, sums.data(), results, 0, 0);
    for (std::int64_t k = 0; k < results; ++k) {
      const T highest = top[static_cast<std::size_t>(k)];
      double& result = sums[static_cast<std::size_t>(k)];
      result = is_exact(highest) ? result + static_cast<double>(highest) : of_columns(x + k * tail_, highest);
    }
    cut_(sums.data(), out, results);
  }
  // The columns from `whole` on, fewer than a vector has: with those before them, if there are any.
  void columns_after(const T* x, std::int64_t rows, const T* most, std::int64_t whole, std::int64_t n,
                     double* sums) const {
    const std::int64_t stride = reduced_.back().stride;
    if (whole > 0)
      return columns_(x + n - kVector, stride, rows, most + n - kVector, kVector, table_, sums + n - kVector);
    for (std::int64_t i = 0; i < n; ++i) {
      sums[i] = 0;
      for (std::int64_t r = 0; r < rows; ++r) sums[i] += table_[distance(most[i], x[r * stride + i])];
    }
  }
  // `tail_` columns whose largest element double need not have.
  double of_columns(const T* x, T most) const {
    double sum = 0;
    for (std::int64_t g = 0; g < reduced_count_; ++g)
      for (std::int64_t i = 0; i < tail_; ++i) {
        const double d = static_cast<double>(most) - static_cast<double>(x[offset_of(reduced_, g) + i]);
        sum += table_[static_cast<std::size_t>(std::min(d, static_cast<double>(kDistances - 1)))];
      }
    return std::log(sum) + static_cast<double>(most);
  }
  static std::size_t distance(T most, T v) {
    using U = std::make_unsigned_t<T>;
    const auto d = static_cast<std::uint64_t>(static_cast<U>(static_cast<U>(most) - static_cast<U>(v)));
    return std::min<std::uint64_t>(d, kDistances - 1);
  }

  // Of rows that lie behind each other, some at a time, turned into columns.
  void short_rows(const T* x, std::int64_t n, double* results) const {
    std::array<T, kLeastRow * kTurned> turned;
    std::array<T, kTurned> most;
    std::array<double, kTurned> sums;
    if (n < kTurned) turned.fill(0);  // what whole vectors read beyond the last column
    for (std::int64_t r = 0; r < n; r += kTurned) {
      const std::int64_t m = std::min(kTurned, n - r), all = (m + 7) / 8 * 8;
      turn_(x + r * inner_, inner_, turned.data(), kTurned, m, inner_);
      most_.rows(turned.data(), kTurned, inner_, most.data(), all, true);
      columns_(turned.data(), kTurned, inner_, most.data(), all, table_, sums.data());
      log_(sums.data(), nullptr, results + r, m, 0, 0);
      for (std::int64_t k = 0; k < m; ++k) {
        const T top = most[static_cast<std::size_t>(k)];
        results[r + k] = is_exact(top) ? results[r + k] + static_cast<double>(top) : of_group(x + (r + k) * inner_);
      }
    }
  }

  double of_group(const T* x) const {
    T most = std::numeric_limits<T>::min();
    for (std::int64_t g = 0; g < reduced_count_; ++g) {
      T of_row;
      most_.row(x + offset_of(reduced_, g), inner_, &of_row);
      most = std::max(most, of_row);
    }
    double sum = 0;
    for (std::int64_t g = 0; g < reduced_count_; ++g) {
      const T* row = x + offset_of(reduced_, g);
      if (sum_ && is_exact(most)) {
        sum += sum_(row, inner_, static_cast<std::uint64_t>(most), table_);
        continue;
      }
      sum += is_exact(most) ? sum_of_row(row,
                                         [most](T v) {
                                           using U = std::make_unsigned_t<T>;
                                           return static_cast<std::uint64_t>(
                                               static_cast<U>(static_cast<U>(most) - static_cast<U>(v)));
                                         })
                            : sum_of_row(row, [most](T v) {
                                const double d = static_cast<double>(most) - static_cast<double>(v);
                                return static_cast<std::uint64_t>(std::min(d, 1024.0));
                              });
    }
    return std::log(sum) + static_cast<double>(most);
  }
  // Whether double has this integer and those near it.
  static bool is_exact(T most) {
    constexpr auto kBound = static_cast<T>(sizeof(T) == 8 ? (std::int64_t{1} << 53) - 1024 : 0);
    return sizeof(T) < 8 || (most < kBound && (std::is_unsigned_v<T> || most > static_cast<T>(-kBound)));
  }
  template <class Distance>
  double sum_of_row(const T* x, const Distance& distance) const {
    constexpr std::int64_t kLanes = 8;
    const auto exponential = [&](T v) { return table_[std::min<std::uint64_t>(distance(v), kDistances - 1)]; };
    double sums[kLanes] = {};
    std::int64_t i = 0;
    for (; i + kLanes <= inner_; i += kLanes)
      for (std::int64_t l = 0; l < kLanes; ++l) sums[l] += exponential(x[i + l]);
    for (std::int64_t l = 0; i < inner_; ++i, ++l) sums[l] += exponential(x[i]);
    return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
  }

  FoldLoops most_;
  CastLoop cut_;
  const Exponentials& table_;
  ExponentialSum sum_;  // null: sum_of_row() does it
  ExponentialColumns columns_;
  TypedLoop log_;
  decltype(TransposeLoops::block) turn_;
  RowFolds tails_;
};

}  // namespace
}  // namespace fold_integers_cc

std::string integer_log_sum_exp_refuses(const FoldConfig& c) {
  if (c.kind != FoldKind::LogSumExp) return "computes nothing else";
  if (c.type != DataType::Int32 && c.type != DataType::Int64 && c.type != DataType::Uint32 &&
      c.type != DataType::Uint64)
    return "does not compute " + std::string(data_type_name(c.type));
  if (std::string why = fold_axes_refusal(c); !why.empty()) return why;
  FoldSpace space(c);
  space.leave_tail(kLeastRow - 1);
  if (!space.inner_reduced_ && (space.inner_ < kVector || space.reduced_.empty()))
    return "the elements of a sum lie in few columns";
  return space.folded_ > std::numeric_limits<std::int32_t>::max() ? "sums of 2^31 elements" : "";
}
std::unique_ptr<Kernel> make_integer_log_sum_exp(const FoldConfig& c, PackedConstants&) {
  switch (c.type) {
    case DataType::Int32: return std::make_unique<LogSumExpOfIntegers<std::int32_t>>(c);
    case DataType::Uint32: return std::make_unique<LogSumExpOfIntegers<std::uint32_t>>(c);
    case DataType::Int64: return std::make_unique<LogSumExpOfIntegers<std::int64_t>>(c);
    default: return std::make_unique<LogSumExpOfIntegers<std::uint64_t>>(c);
  }
}

}  // namespace norn::kernels
