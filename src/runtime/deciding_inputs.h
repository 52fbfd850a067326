// Inputs of a graph whose contents say what is computed: axes, sizes, paddings, counts. A plan may know them as if they
// were constants, which saves waiting for sizes that only running tells and lets fast kernels be chosen.
//
// Contents that change from run to run are no such constants, so plans are made for a few only, and for others only as
// long as those before came again; the answers are the same.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/fork.h"
#include "norn/value.h"
#include "opset/value_type.h"
#include "program/program.h"
#include "runtime/plan_state.h"

namespace norn::runtime {

class DecidingInputs {
 public:
  static constexpr std::size_t kMostContents = 8;
  static constexpr std::int64_t kMostElements = 64;  // of one input

  // Of the main graph: small tensors of which nothing but such contents is read.
  DecidingInputs(const program::Graph& graph, const GraphUses& uses);

  // For each input of the graph what is known of it, and which of the contents so far these are.
  struct Known {
    std::size_t number = 0;
    std::vector<opset::KnownValue> inputs;
  };
  // Null: nothing is known. Thread-safe.
  std::shared_ptr<const Known> find(std::span<const Value> inputs) const;

 private:
  std::vector<std::uint32_t> inputs_;
  mutable base::ForkSafeMutex mutex_;
  mutable std::vector<std::shared_ptr<const Known>> seen_;
  mutable std::size_t again_ = 0;  // times that contents which were seen came again
};

}  // namespace norn::runtime
