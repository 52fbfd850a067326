#include "runtime/donations.h"

#include <algorithm>
#include <cstddef>

#include "norn/error.h"
#include "runtime/memory_range.h"

namespace norn::runtime {
namespace {

InputRoom room_for(std::uint32_t input, const base::Room* room, bool donated) {
  if (!room) return {input, donated, -1, -1};
  return {input, donated, static_cast<std::int64_t>(room->axis), room->capacity};
}

}  // namespace

Donations::~Donations() {
  for (const Taken& t : taken_) t.reserve->used.store(succeeded_ ? t.after : t.before, std::memory_order_release);
}

void Donations::add(std::size_t input) {
  if (donated_.empty()) donated_.resize(inputs_, false);
  donated_[input] = true;
}

void Donations::check(std::span<const Value> inputs, std::span<const Tensor> places) {
  if (donated_.empty()) return;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!donated_[i] || !inputs[i].is_tensor() || !base::room_of(inputs[i].tensor())) continue;
    const MemoryRange range = memory_of(inputs[i].tensor());
    if (std::any_of(places.begin(), places.end(),
                    [&](const Tensor& place) { return place.defined() && memory_of(place).overlaps(range); }))
      donated_[i] = false;
  }
  writable_ = donated_;
  // In order of their beginnings, one that overlaps another overlaps the one that reached furthest, too.
  struct Entry {
    MemoryRange range;
    std::size_t input;
  };
  std::vector<Entry> entries;
  const std::size_t none = inputs.size();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].is_tensor()) {
      const Tensor& tensor = inputs[i].tensor();
      entries.push_back({memory_of(tensor), i});
      if (!tensor.defined() || tensor.dtype() == DataType::String || base::room_of(tensor) ||
          tensor.data() != tensor.bytes_in_place())
        writable_[i] = false;
    } else if (!inputs[i].is_empty()) {  // it may lie anywhere
      writable_.clear();
      return;
    } else {
      writable_[i] = false;
    }
  }
  for (const Tensor& place : places)
    if (place.defined()) entries.push_back({memory_of(place), none});
  std::erase_if(entries, [](const Entry& e) { return e.range.empty(); });
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.range < b.range; });
  const auto refuse = [&](const Entry& e) {
    if (e.input != none) writable_[e.input] = false;
  };
  const Entry* furthest = nullptr;
  for (const Entry& e : entries) {
    if (furthest && furthest->range.overlaps(e.range)) {
      refuse(*furthest);
      refuse(e);
    }
    if (!furthest || std::less<>()(furthest->range.end, e.range.end)) furthest = &e;
  }
}

std::vector<InputRoom> Donations::rooms(std::span<const Value> inputs, const std::vector<bool>& may_append) {
  std::vector<InputRoom> rooms;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].is_tensor()) continue;
    const base::Room* room = base::room_of(inputs[i].tensor());
    bool donated = may_append[i] && !donated_.empty() && donated_[i];
    if (room && donated) {
      // Only the longest tensor in a reserve is appended to, by one run at a time.
      const std::int64_t positions = inputs[i].tensor().dims()[room->axis];
      std::int64_t expected = positions;
      taken_.reserve(taken_.size() + 1);
      donated = room->reserve->used.compare_exchange_strong(expected, base::Reserve::kTaken, std::memory_order_acq_rel);
      if (donated) taken_.push_back({static_cast<std::uint32_t>(i), room->reserve, positions, positions});
    }
    if (room || donated) rooms.push_back(room_for(static_cast<std::uint32_t>(i), room, donated));
  }
  return rooms;
}

void Donations::appended(const base::Reserve& reserve, std::int64_t positions) noexcept {
  for (Taken& t : taken_)
    if (t.reserve.get() == &reserve) t.after = positions;
}

const std::shared_ptr<base::Reserve>& Donations::taken(std::uint32_t input) const {
  for (const Taken& t : taken_)
    if (t.input == input) return t.reserve;
  throw Error(ErrorCode::Internal, "a plan appends to an input whose room the run has not taken");
}

std::vector<InputRoom> explained_rooms(std::span<const Value> inputs, const std::vector<bool>& may_append,
                                       std::span<const std::size_t> donated) {
  std::vector<InputRoom> rooms;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].is_tensor()) continue;
    const base::Room* room = base::room_of(inputs[i].tensor());
    const bool given = may_append[i] && std::find(donated.begin(), donated.end(), i) != donated.end();
    if (room || given) rooms.push_back(room_for(static_cast<std::uint32_t>(i), room, given));
  }
  return rooms;
}

}  // namespace norn::runtime
