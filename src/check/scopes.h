// Which value names a point of the document sees: graphs nest and see outwards, function bodies see nothing outside.
//
// Each occurrence of a name is hashed once; definitions are kept by the name's number, and leaving a graph restores
// what it had hidden. Long names are views into the document. A large graph's tables do not fit the nearest cache and
// come from fresh memory, where each page costs as much as many lookups: entries and slots are as small as they can be,
// lookups are prepared some names ahead, and a short name is compared without going back to the document.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"

namespace norn::checks {

enum class Defined : std::uint8_t { Nowhere, Input, Initializer, NodeOutput };

struct Definition {
  Defined as = Defined::Nowhere;
  bool also_initializer = false;  // an input with a default
  std::uint32_t frame = 0;        // the number of the graph's visit, from 1
  std::int32_t node = -1;         // that writes it
};

// A set of names that is filled and emptied again and again without giving its memory back.
class NameSet {
 public:
  void clear() noexcept { first_ = static_cast<std::uint32_t>(names_.size()); }
  // False if the name is in the set already.
  bool insert(std::string_view name);

 private:
  void grow(std::size_t slots);
  // Half of a name's hash, and its number + 1; numbers below first_ were cleared, and their slots are free.
  struct Slot {
    std::uint32_t tag = 0, name = 0;
  };
  std::vector<Slot> slots_;
  std::vector<std::string_view> names_;
  std::uint32_t first_ = 0;
  const base::HashSecret& secret_ = base::process_secret();
};

// Finds repeated names in a long list in which nearly all are given once, in a fraction of the memory that a set takes:
// a Bloom filter (Bloom 1970) with a name's four bits in one word (Putze, Sanders, Singler 2007).
class RepeatFilter {
 public:
  // For about so many names.
  explicit RepeatFilter(std::size_t names);
  // True for a name that was given before; for one that was not, once in some ten thousand times.
  bool seems_repeated(std::string_view name) noexcept;

 private:
  std::vector<std::uint64_t> words_;
  const base::HashSecret& secret_ = base::process_secret();
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
  // The innermost visit's number; visits count up, so that an inner one's is greater than an outer one's.
  std::uint32_t frame() const noexcept { return frames_.empty() ? 0 : frames_.back().number; }

  // How many frames lie between the innermost one and the open one of this number.
  std::size_t frames_out(std::uint32_t frame) const noexcept;
  // How many frames are visible here: the innermost one, and those around it that no closed one hides.
  std::size_t visible_frames() const noexcept { return frames_out(visible_from() - 1); }

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
    // What the outermost graph defines is invisible to those visited later.
    if (frames_.size() > 1) undo_.push_back({name, names_[name].now});
    names_[name].now = definition;
  }

  // A round of marking: mark() is true for a name's first time in the round. Two rounds can overlap.
  std::uint32_t new_round() noexcept { return ++round_; }
  bool mark(Name name, std::uint32_t round);
  bool marked(Name name, std::uint32_t round) const noexcept {
    return name < marks_.size() && (marks_[name][0] == round || marks_[name][1] == round);
  }

  // All names visible here, for "did you mean".
  std::vector<std::string> visible_names() const;

 private:
  // Two to a cache line. `name` is the key's ends while they are the text; else the hash, then the text's address.
  struct Entry {
    std::uint64_t name[2];
    std::uint32_t size;
    Definition now;

    Entry(std::string_view text, const base::TextKey& key)
        : name{key.ends[0], key.ends[1]}, size(static_cast<std::uint32_t>(text.size())) {
      if (in_key()) return;
      name[0] = key.hash;
      name[1] = reinterpret_cast<std::uintptr_t>(text.data());
    }
    bool in_key() const noexcept { return size <= base::kTextInKey; }
    std::string_view view() const noexcept { return {reinterpret_cast<const char*>(name[1]), size}; }
    bool is(std::string_view text, const base::TextKey& key) const noexcept {
      if (size != text.size()) return false;
      if (in_key()) return name[0] == key.ends[0] && name[1] == key.ends[1];
      return name[0] == key.hash && view() == text;
    }
    std::string text() const {
      char buffer[base::kTextInKey];
      return std::string(in_key() ? base::text_of_ends(size, name, buffer) : view());
    }
    std::uint64_t hash(const base::HashSecret& secret) const noexcept {
      char buffer[base::kTextInKey];
      return in_key() ? base::hash_of(base::text_of_ends(size, name, buffer), secret) : name[0];
    }
  };
  static_assert(sizeof(Entry) == 32);
  // A name's number + 1 in the low bits, as many as number the slots, and bits of its hash above, so that most probes
  // need not look at the entry; 0 is free.
  using Slot = std::uint32_t;
  static constexpr std::size_t kMaxSlots = std::size_t{1} << 31;
  struct Undo {
    Name name;
    Definition before;
  };
  struct Frame {
    std::size_t undo_begin;
    std::uint32_t number;
    std::uint32_t visible_from;  // frames below this are hidden
  };
  // Above all visits while there is none.
  std::uint32_t visible_from() const noexcept { return frames_.empty() ? visits_ + 1 : frames_.back().visible_from; }
  base::TextKey key_of(std::string_view name) const noexcept { return base::key_of(name, secret_); }
  std::size_t first_slot(const base::TextKey& key) const noexcept { return key.hash & (slots_.size() - 1); }
  std::uint32_t number_bits() const noexcept { return static_cast<std::uint32_t>(slots_.size() - 1); }
  Slot tag_of(std::uint64_t hash) const noexcept { return static_cast<Slot>(hash >> 32) & ~number_bits(); }
  std::size_t slot_of(std::string_view name, const base::TextKey& key) const noexcept;
  void make_room(std::size_t names);
  Name intern(std::string_view name, const base::TextKey& key);

  std::vector<Entry> names_;
  std::vector<Slot> slots_;
  std::vector<Undo> undo_;
  std::vector<Frame> frames_;
  std::vector<std::array<std::uint32_t, 2>> marks_;  // of each name, its latest two rounds; shorter than names_
  std::uint32_t visits_ = 0;
  std::uint32_t round_ = 0;
  bool open_ = false;
  const base::HashSecret& secret_ = base::process_secret();
};

}  // namespace norn::checks
