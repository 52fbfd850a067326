// Few of many: the k-th greatest of the maxima of some lanes is a bound that at least k elements reach, and seldom many
// more; these are sorted. Else all are. Columns are gathered into lines first, as many as share a cache line. Very few
// are kept in order while rows of columns go by; a long line is some columns, whose few are sorted.
#include "kernels/cpu/topk.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>

#include "base/division.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/fold.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/radix_sort.h"
#include "kernels/cpu/row_folds.h"
#include "kernels/cpu/transpose.h"

namespace norn::kernels {
inline namespace topk_cc {
namespace {

// Calls each(T{}) for an unsigned type of the size.
template <class Each>
void of_size(std::int64_t size, const Each& each) {
  switch (size) {
    case 1: return each(std::uint8_t{});
    case 2: return each(std::uint16_t{});
    case 4: return each(std::uint32_t{});
    default: return each(std::uint64_t{});
  }
}

// What comes first is the greatest: the key, then the least position.
struct Short {
  using Key = std::int32_t;
  std::uint64_t all;
  Short() = default;
  Short(Key key, std::uint32_t at) noexcept
      : all(static_cast<std::uint64_t>(static_cast<std::uint32_t>(key) ^ 0x80000000u) << 32 | (at ^ 0xffffffffu)) {}
  std::uint32_t at() const noexcept { return static_cast<std::uint32_t>(all) ^ 0xffffffffu; }
  bool operator<(const Short& other) const noexcept { return all > other.all; }
};
struct Long {
  using Key = std::int64_t;
  Key key;
  std::uint32_t position;
  Long() = default;
  Long(Key k, std::uint32_t at) noexcept : key(k), position(at) {}
  std::uint32_t at() const noexcept { return position; }
  bool operator<(const Long& other) const noexcept {
    return key > other.key || (key == other.key && position < other.position);
  }
};

// Sorts the first k of `count` to the front. A few are kept in order while the others go by, of which most stay where
// they are.
constexpr std::int64_t kFew = 16;
template <class T, class Before>
void sort_first(T* all, std::int64_t count, std::int64_t k, Before before) {
  if (k > kFew) {
    if (k < count) std::nth_element(all, all + k, all + count, before);
    return std::sort(all, all + k, before);
  }
  for (std::int64_t i = 1; i < count; ++i) {
    const T next = all[i];
    std::int64_t j = std::min(i, k);
    if (j == k && !before(next, all[k - 1])) continue;
    if (j == k) --j;
    for (; j > 0 && before(next, all[j - 1]); --j) all[j] = all[j - 1];
    all[j] = next;
  }
}

template <class Entry>
class TopK final : public Kernel {
 public:
  explicit TopK(const TopKConfig& c)
      : c_(c), size_(static_cast<std::int64_t>(element_size(c.type))), loops_(topk_loops(c.type)) {
    lanes_ = 64;
    // At least two elements to a lane: more lanes than elements that are wanted, four times as many if there are
    // enough.
    while (lanes_ < 4 * c.k && 4 * lanes_ <= c.n) lanes_ *= 2;
    few_ = c.k <= c.n / 8 && c.n >= 2 * lanes_;
    columns_ = c.inner == 1 ? 1 : std::min<std::int64_t>(c.inner, 64 / size_);
    parts_ = (c.inner + columns_ - 1) / columns_;
    const double line_ns = static_cast<double>(c.n) * (few_ ? 0.5 : 10) + 100;
    tasks_ = piece_count(c.outer * parts_, line_ns * static_cast<double>(columns_));
    const auto up = [](std::int64_t bytes) { return (bytes + 63) / 64 * 64; };
    keys_at_ = c.inner == 1 ? 0 : up(columns_ * c.n * size_);
    maxima_at_ = keys_at_ + up(c.n * kKey);
    positions_at_ = maxima_at_ + up(lanes_ * kKey);
    entries_at_ = positions_at_ + up(few_ ? c.n * 4 : 0);
    const auto entry = static_cast<std::int64_t>(sizeof(Entry));
    others_at_ = entries_at_ + up(c.n * entry);
    task_bytes_ = others_at_ + up(std::min(c.n, kMostDigits) * entry);
  }
  std::size_t scratch_bytes() const override { return static_cast<std::size_t>(task_bytes_ * tasks_); }

  void run(void* const* operands, void* scratch) const override {
    base::parallel_for(tasks_, [&](std::int64_t task) {
      std::byte* const own = static_cast<std::byte*>(scratch) + task_bytes_ * task;
      const std::int64_t units = c_.outer * parts_;
      for (auto [u, last_u] = base::part_of(units, tasks_, task); u < last_u; ++u) unit(operands, u, own);
    });
  }

 private:
  using Key = typename Entry::Key;
  static constexpr std::int64_t kKey = sizeof(Key);
  static constexpr std::int64_t kManyEntries = 64, kMostDigits = 1 << 16;  // that are sorted by digits

  void unit(void* const* operands, std::int64_t u, std::byte* own) const {
    const std::int64_t o = u / parts_, first = u % parts_ * columns_, columns = std::min(columns_, c_.inner - first);
    const auto* x = static_cast<const std::byte*>(operands[0]) + (o * c_.n * c_.inner + first) * size_;
    const std::byte* lines = x;
    if (c_.inner != 1) {
      gather(x, columns, own);
      lines = own;
    }
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::byte* line = lines + c * c_.n * size_;
      const Entry* best = choose(line, own);
      write(line, best, operands, o * c_.k * c_.inner + first + c);
    }
  }

  void gather(const std::byte* x, std::int64_t columns, std::byte* lines) const {
    const auto each = [&]<class T>(T) {
      const T* from = reinterpret_cast<const T*>(x);
      T* to = reinterpret_cast<T*>(lines);
      for (std::int64_t i = 0; i < c_.n; ++i)
        for (std::int64_t c = 0; c < columns; ++c) to[c * c_.n + i] = from[i * c_.inner + c];
    };
    of_size(size_, each);
  }

  // The first k of the line, in order.
  const Entry* choose(const std::byte* line, std::byte* own) const {
    auto* const made = reinterpret_cast<Key*>(own + keys_at_);
    auto* entries = reinterpret_cast<Entry*>(own + entries_at_);
    const bool are_keys = c_.largest && (c_.type == DataType::Int32 || c_.type == DataType::Int64);
    if (!are_keys) loops_.keys(line, c_.n, !c_.largest, made);
    const Key* const keys = are_keys ? reinterpret_cast<const Key*>(line) : made;
    std::int64_t count = c_.n;
    if (few_) {
      auto* maxima = reinterpret_cast<Key*>(own + maxima_at_);
      auto* positions = reinterpret_cast<std::uint32_t*>(own + positions_at_);
      loops_.maxima(keys, c_.n, maxima, lanes_);
      const Key bound = kth(maxima, lanes_);
      count = loops_.not_below(keys, c_.n, &bound, c_.k, positions);
      for (std::int64_t i = 0; i < count; ++i) entries[i] = Entry(keys[positions[i]], positions[i]);
    } else {
      for (std::int64_t i = 0; i < count; ++i) entries[i] = Entry(keys[i], static_cast<std::uint32_t>(i));
    }
    return sorted(entries, count, reinterpret_cast<Entry*>(own + others_at_));
  }

  // Of keys that are overwritten.
  Key kth(Key* keys, std::int64_t count) const {
    if constexpr (std::is_same_v<Entry, Short>)
      if (c_.k > kFew) return kth_greatest(keys, static_cast<std::size_t>(count), static_cast<std::size_t>(c_.k));
    sort_first(keys, count, c_.k, std::greater<>());
    return keys[c_.k - 1];
  }
  // Where the first k are in order. Positions ascend before.
  const Entry* sorted(Entry* entries, std::int64_t count, [[maybe_unused]] Entry* others) const {
    if constexpr (std::is_same_v<Entry, Short>)
      if (c_.k > kFew && count >= kManyEntries && count <= kMostDigits) {
        // As numbers that ascend as entries come.
        static_assert(sizeof(Entry) == sizeof(std::uint64_t));
        auto *const numbers = &entries->all, *const other = &others->all;
        for (std::int64_t i = 0; i < count; ++i) numbers[i] = ~numbers[i];
        std::uint64_t* const first = sort_by_upper_half(numbers, static_cast<std::size_t>(count), other);
        for (std::int64_t i = 0; i < c_.k; ++i) first[i] = ~first[i];
        return first == numbers ? entries : others;
      }
    sort_first(entries, count, c_.k, std::less<>());
    return entries;
  }

  void write(const std::byte* line, const Entry* best, void* const* operands, std::int64_t to) const {
    if (auto* positions = static_cast<std::int64_t*>(operands[2]))
      for (std::int64_t j = 0; j < c_.k; ++j) positions[to + j * c_.inner] = best[j].at();
    if (!operands[1]) return;
    const auto each = [&]<class T>(T) {
      const T* from = reinterpret_cast<const T*>(line);
      T* values = static_cast<T*>(operands[1]) + to;
      for (std::int64_t j = 0; j < c_.k; ++j) values[j * c_.inner] = from[best[j].at()];
    };
    of_size(size_, each);
  }

  TopKConfig c_;
  std::int64_t size_;
  TopKLoops loops_;
  bool few_ = false;
  std::int64_t lanes_ = 64, columns_ = 1, parts_ = 1, tasks_ = 1;
  std::int64_t keys_at_ = 0, maxima_at_ = 0, positions_at_ = 0, entries_at_ = 0, others_at_ = 0, task_bytes_ = 0;
};

// A column of what goes by: of the tensor itself, if it has enough of them; of rows that are turned; or a lane of
// lines.
enum class Passing : std::uint8_t { None, Columns, Turned, Lanes };

constexpr std::int64_t kGroup = 16, kBlock = 64;  // columns

Passing passing(const TopKConfig& c) {
  if (c.inner >= kGroup) return c.k <= 16 ? Passing::Columns : Passing::None;
  if (c.k > 8) return Passing::None;
  // Keys of a line that the second cache does not hold are not written.
  constexpr std::int64_t kFar = std::int64_t{1} << 19;
  const bool is_far = c.n * static_cast<std::int64_t>(element_size(c.type)) >= kFar;
  if ((c.inner > 1 || is_far) && c.n / kBlock >= 8 * c.k) return Passing::Lanes;
  return c.inner == 1 && c.n <= 128 && c.outer >= kBlock ? Passing::Turned : Passing::None;
}

template <class Entry>
class PassingTopK final : public Kernel {
 public:
  explicit PassingTopK(const TopKConfig& c)
      : c_(c), size_(static_cast<std::int64_t>(element_size(c.type))), loops_(topk_loops(c.type)), kind_(passing(c)) {
    const std::int64_t blocks = (c.inner + kBlock - 1) / kBlock;
    if (kind_ == Passing::Columns) units_ = c.outer * blocks;
    if (kind_ == Passing::Turned) units_ = (c.outer + kBlock - 1) / kBlock;
    if (kind_ == Passing::Lanes) {
      units_ = c.outer;
      lanes_ = kGroup * c.inner;  // of each column as many lanes as make whole groups
    }
    const double unit_ns = static_cast<double>(kind_ == Passing::Lanes ? c.n * c.inner : c.n * kBlock) * 0.4;
    tasks_ = piece_count(units_, unit_ns + 100);
    const auto up = [](std::int64_t bytes) { return (bytes + 63) / 64 * 64; };
    rows_at_ = up(std::max(kBlock, lanes_) * c.k * kKey);
    turned_at_ = 2 * rows_at_;
    entries_at_ = turned_at_ + (kind_ == Passing::Turned ? up(kBlock * c.n * size_) : 0);
    task_bytes_ = entries_at_;
    if (kind_ == Passing::Lanes)
      task_bytes_ += up((lanes_ / c.inner * c.k + c.n % (lanes_ / c.inner)) * static_cast<std::int64_t>(sizeof(Entry)));
  }
  std::size_t scratch_bytes() const override { return static_cast<std::size_t>(task_bytes_ * tasks_); }

  void run(void* const* operands, void* scratch) const override {
    base::parallel_for(tasks_, [&](std::int64_t task) {
      std::byte* const own = static_cast<std::byte*>(scratch) + task_bytes_ * task;
      for (auto [u, last_u] = base::part_of(units_, tasks_, task); u < last_u; ++u) {
        if (kind_ == Passing::Columns) block(operands, u, own);
        if (kind_ == Passing::Turned) turned(operands, u, own);
        if (kind_ == Passing::Lanes) lanes(operands, u, own);
      }
    });
  }

 private:
  using Key = typename Entry::Key;
  static constexpr std::int64_t kKey = sizeof(Key);

  void pass(const std::byte* x, std::int64_t n, std::int64_t stride, std::int64_t columns, std::byte* own) const {
    loops_.best(x, n, stride, columns, !c_.largest, c_.k, own, own + rows_at_);
  }
  // The j-th row of column `column`, of those that passed.
  std::int64_t row(const std::byte* own, std::int64_t column, std::int64_t j) const {
    return reinterpret_cast<const Key*>(own + rows_at_)[(column / kGroup * c_.k + j) * kGroup + column % kGroup];
  }
  void put(void* const* operands, std::int64_t to, const std::byte* column, std::int64_t step, std::int64_t at) const {
    put_each(operands, column, [&](auto f) { f(to, at, at * step); });
  }
  // `visit` calls f(place in the outputs, position, where in x the element lies).
  template <class Visit>
  void put_each(void* const* operands, const std::byte* x, const Visit& visit) const {
    if (auto* positions = static_cast<std::int64_t*>(operands[2]))
      visit([=](std::int64_t to, std::int64_t at, std::int64_t) { positions[to] = at; });
    if (operands[1])
      of_size(size_, [&]<class T>(T) {
        const T* const from = reinterpret_cast<const T*>(x);
        T* const values = static_cast<T*>(operands[1]);
        visit([=](std::int64_t to, std::int64_t, std::int64_t place) { values[to] = from[place]; });
      });
  }

  void block(void* const* operands, std::int64_t u, std::byte* own) const {
    const std::int64_t blocks = (c_.inner + kBlock - 1) / kBlock, o = u / blocks;
    // The last block overlaps the one before it, for whole groups.
    const std::int64_t columns = std::min(kBlock, c_.inner / kGroup * kGroup);
    for (std::int64_t first = u % blocks * kBlock, end = std::min(c_.inner, first + kBlock); first < end;) {
      const std::int64_t n = std::min(columns, (end - first + kGroup - 1) / kGroup * kGroup);
      const std::int64_t begin = std::min(first, c_.inner - n);
      const std::byte* x = static_cast<const std::byte*>(operands[0]) + (o * c_.n * c_.inner + begin) * size_;
      pass(x, c_.n, c_.inner, n, own);
      const std::int64_t last = std::min(end, begin + n);
      put_each(operands, x, [&](auto f) {
        for (std::int64_t j = 0; j < c_.k; ++j)
          for (std::int64_t c = first - begin; c < last - begin; ++c) {
            const std::int64_t at = row(own, c, j);
            f((o * c_.k + j) * c_.inner + begin + c, at, at * c_.inner + c);
          }
      });
      first = last;
    }
  }

  void turned(void* const* operands, std::int64_t u, std::byte* own) const {
    // The last block overlaps the one before it.
    const std::int64_t first = std::min(u * kBlock, c_.outer - kBlock);
    const std::byte* x = static_cast<const std::byte*>(operands[0]) + first * c_.n * size_;
    transpose_matrices(x, own + turned_at_, 1, kBlock, c_.n, static_cast<std::size_t>(size_));
    pass(own + turned_at_, c_.n, kBlock, kBlock, own);
    put_each(operands, x, [&](auto f) {
      for (std::int64_t r = u * kBlock - first; r < kBlock; ++r)
        for (std::int64_t j = 0; j < c_.k; ++j) {
          const std::int64_t at = row(own, r, j);
          f((first + r) * c_.k + j, at, r * c_.n + at);
        }
    });
  }

  void lanes(void* const* operands, std::int64_t o, std::byte* own) const {
    const std::byte* x = static_cast<const std::byte*>(operands[0]) + o * c_.n * c_.inner * size_;
    const std::int64_t each = lanes_ / c_.inner, whole = c_.n / each;  // lanes of a column, and elements of a lane
    pass(x, whole, lanes_, lanes_, own);
    auto* const entries = reinterpret_cast<Entry*>(own + entries_at_);
    const auto* const keys = reinterpret_cast<const Key*>(own);
    for (std::int64_t c = 0; c < c_.inner; ++c) {
      std::int64_t count = 0;
      for (std::int64_t e = 0; e < each; ++e) {
        const std::int64_t lane = e * c_.inner + c;
        for (std::int64_t j = 0; j < c_.k; ++j) {
          const Key key = keys[(lane / kGroup * c_.k + j) * kGroup + lane % kGroup];
          entries[count++] = Entry(key, static_cast<std::uint32_t>(row(own, lane, j) * each + e));
        }
      }
      for (std::int64_t i = whole * each; i < c_.n; ++i) {
        Key key;
        loops_.keys(x + (i * c_.inner + c) * size_, 1, !c_.largest, &key);
        entries[count++] = Entry(key, static_cast<std::uint32_t>(i));
      }
      std::partial_sort(entries, entries + c_.k, entries + count);
      for (std::int64_t j = 0; j < c_.k; ++j)
        put(operands, (o * c_.k + j) * c_.inner + c, x + c * size_, c_.inner, entries[j].at());
    }
  }

  TopKConfig c_;
  std::int64_t size_;
  TopKLoops loops_;
  Passing kind_;
  std::int64_t units_ = 1, lanes_ = 0, tasks_ = 1;
  std::int64_t rows_at_ = 0, turned_at_ = 0, entries_at_ = 0, task_bytes_ = 0;
};

// The one that comes first, as the place of an extremum.
class First final : public Kernel {
 public:
  explicit First(const TopKConfig& c)
      : c_(c), loop_(arg_loop(c.type, c.largest, false)), rows_(c.type, c.largest, false) {}
  std::size_t scratch_bytes() const override {
    return static_cast<std::size_t>(c_.outer * c_.inner) * sizeof(std::int64_t);
  }

  void run(void* const* operands, void* scratch) const override {
    const auto size = static_cast<std::int64_t>(element_size(c_.type));
    const auto* x = static_cast<const std::byte*>(operands[0]);
    auto* at = static_cast<std::int64_t*>(operands[2] ? operands[2] : scratch);
    if (c_.n == 1) {
      const std::int64_t all = c_.outer * c_.inner;
      return parallel_ranges(all, 1, 1024, [&](std::int64_t begin, std::int64_t end) {
        std::fill(at + begin, at + end, 0);
        if (operands[1])
          std::memcpy(static_cast<std::byte*>(operands[1]) + begin * size, x + begin * size,
                      static_cast<std::size_t>((end - begin) * size));
      });
    }
    const std::int64_t parts = (c_.inner + kColumns - 1) / kColumns;
    const double unit_ns = static_cast<double>(c_.n * std::min(c_.inner, kColumns)) * 0.3 + 20;
    parallel_ranges(c_.outer * parts, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      if (c_.inner == 1) {
        rows_(x + begin * c_.n * size, c_.n, end - begin, at + begin);
        if (!operands[1]) return;
        return of_size(size, [&]<class T>(T) {
          const T* const values = reinterpret_cast<const T*>(x);
          T* const to = static_cast<T*>(operands[1]);
          for (std::int64_t r = begin; r < end; ++r) to[r] = values[r * c_.n + at[r]];
        });
      }
      std::array<std::uint64_t, kColumns> best;
      for (std::int64_t u = begin; u < end; ++u) {
        const std::int64_t o = u / parts, first = u % parts * kColumns, m = std::min(kColumns, c_.inner - first);
        const std::byte* from = x + (o * c_.n * c_.inner + first) * size;
        std::int64_t* places = at + o * c_.inner + first;
        loop_(from, c_.n, c_.inner, m, best.data(), places);
        if (!operands[1]) continue;
        of_size(size, [&]<class T>(T) {
          T* const to = static_cast<T*>(operands[1]) + o * c_.inner + first;
          const T* const values = reinterpret_cast<const T*>(from);
          for (std::int64_t i = 0; i < m; ++i) to[i] = values[places[i] * c_.inner + i];
        });
      }
    });
  }

 private:
  static constexpr std::int64_t kColumns = 512;
  TopKConfig c_;
  ArgLoop loop_;
  ArgRows rows_;
};

std::string first_refuses(const TopKConfig& c) {
  if (c.outer < 1 || c.n < 1 || c.inner < 1) return "an empty tensor";
  if (c.k != 1) return "gives one element of each line";
  // The place of a least element is NaN's, which is the greatest here.
  const bool real = c.type == DataType::Float || c.type == DataType::Double;
  if (!arg_loop(c.type, c.largest, false) || (real && !c.largest))
    return "has no loop for " + std::string(data_type_name(c.type));
  const Shape dims = {c.outer, c.n, c.inner, 8};
  return extent_refusal({&dims});
}
std::unique_ptr<Kernel> make_first(const TopKConfig& c, PackedConstants&) { return std::make_unique<First>(c); }

std::string refuses(const TopKConfig& c) {
  if (c.outer < 1 || c.n < 1 || c.inner < 1) return "an empty tensor";
  if (c.k < 1 || c.k > c.n) return "k is not in [1, n]";
  if (c.n >= std::numeric_limits<std::int32_t>::max()) return "2^31 elements along the axis";
  if (!topk_loops(c.type).keys) return "has no loop for " + std::string(data_type_name(c.type));
  const Shape dims = {c.outer, c.n, c.inner, 32};
  return extent_refusal({&dims});
}
std::unique_ptr<Kernel> make(const TopKConfig& c, PackedConstants&) {
  if (element_size(c.type) == 8) return std::make_unique<TopK<Long>>(c);
  return std::make_unique<TopK<Short>>(c);
}

std::string passing_refuses(const TopKConfig& c) {
  if (std::string why = refuses(c); !why.empty()) return why;
  return passing(c) == Passing::None ? "keeps few elements of long lines or of many columns" : "";
}
std::unique_ptr<Kernel> make_passing(const TopKConfig& c, PackedConstants&) {
  if (element_size(c.type) == 8) return std::make_unique<PassingTopK<Long>>(c);
  return std::make_unique<PassingTopK<Short>>(c);
}

constexpr Candidate<TopKConfig> kTopKCandidates[] = {
    {"extremum", first_refuses, make_first}, {"passing", passing_refuses, make_passing}, {"bounded", refuses, make}};

}  // namespace
}  // namespace topk_cc

std::span<const Candidate<TopKConfig>> topk_candidates() { return kTopKCandidates; }

}  // namespace norn::kernels
