#include "runtime/hand_out.h"

#include <unordered_set>
#include <utility>
#include <vector>

namespace norn::runtime {
namespace {

using Owners = std::unordered_set<const void*>;

void note(const Tensor& tensor, Owners& owners) {
  if (tensor.owns()) owners.insert(tensor.owner().get());
}

void note(const Value& value, Owners& owners) {
  if (value.is_tensor()) {
    note(value.tensor(), owners);
  } else if (value.is_sequence()) {
    for (const Value& item : value.sequence().items) note(item, owners);
  } else if (value.is_map()) {
    note(value.map().keys, owners);
    for (const Value& item : value.map().values) note(item, owners);
  } else if (value.is_sparse()) {
    note(value.sparse().values, owners);
    note(value.sparse().indices, owners);
  }
}

// Whether the tensor had to be copied.
bool part(Tensor& tensor, Owners& owners) {
  if (!tensor.defined() || (tensor.owns() && owners.insert(tensor.owner().get()).second)) return false;
  tensor = tensor.clone();
  note(tensor, owners);
  return true;
}

bool part(Value& value, Owners& owners);

bool part(std::vector<Value>& values, Owners& owners) {
  bool copied = false;
  for (Value& value : values) copied = part(value, owners) || copied;
  return copied;
}

// Whether it lies in the same memory, directly behind: then neither is written to through the other.
bool follows(const Value& value, const Value& before) {
  if (!value.is_tensor() || !before.is_tensor()) return false;
  const Tensor &a = before.tensor(), &b = value.tensor();
  return a.owns() && b.owns() && a.owner() == b.owner() && a.dtype() != DataType::String &&
         static_cast<const std::byte*>(a.data()) + a.bytes() == b.data();
}

// The values of a map may be elements of one tensor, which nothing else leads to.
bool part_map(std::vector<Value>& values, Owners& owners) {
  bool copied = false, before_copied = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!before_copied && follows(values[i], values[i - 1])) continue;
    before_copied = part(values[i], owners);
    copied = copied || before_copied;
  }
  return copied;
}

bool part(Value& value, Owners& owners) {
  if (value.is_tensor()) return part(value.tensor(), owners);
  if (value.is_sequence()) {
    Sequence own = value.sequence();
    if (!part(own.items, owners)) return false;
    value = std::move(own);
    return true;
  }
  if (value.is_map()) {
    Map own = value.map();
    bool copied = part(own.keys, owners);
    copied = part_map(own.values, owners) || copied;
    if (copied) value = std::move(own);
    return copied;
  }
  if (value.is_sparse()) {
    SparseTensor own = value.sparse();
    bool copied = part(own.values, owners);
    copied = part(own.indices, owners) || copied;
    if (copied) value = std::move(own);
    return copied;
  }
  return false;
}

}  // namespace

void part(std::span<Value> outputs, std::span<const Value> others) {
  Owners owners;
  for (const Value& value : others) note(value, owners);
  for (Value& value : outputs) part(value, owners);
}

}  // namespace norn::runtime
