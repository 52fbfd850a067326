// Exact means and norms of integers, and LogSumExp.
#include "kernels/cpu/fold_wide.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "kernels/cpu/align.h"
#include "kernels/cpu/copy_rows.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/fold_space.h"
#include "kernels/cpu/halves.h"
#include "kernels/cpu/long_sums.h"
#include "kernels/cpu/row_folds.h"
#include "kernels/cpu/steps.h"
#include "kernels/cpu/transpose_loops.h"
#include "kernels/cpu/typed.h"

namespace norn::kernels {
inline namespace fold_wide_cc {
namespace {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

class WideFold final : public Kernel, private FoldSpace {
 public:
  explicit WideFold(const FoldConfig& c)
      : FoldSpace(c),
        kind_(c.kind),
        type_(c.type),
        loops_(wide_loops(c.kind, c.type)),
        square_of_64_(c.kind == FoldKind::L2 && element_size(c.type) == 8) {}

  void run(void* const* operands, void*) const override {
    const auto* x = static_cast<const std::byte*>(operands[0]);
    auto* out = static_cast<std::byte*>(operands[1]);
    const auto size = static_cast<std::int64_t>(element_size(type_));
    if (inner_reduced_) {
      const double unit_ns = static_cast<double>(reduced_count_) * (5 + 0.5 * static_cast<double>(inner_));
      parallel_ranges(kept_count_, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
        Sums sums, more;
        const auto join = [this](std::int64_t a, std::int64_t b) { return square_of_64_ ? a | b : a + b; };
        for (std::int64_t first = begin; first < end; first += kPart) {
          const std::int64_t n = std::min(kPart, end - first);
          if (reduced_count_ == 1) {
            loops_.row(x + first * inner_ * size, inner_, n, sums.low.data(), sums.high.data());
          } else {
            for (std::int64_t k = 0; k < n; ++k) {
              sums.low[static_cast<std::size_t>(k)] = 0;
              sums.high[static_cast<std::size_t>(k)] = 0;
              for (std::int64_t g = 0; g < reduced_count_; ++g) {
                loops_.row(x + (offset_of(kept_, first + k) + offset_of(reduced_, g)) * size, inner_, 1,
                           more.low.data(), more.high.data());
                sums.low[static_cast<std::size_t>(k)] += more.low[0];
                sums.high[static_cast<std::size_t>(k)] = join(sums.high[static_cast<std::size_t>(k)], more.high[0]);
              }
            }
          }
          finish(sums, x, first, out + first * size, n);
        }
      });
      return;
    }
    const std::int64_t parts = (inner_ + kPart - 1) / kPart;
    const double unit_ns =
        static_cast<double>(reduced_count_) * (5 + 0.5 * static_cast<double>(std::min(inner_, kPart)));
    const StridedDim down = reduced_.empty() ? StridedDim{1, 0} : reduced_.back();
    const std::vector<StridedDim> around(reduced_.begin(), reduced_.end() - (reduced_.empty() ? 0 : 1));
    parallel_ranges(kept_count_ * parts, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      Sums sums;
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t first = i % parts * kPart, n = std::min(kPart, inner_ - first);
        std::fill_n(sums.low.begin(), n, 0);
        std::fill_n(sums.high.begin(), n, 0);
        for (std::int64_t g = 0; g < reduced_count_ / down.size; ++g)
          loops_.rows(x + (offset_of(kept_, i / parts) + first + offset_of(around, g)) * size, down.stride, down.size,
                      n, sums.low.data(), sums.high.data());
        finish(sums, x, i / parts * inner_ + first, out + (i / parts * inner_ + first) * size, n);
      }
    });
  }

 private:
  static constexpr std::int64_t kPart = 512;
  struct Sums {
    std::array<std::uint64_t, kPart> low;
    std::array<std::int64_t, kPart> high;
  };

