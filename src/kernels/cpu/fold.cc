// Neighbouring dimensions of one kind are merged; then either rows are folded to a value, or rows are folded into a
// row, a part of it at a time.
#include "kernels/cpu/fold.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "base/division.h"
#include "base/number.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/fold_space.h"
#include "kernels/cpu/fold_wide.h"
#include "kernels/cpu/halves.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/long_sums.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/row_folds.h"
#include "kernels/cpu/typed.h"

namespace norn::kernels {
inline namespace fold_cc {
namespace {

constexpr std::int64_t kPart = 1024;

bool is_floating(DataType type) { return type == DataType::Float || type == DataType::Double; }

// What joins partial results.
FoldKind joining(FoldKind kind) {
  return kind == FoldKind::Max || kind == FoldKind::Min || kind == FoldKind::Prod ? kind : FoldKind::Sum;
}

class Fold final : public Kernel, private FoldSpace {
 public:
  explicit Fold(const FoldConfig& c) : FoldSpace(c), kind_(c.kind), type_(c.type), halves_(c.type) {
    loops_ = fold_loops(kind_, widened_half(type_));
    const bool extremum = kind_ == FoldKind::Max || kind_ == FoldKind::Min;
    row_folds_ = RowFolds(kind_, widened_half(type_));
    partial_ = widened_half(type_);
    adds_floats_ = partial_ == DataType::Float && !extremum && kind_ != FoldKind::Prod && kind_ != FoldKind::L2;
    if (kind_ == FoldKind::L2 && partial_ == DataType::Float) partial_ = DataType::Double;
    if (kind_ == FoldKind::Mean && partial_ == DataType::Int32) partial_ = DataType::Int64;
    join_ = fold_loops(joining(kind_), partial_).rows;
    tails_ = RowFolds(joining(kind_), partial_);
    leave_tail(tails_.takes(kMiddleRow) ? kMiddleRow : kShortRow);
    beside_ = inner_ / tail_;
    const bool lie_close = !inner_reduced_ && reduced_.size() == 1 && reduced_[0].stride == inner_;
    small_blocks_ = lie_close && kept_.size() == 1 && folded_ * beside_ <= kSmallBlock && kept_count_ >= kLeastTurned;
    divides_ = kind_ == FoldKind::Mean;
    if (divides_) last_ = typed_loop(TypedOp::Div, partial_);
    if (kind_ == FoldKind::L2) last_ = typed_loop(TypedOp::Sqrt, partial_);
    if (kind_ == FoldKind::LogSum) last_ = typed_loop(TypedOp::Log, partial_);
    if (partial_ != widened_half(type_)) cast_ = cast_loop(partial_, widened_half(type_));
  }

  void run(void* const* operands, void*) const override {
    const auto* x = static_cast<const char*>(operands[0]);
    auto* out = static_cast<char*>(operands[1]);
    const auto size = static_cast<std::int64_t>(element_size(type_));
    if (small_blocks_)
      fold_blocks(x, out, size);
    else if (inner_reduced_)
      fold_rows(x, out, size);
    else
      fold_into_rows(x, out, size);
  }

 private:
  using Buffer = std::array<std::uint64_t, kPart>;
  static constexpr std::int64_t kSmallBlock = 128, kLeastTurned = 16, kTurnedBytes = kSmallBlock * kLeastTurned * 8;

  static float* floats(Buffer& b) { return reinterpret_cast<float*>(b.data()); }
  static double* doubles(Buffer& b) { return reinterpret_cast<double*>(b.data()); }
  static void put(float v, char* to) { std::memcpy(to, &v, sizeof v); }

  // A row is folded in parts, which are joined in order; results are finished some hundred at a time.
  void fold_rows(const char* x, char* out, std::int64_t size) const {
    constexpr std::int64_t kLong = std::int64_t{1} << 14;
    const std::int64_t part = halves_ ? kPart : kLong;
    const double unit_ns = static_cast<double>(reduced_count_) * (10 + 0.05 * static_cast<double>(inner_ * size));
    parallel_ranges(kept_count_, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      Buffer totals, wide;
      auto* const to = reinterpret_cast<char*>(totals.data());
      const auto partial = static_cast<std::int64_t>(element_size(partial_));
      for (std::int64_t first = begin; first < end; first += kPart) {
        const std::int64_t n = std::min(kPart, end - first);
        if (reduced_count_ == 1 && row_folds_.takes(inner_) && (!halves_ || inner_ <= kShortRow)) {
          fold_short(x + first * inner_ * size, n, to, wide.data());
          finish(to, x, first, 0, out + first * size, n);
          continue;
        }
        for (std::int64_t k = 0; k < n; ++k) {
          const char* from = x + offset_of(kept_, first + k) * size;
          double sum = 0;
          for (std::int64_t g = 0; g < reduced_count_; ++g) {
            const char* row = from + offset_of(reduced_, g) * size;
            for (std::int64_t at = 0; at < inner_; at += part) {
              const std::int64_t m = std::min(part, inner_ - at);
              const void* piece = row + at * size;
              if (halves_) {
                halves_.widen(piece, wide.data(), m);
                piece = wide.data();
              }
              if (adds_floats_) {
                float total;
                loops_.row(piece, m, &total);
                sum += total;
              } else if (g == 0 && at == 0) {
                loops_.row(piece, m, to + k * partial);
              } else {
                std::uint64_t total;
                loops_.row(piece, m, &total);
                join_(&total, 0, 1, to + k * partial, 1, false);
              }
            }
          }
          if (adds_floats_) put(static_cast<float>(sum), to + k * partial);
        }
        finish(to, x, first, 0, out + first * size, n);
      }
    });
  }

  // n rows that lie behind each other.
  void fold_short(const char* x, std::int64_t n, char* to, void* wide) const {
    if (!halves_) return row_folds_(x, inner_, to, n);
    const std::int64_t together = kPart / inner_;
    for (std::int64_t k = 0; k < n; k += together) {
      const std::int64_t m = std::min(together, n - k);
      halves_.widen(x + k * inner_ * 2, wide, m * inner_);
      row_folds_(wide, inner_, to + k * loops_.partial_bytes, m);
    }
  }

  // Small blocks that lie behind each other: many are turned, so that an element of each becomes a row, and these are
  // folded into rows.
  void fold_blocks(const char* x, char* out, std::int64_t size) const {
    const std::int64_t block = folded_ * beside_, run = tail_ > 1 && beside_ > 1 ? tail_ : block;
    const auto wide_size = static_cast<std::int64_t>(element_size(widened_half(type_)));
    const std::int64_t most = std::min(kPart / beside_, kTurnedBytes / (block * wide_size));
    const TransposeLoops in = transpose_loops(element_size(widened_half(type_))),
                         back = transpose_loops(element_size(partial_));
    parallel_ranges(
        kept_count_, static_cast<double>(block) * 0.3 + 1, kLeastTurned, [&](std::int64_t begin, std::int64_t end) {
          alignas(64) std::array<char, kTurnedBytes> turned, wide;
          Buffer totals, results;
          for (std::int64_t first = begin, n; first < end; first += n) {
            n = std::min(most, end - first);
            const char* from = x + first * block * size;
            if (halves_) {
              halves_.widen(from, wide.data(), n * block);
              from = wide.data();
            }
            // What is folded into one lies `beside_` rows apart.
            const std::int64_t step = run == block ? 1 : beside_;
            for (std::int64_t i = 0; i < block / run; ++i) {
              const std::int64_t row = i / step * step * run + i % step;
              in.block(from + i * run * wide_size, block, turned.data() + row * n * wide_size, step * n, n, run);
            }
            loops_.rows(turned.data(), beside_ * n, folded_, totals.data(), beside_ * n, true);
            void* made = totals.data();
            if (beside_ > 1) {
              back.block(totals.data(), n, results.data(), beside_, beside_, n);
              made = results.data();
            }
            finish(made, x, first, 0, out + first * beside_ * size, n * beside_);
          }
        });
  }

  void fold_into_rows(const char* x, char* out, std::int64_t size) const {
    const std::int64_t width = kPart / tail_ * tail_, parts = (inner_ + width - 1) / width;
    const double unit_ns =
        static_cast<double>(reduced_count_) * (10 + 0.05 * static_cast<double>(std::min(width, inner_) * size));
    // Reduced rows that lie behind each other, if they are short, are folded many at a time as one, whose parts are
    // joined at the end.
    const StridedDim down = reduced_.empty() ? StridedDim{1, 0} : reduced_.back();
    const std::int64_t most = std::max<std::int64_t>(1, std::min(kPart / 4 / inner_, down.size / 2));
    const std::int64_t together = down.stride == inner_ && inner_ < 64 ? most : 1;
    const std::vector<StridedDim> around(reduced_.begin(), reduced_.end() - (reduced_.empty() ? 0 : 1));
    const std::int64_t groups = reduced_count_ / down.size;
    const bool many = adds_floats_ && groups * (down.size / together) > kManyRows;
    const std::int64_t most_rows = many ? kRowsAtOnce : std::numeric_limits<std::int64_t>::max();
    parallel_ranges(kept_count_ * parts, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      Buffer totals, wide, sums;
      const auto add = [&](const char* from, std::int64_t stride, std::int64_t count, std::int64_t n, bool first) {
        if (!halves_) return loops_.rows(from, stride, count, totals.data(), n, first);
        for (std::int64_t k = 0; k < count; ++k) {
          halves_.widen(from + k * stride * size, wide.data(), n);
          loops_.rows(wide.data(), 0, 1, totals.data(), n, first && k == 0);
        }
      };
      for (std::int64_t i = begin; i < end; ++i) {
        const auto [kept, part] = base::divide(i, parts);
        const std::int64_t first = part * width, n = std::min(width, inner_ - first);
        const char* from = x + (offset_of(kept_, kept) + first) * size;
        std::int64_t held = 0;  // rows of `totals`
        bool is_long = false;
        for (std::int64_t g = 0; g < groups; ++g) {
          const char* rows = from + offset_of(around, g) * size;
          const std::int64_t whole = down.size / together;
          for (std::int64_t row = 0, count; row < whole; row += count) {
            count = std::min(most_rows, whole - row);
            if (held > 0 && many && held + count > most_rows) {
              add_part(floats(totals), doubles(sums), n * together, !is_long);
              is_long = true;
              held = 0;
            }
            add(rows + row * down.stride * together * size, down.stride * together, count, n * together, held == 0);
            held += count;
          }
          if (const std::int64_t rest = down.size % together; rest > 0)
            add(rows + whole * together * down.stride * size, down.stride, rest, n, false);
        }
        if (is_long) {
          add_part(floats(totals), doubles(sums), n * together, false);
          narrow_sums(doubles(sums), floats(totals), n * together);
        }
        join_pieces(join_, totals.data(), static_cast<std::int64_t>(element_size(partial_)), n, together);
        void* made = totals.data();
        if (tail_ > 1) {
          tails_(totals.data(), tail_, sums.data(), n / tail_);
          made = sums.data();
        }
        finish(made, x, kept, first / tail_, out + (kept * inner_ + first) / tail_ * size, n / tail_);
      }
    });
  }

  // What is left to do with n totals, in vectors: to divide, to take roots or logarithms, to narrow. They are those
  // from `kept` on, or from column `column` on of that one.
  void finish(void* totals, const char* x, std::int64_t kept, std::int64_t column, char* out, std::int64_t n) const {
    Buffer divisors, finished;
    if (last_) {
      if (divides_) {
        if (partial_ == DataType::Float)
          std::fill_n(reinterpret_cast<float*>(divisors.data()), n, static_cast<float>(folded_));
        else if (partial_ == DataType::Double)
          std::fill_n(reinterpret_cast<double*>(divisors.data()), n, static_cast<double>(folded_));
        else
          std::fill_n(reinterpret_cast<std::int64_t*>(divisors.data()), n, folded_);
      }
      last_(totals, divisors.data(), finished.data(), n, 0, 0);
      totals = finished.data();
    }
    Buffer narrowed;
    if (cast_) {
      cast_(totals, narrowed.data(), n);
      totals = narrowed.data();
    }
    if (halves_)
      halves_.narrow(totals, out, n);
    else
      std::memcpy(out, totals, static_cast<std::size_t>(n) * element_size(type_));
    if (kind_ == FoldKind::Prod && is_floating(widened_half(type_))) multiply_again(x, kept, column, out, n);
  }

  // A part of a product may be infinite beside a 0 in another part. Such products are made anew in double, of one
  // element after the other.
  void multiply_again(const char* x, std::int64_t kept, std::int64_t column, char* out, std::int64_t n) const {
    const auto size = static_cast<std::int64_t>(element_size(type_));
    for (std::int64_t k = 0; k < n; ++k, out += size) {
      if (!std::isnan(number_at(out))) continue;
      std::int64_t at = offset_of(kept_, kept) + (column + k) * tail_;
      if (inner_reduced_) at = offset_of(kept_, kept + k);
      if (small_blocks_) at = offset_of(kept_, kept + k / beside_) + k % beside_ * tail_;
      const char* from = x + at * size;
      double product = 1;
      for (std::int64_t g = 0; g < reduced_count_; ++g) {
        const char* const row = from + offset_of(reduced_, g) * size;
        for (std::int64_t i = 0; i < (inner_reduced_ ? inner_ : tail_); ++i) product *= number_at(row + i * size);
      }
      put_number(product, out);
    }
  }
  double number_at(const char* at) const {
    const auto number = [&]<class T>(T n) { return std::memcpy(&n, at, sizeof n), n; };
    if (type_ == DataType::Double) return number(0.0);
    if (type_ == DataType::Float) return static_cast<double>(number(0.0f));
    return static_cast<double>(base::small_float_to_float(type_, number(std::uint16_t{0})));
  }
  void put_number(double value, char* at) const {
    const auto put = [&](auto number) { std::memcpy(at, &number, sizeof number); };
    if (type_ == DataType::Double) return put(value);
    if (type_ == DataType::Float) return put(static_cast<float>(value));
    put(base::double_to_small_float(type_, value));
  }

  FoldKind kind_;
  DataType type_, partial_;
  Halves halves_;
  RowFolds row_folds_, tails_;
  FoldLoops loops_;
  void (*join_)(const void*, std::int64_t, std::int64_t, void*, std::int64_t, bool) = nullptr;
  TypedLoop last_ = nullptr;
  CastLoop cast_ = nullptr;
  bool divides_ = false;
  bool adds_floats_ = false;
  bool small_blocks_ = false;
  std::int64_t beside_ = 1;  // results of a block
};

std::string fold_refuses(const FoldConfig& c) {
  for (std::int64_t d : c.x)
    if (d < 1) return "an empty tensor";
  for (std::int64_t a : c.axes)
    if (a < 0 || static_cast<std::size_t>(a) >= c.x.size()) return "an axis outside the rank";
  if (c.kind == FoldKind::LogSumExp) return "does not compute LogSumExp";
  const bool real = is_floating(widened_half(c.type));
  const bool integer_mean = c.kind == FoldKind::Mean && c.type != DataType::Int32;
  if (!fold_loops(c.kind, widened_half(c.type)).row ||
      (!real && (integer_mean || c.kind == FoldKind::L2 || c.kind == FoldKind::LogSum)))
    return "has no loop for " + std::string(data_type_name(c.type));
  return extent_refusal({&c.x});
}
std::unique_ptr<Kernel> make_fold(const FoldConfig& c, PackedConstants&) { return std::make_unique<Fold>(c); }

// The place of an extremum:

constexpr std::int64_t kColumns = 512;

class ArgExtremum final : public Kernel {
 public:
  explicit ArgExtremum(const ArgExtremumConfig& c)
      : c_(c),
        halves_(c.type),
        loop_(arg_loop(widened_half(c.type), c.largest, c.last)),
        rows_(widened_half(c.type), c.largest, c.last) {}

