// Memory with room for a tensor to grow along one axis: its elements lie as in a tensor of `capacity` positions.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "norn/value.h"

namespace norn::base {

// Shared by all tensors that lie in it, each of which has the first so many positions.
struct Reserve {
  static constexpr std::int64_t kTaken = -1;  // a run may be writing behind them
  std::shared_ptr<const void> memory;
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::atomic<std::int64_t> used{kTaken};  // positions that some tensor has
};

struct Room {
  std::size_t axis = 0;
  std::int64_t capacity = 0;
  std::shared_ptr<Reserve> reserve;
};

Tensor with_room(DataType dtype, Shape dims, Room room);
// The tensor's room; null if it has none, or has become dense.
const Room* room_of(const Tensor& tensor) noexcept;
// Whether its elements lie in a reserve, which other tensors may lie in: with room, or under other dimensions.
bool lies_in_reserve(const Tensor& tensor) noexcept;

}  // namespace norn::base
