// Where the values come from that a node gives to one of its graphs, for messages about that graph.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "norn/value.h"
#include "runtime/plan_state.h"

namespace norn::runtime {

class BodyInputs final : public GivenFrom {
 public:
  // `around`: what is known of the graph that the node is in. `formals`: what this round gives. All must outlive it.
  using Around = std::function<const PlanState&()>;
  BodyInputs(const Around& around, const program::Node& node, std::size_t subgraph, std::span<const Value> formals)
      : around_(around), node_(node), subgraph_(subgraph), formals_(formals) {}

  std::string dimension(std::size_t input, std::uint32_t dim) const override;
  bool changed(std::size_t input) const override;

 private:
  // The node's input that a formal is, begins as or is a part of; kNone for other formals.
  struct Source {
    program::ValueId value = program::kNone;
    bool carried = false;
    std::optional<std::uint32_t> axis = {};  // it is a slice along this one
    std::uint32_t batch = 0;                 // axes before all of these, of which it has none
  };
  Source source(std::size_t formal) const;

  const Around& around_;
  const program::Node& node_;
  const std::size_t subgraph_;
  const std::span<const Value> formals_;
};

}  // namespace norn::runtime