  std::size_t scratch_bytes() const override {
    return halves_ ? static_cast<std::size_t>(c_.outer * c_.n * c_.inner) * sizeof(float) : 0;
  }

  void run(void* const* operands, void* scratch) const override {
    const void* x = operands[0];
    if (halves_) {
      parallel_ranges(c_.outer * c_.n * c_.inner, 0.2, 1024, [&](std::int64_t begin, std::int64_t end) {
        halves_.widen(static_cast<const std::uint16_t*>(x) + begin, static_cast<float*>(scratch) + begin, end - begin);
      });
      x = scratch;
    }
    auto* out = static_cast<std::int64_t*>(operands[1]);
    const auto size = static_cast<std::int64_t>(element_size(widened_half(c_.type)));
    const std::int64_t parts = (c_.inner + kColumns - 1) / kColumns;
    const double unit_ns = static_cast<double>(c_.n * std::min(c_.inner, kColumns)) * 0.3;
    parallel_ranges(c_.outer * parts, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      if (c_.inner == 1)
        return rows_(static_cast<const char*>(x) + begin * c_.n * size, c_.n, end - begin, out + begin);
      std::array<std::uint64_t, kColumns> best;
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t o = i / parts, first = i % parts * kColumns;
        const char* from = static_cast<const char*>(x) + (o * c_.n * c_.inner + first) * size;
        loop_(from, c_.n, c_.inner, std::min(kColumns, c_.inner - first), best.data(), out + o * c_.inner + first);
      }
    });
  }

 private:
  ArgExtremumConfig c_;
  Halves halves_;
  ArgLoop loop_;
  ArgRows rows_;
};

