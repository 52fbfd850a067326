// Inputs whose memory the caller gives up to a run. It becomes an output's where a step computes in place; a cache that
// the graph appends to gets room for more, and from then on only what is new is written.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/room.h"
#include "norn/value.h"

namespace norn::runtime {

// What a plan depends on of an input that has room, or may be given some.
struct InputRoom {
  std::uint32_t input = 0;
  bool donated = false;        // a run may append to it
  std::int64_t axis = -1;      // along which there is room
  std::int64_t capacity = -1;  // below 0: none
};

// Of one run. What is appended belongs to the tensors that it returns if it ends well.
class Donations {
 public:
  explicit Donations(std::size_t inputs) : inputs_(inputs) {}
  ~Donations();
  Donations(const Donations&) = delete;
  Donations& operator=(const Donations&) = delete;

  void add(std::size_t input);
  // Once all are there. What overlaps another input, or a place of an output, is not written to; what has room and a
  // place of an output in it is not appended to, either.
  void check(std::span<const Value> inputs, std::span<const Tensor> places);
  // `may_append`, by input: whether the graph appends to it.
  std::vector<InputRoom> rooms(std::span<const Value> inputs, const std::vector<bool>& may_append);

  // Whether an output may lie in the input's memory.
  bool writable(std::uint32_t input) const noexcept { return !writable_.empty() && writable_[input]; }
  // The reserve is one that rooms() took; it has so many positions when the run has ended well.
  void appended(const base::Reserve& reserve, std::int64_t positions) noexcept;
  // The reserve that rooms() took for this input.
  const std::shared_ptr<base::Reserve>& taken(std::uint32_t input) const;
  void succeed() noexcept { succeeded_ = true; }

 private:
  struct Taken {
    std::uint32_t input;
    std::shared_ptr<base::Reserve> reserve;
    std::int64_t before, after;
  };
  std::size_t inputs_;
  std::vector<bool> donated_, writable_;  // by input; empty for none
  std::vector<Taken> taken_;
  bool succeeded_ = false;
};

// What explanations take for the rooms of donated inputs: nothing is taken.
std::vector<InputRoom> explained_rooms(std::span<const Value> inputs, const std::vector<bool>& may_append,
                                       std::span<const std::size_t> donated);

}  // namespace norn::runtime
