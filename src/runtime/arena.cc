// One walk over the steps with a list of free stretches: what a step writes takes the best fit, and what it reads last
// becomes free behind it, so that a step's operands never overlap unless one is made in place of the other.
#include "runtime/arena.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "base/checked.h"
#include "norn/error.h"

namespace norn::runtime {
namespace {

std::size_t padded(std::size_t bytes) {
  return std::max(kArenaAlign, (bytes + kArenaAlign - 1) / kArenaAlign * kArenaAlign);
}

class FreeList {
 public:
  std::size_t take(std::size_t bytes) {
    auto best = free_.end();
    for (auto it = free_.begin(); it != free_.end(); ++it)
      if (it->second >= bytes && (best == free_.end() || it->second < best->second)) best = it;
    if (best == free_.end()) {
      const auto top = base::checked_add(std::uint64_t{top_}, std::uint64_t{bytes});
      if (!top) throw Error(ErrorCode::LimitExceeded, "the intermediates take more bytes than 64 bits can count");
      top_ = *top;
      return top_ - bytes;
    }
    const auto [offset, size] = *best;
    free_.erase(best);
    if (size > bytes) free_[offset + bytes] = size - bytes;
    return offset;
  }
  // Stretches that touch become one.
  void release(std::size_t offset, std::size_t bytes) {
    auto next = free_.lower_bound(offset);
    if (next != free_.end() && offset + bytes == next->first) {
      bytes += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == offset) {
        before->second += bytes;
        return;
      }
    }
    free_[offset] = bytes;
  }
  std::size_t top() const noexcept { return top_; }

 private:
  std::map<std::size_t, std::size_t> free_;  // offset -> bytes
  std::size_t top_ = 0;
};

}  // namespace

std::optional<std::int64_t> tensor_bytes(DataType type, const Shape& dims) {
  const auto count = base::checked_count(dims);
  return count ? base::checked_mul(*count, static_cast<std::int64_t>(element_size(type))) : std::nullopt;
}

std::size_t lay_out(std::span<Block> blocks, std::size_t steps) {
  std::vector<std::vector<std::size_t>> starts(steps), ends(steps);
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    starts[static_cast<std::size_t>(blocks[b].first)].push_back(b);
    if (blocks[b].last < static_cast<std::int64_t>(steps)) ends[static_cast<std::size_t>(blocks[b].last)].push_back(b);
  }
  FreeList free;
  std::vector<bool> handed_on(blocks.size(), false);
  for (std::size_t step = 0; step < steps; ++step) {
    for (std::size_t b : starts[step]) {
      Block& block = blocks[b];
      const auto gives_place = [&](std::size_t other) {
        return other != b && !handed_on[other] && blocks[other].yields && blocks[other].bytes == block.bytes &&
               blocks[other].first != block.first;
      };
      const auto none = ends[step].end();
      const auto dying = block.in_place ? std::find_if(ends[step].begin(), none, gives_place) : none;
      if (dying == none) {
        block.offset = free.take(padded(block.bytes));
      } else {
        handed_on[*dying] = true;
        block.offset = blocks[*dying].offset;
      }
    }
    for (std::size_t b : ends[step])
      if (!handed_on[b]) free.release(blocks[b].offset, padded(blocks[b].bytes));
  }
  return free.top();
}

}  // namespace norn::runtime
