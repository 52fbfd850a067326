// Which value names a point of the document sees: graphs nest and see outwards, function bodies see nothing outside.
//
// Each occurrence of a name is hashed once; definitions are kept by the name's number, and leaving a graph restores
// what it had hidden. Names are views into the document. A large graph's tables do not fit the nearest cache: lookups
// are prepared some names ahead, and a short name is compared without going back to the document.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/hash.h"

namespace norn::checks {

enum class Defined : std::uint8_t { Nowhere, Input, Initializer, NodeOutput };

struct Definition {
  Defined as = Defined::Nowhere;
  bool also_initializer = false;  // an input with a default
  std::uint32_t frame = 0;        // 1 is the outermost graph
  std::int32_t node = -1;         // that writes it
};

// A set of names that is filled and emptied again and again without giving its memory back.
class NameSet {
 public:
  void clear() noexcept { first_ = static_cast<std::uint32_t>(names_.size()); }
  // Makes room for so many names more.
  void reserve(std::size_t names);
  // False if the name is in the set already.
  bool insert(std::string_view name);
  // Fetches what insert() will look at first.
  void expect(std::string_view name) const noexcept {
    if (!slots_.empty()) __builtin_prefetch(&slots_[base::key_of(name, seed_).hash & (slots_.size() - 1)]);
  }

 private:
  void grow(std::size_t slots);
  // Half of a name's hash, and its number + 1; numbers below first_ were cleared, and their slots are free.
  struct Slot {
    std::uint32_t tag = 0, name = 0;
  };
  std::vector<Slot> slots_;
  std::vector<std::string_view> names_;
  std::uint32_t first_ = 0;
  std::uint64_t seed_ = reinterpret_cast<std::uintptr_t>(this);  // differs from run to run
};

class Scopes {
 public:
  using Name = std::uint32_t;

  // Makes room for about this many names.
  void reserve(std::size_t names);
  Name intern(std::string_view name);
  // Many names in two steps, other work between them: keys[i] is of names[i], numbers[i] too.
  void prepare(std::span<const std::string_view> names, std::span<base::TextKey> keys);
  void intern(std::span<const std::string_view> names, std::span<const base::TextKey> keys, std::span<Name> numbers);

  // A closed frame hides all frames around it.
  void enter(bool closed);
  void leave();
  std::uint32_t frame() const noexcept { return static_cast<std::uint32_t>(frames_.size()); }

  // While open, every name counts as visible (a part checked without its surroundings).
  void set_open(bool open) noexcept { open_ = open; }
  bool open() const noexcept { return open_; }

  // What the name means here; Nowhere if it is not visible.
  Definition find(Name name) const noexcept {
    const Definition& now = names_[name].now;
    return now.as == Defined::Nowhere || now.frame < visible_from() ? Definition{} : now;
  }
  Definition find(std::string_view name) const noexcept;
  bool visible(std::string_view name) const noexcept { return open_ || find(name).as != Defined::Nowhere; }
  // Defined by the innermost graph itself.
  bool defined_here(std::string_view name) const noexcept;

  // In the innermost frame; the innermost definition wins.
  void define(Name name, Definition definition) {
    definition.frame = frame();
    undo_.push_back({name, names_[name].now});
    names_[name].now = definition;
  }

  // A round of marking: mark() is true for a name's first time in the round. Two rounds can go on at once.
  std::uint32_t new_round() noexcept { return ++round_; }
  bool mark(Name name, std::uint32_t round) noexcept;
  bool marked(Name name, std::uint32_t round) const noexcept {
    return names_[name].marks[0] == round || names_[name].marks[1] == round;
  }

  // All names visible here, for "did you mean".
  std::vector<std::string_view> visible_names() const;

 private:
  struct Entry {
    const char* text;
    std::uint32_t size;
    Definition now;
    std::uint64_t ends[2];
    std::uint32_t marks[2] = {0, 0};  // the latest two rounds

    std::string_view view() const noexcept { return {text, size}; }
    bool is(std::string_view name, const base::TextKey& key) const noexcept {
      return size == name.size() && ends[0] == key.ends[0] && ends[1] == key.ends[1] && (size <= 16 || view() == name);
    }
  };
  // Half of the hash, so that most probes need not look at the entry, and the name's number + 1; 0 is free.
  struct Slot {
    std::uint32_t tag = 0, name = 0;
  };
  struct Undo {
    Name name;
    Definition before;
  };
  struct Frame {
    std::size_t undo_begin;
    std::uint32_t visible_from;  // frames below this are hidden
  };
  // Above all frames while there is none.
  std::uint32_t visible_from() const noexcept { return frames_.empty() ? 1 : frames_.back().visible_from; }
  base::TextKey key_of(std::string_view name) const noexcept { return base::key_of(name, seed_); }
  std::size_t first_slot(const base::TextKey& key) const noexcept { return key.hash & (slots_.size() - 1); }
  std::size_t slot_of(std::string_view name, const base::TextKey& key) const noexcept;
  void make_room(std::size_t names);
  Name intern(std::string_view name, const base::TextKey& key);

  std::vector<Entry> names_;
  std::vector<Slot> slots_;
  std::vector<Undo> undo_;
  std::vector<Frame> frames_;
  std::uint32_t round_ = 0;
  bool open_ = false;
  std::uint64_t seed_ = reinterpret_cast<std::uintptr_t>(this);  // differs from run to run
};

}  // namespace norn::checks