std::string arg_refuses(const ArgExtremumConfig& c) {
  const Shape dims = {c.outer, c.n, c.inner, 8};
  if (c.outer < 1 || c.n < 1 || c.inner < 1) return "an empty tensor";
  if (!arg_loop(widened_half(c.type), c.largest, c.last))
    return "has no loop for " + std::string(data_type_name(c.type));
  return extent_refusal({&dims});
}
std::unique_ptr<Kernel> make_arg(const ArgExtremumConfig& c, PackedConstants&) {
  return std::make_unique<ArgExtremum>(c);
}

class Hardmax final : public Kernel {
 public:
  explicit Hardmax(const HardmaxConfig& c) : c_(c), loop_(arg_loop(c.type, true, false)), rows_(c.type, true, false) {}

  void run(void* const* operands, void*) const override {
    if (c_.type == DataType::Float)
      mark(static_cast<const float*>(operands[0]), static_cast<float*>(operands[1]));
    else
      mark(static_cast<const double*>(operands[0]), static_cast<double*>(operands[1]));
  }

 private:
  template <class T>
  void mark(const T* x, T* out) const {
    const std::int64_t parts = (c_.inner + kColumns - 1) / kColumns;
    const double unit_ns = static_cast<double>(c_.n * std::min(c_.inner, kColumns)) * 0.3;
    parallel_ranges(c_.outer * parts, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      std::array<std::uint64_t, kColumns> best;
      std::array<std::int64_t, kColumns> at;
      for (std::int64_t r = begin; c_.inner == 1 && r < end; r += kColumns) {
        const std::int64_t rows = std::min(kColumns, end - r);
        rows_(x + r * c_.n, c_.n, rows, at.data());
        std::fill_n(out + r * c_.n, rows * c_.n, T{0});
        for (std::int64_t k = 0; k < rows; ++k) out[(r + k) * c_.n + at[static_cast<std::size_t>(k)]] = T{1};
      }
      for (std::int64_t i = begin; c_.inner != 1 && i < end; ++i) {
        const std::int64_t first = i / parts * c_.n * c_.inner + i % parts * kColumns;
        const std::int64_t columns = std::min(kColumns, c_.inner - i % parts * kColumns);
        loop_(x + first, c_.n, c_.inner, columns, best.data(), at.data());
        if (columns == c_.inner)
          std::fill_n(out + first, c_.n * c_.inner, T{0});
        else
          for (std::int64_t k = 0; k < c_.n; ++k) std::fill_n(out + first + k * c_.inner, columns, T{0});
        for (std::int64_t j = 0; j < columns; ++j) out[first + at[static_cast<std::size_t>(j)] * c_.inner + j] = T{1};
      }
    });
  }

  HardmaxConfig c_;
  ArgLoop loop_;
  ArgRows rows_;
};

