#include "base/element_bytes.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "base/room.h"

namespace norn::base {
namespace {

// Values of a type, whose bytes plus `bias` are below a power of two.
struct Range {
  std::uint8_t bias = 0, beyond = 0;  // `beyond`: the bits that no such sum has
};

Range range_of(DataType type) {
  if (type == DataType::Bool) return {0, 0xfe};
  const int bits = storage_bits(type);
  if (bits <= 0 || bits >= 8) return {};
  const bool is_signed = type == DataType::Int4 || type == DataType::Int2;
  return {static_cast<std::uint8_t>(is_signed ? 1 << (bits - 1) : 0), static_cast<std::uint8_t>(0xff << bits)};
}

[[noreturn]] void out_of_range(const Tensor& tensor, const std::uint8_t* bytes, Range range) {
  std::int64_t at = 0;
  while (!((bytes[at] + range.bias) & range.beyond)) ++at;
  const std::string type(data_type_name(tensor.dtype()));
  throw Error(ErrorCode::InvalidArgument,
              "element " + std::to_string(at) + " of a tensor " + type + to_string(tensor.dims()) + " is the byte " +
                  std::to_string(bytes[at]) + ", which is not a value of " + type,
              {},
              "an element takes a byte, of which " + type + " has the low " +
                  std::to_string(storage_bits(tensor.dtype())) + " bits" + (range.bias ? ", sign-extended" : ""));
}

std::optional<std::vector<Value>> items_of(const std::vector<Value>& items) {
  std::optional<std::vector<Value>> changed;
  for (std::size_t i = 0; i < items.size(); ++i) {
    auto item = with_sound_elements(items[i]);
    if (!item) continue;
    if (!changed) changed = items;
    (*changed)[i] = std::move(*item);
  }
  return changed;
}

#if defined(__x86_64__)
// As seen_in() below, of whole blocks: twice as fast where the bytes are in the second cache. From the end, so that
// what a kernel reads first is still there.
[[gnu::target("avx2")]] std::uint8_t seen_in_blocks(const std::uint8_t* bytes, std::int64_t count) {
  using Block [[gnu::vector_size(32)]] = std::uint64_t;
  Block a{}, b{}, c{}, d{};
  for (std::int64_t i = count - 128; i >= 0; i -= 128) {
    Block v[4];
    std::memcpy(&v[0], bytes + i, sizeof(Block));
    std::memcpy(&v[1], bytes + i + 32, sizeof(Block));
    std::memcpy(&v[2], bytes + i + 64, sizeof(Block));
    std::memcpy(&v[3], bytes + i + 96, sizeof(Block));
    a |= v[0];
    b |= v[1];
    c |= v[2];
    d |= v[3];
  }
  a |= b | c | d;
  std::uint8_t seen = 0;
  for (std::uint64_t word = a[0] | a[1] | a[2] | a[3]; word != 0; word >>= 8) seen |= static_cast<std::uint8_t>(word);
  return seen;
}
#endif

// The bits that any of these bytes has, counted from the least value.
std::uint8_t seen_in(const std::uint8_t* bytes, std::int64_t count, const Range& range) {
  std::uint8_t seen = 0;
  std::int64_t i = 0;
#if defined(__x86_64__)
  if (range.bias == 0 && count >= 512 && __builtin_cpu_supports("avx2")) {
    i = count / 128 * 128;
    seen = seen_in_blocks(bytes, i);
  }
#endif
  if (range.bias == 0) {
    // Every bool that comes in goes through here, so it has to be as fast as memory is: 120 GB/s out of the second
    // cache with SSE2. Named vectors stay in registers; an array of words is written to the stack at every turn.
    using Block [[gnu::vector_size(16)]] = std::uint64_t;
    constexpr std::int64_t kBlock = sizeof(Block);
    const auto load = [bytes](std::int64_t at) {
      Block block;
      std::memcpy(&block, bytes + at, kBlock);
      return block;
    };
    Block a{}, b{}, c{}, d{};
    for (; i + 8 * kBlock <= count; i += 8 * kBlock) {
      a |= load(i) | load(i + kBlock);
      b |= load(i + 2 * kBlock) | load(i + 3 * kBlock);
      c |= load(i + 4 * kBlock) | load(i + 5 * kBlock);
      d |= load(i + 6 * kBlock) | load(i + 7 * kBlock);
    }
    a |= b | c | d;
    for (std::uint64_t word = a[0] | a[1]; word != 0; word >>= 8) seen |= static_cast<std::uint8_t>(word);
  }
  for (; i < count; ++i) seen |= static_cast<std::uint8_t>(bytes[i] + range.bias);
  return seen;
}

// A tensor with room is read where it lies: made dense, it would lose the room.
std::uint8_t seen_in(const Tensor& tensor, const Range& range) {
  const Room* room = room_of(tensor);
  if (!room) return seen_in(static_cast<const std::uint8_t*>(tensor.data()), tensor.size(), range);
  std::int64_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < tensor.dims().size(); ++d) (d < room->axis ? outer : inner) *= tensor.dims()[d];
  const std::int64_t positions = tensor.dims()[room->axis];
  const std::int64_t stride = positions == 0 ? 0 : inner / positions * room->capacity;
  std::uint8_t seen = 0;
  for (std::int64_t o = 0; o < outer; ++o)
    seen |= seen_in(reinterpret_cast<const std::uint8_t*>(room->reserve->data) + o * stride, inner, range);
  return seen;
}

}  // namespace

std::optional<Tensor> with_sound_elements(const Tensor& tensor) {
  const Range range = range_of(tensor.dtype());
  if (range.beyond == 0) return {};
  if (!(seen_in(tensor, range) & range.beyond)) return {};
  const auto* bytes = static_cast<const std::uint8_t*>(tensor.data());
  if (tensor.dtype() != DataType::Bool) out_of_range(tensor, bytes, range);
  Tensor sound(DataType::Bool, tensor.dims());
  auto* to = sound.as_mutable<bool>();
  for (std::int64_t k = 0; k < tensor.size(); ++k) to[k] = bytes[k] != 0;
  return sound;
}

std::optional<Value> with_sound_elements(const Value& value) {
  if (value.is_tensor()) return with_sound_elements(value.tensor());
  if (value.is_sequence()) {
    if (auto items = items_of(value.sequence().items)) return Sequence{std::move(*items)};
  } else if (value.is_map()) {
    if (auto values = items_of(value.map().values)) return Map{value.map().keys, std::move(*values)};
  } else if (value.is_sparse()) {
    const SparseTensor& sparse = value.sparse();
    if (auto values = with_sound_elements(sparse.values)) return SparseTensor{*values, sparse.indices, sparse.dims};
  }
  return {};
}

}  // namespace norn::base
