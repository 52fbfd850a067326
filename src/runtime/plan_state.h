// What planning knows of a graph's values between one segment and the next: their types and sizes, where they lie,
// which nodes wait for values that are not there yet, and the sizes that dimension variables have in this run.
//
// A run makes one when it first needs a plan that is not kept, lets it take over the segments it has found so far, and
// plans on from there. Each step costs what it concerns, never the size of the graph. One that has planned a whole
// graph may begin again with other inputs: what does not follow from those that changed is neither inferred nor chosen
// again.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/kernel.h"
#include "norn/error.h"
#include "program/program.h"
#include "runtime/plan.h"

namespace norn::runtime {

class BodyPlanner;
struct InputRoom;
struct KeptChoices;

// Which nodes read each value of a graph. Immutable.
class GraphUses {
 public:
  explicit GraphUses(const program::Graph& graph);
  // Indexes of the nodes, ascending; a node that reads the value twice is there twice.
  std::span<const std::uint32_t> readers(program::ValueId id) const {
    return {readers_.data() + first_[id], readers_.data() + first_[id + 1]};
  }
  bool is_output(program::ValueId id) const { return output_[id] != program::kNone; }
  // The first of the graph's outputs that the value is; kNone if it is none.
  std::uint32_t output_of(program::ValueId id) const { return output_[id]; }
  // How many values each node reads, counted as often as it reads them.
  const std::vector<std::uint32_t>& reads() const { return reads_; }

 private:
  std::vector<std::uint32_t> first_, readers_, reads_, output_;
};

// Of a graph in a node, in words: where what it is given comes from. Called only when an error is reported.
class GivenFrom {
 public:
  virtual ~GivenFrom() = default;
  // A dimension of input `input` (captures behind inputs): "dimension 0 of the input "x""; "" if nothing is known.
  virtual std::string dimension(std::size_t input, std::uint32_t dim) const = 0;
  // Whether rounds of the node before this one gave the input another shape than the node was given.
  virtual bool changed(std::size_t input) const = 0;
};

class PlanState {
 public:
  // `inputs`: the graph's inputs, then its captures. An empty Value is an input that takes its default.
  // `known`: what is known of their contents, or empty. `bodies`: what plans the graphs of nodes; null if they are
  // planned when they run. `given_from`: of a graph in a node that runs.
  PlanState(const program::Graph& graph, const GraphUses& uses, std::span<const program::State> states,
            std::span<const Value> inputs, const BodyPlanner* bodies = nullptr,
            std::span<const opset::KnownValue> known = {}, const GivenFrom* given_from = nullptr);
  ~PlanState();
  void keep_choices();  // from now on, for restart()
  // As if made anew, without known contents of inputs. Only behind a plan of one segment, without known contents.
  void restart(std::span<const Value> inputs, const GivenFrom* given_from);

  // What the planner of a segment notes down for a value while it works.
  struct Slots {
    static constexpr std::uint32_t kNone = 0xffffffffu;
    std::uint32_t segment = kNone;  // these are of another segment unless it is the present depth
    std::uint32_t dense = kNone, other = kNone, view = kNone;
    kernels::Layout made = kernels::Layout::Dense, other_layout = kernels::Layout::Dense;
    bool needed = false;
  };
  struct ValueState : PlannedValue {
    Shape dims;  // of a tensor whose sizes are known
    Slots slots;
    bool changed = true;  // since the plan before
  };

  const program::Graph& graph;
  const GraphUses& uses;
  const std::span<const program::State> states;  // of the Program
  const BodyPlanner* const bodies;
  const GivenFrom* given_from;         // null: the inputs are fed
  std::span<const InputRoom> rooms;    // of inputs that have room or may get some
  bool donates = false;                // inputs may be donated
  std::vector<ValueState> values;      // by ValueId
  std::vector<std::uint32_t> pending;  // by node: reads of values that are not available yet
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;  // nodes to plan, in order
  std::uint32_t run_values = 0;
  std::uint32_t depth = 0;                // segments before
  std::uint32_t waiting = 0;              // nodes that are not planned
  std::vector<Segment::Settled> arrived;  // late values of the segment before, with the types that they have
  std::uint64_t plans = 0;                // that this has begun, but for the first
  std::unique_ptr<KeptChoices> choices;   // of the plan before; null if it will not begin again (kept_choice.h)