  // Whether the sums are totals below 2^51 in size, all of them.
  bool are_small(const Sums& sums, std::int64_t n) const {
    if (folded_ >= std::int64_t{1} << 18) return false;
    std::uint64_t low = 0, bits = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t high = sums.high[static_cast<std::size_t>(i)];
      low |= sums.low[static_cast<std::size_t>(i)];
      bits |= static_cast<std::uint64_t>(square_of_64_ ? high : high ^ (high >> 63));
    }
    // Otherwise `high` counts 2^32, and what it lacks is below 2^32 for each element.
    if (!square_of_64_) return bits < std::uint64_t{1} << 18;
    return bits < std::uint64_t{1} << 22 && low < std::uint64_t{1} << 51;
  }

  // The results of n outputs from `first` on.
  void finish(const Sums& sums, const std::byte* x, std::int64_t first, std::byte* out, std::int64_t n) const {
    if (are_small(sums, n)) return loops_.results(sums.low.data(), n, folded_, out);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::uint64_t low = sums.low[static_cast<std::size_t>(i)];
      const std::int64_t high = sums.high[static_cast<std::size_t>(i)];
      if (square_of_64_) {
        // Magnitudes below 2^b have squares below 2^(2 b).
        const bool is_total =
            high >= 0 && high < std::int64_t{1} << 31 && folded_ <= (std::int64_t{1} << 62) / (high + 1) / (high + 1);
        const std::uint64_t root = root_of(is_total ? UnsignedWide{low} : exact_square_sum(x, first + i));
        std::memcpy(out + i * 8, &root, sizeof root);
        continue;
      }
      // What the shifted values lack of their sum is below 2^63.
      const Wide total = static_cast<Wide>(high) * (Wide{1} << 32) + (low - (static_cast<std::uint64_t>(high) << 32));
      if (kind_ == FoldKind::Mean) {
        const bool is_short =
            total >= std::numeric_limits<std::int64_t>::min() && total <= std::numeric_limits<std::int64_t>::max();
        const std::int64_t mean = is_short ? static_cast<std::int64_t>(total) / folded_
                                           : static_cast<std::int64_t>(total / static_cast<Wide>(folded_));
        std::memcpy(out + i * 8, &mean, sizeof mean);
        continue;
      }
      const auto root = static_cast<std::uint32_t>(root_of(static_cast<UnsignedWide>(total)));
      std::memcpy(out + i * 4, &root, sizeof root);
    }
  }
  // Of the elements that output `o` folds; modulo 2^128.
  UnsignedWide exact_square_sum(const std::byte* x, std::int64_t o) const {
    UnsignedWide sum = 0;
    const auto add = [&](std::int64_t at) {
      std::uint64_t v;
      std::memcpy(&v, x + at * 8, sizeof v);
      if (type_ == DataType::Int64 && v >> 63) v = 0 - v;
      sum += static_cast<UnsignedWide>(v) * v;
    };
    const std::int64_t from = inner_reduced_ ? offset_of(kept_, o) : offset_of(kept_, o / inner_) + o % inner_;
    for (std::int64_t g = 0; g < reduced_count_; ++g) {
      const std::int64_t row = from + offset_of(reduced_, g);
      for (std::int64_t k = 0; k < (inner_reduced_ ? inner_ : 1); ++k) add(row + k);
    }
    return sum;
  }
  static std::uint64_t root_of(UnsignedWide total) {
    if (total < UnsignedWide{1} << 52)  // the root of it is rounded to a whole number only if it is one
      return static_cast<std::uint64_t>(std::sqrt(static_cast<double>(static_cast<std::uint64_t>(total))));
    auto root = static_cast<UnsignedWide>(std::sqrt(static_cast<long double>(total)));
    while (root >> 64 != 0 || root * root > total) --root;
    while (root < std::numeric_limits<std::uint64_t>::max() && (root + 1) * (root + 1) <= total) ++root;
    return static_cast<std::uint64_t>(root);
  }

  FoldKind kind_;
  DataType type_;
  WideLoops loops_;
  bool square_of_64_;
};

