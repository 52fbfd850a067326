// Few of many: the k-th greatest of the maxima of some lanes is a bound that at least k elements reach, and seldom many
// more; these are sorted. Else all are. Columns are gathered into lines first, as many as share a cache line.
#include "kernels/cpu/topk.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>

#include "kernels/cpu/extents.h"
#include "kernels/cpu/fold.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
namespace {

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

template <class Entry>
class TopK final : public Kernel {
 public:
  explicit TopK(const TopKConfig& c)
      : c_(c), size_(static_cast<std::int64_t>(element_size(c.type))), loops_(topk_loops(c.type)) {
    lanes_ = 64;
    while (lanes_ < 4 * c.k && lanes_ < c.n) lanes_ *= 2;
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
    task_bytes_ = entries_at_ + up(c.n * static_cast<std::int64_t>(sizeof(Entry)));
  }
  std::size_t scratch_bytes() const override { return static_cast<std::size_t>(task_bytes_ * tasks_); }

  void run(void* const* operands, void* scratch) const override {
    base::parallel_for(tasks_, [&](std::int64_t task) {
      std::byte* const own = static_cast<std::byte*>(scratch) + task_bytes_ * task;
      const std::int64_t units = c_.outer * parts_;
      for (std::int64_t u = units * task / tasks_; u < units * (task + 1) / tasks_; ++u) unit(operands, u, own);
    });
  }

 private:
  using Key = typename Entry::Key;
  static constexpr std::int64_t kKey = sizeof(Key);

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
    of_size(each);
  }

  // The first k of the line, in order.
  const Entry* choose(const std::byte* line, std::byte* own) const {
    auto* keys = reinterpret_cast<Key*>(own + keys_at_);
    auto* entries = reinterpret_cast<Entry*>(own + entries_at_);
    loops_.keys(line, c_.n, !c_.largest, keys);
    std::int64_t count = c_.n;
    if (few_) {
      auto* maxima = reinterpret_cast<Key*>(own + maxima_at_);
      auto* positions = reinterpret_cast<std::uint32_t*>(own + positions_at_);
      loops_.maxima(keys, c_.n, maxima, lanes_);
      std::nth_element(maxima, maxima + (c_.k - 1), maxima + lanes_, std::greater<>());
      count = loops_.not_below(keys, c_.n, maxima + (c_.k - 1), positions);
      for (std::int64_t i = 0; i < count; ++i) entries[i] = Entry(keys[positions[i]], positions[i]);
    } else {
      for (std::int64_t i = 0; i < count; ++i) entries[i] = Entry(keys[i], static_cast<std::uint32_t>(i));
    }
    if (c_.k < count) std::nth_element(entries, entries + c_.k, entries + count);
    std::sort(entries, entries + c_.k);
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
    of_size(each);
  }

  template <class Each>
  void of_size(const Each& each) const {
    switch (size_) {
      case 1: return each(std::uint8_t{});
      case 2: return each(std::uint16_t{});
      case 4: return each(std::uint32_t{});
      default: return each(std::uint64_t{});
    }
  }

  TopKConfig c_;
  std::int64_t size_;
  TopKLoops loops_;
  bool few_ = false;
  std::int64_t lanes_ = 64, columns_ = 1, parts_ = 1, tasks_ = 1;
  std::int64_t keys_at_ = 0, maxima_at_ = 0, positions_at_ = 0, entries_at_ = 0, task_bytes_ = 0;
};

// The one that comes first, as the place of an extremum.
class First final : public Kernel {
 public:
  explicit First(const TopKConfig& c) : c_(c), loop_(arg_loop(c.type, c.largest, false)) {}
  std::size_t scratch_bytes() const override {
    return static_cast<std::size_t>(c_.outer * c_.inner) * sizeof(std::int64_t);
  }

  void run(void* const* operands, void* scratch) const override {
    const auto size = static_cast<std::int64_t>(element_size(c_.type));
    const auto* x = static_cast<const std::byte*>(operands[0]);
    auto* at = static_cast<std::int64_t*>(operands[2] ? operands[2] : scratch);
    const std::int64_t parts = (c_.inner + kColumns - 1) / kColumns;
    const double unit_ns = static_cast<double>(c_.n * std::min(c_.inner, kColumns)) * 0.3 + 20;
    parallel_ranges(c_.outer * parts, unit_ns, 1, [&](std::int64_t begin, std::int64_t end) {
      std::array<std::uint64_t, kColumns> best;
      if (c_.inner == 1) loop_(x + begin * c_.n * size, c_.n, 1, end - begin, nullptr, at + begin);
      for (std::int64_t u = begin; u < end; ++u) {
        const std::int64_t o = u / parts, first = u % parts * kColumns, m = std::min(kColumns, c_.inner - first);
        const std::byte* from = x + (o * c_.n * c_.inner + first) * size;
        std::int64_t* places = at + o * c_.inner + first;
        if (c_.inner != 1) loop_(from, c_.n, c_.inner, m, best.data(), places);
        auto* to = static_cast<std::byte*>(operands[1]);
        for (std::int64_t i = 0; to && i < m; ++i)
          std::memcpy(to + (o * c_.inner + first + i) * size, from + (places[i] * c_.inner + i) * size,
                      static_cast<std::size_t>(size));
      }
    });
  }

 private:
  static constexpr std::int64_t kColumns = 512;
  TopKConfig c_;
  ArgLoop loop_;
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

constexpr Candidate<TopKConfig> kCandidates[] = {{"extremum", first_refuses, make_first}, {"bounded", refuses, make}};

}  // namespace

std::span<const Candidate<TopKConfig>> topk_candidates() { return kCandidates; }

}  // namespace norn::kernels
