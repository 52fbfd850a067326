// Trailing dimensions that stay as they are make up blocks. The last dimension that does not is a list of runs; a row
// whose source is that of the row before is copied from there.
#include "kernels/cpu/remap.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string>

#include "base/division.h"
#include "kernels/cpu/by_four.h"
#include "kernels/cpu/copy_rows.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace remap_cc {
namespace {

constexpr double kByteNs = 0.1;
constexpr std::int64_t kFarBytes = std::int64_t{7} << 20;
constexpr std::int64_t kCachedBytes = 512 << 10;  // of an output that stays in the second cache
constexpr std::int64_t kShort = 8;                // blocks: shorter runs are read by the table,
constexpr std::int64_t kShortBytes = 16;          // if they are shorter than that, too

enum class RunKind : std::uint8_t { Copied, Repeated, ByTable, Filled };
struct RowRun {
  std::int64_t first, count;  // blocks of the row
  RunKind kind;
  std::int64_t times = 1;  // that each block of x stands there, where it is repeated
};
constexpr std::int64_t kFilled = -1;  // in place of an offset

bool is_identity(const std::vector<std::int64_t>& table, std::int64_t size) {
  if (static_cast<std::int64_t>(table.size()) != size) return false;
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i] != static_cast<std::int64_t>(i)) return false;
  return true;
}

template <class T>
void pick(const char* x, const std::int64_t* table, std::int64_t n, char* out) {
  // The addresses of a tensor's elements may be any.
  by_four(
      n, [=](std::int64_t i) { std::memcpy(out + i * static_cast<std::int64_t>(sizeof(T)), x + table[i], sizeof(T)); });
}

class Remap final : public Kernel {
 public:
  explicit Remap(const RemapConfig& c) : element_bytes_(c.element_bytes), fill_(c.fill) {
    std::size_t rank = c.x.size();
    block_ = static_cast<std::int64_t>(c.element_bytes);
    for (; rank > 0 && is_identity(c.from[rank - 1], c.x[rank - 1]); --rank) block_ *= c.x[rank - 1];
    std::int64_t stride = block_;
    for (std::size_t d = rank; d-- > 0;) {
      std::vector<std::int64_t> offsets;
      for (std::int64_t i : c.from[d]) offsets.push_back(i < 0 ? kFilled : i * stride);
      tables_.insert(tables_.begin(), std::move(offsets));
      stride *= c.x[d];
    }
    if (tables_.empty()) tables_.push_back({0});
    row_ = std::move(tables_.back());
    tables_.pop_back();
    join_short_rows();
    // What outermost dimensions repeat as a whole is copied.
    const auto repeats_all = [](const std::vector<std::int64_t>& table) {
      return !table.empty() && table[0] == 0 && std::all_of(table.begin(), table.end(), [](auto i) { return i == 0; });
    };
    while (!tables_.empty() && repeats_all(tables_.front())) {
      times_ *= static_cast<std::int64_t>(tables_.front().size());
      tables_.erase(tables_.begin());
    }
    for (const auto& table : tables_) rows_ *= static_cast<std::int64_t>(table.size());
    const auto n = static_cast<std::int64_t>(row_.size());
    const auto at = [&](std::int64_t i) { return row_[static_cast<std::size_t>(i)]; };
    for (std::int64_t i = 0; i < n;) {
      if (const RowRun run = repeated(i); run.count > 0) {
        runs_.push_back(run);
        i += run.count;
        continue;
      }
      const bool filled = at(i) == kFilled;
      std::int64_t m = 1;
      while (i + m < n && at(i + m) == (filled ? kFilled : at(i) + m * block_)) ++m;
      const bool copied = m >= kShort || m == n || block_ > 8 || m * block_ >= kShortBytes;
      const RunKind kind = filled ? RunKind::Filled : copied ? RunKind::Copied : RunKind::ByTable;
      if (kind == RunKind::ByTable && !runs_.empty() && runs_.back().kind == kind)
        runs_.back().count += m;
      else
        runs_.push_back({i, m, kind});
      i += m;
    }
    if (runs_.size() == 1 && runs_[0].kind == RunKind::Repeated && runs_[0].times == 2)
      pairs_ = twice_loop(static_cast<std::size_t>(block_));
    constexpr std::int64_t kFewBlocks = 8;
    std::int64_t by_table = 0;
    for (const RowRun& r : runs_) by_table += r.kind == RunKind::ByTable ? r.count : 0;
    copies_ = by_table <= kFewBlocks &&
              std::all_of(runs_.begin(), runs_.end(), [](const RowRun& r) { return r.kind != RunKind::Repeated; });
    most_rows_ = kFirstCache / std::max<std::int64_t>(1, n * block_);
    if (!tables_.empty()) period_ = period_of(tables_.back());
    if (period_ > most_rows_) period_ = 0;
    if (tables_.size() > 1) outer_period_ = period_of(tables_[tables_.size() - 2]);
  }