// Of floating types. C: float for it and half types, double for itself.
template <class C>
class LogSumExp final : public Kernel, private FoldSpace {
 public:
  explicit LogSumExp(const FoldConfig& c) : FoldSpace(c), type_(c.type), halves_(c.type), table_(row_table()) {
    constexpr DataType kComputed = std::is_same_v<C, float> ? DataType::Float : DataType::Double;
    most_ = fold_loops(FoldKind::Max, kComputed);
    sum_ = fold_loops(FoldKind::Sum, kComputed);
    exp_ = typed_function(TypedOp::Exp, kComputed);
    log_ = typed_function(TypedOp::Log, kComputed);
    turn_ = transpose_loops(sizeof(C)).block;
    row_most_ = RowFolds(FoldKind::Max, kComputed);
    row_sum_ = RowFolds(FoldKind::Sum, kComputed);
    leave_tail(kTail);
    beside_ = inner_reduced_ ? 1 : inner_ / tail_;
    const bool lie_close = reduced_.empty() || (reduced_.size() == 1 && reduced_[0].stride == inner_);
    const std::int64_t block = folded_ * beside_;
    if (lie_close && kept_.size() <= 1 && folded_ <= kDeep && beside_ < kFew && (inner_reduced_ || kept_count_ > 1) &&
        (!halves_ || block <= kPart))
      blocks_ = kept_count_;
  }

