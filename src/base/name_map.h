// Numbers by name, for tables of the names of a large document: open addressing with the half of a hash in each slot.
// Short names are compared without going back to the document. Long ones are views into it.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/memory.h"

namespace norn::base {

class NameMap {
 public:
  // Null if the name has no number.
  const std::uint32_t* find(std::string_view name) const noexcept {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[place_of(name, key_of(name, secret_))];
    return slot.entry ? &entries_[slot.entry - 1].number : nullptr;
  }
  bool contains(std::string_view name) const noexcept { return find(name) != nullptr; }
  // A name that is there already gets the new number.
  void set(std::string_view name, std::uint32_t number) {
    if (std::uint32_t* old = add(name, number)) *old = number;
  }
  // Null if the name is new; else its number, which stays as it is.
  std::uint32_t* add(std::string_view name, std::uint32_t number) {
    if (slots_.size() < slots_for(entries_.size() + 1)) grow(slots_for(2 * (entries_.size() + 1)));
    const TextKey key = key_of(name, secret_);
    Slot& slot = slots_[place_of(name, key)];
    if (slot.entry) return &entries_[slot.entry - 1].number;
    entries_.push_back(Entry(name, key, number));
    slot = {tag_of(key.hash), static_cast<std::uint32_t>(entries_.size())};
    return nullptr;
  }
  // Makes room for so many names.
  void reserve(std::size_t names) {
    if (entries_.capacity() < names) {
      entries_.reserve(names);
      prepare_to_fill(entries_.data(), names * sizeof(Entry));
    }
    if (slots_.size() < slots_for(names)) grow(slots_for(names));
  }
  bool empty() const noexcept { return entries_.empty(); }
  // Sends for the slot that find() or set() of the name will look at: a large table is far from the processor.
  void expect(std::string_view name) const noexcept {
    if (!slots_.empty()) __builtin_prefetch(&slots_[hash_of(name, secret_) & (slots_.size() - 1)]);
  }

 private:
  struct Slot {
    std::uint32_t tag = 0, entry = 0;  // half of the name's hash; its entry + 1
  };
  // `words` are the key's ends while they are the name; else the second is where the name lies.
  struct Entry {
    std::uint64_t words[2];
    std::size_t size;
    std::uint32_t number;

    Entry(std::string_view name, const TextKey& key, std::uint32_t n)
        : words{key.ends[0], key.ends[1]}, size(name.size()), number(n) {
      if (size > kTextInKey) words[1] = reinterpret_cast<std::uintptr_t>(name.data());
    }
    bool is(std::string_view name, const TextKey& key) const noexcept {
      if (size != name.size()) return false;
      if (size > kTextInKey) return view() == name;
      return words[0] == key.ends[0] && words[1] == key.ends[1];
    }
    std::string_view view() const noexcept { return {reinterpret_cast<const char*>(words[1]), size}; }
    std::uint64_t hash(const HashSecret& secret) const noexcept {
      char buffer[kTextInKey];
      return hash_of(size > kTextInKey ? view() : text_of_ends(size, words, buffer), secret);
    }
  };
  static std::uint32_t tag_of(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash >> 32); }
  // At most two of three slots are taken.
  static std::size_t slots_for(std::size_t names) noexcept { return std::bit_ceil(names + names / 2 + 1); }
  // The slot that the name is in, or a free one for it.
  std::size_t place_of(std::string_view name, const TextKey& key) const noexcept {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = key.hash & mask;
    while (slots_[at].entry && !(slots_[at].tag == tag_of(key.hash) && entries_[slots_[at].entry - 1].is(name, key)))
      at = (at + 1) & mask;
    return at;
  }
  void grow(std::size_t slots) {
    slots_ = {};
    slots_.reserve(slots);
    prepare_to_fill(slots_.data(), slots * sizeof(Slot));
    slots_.resize(slots);
    const std::size_t mask = slots - 1;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const std::uint64_t hash = entries_[i].hash(secret_);
      std::size_t at = hash & mask;
      while (slots_[at].entry) at = (at + 1) & mask;
      slots_[at] = {tag_of(hash), static_cast<std::uint32_t>(i + 1)};
    }
  }

  std::vector<Slot> slots_;
  std::vector<Entry> entries_;
  const HashSecret& secret_ = process_secret();
};

}  // namespace norn::base
