// While an object lives, operator new refuses what is larger than it says. A target that includes this links
// bounded_memory.cc, which replaces the operators of the whole process.
#pragma once
#include <cstddef>

namespace norn::fuzz {

class BoundedMemory {
 public:
  explicit BoundedMemory(std::size_t largest);
  ~BoundedMemory();
  BoundedMemory(const BoundedMemory&) = delete;
  BoundedMemory& operator=(const BoundedMemory&) = delete;
};

}  // namespace norn::fuzz