  void run(void* const* operands, void*) const override {
    const auto* x = static_cast<const std::byte*>(operands[0]);
    auto* out = static_cast<std::byte*>(operands[1]);
    const auto size = static_cast<std::int64_t>(element_size(type_));
    if (blocks_ > 0) {
      const std::int64_t together = kPart / beside_;
      parallel_ranges((blocks_ + together - 1) / together, static_cast<double>(folded_ * kPart) * 3, 1,
                      [&](std::int64_t begin, std::int64_t end) {
                        Work work;
                        for (std::int64_t p = begin; p < end; ++p) {
                          const std::int64_t first = p * together, n = std::min(together, blocks_ - first);
                          short_blocks(x + first * folded_ * beside_ * size, out + first * beside_ * size, n, work);
                        }
                      });
      return;
    }
    if (inner_reduced_) {
      parallel_ranges(kept_count_, static_cast<double>(folded_) * 2, 1, [&](std::int64_t begin, std::int64_t end) {
        Work work;
        for (std::int64_t k = begin; k < end; ++k) {
          const C v = of_group(x + offset_of(kept_, k) * size, work);
          store(&v, out + k * size, 1, work);
        }
      });
      return;
    }
    const std::int64_t width = kPart / tail_ * tail_, parts = (inner_ + width - 1) / width;
    const double unit_ns = static_cast<double>(reduced_count_ * std::min(inner_, width)) * 2;
    // As in fold.cc: short rows that lie behind each other are taken many at a time.
    const StridedDim down = reduced_.empty() ? StridedDim{1, 0} : reduced_.back();
    const std::int64_t most = std::max<std::int64_t>(1, std::min(kPart / inner_, down.size / 2));
    const std::int64_t together = down.stride == inner_ && inner_ < 64 ? most : 1;
    const std::vector<StridedDim> around(reduced_.begin(), reduced_.end() - (reduced_.empty() ? 0 : 1));
    parallel_ranges(kept_count_ * parts, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      Work work;
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t first = i % parts * width, n = std::min(width, inner_ - first);
        const std::byte* from = x + (offset_of(kept_, i / parts) + first) * size;
        const auto each = [&](const auto& f) {
          const std::int64_t whole = down.size / together, rest = down.size % together;
          const std::int64_t step = down.stride * together, most_rows = halves_ ? 1 : kRowsAtOnce;
          for (std::int64_t g = 0; g < reduced_count_ / down.size; ++g) {
            const std::byte* const first_row = from + offset_of(around, g) * size;
            for (std::int64_t k = 0; k < whole; k += most_rows)
              f(load(first_row + k * step * size, n * together, work.x), step, std::min(most_rows, whole - k),
                n * together);
            if (rest > 0) f(load(first_row + whole * step * size, n * rest, work.x), 0, 1, n * rest);
          }
        };
        columns(each, n, together, tail_, work);
        store(work.sum.data(), out + (i / parts * inner_ + first) / tail_ * size, n / tail_, work);
      }
    });
  }

 private:
  static constexpr std::int64_t kPart = 512, kDeep = 32, kFew = 32, kTail = 128;
  static constexpr C kLeast = std::is_same_v<C, float> ? C{-80} : C{-700};  // of which the exponential is no more seen
  using Buffer = std::array<C, kPart>;
  struct Work {
    Buffer x, most, sum, t, e;
    std::array<C, kPart * kDeep> rows;
  };

  const C* load(const std::byte* x, std::int64_t n, Buffer& to) const {
    if (!halves_) return reinterpret_cast<const C*>(x);
    halves_.widen(x, to.data(), n);
    return to.data();
  }
  void store(const C* v, std::byte* out, std::int64_t n, Work&) const {
    if (halves_)
      halves_.narrow(v, out, n);
    else
      std::memcpy(out, v, static_cast<std::size_t>(n) * sizeof(C));
  }
  static C relative(C x, C most) {
    const C t = x - most;
    return t < kLeast ? kLeast : t;  // NaN stays
  }

  // exp(from[i] - most[i]) in work.e, in whole vectors: of what is left over each takes as long as a vector.
  void exponentials(const C* from, const C* most, std::int64_t n, Work& work) const {
    for (std::int64_t i = 0; i < n; ++i) work.t[static_cast<std::size_t>(i)] = relative(from[i], most[i]);
    const std::int64_t whole = round_up(n, 16);
    std::fill(work.t.begin() + n, work.t.begin() + whole, C{0});
    exp_(work.t.data(), nullptr, work.e.data(), whole, 0, 0);
  }

  C of_group(const std::byte* x, Work& work) const {
    const auto size = static_cast<std::int64_t>(element_size(type_));
    const auto each = [&](const auto& f) {
      for (std::int64_t g = 0; g < reduced_count_; ++g)
        for (std::int64_t at = 0; at < inner_; at += kPart) {
          const std::int64_t n = std::min(kPart, inner_ - at);
          f(load(x + (offset_of(reduced_, g) + at) * size, n, work.x), n);
        }
    };
    C most = -std::numeric_limits<C>::infinity();
    each([&](const C* from, std::int64_t n) {
      C piece;
      most_.row(from, n, &piece);
      most_.rows(&piece, 0, 1, &most, 1, false);
    });
    if (!std::isfinite(most)) return most;
    double sum = 0;
    each([&](const C* from, std::int64_t n) {
      if constexpr (std::is_same_v<C, float>) {
        sum += static_cast<double>(table_.exponential_sum(from, n, most));
        return;
      }
      std::fill_n(work.most.data(), n, most);
      exponentials(from, work.most.data(), n, work);
      C piece;
      sum_.row(work.e.data(), n, &piece);
      sum += static_cast<double>(piece);
    });
    return static_cast<C>(std::log(sum) + static_cast<double>(most));
  }

  // n blocks that lie behind each other, whose elements become rows of n: what is folded into one lies `beside_` rows
  // apart.
  void short_blocks(const std::byte* x, std::byte* out, std::int64_t n, Work& work) const {
    const std::int64_t block = folded_ * beside_, width = n * beside_;
    const auto block_bytes = block * static_cast<std::int64_t>(element_size(type_));
    const std::int64_t together = halves_ ? kPart / block : n, run = tail_ > 1 && beside_ > 1 ? tail_ : block;
    for (std::int64_t r = 0; r < n; r += together) {
      const std::int64_t m = std::min(together, n - r);
      const C* const from = load(x + r * block_bytes, m * block, work.x);
      C* const to = work.rows.data() + r;
      if (run == block) {
        turn_(from, block, to, n, m, block);
        continue;
      }
      for (std::int64_t i = 0; i < block / run; ++i) {
        const std::int64_t row = i / beside_ * beside_ * run + i % beside_;
        turn_(from + i * run, block, to + row * n, width, m, run);
      }
    }
    const auto each = [&](const auto& f) { f(work.rows.data(), width, folded_, width); };
    columns(each, width, 1, 1, work);
    const C* made = work.sum.data();
    if (beside_ > 1) {
      turn_(made, n, work.t.data(), beside_, beside_, n);
      made = work.t.data();
    }
    store(made, out, width, work);
  }

  // Down columns, n of them; `each` calls f(rows, stride, count, columns) for some rows at a time, each of which is
  // `together` rows that lie behind each other, the last one perhaps of fewer. The results are in work.sum, one for
  // each `tail` neighbours.
  template <class Each>
  void columns(const Each& each, std::int64_t n, std::int64_t together, std::int64_t tail, Work& work) const {
    C *most = work.most.data(), *sum = work.sum.data();
    bool first = true;
    each([&](const C* from, std::int64_t stride, std::int64_t count, std::int64_t m) {
      most_.rows(from, stride, count, most, m, first);
      first = false;
    });
    join_pieces(most_.rows, most, sizeof(C), n, together);
    if (tail > 1) {
      row_most_(most, tail, work.t.data(), n / tail);
      spread_rows(work.t.data(), 1, most, sizeof(C), tail, n / tail);
    }
    for (std::int64_t k = 1; k < together; ++k) std::copy_n(most, n, most + k * n);
    if constexpr (std::is_same_v<C, float>) {
      // A float would lose numbers that are far below it.
      std::array<double, kPart> sums{};
      each([&](const C* from, std::int64_t stride, std::int64_t count, std::int64_t m) {
        table_.exponential_columns(from, stride, count, most, work.e.data(), m);
        for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) sums[i] += static_cast<double>(work.e[i]);
      });
      join_pieces(add_double_, sums.data(), sizeof(double), n, together);
      narrow_sums(sums.data(), sum, n);
    } else {
      first = true;
      each([&](const C* from, std::int64_t stride, std::int64_t count, std::int64_t m) {
        for (std::int64_t k = 0; k < count; ++k, first = false) {
          exponentials(from + k * stride, most, m, work);
          sum_.rows(work.e.data(), 0, 1, sum, m, first);
        }
      });
      join_pieces(sum_.rows, sum, sizeof(C), n, together);
    }
    if (tail > 1) {
      row_sum_(sum, tail, work.e.data(), n / tail);
      n /= tail;
      std::copy_n(work.e.data(), n, sum);
      for (std::int64_t i = 0; i < n; ++i) most[i] = most[i * tail];
    }
    log_(sum, nullptr, work.t.data(), n, 0, 0);
    for (std::int64_t i = 0; i < n; ++i)
      sum[i] = std::isfinite(most[i]) ? work.t[static_cast<std::size_t>(i)] + most[i] : most[i];
  }

  DataType type_;
  Halves halves_;
  const RowTable& table_;
  FoldLoops most_, sum_;
  TypedLoop exp_ = nullptr, log_ = nullptr;
  decltype(FoldLoops::rows) add_double_ = fold_loops(FoldKind::Sum, DataType::Double).rows;
  decltype(TransposeLoops::block) turn_ = nullptr;
  RowFolds row_most_, row_sum_;
  std::int64_t blocks_ = 0, beside_ = 1;  // many that are small and lie behind each other; columns of each
};