std::string hardmax_refuses(const HardmaxConfig& c) {
  const Shape dims = {c.outer, c.n, c.inner, 8};
  if (c.outer < 1 || c.n < 1 || c.inner < 1) return "an empty tensor";
  if (!is_floating(c.type)) return "has no loop for " + std::string(data_type_name(c.type));
  return extent_refusal({&dims});
}
std::unique_ptr<Kernel> make_hardmax(const HardmaxConfig& c, PackedConstants&) { return std::make_unique<Hardmax>(c); }

// Running sums and products:

// Columns, so that rows are read in long stretches; fewer where the next row's are fetched meanwhile into the first
// cache.
constexpr std::int64_t kRunning = 2048, kFetchedRunning = 512;
constexpr std::int64_t kCachedBytes = 256 << 10;  // of a tensor that stays in the second cache

template <class T>
class Cumulative final : public Kernel {
 public:
  explicit Cumulative(const CumulativeConfig& c) : c_(c) {}

  void run(void* const* operands, void*) const override {
    const T* x = static_cast<const T*>(operands[0]);
    T* out = static_cast<T*>(operands[1]);
    if (c_.product)
      all(x, out, T{1}, [](Wide a, T b) { return static_cast<Wide>(a * static_cast<Wide>(b)); });
    else
      all(x, out, T{0}, [](Wide a, T b) { return static_cast<Wide>(a + static_cast<Wide>(b)); });
  }

