// Lists of values that change hands without being copied: one that grows or shrinks by an item at a time, at either
// end, as in a loop, costs what is added or taken away.
#pragma once
#include <cstddef>
#include <vector>

#include "norn/value.h"

namespace norn::base {

struct SharedSequence;

// While there is one, changing `value`, if it is a sequence without other holders, takes its list instead of copying
// it. For callers that hand a list to a kernel and do not need it afterwards. `value` must outlive this.
class GivenUp {
 public:
  explicit GivenUp(const Value& value) noexcept;
  ~GivenUp();
  GivenUp(const GivenUp&) = delete;
  GivenUp& operator=(const GivenUp&) = delete;

 private:
  SharedSequence* list_;  // null: not given up
};

// Of a sequence that may have been changed at its beginning, which Value::sequence() would bring into one piece first.
// Throw norn::Error if it is not a sequence.
std::size_t length_of(const Value& sequence);
const Value& item_of(const Value& sequence, std::size_t at);
// Null if it is empty.
const Value* first_item(const Value& sequence);

// The sequence without the item at `at`, or with one more before it: the list itself where it is given up, else a copy.
Value without_item(const Value& sequence, std::size_t at);
Value with_item(const Value& sequence, std::size_t at, Value item);

}  // namespace norn::base