bool computes_in_float(DataType type) { return type == DataType::Float || is_half(type); }

}  // namespace
}  // namespace fold_wide_cc

std::string fold_axes_refusal(const FoldConfig& c) {
  for (std::int64_t d : c.x)
    if (d < 1) return "an empty tensor";
  for (std::int64_t a : c.axes)
    if (a < 0 || static_cast<std::size_t>(a) >= c.x.size()) return "an axis outside the rank";
  return extent_refusal({&c.x});
}

std::string wide_fold_refuses(const FoldConfig& c) {
  if (!wide_loops(c.kind, c.type).row) return "has no loop for " + std::string(data_type_name(c.type));
  if (std::string why = fold_axes_refusal(c); !why.empty()) return why;
  return FoldSpace(c).folded_ > std::numeric_limits<std::int32_t>::max() ? "sums of 2^31 elements" : "";
}
std::unique_ptr<Kernel> make_wide_fold(const FoldConfig& c, PackedConstants&) { return std::make_unique<WideFold>(c); }

std::string log_sum_exp_refuses(const FoldConfig& c) {
  if (c.kind != FoldKind::LogSumExp) return "computes nothing else";
  switch (c.type) {
    case DataType::Float:
    case DataType::Float16:
    case DataType::BFloat16:
    case DataType::Double: return fold_axes_refusal(c);
    default: return "does not compute " + std::string(data_type_name(c.type));
  }
}
std::unique_ptr<Kernel> make_log_sum_exp(const FoldConfig& c, PackedConstants&) {
  if (computes_in_float(c.type)) return std::make_unique<LogSumExp<float>>(c);
  return std::make_unique<LogSumExp<double>>(c);
}

}  // namespace norn::kernels
