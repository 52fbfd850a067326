// ScatterND of indices that are known when the kernel is made, and name blocks in order, as those do by which exporters
// write an assignment to a slice: x[:, a:b] = y has an index of every coordinate for every element. What is kept of
// them is which blocks follow one another; the output is then written once, from the updates or from the data.
#include <algorithm>
#include <cstring>
#include <string>

#include "kernels/cpu/copy_rows.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/index_blocks.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/scatter.h"

namespace norn::kernels {
inline namespace scatter_known_cc {
namespace {

// Updates from row `from` on lie in the data from block `to` on.
struct OrderedRun {
  std::int64_t to, from, count;
};

// Reads rows of indices wherever they lie.
class KnownRows {
 public:
  explicit KnownRows(const ScatterNdConfig& c) : rows_(static_cast<const std::int64_t*>(c.indices.data)) {
    if (reinterpret_cast<std::uintptr_t>(rows_) % alignof(std::int64_t) == 0) return;
    copy_.resize(c.indices.bytes / sizeof(std::int64_t));
    std::memcpy(copy_.data(), c.indices.data, copy_.size() * sizeof(std::int64_t));
    rows_ = copy_.data();
  }
  const std::int64_t* get() const { return rows_; }

 private:
  const std::int64_t* rows_;
  std::vector<std::int64_t> copy_;
};

// Calls f(OrderedRun) for all of them; whether every index is within its axis, and every run lies behind the one before
// it.
template <class F>
bool are_in_order(const ScatterNdConfig& c, F&& f) {
  const IndexBlocks blocks(c.axes);
  const KnownRows rows(c);
  for (std::int64_t r = 0, end = 0; r < c.rows;) {
    const std::int64_t* const row = rows.get() + r * blocks.length();
    if (!blocks.are_within(row)) return false;
    const OrderedRun run{blocks.at(row), r, blocks.following(row, c.rows - r)};
    if (run.to < end) return false;
    f(run);
    r += run.count;
    end = run.to + run.count;
  }
  return true;
}

std::string described(const ScatterNdConfig& c) {
  std::string text = std::to_string(c.rows) + " indices of blocks of";
  for (const std::int64_t size : c.axes) (text += ' ') += std::to_string(size);
  return text;
}

class ScatterRuns final : public Kernel {
 public:
  ScatterRuns(const ScatterNdConfig& c, PackedConstants& packed)
      : block_(c.block * static_cast<std::int64_t>(element_size(c.type))), all_(block_ * element_count(c.axes)) {
    // How many there are, and they.
    runs_ = packed.get(c.indices, 0, "runs of " + described(c), [&]() -> std::shared_ptr<const void> {
      std::vector<OrderedRun> runs;
      are_in_order(c, [&](const OrderedRun& run) {
        // Of rows along one axis, those along the next follow where they reach its ends.
        if (!runs.empty() && runs.back().to + runs.back().count == run.to)
          runs.back().count += run.count;
        else
          runs.push_back(run);
      });
      auto memory = aligned_buffer(sizeof(std::int64_t) + runs.size() * sizeof(OrderedRun));
      const auto count = static_cast<std::int64_t>(runs.size());
      std::memcpy(memory.get(), &count, sizeof count);
      std::memcpy(static_cast<char*>(memory.get()) + sizeof count, runs.data(), runs.size() * sizeof(OrderedRun));
      return memory;
    });
  }

  bool reads(std::size_t i) const override { return i != 1; }

  void run(void* const* operands, void*) const override {
    const auto* const data = static_cast<const char*>(operands[0]);
    const auto* const updates = static_cast<const char*>(operands[2]);
    auto* const out = static_cast<char*>(operands[3]);
    const std::int64_t* const count = static_cast<const std::int64_t*>(runs_.get());
    const OrderedRun* const first = reinterpret_cast<const OrderedRun*>(count + 1);
    const OrderedRun* const last = first + *count;
    parallel_ranges(all_, 0.05, 4096, [&](std::int64_t at, std::int64_t end) {
      const auto copy = [&](const char* from, std::int64_t until) {
        if (from != out + at) copy_bytes(out + at, from, until - at);
        at = until;
      };
      const OrderedRun* run = std::upper_bound(first, last, at, [this](std::int64_t byte, const OrderedRun& other) {
        return byte < (other.to + other.count) * block_;
      });
      for (; run != last && run->to * block_ < end; ++run) {
        if (run->to * block_ > at) copy(data + at, run->to * block_);
        copy(updates + run->from * block_ + (at - run->to * block_), std::min(end, (run->to + run->count) * block_));
      }
      if (at < end) copy(data + at, end);
    });
  }

 private:
  std::int64_t block_, all_;  // bytes
  std::shared_ptr<const void> runs_;
};

}  // namespace
}  // namespace scatter_known_cc

std::string scatter_runs_refuses(const ScatterNdConfig& c) {
  if (c.kind != ScatterKind::Replace) return "replaces elements only";
  if (!c.indices.known()) return "the indices are not constant";
  constexpr std::int64_t kLeastRun = 2;  // rows, on average: what is kept is no larger than the indices
  const bool in_order = c.indices.are(described(c) + " in order", [&] {
    std::int64_t runs = 0;
    return are_in_order(c, [&](const OrderedRun&) { ++runs; }) && runs <= std::max<std::int64_t>(1, c.rows / kLeastRun);
  });
  return in_order ? "" : "the indices do not name blocks in order, several in a row";
}
std::unique_ptr<Kernel> make_scatter_runs(const ScatterNdConfig& c, PackedConstants& packed) {
  return std::make_unique<ScatterRuns>(c, packed);
}

}  // namespace norn::kernels
