#include "base/given_up.h"

#include <algorithm>
#include <utility>

#include "base/shared_sequence.h"

namespace norn::base {
namespace {

using Items = std::vector<Value>;

auto place(Items& items, std::size_t at) { return items.begin() + static_cast<std::ptrdiff_t>(at); }

// A list of its own to change: `sequence` itself where that is given up.
Items take(const Value& sequence, std::size_t& removed) {
  SharedSequence& list = list_of(sequence);
  removed = list.removed.load(std::memory_order_relaxed);
  if (list.given_up && list.has_one_holder()) {
    list.removed.store(0, std::memory_order_relaxed);
    return std::move(list.items);
  }
  Items copy(place(list.items, removed), list.items.end());
  removed = 0;
  return copy;
}

Value given(Items items, std::size_t removed) {
  Value changed{Sequence{std::move(items)}};
  list_of(changed).removed.store(removed, std::memory_order_relaxed);
  return changed;
}

}  // namespace

void SharedSequence::make_whole() {
  std::lock_guard lock(mutex_);
  items.erase(items.begin(), place(items, removed.load(std::memory_order_relaxed)));
  removed.store(0, std::memory_order_release);
}

GivenUp::GivenUp(const Value& value) noexcept : list_(nullptr) {
  if (!value.is_sequence() || !list_of(value).has_one_holder()) return;
  list_ = &list_of(value);
  list_->given_up = true;
}

GivenUp::~GivenUp() {
  if (list_) list_->given_up = false;
}

std::size_t length_of(const Value& sequence) {
  const SharedSequence& list = list_of(sequence);
  return list.items.size() - list.removed.load(std::memory_order_relaxed);
}

const Value& item_of(const Value& sequence, std::size_t at) {
  const SharedSequence& list = list_of(sequence);
  return list.items[list.removed.load(std::memory_order_relaxed) + at];
}

const Value* first_item(const Value& sequence) { return length_of(sequence) == 0 ? nullptr : &item_of(sequence, 0); }

Value without_item(const Value& sequence, std::size_t at) {
  std::size_t removed = 0;
  Items items = take(sequence, removed);
  const std::size_t length = items.size() - removed;
  if (at >= length / 2) {
    items.erase(place(items, removed + at));
    return given(std::move(items), removed);
  }
  std::move_backward(place(items, removed), place(items, removed + at), place(items, removed + at + 1));
  items[removed++] = Value();
  // Removed items take twice the memory of those that are left: erasing them is amortised over as many changes.
  constexpr std::size_t kFew = 16;
  if (removed > 2 * items.size() / 3 + kFew) {
    items.erase(items.begin(), place(items, removed));
    removed = 0;
  }
  return given(std::move(items), removed);
}

Value with_item(const Value& sequence, std::size_t at, Value item) {
  std::size_t removed = 0;
  Items items = take(sequence, removed);
  const std::size_t length = items.size() - removed;
  if (at >= length / 2) {
    items.insert(place(items, removed + at), std::move(item));
    return given(std::move(items), removed);
  }
  if (removed == 0) {  // room for half as many
    removed = length / 2 + 1;
    Items roomy(removed + length);
    std::move(items.begin(), items.end(), place(roomy, removed));
    items = std::move(roomy);
  }
  std::move(place(items, removed), place(items, removed + at), place(items, removed - 1));
  items[--removed + at] = std::move(item);
  return given(std::move(items), removed);
}

}  // namespace norn::base
