// Memory that the caller gives for the outputs of a run.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "norn/session.h"
#include "norn/value.h"

namespace norn::runtime {

class OutputPlaces {
 public:
  explicit OutputPlaces(std::size_t outputs) : outputs_(outputs) {}

  // Throws norn::Error (InvalidArgument) for an output that has a place already.
  void add(std::size_t output, const Placement& placement);
  // Once all are there. Throws norn::Error (InvalidArgument) if two overlap. One that overlaps an input is written when
  // the run is over.
  void check(std::span<const Value> inputs);
  // All of them, by output; empty if there are none.
  std::span<const Tensor> all() const noexcept { return all_; }
  // Those that the run may write to before it ends, by output; empty if there are none.
  std::span<const Tensor> free() const noexcept { return free_; }
  // Writes what lies elsewhere, and puts the places into `results`. Throws norn::Error (InvalidArgument) for a place of
  // another type or of other sizes than the output.
  void fill(std::span<Value> results) const;

 private:
  std::size_t outputs_;
  std::vector<Tensor> all_, free_;  // by output
  std::vector<std::string> names_;
};

}  // namespace norn::runtime
