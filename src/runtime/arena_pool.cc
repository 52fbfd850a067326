#include "runtime/arena_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <mutex>
#include <new>
#include <utility>

#include "base/memory.h"
#include "kernels/kernel.h"
#include "runtime/arena.h"

namespace norn::runtime {
namespace {

// In quarters of a power of two, so that slightly different shapes can use one stretch.
std::size_t rounded(std::size_t bytes) {
  constexpr std::size_t kLeast = 4096;
  if (bytes <= kLeast) return kLeast;
  const std::size_t step = std::bit_floor(bytes - 1) / 4;
  const std::size_t up = (bytes + step - 1) / step * step;
  return up < bytes ? bytes : up;
}

// Each large stretch is a mapping of its own, so that one that has become too small can grow: mremap keeps the pages
// that are mapped already.
constexpr std::size_t kLeastMapped = std::size_t{1} << 20;

struct Unmap {
  std::size_t bytes;
  void operator()(void* memory) const noexcept {
    if (bytes > 0) ::munmap(memory, bytes);
  }
};

std::shared_ptr<void> mapped(void* memory, std::size_t bytes) {
  if (memory == MAP_FAILED) throw std::bad_alloc();
  constexpr std::size_t kWorthLargePages = std::size_t{4} << 20;
  if (bytes >= kWorthLargePages) base::prefer_large_pages(memory, bytes);
  return {memory, Unmap{bytes}};  // if the owner cannot be allocated, the memory is unmapped
}

std::shared_ptr<void> allocate(std::size_t bytes) {
  if (bytes < kLeastMapped) return kernels::aligned_buffer(bytes);
  return mapped(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), bytes);
}

bool can_grow(const ArenaPool::Stretch& stretch) {
  return std::get_deleter<Unmap>(stretch.memory) != nullptr && stretch.memory.use_count() == 1;
}

// Its contents are discarded.
std::shared_ptr<void> grown(ArenaPool::Stretch from, std::size_t bytes) {
  Unmap& owner = *std::get_deleter<Unmap>(from.memory);
  void* const moved = ::mremap(from.memory.get(), owner.bytes, bytes, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED) {
    from = {};
    return allocate(bytes);
  }
  owner.bytes = 0;
  return mapped(moved, bytes);
}

}  // namespace

// What a burst needed is given back to the system when two periods have passed without another one.
void ArenaPool::run_ended() noexcept {
  Stretch dropped;  // one at a time, without the lock
  do {
    dropped = {};
    std::lock_guard lock(mutex_);
    if (ended_ < kPeriod && ++ended_ < kPeriod) return;
    const std::size_t most = std::max(kLargeBytes, kTooLarge * std::max(largest_, largest_before_));
    const auto too_large =
        std::find_if(idle_.begin(), idle_.end(), [&](const Stretch& idle) { return idle.bytes > most; });
    if (too_large == idle_.end()) {
      largest_before_ = std::exchange(largest_, 0);
      ended_ = 0;
      return;
    }
    dropped = std::move(*too_large);
    idle_.erase(too_large);
    idle_bytes_ -= dropped.bytes;
    --live_;
  } while (dropped.memory);
}

ArenaPool::Stretch ArenaPool::take(std::size_t bytes, const void* preferred) {
  const std::size_t size = rounded(bytes);
  Stretch smaller;
  {
    std::lock_guard lock(mutex_);
    largest_ = std::max(largest_, bytes);
    auto best = idle_.end();
    for (auto it = idle_.begin(); it != idle_.end(); ++it) {
      if (it->bytes < bytes || it->bytes / 2 > size) continue;
      if (it->memory.get() == preferred) {
        best = it;
        break;
      }
      if (best == idle_.end() || it->bytes <= best->bytes) best = it;
    }
    if (best != idle_.end()) {
      Stretch found = std::move(*best);
      idle_.erase(best);
      idle_bytes_ -= found.bytes;
      return found;
    }
    for (auto it = idle_.begin(); it != idle_.end(); ++it)
      if (it->bytes < size && (best == idle_.end() || it->bytes > best->bytes) && can_grow(*it)) best = it;
    if (best != idle_.end()) {
      smaller = std::move(*best);
      idle_.erase(best);
      idle_bytes_ -= smaller.bytes;
    } else {
      idle_.reserve(live_ + 1);  // so that giving back needs no memory
      ++live_;
    }
  }
  try {
    return {smaller.memory ? grown(std::move(smaller), size) : allocate(size), size};
  } catch (...) {
    std::lock_guard lock(mutex_);
    --live_;
    throw;
  }
}

void ArenaPool::give_back(Stretch stretch) noexcept {
  std::lock_guard lock(mutex_);
  idle_bytes_ += stretch.bytes;
  idle_.push_back(std::move(stretch));
  std::size_t drop = 0;
  while (drop + 1 < idle_.size() && idle_bytes_ > max_idle_bytes_) idle_bytes_ -= idle_[drop++].bytes;
  idle_.erase(idle_.begin(), idle_.begin() + static_cast<std::ptrdiff_t>(drop));
  live_ -= drop;
}

Tensor ArenaPool::tensor(DataType dtype, const Shape& dims) {
  // Smaller ones come from the system's allocator.
  constexpr std::int64_t kLeastBytes = 32 << 10;
  const auto bytes = tensor_bytes(dtype, dims);
  if (dtype == DataType::String || !bytes || *bytes < kLeastBytes) return Tensor(dtype, dims);
  struct Lent {
    std::shared_ptr<ArenaPool> pool;
    Stretch stretch;
    ~Lent() {
      if (stretch.memory) pool->give_back(std::move(stretch));
    }
  };
  auto lent = std::make_shared<Lent>(shared_from_this());
  try {
    lent->stretch = take(static_cast<std::size_t>(*bytes));
  } catch (const std::bad_alloc&) {
    return Tensor(dtype, dims);  // throws, naming the tensor
  }
  void* const data = lent->stretch.memory.get();
  return Tensor::borrow(dtype, dims, data, std::move(lent));
}

}  // namespace norn::runtime
