// The memory of values, to see which overlap.
#pragma once
#include <algorithm>
#include <functional>

#include "base/room.h"
#include "norn/value.h"

namespace norn::runtime {

struct MemoryRange {
  const std::byte *begin = nullptr, *end = nullptr;
  bool empty() const noexcept { return begin == end; }
  friend bool operator<(const MemoryRange& a, const MemoryRange& b) { return std::less<>()(a.begin, b.begin); }
  bool overlaps(const MemoryRange& other) const {
    return !empty() && !other.empty() && std::less<>()(begin, other.end) && std::less<>()(other.begin, end);
  }
};

// Of a tensor with room: all that may be written to behind it.
inline MemoryRange memory_of(const Tensor& tensor) {
  if (const base::Room* room = base::room_of(tensor))
    return {room->reserve->data, room->reserve->data + room->reserve->bytes};
  const auto* begin = static_cast<const std::byte*>(tensor.data());
  return {begin, begin + tensor.bytes()};
}

}  // namespace norn::runtime
