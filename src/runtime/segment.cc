// What a segment keeps from one run to the next: frames, and the segments that were planned behind it.
#include "runtime/arena.h"
#include "runtime/plan.h"

namespace norn::runtime {

std::unique_ptr<Frame> Segment::take_frame() const {
  {
    std::lock_guard lock(mutex_);
    if (!frames_.empty()) {
      auto frame = std::move(frames_.back());
      frames_.pop_back();
      return frame;
    }
  }
  auto frame = std::make_unique<Frame>();
  const std::size_t scratch_at = (arena_bytes + kArenaAlign - 1) / kArenaAlign * kArenaAlign;
  frame->arena = kernels::aligned_buffer(scratch_at + scratch_bytes + kArenaAlign);
  auto* base = static_cast<std::byte*>(frame->arena.get());
  frame->scratch = base + scratch_at;
  frame->pointers.resize(pointers.size(), nullptr);
  for (std::size_t i = 0; i < pointers.size(); ++i) {
    if (pointers[i].kind == Location::Kind::Constant) frame->pointers[i] = const_cast<void*>(pointers[i].constant);
    if (pointers[i].kind == Location::Kind::Arena) frame->pointers[i] = base + pointers[i].offset;
  }
  return frame;
}

void Segment::give_back(std::unique_ptr<Frame> frame) const {
  std::lock_guard lock(mutex_);
  if (frames_.size() < kMaxFrames) frames_.push_back(std::move(frame));
}

std::shared_ptr<const Segment> Segment::find_next(const std::vector<std::int64_t>& key) const {
  std::lock_guard lock(mutex_);
  for (const auto& [sizes, next] : next_)
    if (sizes == key) return next;
  return nullptr;
}

void Segment::keep_next(std::vector<std::int64_t> key, std::shared_ptr<const Segment> next) const {
  std::lock_guard lock(mutex_);
  if (next_.size() >= kMaxNext) next_.erase(next_.begin());
  next_.emplace_back(std::move(key), std::move(next));
}

}  // namespace norn::runtime
