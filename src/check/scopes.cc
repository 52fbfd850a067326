#include "check/scopes.h"

#include <algorithm>
#include <bit>

#include "base/memory.h"
#include "norn/error.h"

namespace norn::checks {
namespace {

std::uint32_t tag_of(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash >> 32); }

// Under half of them are taken: a branch that is guessed wrong costs as much as a miss.
std::size_t slots_for(std::size_t names) {
  std::size_t n = 64;
  while (n < names * 2) n *= 2;
  return n;
}

// Whether the table has to grow for this many names.
bool too_few(std::size_t slots, std::size_t names) noexcept { return slots < names * 2; }

}  // namespace

void NameSet::grow(std::size_t slots) {
  slots_.assign(slots, {});
  for (std::size_t i = first_; i < names_.size(); ++i) {
    const std::uint64_t hash = base::hash_of(names_[i], secret_);
    std::size_t at = hash & (slots - 1);
    while (slots_[at].name != 0) at = (at + 1) & (slots - 1);
    slots_[at] = {tag_of(hash), static_cast<std::uint32_t>(i + 1)};
  }
}

bool NameSet::insert(std::string_view name) {
  if (const std::size_t held = names_.size() - first_ + 1; slots_.empty() || too_few(slots_.size(), held)) {
    grow(slots_for(held * 2));
  }
  const std::uint64_t hash = base::hash_of(name, secret_);
  std::size_t at = hash & (slots_.size() - 1);
  for (; slots_[at].name > first_; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].tag == tag_of(hash) && names_[slots_[at].name - 1] == name) return false;
  }
  names_.push_back(name);
  slots_[at] = {tag_of(hash), static_cast<std::uint32_t>(names_.size())};
  return true;
}

RepeatFilter::RepeatFilter(std::size_t names) : words_(std::bit_ceil(names / 2 + 1)) {}

bool RepeatFilter::seems_repeated(std::string_view name) noexcept {
  const std::uint64_t hash = base::hash_of(name, secret_);
  std::uint64_t bits = 0;
  for (int i = 0; i < 4; ++i) bits |= std::uint64_t{1} << (hash >> (64 - 6 * (i + 1)) & 63);
  std::uint64_t& word = words_[hash & (words_.size() - 1)];
  const bool all = (word & bits) == bits;
  word |= bits;
  return all;
}

void Scopes::reserve(std::size_t names) {
  make_room(names);
  names_.reserve(names);
  base::prepare_to_fill(names_.data(), names_.capacity() * sizeof(Entry));
}

void Scopes::make_room(std::size_t names) {
  if (!slots_.empty() && !too_few(slots_.size(), names)) return;
  const std::size_t slots = slots_for(slots_.empty() ? names : names * 2);
  if (slots > kMaxSlots) {
    throw Error(ErrorCode::LimitExceeded,
                "the document has more than " + std::to_string(kMaxSlots / 2) + " value names, too many to check", {},
                "check its graphs and functions one by one");
  }
  slots_.assign(slots, 0);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const std::uint64_t hash = names_[i].hash(secret_);
    std::size_t at = hash & (slots - 1);
    while (slots_[at] != 0) at = (at + 1) & (slots - 1);
    slots_[at] = tag_of(hash) | static_cast<Slot>(i + 1);
  }
}

std::size_t Scopes::slot_of(std::string_view name, const base::TextKey& key) const noexcept {
  const std::uint32_t bits = number_bits();
  const Slot tag = tag_of(key.hash);
  std::size_t at = first_slot(key);
  for (; slots_[at] != 0; at = (at + 1) & bits) {
    if ((slots_[at] & ~bits) == tag && names_[(slots_[at] & bits) - 1].is(name, key)) break;
  }
  return at;
}

Scopes::Name Scopes::intern(std::string_view name, const base::TextKey& key) {
  Slot& slot = slots_[slot_of(name, key)];
  if (slot == 0) {
    names_.push_back(Entry(name, key));
    slot = tag_of(key.hash) | static_cast<Slot>(names_.size());
  }
  return (slot & number_bits()) - 1;
}

Scopes::Name Scopes::intern(std::string_view name) {
  make_room(names_.size() + 1);
  return intern(name, key_of(name));
}

void Scopes::prepare(std::span<const std::string_view> names, std::span<base::TextKey> keys) {
  make_room(names_.size() + names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    keys[i] = key_of(names[i]);
    __builtin_prefetch(&slots_[first_slot(keys[i])]);
  }
}

void Scopes::intern(std::span<const std::string_view> names, std::span<const base::TextKey> keys,
                    std::span<Name> numbers) {
  make_room(names_.size() + names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    // Most names stand in the first slot of their probe.
    if (const Slot slot = slots_[first_slot(keys[i])]) __builtin_prefetch(&names_[(slot & number_bits()) - 1]);
  }
  for (std::size_t i = 0; i < names.size(); ++i) numbers[i] = intern(names[i], keys[i]);
}

bool Scopes::mark(Name name, std::uint32_t round) {
  if (name >= marks_.size()) marks_.resize(names_.size());
  auto& marks = marks_[name];
  if (marks[0] == round || marks[1] == round) return false;
  marks[marks[0] < marks[1] ? 0 : 1] = round;
  return true;
}

void Scopes::enter(bool closed) {
  const std::uint32_t here = ++visits_;
  frames_.push_back({undo_.size(), here, closed || frames_.empty() ? here : frames_.back().visible_from});
}

void Scopes::leave() {
  const std::size_t begin = frames_.back().undo_begin;
  while (undo_.size() > begin) {
    names_[undo_.back().name].now = undo_.back().before;
    undo_.pop_back();
  }
  frames_.pop_back();
}

std::size_t Scopes::frames_out(std::uint32_t frame) const noexcept {
  const auto inner = std::upper_bound(frames_.begin(), frames_.end(), frame,
                                      [](std::uint32_t number, const Frame& f) { return number < f.number; });
  return static_cast<std::size_t>(frames_.end() - inner);
}

Definition Scopes::find(std::string_view name) const noexcept {
  if (slots_.empty()) return {};
  const Slot slot = slots_[slot_of(name, key_of(name))];
  return slot == 0 ? Definition{} : find((slot & number_bits()) - 1);
}

bool Scopes::defined_here(std::string_view name) const noexcept {
  const Definition found = find(name);
  return found.as != Defined::Nowhere && found.frame == frame();
}

std::vector<std::string> Scopes::visible_names() const {
  std::vector<std::string> all;
  for (Name name = 0; name < names_.size(); ++name) {
    if (find(name).as != Defined::Nowhere) all.push_back(names_[name].text());
  }
  return all;
}

}  // namespace norn::checks