 private:
  // Floats are summed in double and rounded once; integers wrap.
  using Wide = std::conditional_t<std::is_floating_point_v<T>, double, T>;

  template <class Op>
  void all(const T* x, T* out, T neutral, Op op) const {
    const std::int64_t n = c_.n, inner = c_.inner;
    if (inner == 1) {
      parallel_ranges(c_.outer, static_cast<double>(n), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t o = begin; o < end; ++o) {
          const T* from = x + o * n;
          T* to = out + o * n;
          Wide total = static_cast<Wide>(neutral);
          for (std::int64_t k = 0; k < n; ++k) {
            const std::int64_t at = c_.reverse ? n - 1 - k : k;
            const Wide with = op(total, from[at]);
            to[at] = static_cast<T>(c_.exclusive ? total : with);
            total = with;
          }
        }
      });
      return;
    }
    // By parts of rows.
    const RunningLoop loop = running_loop(c_.type, c_.product, c_.exclusive);
    const bool fetches = has_slow_third_cache() && n * inner * static_cast<std::int64_t>(sizeof(T)) > kCachedBytes;
    const std::int64_t most = fetches ? kFetchedRunning : kRunning, parts = (inner + most - 1) / most;
    parallel_ranges(c_.outer * parts, static_cast<double>(n * std::min(inner, most)) * 0.5, 1,
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i) {
                        const std::int64_t first = i % parts * most, m = std::min(most, inner - first);
                        const std::int64_t at = i / parts * n * inner + first + (c_.reverse ? (n - 1) * inner : 0);
                        std::array<std::uint64_t, kRunning> totals;
                        loop(x + at, out + at, n, c_.reverse ? -inner : inner, totals.data(), m, fetches);
                      }
                    });
  }

  CumulativeConfig c_;
};