  Slots& slots(program::ValueId id) {
    Slots& s = values[id].slots;
    if (s.segment != depth) s = Slots{.segment = depth};
    return s;
  }
  bool has_waiting_reader(program::ValueId id) const {
    for (std::uint32_t node : uses.readers(id))
      if (pending[node] > 0) return true;
    return false;
  }

  // The value's type has become static: settles its sizes and compares them with what the Program says of them, on
  // which passes have relied. A contradiction is kept for check_given().
  void settle(program::ValueId id);
  // Throws the first contradiction (RuntimeError), which names both sides of it. The error of a node that cannot take
  // such sizes is more specific, so this is called when the segment's nodes have been inferred.
  void check_given() const {
    if (contradiction_) throw *contradiction_;
  }
  // For an error of the node, or of the operator whose function body the node is in: which input of the graph each of
  // its sizes comes from, and what would help. "" if none comes from an input.
  struct SizeSource {
    std::string text, cure;
  };
  SizeSource source_of(const program::Node& node, const Error& error) const;
  // The same for one dimension: "dimension 0 of the input "x"". "" if it is not that of a single input dimension.
  std::string source_of(program::ValueId id, std::uint32_t dim) const;
  // Whether the value was a tensor of known sizes in the plan before; whether it was of this type, with these contents.
  bool was_static(program::ValueId id) const;
  bool was_same(program::ValueId id, const opset::ValueType& type, const opset::KnownValue& known) const;
  // Gives the value the type and contents that it had in the plan before. At most once for each plan.
  void take_over(program::ValueId id);
  // What the dimension variable is in this run, if that is known.
  std::optional<std::int64_t> size_of(std::string_view variable) const;
  // Of an operator that runs as its function body, the input's type with the sizes of this run.
  opset::ValueType input_type(const program::Inlined::Input& input) const;
  // The contents of a constant or state, whether it is read or not; else null.
  const norn::Tensor* contents_of(program::ValueId id) const;
  // The value can be read: nodes that wait for nothing else become ready.
  void make_available(program::ValueId id);
  // Takes over what a segment settled that was found among the kept ones.
  void apply(const Segment& segment);
  // The late values of the segment before this point, as running made them.
  void arrive(const Segment& before, const std::vector<Value>& values);

  // Variables bound since the last call.
  std::vector<BoundVariable> take_newly_bound();

 private:
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const noexcept { return std::hash<std::string_view>{}(name); }
  };
  void bind(BoundVariable variable);
  void give(std::span<const Value> inputs, std::span<const opset::KnownValue> known);
  void contradict(program::ValueId id, const std::string& why, std::string wanted);
  std::string dimension_of(const BoundVariable& variable) const;
  // The number of the graph's input, or capture behind them, that the value is.
  std::optional<std::size_t> input_number(program::ValueId id) const;

  // Of the plan before; empty in the first. Nodes that were settled then may run late now.
  std::vector<ValueState> before_;
  // Where a plan begins: with the constants.
  std::vector<std::uint32_t> first_pending_, first_ready_;
  std::unordered_map<std::string, BoundVariable, NameHash, std::equal_to<>> bound_;
  std::vector<BoundVariable> newly_bound_;
  // A size that a Reshape was asked for is 0 or -1 in this run, and the document is not lowered again.
  bool copies_sizes_ = false;
  // The first size that does not fit, and its description in hints.
  std::optional<Error> contradiction_;
  std::string misfit_;
  program::ValueId misfit_value_ = program::kNone;
};

}  // namespace norn::runtime
