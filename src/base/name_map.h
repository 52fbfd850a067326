// Numbers by name, for tables of the names of a large document: open addressing with the half of a hash in each slot,
// so that a lookup goes to one line of the slots and, if the name is there, to the name. Names are views into the
// document.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/hash.h"

namespace norn::base {

class NameMap {
 public:
  // Null if the name has no number.
  const std::uint32_t* find(std::string_view name) const noexcept {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[place_of(name, hash_of(name, process_secret()))];
    return slot.entry ? &entries_[slot.entry - 1].number : nullptr;
  }
  bool contains(std::string_view name) const noexcept { return find(name) != nullptr; }
  // A name that is there already gets the new number.
  void set(std::string_view name, std::uint32_t number) {
    if (slots_.size() < (entries_.size() + 1) * 2) grow(entries_.size() + 1);
    const std::uint64_t hash = hash_of(name, process_secret());
    Slot& slot = slots_[place_of(name, hash)];
    if (slot.entry) {
      entries_[slot.entry - 1].number = number;
      return;
    }
    entries_.push_back({name, number});
    slot = {tag_of(hash), static_cast<std::uint32_t>(entries_.size())};
  }
  // Makes room for so many names.
  void reserve(std::size_t names) {
    entries_.reserve(names);
    if (slots_.size() < names * 2) grow(names);
  }
  bool empty() const noexcept { return entries_.empty(); }

 private:
  struct Slot {
    std::uint32_t tag = 0, entry = 0;  // half of the name's hash; its entry + 1
  };
  struct Entry {
    std::string_view name;
    std::uint32_t number;
  };
  static std::uint32_t tag_of(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash >> 32); }
  // The slot that the name is in, or a free one for it.
  std::size_t place_of(std::string_view name, std::uint64_t hash) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at].entry && !(slots_[at].tag == tag_of(hash) && entries_[slots_[at].entry - 1].name == name))
      at = (at + 1) & mask;
    return at;
  }
  void grow(std::size_t names) {
    slots_.assign(std::bit_ceil(names * 3 + 5), {});
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const std::uint64_t hash = hash_of(entries_[i].name, process_secret());
      std::size_t at = hash & mask;
      while (slots_[at].entry) at = (at + 1) & mask;
      slots_[at] = {tag_of(hash), static_cast<std::uint32_t>(i + 1)};
    }
  }

  std::vector<Slot> slots_;
  std::vector<Entry> entries_;
};

}  // namespace norn::base
