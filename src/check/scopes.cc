#include "check/scopes.h"

#include <functional>

namespace norn::checks {
namespace {

std::uint64_t hash_of(std::string_view text) noexcept { return std::hash<std::string_view>{}(text); }

std::uint32_t tag_of(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash >> 32); }

std::size_t power_of_two(std::size_t at_least) {
  std::size_t n = 64;
  while (n < at_least) n *= 2;
  return n;
}

}  // namespace

void NameSet::grow(std::size_t slots) {
  slots_.assign(slots, {});
  for (std::size_t i = first_; i < names_.size(); ++i) {
    std::size_t at = names_[i].hash & (slots - 1);
    while (slots_[at].name != 0) at = (at + 1) & (slots - 1);
    slots_[at] = {tag_of(names_[i].hash), static_cast<std::uint32_t>(i + 1)};
  }
}

void NameSet::reserve(std::size_t names) {
  names_.reserve(names_.size() + names);
  if (const std::size_t slots = power_of_two((names_.size() - first_ + names) * 2); slots > slots_.size()) grow(slots);
}

bool NameSet::insert(std::string_view name) {
  if ((names_.size() - first_ + 1) * 2 > slots_.size()) grow(power_of_two((names_.size() - first_ + 1) * 4));
  const std::uint64_t hash = hash_of(name);
  std::size_t at = hash & (slots_.size() - 1);
  for (; slots_[at].name > first_; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].tag == tag_of(hash) && names_[slots_[at].name - 1].text == name) return false;
  }
  names_.push_back({name, hash});
  slots_[at] = {tag_of(hash), static_cast<std::uint32_t>(names_.size())};
  return true;
}

void Scopes::reserve(std::size_t names) {
  names_.reserve(names);
  undo_.reserve(names);
  if (const std::size_t slots = power_of_two(names * 2); slots > slots_.size()) grow(slots);
}

void Scopes::grow(std::size_t slots) {
  slots_.assign(slots, {});
  for (std::size_t i = 0; i < names_.size(); ++i) {
    std::size_t at = names_[i].hash & (slots - 1);
    while (slots_[at].name != 0) at = (at + 1) & (slots - 1);
    slots_[at] = {tag_of(names_[i].hash), static_cast<std::uint32_t>(i + 1)};
  }
}

std::size_t Scopes::slot_of(std::string_view name, std::uint64_t hash) const noexcept {
  std::size_t at = hash & (slots_.size() - 1);
  for (; slots_[at].name != 0; at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].tag == tag_of(hash) && names_[slots_[at].name - 1].text == name) break;
  }
  return at;
}

Scopes::Name Scopes::intern(std::string_view name) {
  if ((names_.size() + 1) * 2 > slots_.size()) grow(power_of_two((names_.size() + 1) * 4));
  const std::uint64_t hash = hash_of(name);
  Slot& slot = slots_[slot_of(name, hash)];
  if (slot.name == 0) {
    names_.push_back({.text = name, .hash = hash, .now = {}});
    slot = {tag_of(hash), static_cast<std::uint32_t>(names_.size())};
  }
  return slot.name - 1;
}

bool Scopes::mark(Name name, std::uint32_t round) noexcept {
  auto& marks = names_[name].marks;
  if (marks[0] == round || marks[1] == round) return false;
  marks[marks[0] < marks[1] ? 0 : 1] = round;
  return true;
}

void Scopes::enter(bool closed) {
  const std::uint32_t here = frame() + 1;
  frames_.push_back({undo_.size(), closed || frames_.empty() ? here : frames_.back().visible_from});
}

void Scopes::leave() {
  const std::size_t begin = frames_.back().undo_begin;
  while (undo_.size() > begin) {
    names_[undo_.back().name].now = undo_.back().before;
    undo_.pop_back();
  }
  frames_.pop_back();
}

Definition Scopes::find(Name name) const noexcept {
  const Definition& now = names_[name].now;
  if (now.as == Defined::Nowhere || frames_.empty() || now.frame < frames_.back().visible_from) return {};
  return now;
}

Definition Scopes::find(std::string_view name) const noexcept {
  if (slots_.empty()) return {};
  const Slot slot = slots_[slot_of(name, hash_of(name))];
  return slot.name == 0 ? Definition{} : find(slot.name - 1);
}

bool Scopes::defined_here(std::string_view name) const noexcept {
  const Definition found = find(name);
  return found.as != Defined::Nowhere && found.frame == frame();
}

void Scopes::define(Name name, Definition definition) {
  definition.frame = frame();
  undo_.push_back({name, names_[name].now});
  names_[name].now = definition;
}

std::vector<std::string_view> Scopes::visible_names() const {
  std::vector<std::string_view> all;
  for (Name name = 0; name < names_.size(); ++name) {
    if (find(name).as != Defined::Nowhere) all.push_back(names_[name].text);
  }
  return all;
}

}  // namespace norn::checks