  void run(void* const* operands, void*) const override {
    auto* out = static_cast<char*>(operands[1]);
    const std::int64_t row_bytes = static_cast<std::int64_t>(row_.size()) * block_, all = rows_ * row_bytes;
    if (all == 0) return;
    run_once(static_cast<const char*>(operands[0]), out, row_bytes);
    if (times_ == 1) return;
    constexpr std::int64_t kPart = 65536;  // bytes
    if (all < kPart) return repeat_first(out, all, times_ * all);
    const std::int64_t parts = (all + kPart - 1) / kPart;
    parallel_ranges((times_ - 1) * parts, kByteNs * kPart, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto [time, part] = base::divide(i, parts);
        const std::int64_t first = part * kPart;
        copy_bytes(out + (time + 1) * all + first, out + first, std::min(kPart, all - first));
      }
    });
  }

  std::size_t bytes() const noexcept override {
    std::size_t numbers = row_.size();
    for (const auto& table : tables_) numbers += table.size();
    return 512 + numbers * sizeof(std::int64_t) + runs_.size() * sizeof(RowRun);
  }

 private:
  void run_once(const char* x, char* out, std::int64_t row_bytes) const {
    const bool fetches = has_slow_third_cache() && rows_ * row_bytes > kCachedBytes;
    // Of two rows that are written together where memory is far, each takes half as long again.
    const bool is_far = !fetches && rows_ * row_bytes > kFarBytes;
    parallel_ranges(rows_, 5 + kByteNs * static_cast<double>(row_bytes), 1, [&](std::int64_t begin, std::int64_t end) {
      // Rows that follow each other differ in the last of the dimensions before them.
      static constexpr std::int64_t kNoOffset[] = {0};
      const std::int64_t* last = tables_.empty() ? kNoOffset : tables_.back().data();
      const std::int64_t last_size = tables_.empty() ? 1 : static_cast<std::int64_t>(tables_.back().size());
      std::int64_t before = -1, outer = 0, at = begin % last_size;
      bool outer_filled = false;
      // Where at least `period` rows before r have been written: up to `most` rows are those again, and r is the last.
      const auto write_again = [&](std::int64_t& r, std::int64_t period, std::int64_t most) {
        const std::int64_t rows = std::min(most, end - r);
        repeat_first(out + (r - period) * row_bytes, period * row_bytes, (period + rows) * row_bytes);
        r += rows - 1;
        before = -1;
        return rows - 1;
      };
      const std::int64_t outer_size = tables_.size() > 1 ? std::ssize(tables_[tables_.size() - 2]) : 1;
      const std::int64_t outer_rows = outer_period_ * last_size;
      for (std::int64_t r = begin; r < end; ++r, ++at) {
        if (r == begin || at == last_size) {
          if (at == last_size) at = 0;
          outer = 0;
          outer_filled = false;
          std::int64_t rest = base::quotient(r, last_size);
          if (outer_period_ > 0 && at == 0 && r - outer_rows >= begin &&
              base::divide(rest, outer_size).rest == outer_period_) {
            write_again(r, outer_rows, outer_size * last_size - outer_rows);
            at = last_size - 1;
            continue;
          }
          for (std::size_t d = tables_.empty() ? 0 : tables_.size() - 1; d-- > 0;) {
            const auto size = static_cast<std::int64_t>(tables_[d].size());
            const auto [before_it, index] = base::divide(rest, size);
            const std::int64_t offset = tables_[d][static_cast<std::size_t>(index)];
            outer_filled = outer_filled || offset == kFilled;
            outer += offset;
            rest = before_it;
          }
        }
        if (at == period_ && r - period_ >= begin && period_ > 0) {
          at += write_again(r, period_, last_size - at);
          continue;
        }
        const std::int64_t base = outer + last[at];
        if (outer_filled || last[at] == kFilled) {
          fill(out + r * row_bytes, row_bytes);
          before = -1;
          continue;
        }
        char* to = out + r * row_bytes;
        if (pairs_ != nullptr && base != before) {
          const bool again = !is_far && at + 1 < last_size && r + 1 < end && last[at + 1] == last[at];
          pairs_(x + base + row_[0], static_cast<std::int64_t>(row_.size()) / 2, to, again ? to + row_bytes : nullptr,
                 fetches);
          if (again) ++r, ++at;
        } else if (base == before) {
          copy_bytes(to, to - row_bytes, row_bytes);
        } else if (const std::int64_t n = copies_ ? even_rows(last + at, std::min(last_size - at, end - r)) : 1;
                   n > 1) {
          const std::int64_t step = last[at + 1] - last[at];
          copy_runs(x + base, step, to, row_bytes, n);
          r += n - 1;
          at += n - 1;
          before = base + (n - 1) * step;
          continue;
        } else {
          row(x + base, to);
        }
        before = base;
      }
    });
  }

  // Several rows of few blocks become one: reading the table takes less time than going over to another row.
  void join_short_rows() {
    constexpr std::size_t kLeast = 8, kShortest = 32, kMost = 2048;
    while (!tables_.empty() && !row_.empty() && row_.size() * tables_.back().size() <= kMost) {
      std::size_t runs = 1;
      for (std::size_t i = 1; i < row_.size(); ++i) runs += row_[i] != row_[i - 1] + block_ ? 1 : 0;
      if (row_.size() > kLeast && (row_.size() >= kShortest || 4 * runs < row_.size())) return;
      std::vector<std::int64_t> joined;
      for (const std::int64_t outer : tables_.back())
        for (const std::int64_t at : row_) joined.push_back(outer < 0 || at < 0 ? kFilled : outer + at);
      row_ = std::move(joined);
      tables_.pop_back();
    }
  }

  // The blocks from `first` on that stand there several times, each as often as the first one, and follow each other in
  // x; none where there are few.
  RowRun repeated(std::int64_t first) const {
    const auto n = static_cast<std::int64_t>(row_.size());
    const auto at = [&](std::int64_t i) { return row_[static_cast<std::size_t>(i)]; };
    RowRun run{first, 0, RunKind::Repeated};
    if (block_ > 8 || (block_ & (block_ - 1)) != 0 || at(first) == kFilled) return run;
    constexpr std::int64_t kMostTimes = 64;
    while (run.times <= kMostTimes && first + run.times < n && at(first + run.times) == at(first)) ++run.times;
    if (run.times == 1 || run.times > kMostTimes) return run;
    const auto is_next = [&](std::int64_t i, std::int64_t offset) {
      if (i + run.times > n || (i + run.times < n && at(i + run.times) == offset)) return false;
      for (std::int64_t t = 0; t < run.times; ++t)
        if (at(i + t) != offset) return false;
      return true;
    };
    std::int64_t blocks = 0;
    while (is_next(first + blocks * run.times, at(first) + blocks * block_)) ++blocks;
    run.count = blocks >= kShort ? blocks * run.times : 0;
    return run;
  }

  // After how many elements a table begins again; 0 if it does not.
  static std::int64_t period_of(const std::vector<std::int64_t>& table) {
    const auto next = std::find(table.begin() + !table.empty(), table.end(), table.empty() ? 0 : table[0]);
    if (next == table.end() || !std::equal(next, table.end(), table.begin())) return 0;
    return next - table.begin();
  }
  // How many rows from this one on, of at most so many, lie equally far apart in x and in the first cache.
  std::int64_t even_rows(const std::int64_t* offsets, std::int64_t most) const {
    most = std::min(most, most_rows_);
    if (most < 2 || offsets[1] <= offsets[0]) return 1;
    const std::int64_t step = offsets[1] - offsets[0];
    std::int64_t n = 2;
    while (n < most && offsets[n] == offsets[n - 1] + step) ++n;
    return n;
  }
  // Rows of runs that are copied or filled, or few blocks, run by run.
  void copy_runs(const char* x, std::int64_t step, char* out, std::int64_t row_bytes, std::int64_t rows) const {
    for (const RowRun& run : runs_) {
      char* to = out + run.first * block_;
      if (run.kind == RunKind::Copied) {
        copy_rows(x + row_[static_cast<std::size_t>(run.first)], step, to, row_bytes, run.count * block_, rows);
        continue;
      }
      const std::int64_t bytes = run.count * block_;
      if (run.kind == RunKind::ByTable) {
        for (std::int64_t i = 0; i < run.count; ++i)
          copy_rows(x + row_[static_cast<std::size_t>(run.first + i)], step, to + i * block_, row_bytes, block_, rows);
        continue;
      }
      std::array<char, 16> pattern;
      fill(pattern.data(), std::min<std::int64_t>(bytes, pattern.size()));
      if (bytes <= static_cast<std::int64_t>(pattern.size()))
        copy_rows(pattern.data(), 0, to, row_bytes, bytes, rows);
      else
        for (std::int64_t i = 0; i < rows; ++i, to += row_bytes) fill(to, bytes);
    }
  }

  void fill(char* to, std::int64_t bytes) const {
    const auto with = [&]<class T>(T value) {
      std::memcpy(&value, fill_.data(), sizeof value);
      for (std::int64_t i = 0; i < bytes; i += static_cast<std::int64_t>(sizeof value))
        std::memcpy(to + i, &value, sizeof value);
    };
    switch (element_bytes_) {
      case 1: std::memset(to, static_cast<int>(fill_[0]), static_cast<std::size_t>(bytes)); return;
      case 2: return with(std::uint16_t{});
      case 4: return with(std::uint32_t{});
      case 8: return with(std::uint64_t{});
      default: return with(std::array<std::uint64_t, 2>{});
    }
  }
  void row(const char* x, char* out) const {
    for (const RowRun& run : runs_) {
      const std::int64_t* table = row_.data() + run.first;
      char* to = out + run.first * block_;
      if (run.kind == RunKind::Filled) {
        fill(to, run.count * block_);
        continue;
      }
      if (run.kind == RunKind::Copied) {
        copy_bytes(to, x + *table, run.count * block_);
        continue;
      }
      if (run.kind == RunKind::Repeated) {
        spread_rows(x + *table, 1, to, block_, run.times, run.count / run.times);
        continue;
      }
      switch (block_) {
        case 1: pick<std::uint8_t>(x, table, run.count, to); break;
        case 2: pick<std::uint16_t>(x, table, run.count, to); break;
        case 4: pick<std::uint32_t>(x, table, run.count, to); break;
        case 8: pick<std::uint64_t>(x, table, run.count, to); break;
        default:
          for (std::int64_t i = 0; i < run.count; ++i) copy_bytes(to + i * block_, x + table[i], block_);
      }
    }
  }

  std::size_t element_bytes_;
  std::array<std::byte, 16> fill_;
  std::int64_t block_, rows_ = 1, times_ = 1;
  std::vector<std::vector<std::int64_t>> tables_;  // byte offsets, of the dimensions before the row's
  std::vector<std::int64_t> row_;
  std::vector<RowRun> runs_;
  static constexpr std::int64_t kFirstCache = 16384;
  bool copies_ = false;                      // runs are copied or filled, or are few blocks
  std::int64_t most_rows_ = 0, period_ = 0;  // rows that the first cache holds; after which all are written again
  std::int64_t outer_period_ = 0;            // the same of the dimension before theirs
  TwiceLoop pairs_ = nullptr;                // where all of a row stands twice
};

std::string refuses(const RemapConfig& c) {
  if (c.from.size() != c.x.size()) return "tables and x of different ranks";
  Shape out;
  for (std::size_t d = 0; d < c.x.size(); ++d) {
    out.push_back(static_cast<std::int64_t>(c.from[d].size()));
    for (std::int64_t i : c.from[d])
      if (i < -1 || i >= c.x[d]) return "a coordinate outside of x";
  }
  if (c.element_bytes > 16 || (c.element_bytes & (c.element_bytes - 1)) != 0)
    return "elements of " + std::to_string(c.element_bytes) + " bytes";
  out.push_back(static_cast<std::int64_t>(c.element_bytes));
  return extent_refusal({&c.x, &out});
}
std::unique_ptr<Kernel> make(const RemapConfig& c, PackedConstants&) { return std::make_unique<Remap>(c); }

constexpr Candidate<RemapConfig> kRemapCandidates[] = {{"remap", refuses, make}};

}  // namespace
}  // namespace remap_cc

std::span<const Candidate<RemapConfig>> remap_candidates() { return kRemapCandidates; }

}  // namespace norn::kernels
