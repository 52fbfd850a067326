// Lists of values that change hands without being copied: one that grows by an item at a time, as in a loop, costs what
// is added.
#pragma once
#include <vector>

#include "norn/value.h"

namespace norn::base {

struct SharedSequence;

// While there is one, items_of() takes the items of `value` out of it if it is a sequence that nobody else holds. For
// whoever hands a list to a kernel and does not need it afterwards. `value` must outlive this.
class GivenUp {
 public:
  explicit GivenUp(const Value& value) noexcept;
  ~GivenUp();
  GivenUp(const GivenUp&) = delete;
  GivenUp& operator=(const GivenUp&) = delete;

 private:
  SharedSequence* list_;  // null: not given up
};

// The sequence's items: moved where it is given up, else copied. Throws norn::Error if it is no sequence.
std::vector<Value> items_of(const Value& sequence);

}  // namespace norn::base
