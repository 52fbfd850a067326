#include "runtime/hand_out.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace norn::runtime {
namespace {

// What owners keep alive, and the end of what has been handed out of each. The keys and values of maps may be pieces of
// one tensor, which are handed out as they lie where each lies behind those before it; of other owners all is handed
// out with the first tensor (null).
class HandedOut {
 public:
  void note(const Tensor& tensor) {
    if (tensor.owns()) ends_.insert_or_assign(tensor.owner().get(), nullptr);
  }
  // Whether nothing else leads to its memory.
  bool take(const Tensor& tensor) { return tensor.owns() && ends_.try_emplace(tensor.owner().get(), nullptr).second; }
  bool take_piece(const Tensor& tensor) {
    if (!tensor.owns()) return false;
    bool is_first = false;
    if (tensor.owner().get() != last_owner_) {
      const auto [at, is_new] = ends_.try_emplace(last_owner_ = tensor.owner().get(), nullptr);
      last_end_ = &at->second;
      is_first = is_new;
    }
    const auto* begin = static_cast<const std::byte*>(tensor.data());
    if (!is_first && (!*last_end_ || std::less<>()(begin, *last_end_))) return false;
    *last_end_ = begin + tensor.bytes();
    return true;
  }

 private:
  std::unordered_map<const void*, const std::byte*> ends_;
  const void* last_owner_ = nullptr;  // of the last piece
  const std::byte** last_end_ = nullptr;
};

void note(const Value& value, HandedOut& handed_out) {
  if (value.is_tensor()) {
    handed_out.note(value.tensor());
  } else if (value.is_sequence()) {
    for (const Value& item : value.sequence().items) note(item, handed_out);
  } else if (value.is_map()) {
    handed_out.note(value.map().keys);
    for (const Value& item : value.map().values) note(item, handed_out);
  } else if (value.is_sparse()) {
    handed_out.note(value.sparse().values);
    handed_out.note(value.sparse().indices);
  }
}

// The functions below give what is to be in the place of what they are given; nothing where it can stay.

Tensor copied(const Tensor& tensor, HandedOut& handed_out) {
  Tensor copy = tensor.clone();
  handed_out.note(copy);
  return copy;
}

std::optional<Tensor> parted(const Tensor& tensor, HandedOut& handed_out) {
  if (!tensor.defined() || handed_out.take(tensor)) return std::nullopt;
  return copied(tensor, handed_out);
}

std::optional<Tensor> parted_piece(const Tensor& tensor, HandedOut& handed_out) {
  if (!tensor.defined() || handed_out.take_piece(tensor)) return std::nullopt;
  return copied(tensor, handed_out);
}

std::optional<Value> parted(const Value& value, HandedOut& handed_out);

std::optional<Value> parted(const Sequence& sequence, HandedOut& handed_out) {
  std::optional<Sequence> own;
  for (std::size_t i = 0; i < sequence.items.size(); ++i) {
    std::optional<Value> item = parted(sequence.items[i], handed_out);
    if (!item) continue;
    if (!own) own = sequence;
    own->items[i] = std::move(*item);
  }
  if (!own) return std::nullopt;
  return std::move(*own);
}

std::optional<Value> parted(const Map& map, HandedOut& handed_out) {
  std::optional<Map> own;
  if (std::optional<Tensor> keys = parted_piece(map.keys, handed_out)) own = Map{std::move(*keys), map.values};
  for (std::size_t i = 0; i < map.values.size(); ++i) {
    const Value& value = map.values[i];
    std::optional<Value> item =
        value.is_tensor() ? parted_piece(value.tensor(), handed_out) : parted(value, handed_out);
    if (!item) continue;
    if (!own) own = map;
    own->values[i] = std::move(*item);
  }
  if (!own) return std::nullopt;
  return std::move(*own);
}

std::optional<Value> parted(const SparseTensor& sparse, HandedOut& handed_out) {
  std::optional<Tensor> values = parted(sparse.values, handed_out), indices = parted(sparse.indices, handed_out);
  if (!values && !indices) return std::nullopt;
  return SparseTensor{std::move(values).value_or(sparse.values), std::move(indices).value_or(sparse.indices),
                      sparse.dims};
}

std::optional<Value> parted(const Value& value, HandedOut& handed_out) {
  if (value.is_tensor()) return parted(value.tensor(), handed_out);
  if (value.is_sequence()) return parted(value.sequence(), handed_out);
  if (value.is_map()) return parted(value.map(), handed_out);
  if (value.is_sparse()) return parted(value.sparse(), handed_out);
  return std::nullopt;
}

}  // namespace

void copy_overlapping_outputs(std::span<Value> outputs, std::span<const Value> others) {
  HandedOut handed_out;
  for (const Value& value : others) note(value, handed_out);
  for (Value& value : outputs)
    if (std::optional<Value> own = parted(value, handed_out)) value = std::move(*own);
}

}  // namespace norn::runtime