std::string cumulative_refuses(const CumulativeConfig& c) {
  const Shape dims = {c.outer, c.n, c.inner, 8};
  switch (c.type) {
    case DataType::Float:
    case DataType::Double:
    case DataType::Int32:
    case DataType::Int64:
    case DataType::Uint32:
    case DataType::Uint64: return extent_refusal({&dims});
    default: return "has no loop for " + std::string(data_type_name(c.type));
  }
}
std::unique_ptr<Kernel> make_cumulative(const CumulativeConfig& c, PackedConstants&) {
  switch (c.type) {
    case DataType::Float: return std::make_unique<Cumulative<float>>(c);
    case DataType::Double: return std::make_unique<Cumulative<double>>(c);
    case DataType::Int32:
    case DataType::Uint32: return std::make_unique<Cumulative<std::uint32_t>>(c);
    default: return std::make_unique<Cumulative<std::uint64_t>>(c);
  }
}

constexpr Candidate<FoldConfig> kFolds[] = {
    {"fold", fold_refuses, make_fold},
    {"fold_wide", wide_fold_refuses, make_wide_fold},
    {"log_sum_exp", log_sum_exp_refuses, make_log_sum_exp},
    {"integer_log_sum_exp", integer_log_sum_exp_refuses, make_integer_log_sum_exp}};
constexpr Candidate<ArgExtremumConfig> kArgs[] = {{"arg_extremum", arg_refuses, make_arg}};
constexpr Candidate<HardmaxConfig> kHardmax[] = {{"hardmax", hardmax_refuses, make_hardmax}};
constexpr Candidate<CumulativeConfig> kCumulative[] = {{"cumulative", cumulative_refuses, make_cumulative}};

}  // namespace
}  // namespace fold_cc

std::span<const Candidate<FoldConfig>> fold_candidates() { return kFolds; }
std::span<const Candidate<ArgExtremumConfig>> arg_extremum_candidates() { return kArgs; }
std::span<const Candidate<HardmaxConfig>> hardmax_candidates() { return kHardmax; }
std::span<const Candidate<CumulativeConfig>> cumulative_candidates() { return kCumulative; }

}  // namespace norn::kernels
