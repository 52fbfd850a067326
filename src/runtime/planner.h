// The planner of one segment: slots are the memory of values while it works, steps what it makes. planner.cc chooses
// kernels and writes steps, planner_memory.cc places what they read and write.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/cpu/physical.h"
#include "kernels/later.h"
#include "norn/error.h"
#include "runtime/content_choice.h"
#include "runtime/kept_choice.h"
#include "runtime/layouts.h"
#include "runtime/plan_state.h"
#include "runtime/segment_nodes.h"
#include "runtime/select.h"

namespace norn::runtime {

// Memory of a step's operand: a value in one layout.
struct Slot {
  Location where;                                   // Arena offsets are settled last
  std::uint32_t same_as = PlanState::Slots::kNone;  // a view shares the memory of another slot
  std::size_t offset = 0;                           // and begins there, in bytes
  std::size_t bytes = 0;
  std::int64_t first = -1, last = -1;  // steps that write and read it
  bool in_place = false;               // made by a step that may write where an input of its size lies
  bool yields = false;                 // the step that reads it last reads it in the order in which it writes
};

// A value that lies in another's memory, not dense.
struct StridedView {
  std::vector<std::int64_t> strides;  // in elements
  std::uint32_t slot;
  std::uint32_t node, operation;  // StepInfo::node and ::first
  bool copied = false;            // for a reader that needs it in a layout
  bool given = false;             // not by a node that a step is spared for: an input, or what is appended to one
};

// A value that nothing has needed as real numbers yet.
struct LazyValue {
  Dequantized from;
  std::uint32_t node, operation;  // StepInfo::node and ::first
  bool made = false;
};

class Planner final : public Selector {
  using Graph = program::Graph;
  using Layout = kernels::Layout;
  using Node = program::Node;
  using ValueId = program::ValueId;
  static constexpr std::uint32_t kNoSlot = PlanState::Slots::kNone;

 public:
  Planner(PlanState& state, std::shared_ptr<Segment> segment, const PlanOptions& options)
      : graph_(state.graph), options_(options), state_(state), segment_(std::move(segment)) {}

  std::shared_ptr<Segment> run();

  // --- Selector ---
  Precision precision() const override { return options_.precision; }
  DataType dtype_of(ValueId id) const override { return state_.values[id].type.elem; }
  const Shape& dims_of(ValueId id) const override { return state_.values[id].dims; }
  const norn::Tensor* constant_of(ValueId id) const override {
    const norn::Tensor* const known = constant_if_known(id);
    if (!known && offering_) asked_.push_back(id);
    return known;
  }
  const norn::Tensor* constant_if_known(ValueId id) const override {
    if (graph_.value(id).is_constant()) return &graph_.value(id).constant;
    return state_.values[id].known.constant.defined() ? &state_.values[id].known.constant : nullptr;
  }
  bool is_shared_constant(ValueId id) const override { return graph_.value(id).is_constant(); }
  Layout made_in(ValueId id) const override {
    const auto lazy = lazy_.find(id);
    return state_.slots(lazy != lazy_.end() && !lazy->second.made ? lazy->second.from.x : id).made;
  }

  void view(std::size_t i) override {
    if (passes_over("view")) return;
    const ValueId from = node_->inputs[i], to = node_->outputs[0];
    if (bytes_of(from) != bytes_of(to))
      throw Error(ErrorCode::Internal, "a view of " + to_string(dims_of(from)) + " as " + to_string(dims_of(to)));
    const std::uint32_t source = slot_for({from, Layout::Dense});
    Slot slot;
    slot.same_as = source;
    slot.bytes = slots_[source].bytes;
    only_emits_ = false;
    state_.slots(to).dense = add_slot(slot);
    spare({SparedNode::Why::View, node_index_, first_});
    emitted_ = true;
  }
  std::optional<Layout> advised_layout() const override { return layouts_.of(*node_); }
  std::vector<std::int64_t> lying_strides(std::size_t i) const override {
    const ValueId id = node_->inputs[i];
    if (const auto* strides = strides_of(id)) return *strides;
    const PlanState::Slots& of = state_.slots(id);
    const bool other = of.dense == kNoSlot && of.other != kNoSlot;
    return kernels::layout_strides(dims_of(id), other ? of.other_layout : Layout::Dense);
  }
  void strided_view(std::size_t i, std::vector<std::int64_t> strides, std::int64_t offset, std::size_t o) override;
  const std::vector<std::int64_t>* strides_of(ValueId id) const override {
    const PlanState::Slots& of = state_.slots(id);
    return of.view == kNoSlot || of.dense != kNoSlot ? nullptr : &views_[of.view].strides;
  }
  bool can_append(ValueId past, ValueId out, std::int64_t axis) const override;
  void append(ValueId past, ValueId out, std::int64_t axis, const std::vector<Piece>& behind) override;
  void dequantized_view() override {
    only_emits_ = false;
    lazy_[node_->outputs[0]] = {{node_->inputs[0], node_->inputs[1], node_->input(2)}, node_index_, first_};
    emitted_ = true;
  }
  const Dequantized* dequantized(ValueId id) const override {
    const auto found = lazy_.find(id);
    return found == lazy_.end() ? nullptr : &found->second.from;
  }

 protected:
  void emit(std::shared_ptr<const kernels::Kernel> kernel, std::string_view name, const std::vector<Operand>& uses,
            const std::vector<Operand>& outs, bool in_place) override {
    if (late_) {
      late_->kernel = std::move(kernel);
      for (const Operand& use : uses) {
        const auto input = std::find(node_->inputs.begin(), node_->inputs.end(), use.value);
        late_->operands.push_back(
            use.value == program::kNone ? program::kNone : static_cast<std::uint32_t>(input - node_->inputs.begin()));
      }
      late_name_ = name;
      emitted_ = true;
      return;
    }
    if (emitted_) only_emits_ = false;  // once already
    if (only_emits_ && offering_ && state_.choices)
      to_keep_ = {state_.plans, 0, 0, kernel, std::string(name), uses, outs, in_place, refusals_};
    emit_step(std::move(kernel), std::string(name), uses, outs, in_place);
    emitted_ = true;
  }
  kernels::PackedConstants& packed() const override { return *options_.packed; }
  std::shared_ptr<const kernels::Kernel> find_kernel(const std::string& key) const override {
    const auto mine = unfinished_.find(key);
    return mine != unfinished_.end() ? mine->second : options_.kernels->find(key);
  }
  void keep_kernel(std::string key, const std::shared_ptr<const kernels::Kernel>& kernel) override {
    unfinished_.emplace(std::move(key), kernel);
  }

 private:
  void plan_node(const SegmentNodes::Planned& planned);
  void plan_nested(const Node& node, const Nested& nested);
  void plan_late(const Node& node, std::uint32_t index, const Nested* nested);
  void plan_operations(const Node& first, std::span<const Node> parts);
  std::size_t plan_operation(const Node& node, std::span<const Node> parts);
  bool offer(SelectFn select, std::span<const Node> parts);
  bool is_plain(const Node& node, std::span<const Node> parts) const;
  bool take_over(const Node& node, std::span<const Node> parts);
  InputBits asked_inputs(const Node& node) const;
  bool is_worth_choosing(const Node& node, bool has_sizes) const;
  void emit_step(std::shared_ptr<const kernels::Kernel> kernel, std::string name, const std::vector<Operand>& uses,
                 const std::vector<Operand>& outs, bool in_place);
  std::uint32_t slot_for(const Operand& operand);
  std::uint32_t new_slot(const Operand& operand);
  std::uint32_t add_slot(Slot slot) {
    slots_.push_back(slot);
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  std::uint32_t root(std::uint32_t slot) const {
    while (slots_[slot].same_as != kNoSlot) slot = slots_[slot].same_as;
    return slot;
  }
  // Where the slot is, once that is settled of its root.
  Location location(std::uint32_t slot) const {
    const bool whole = is_whole(slot);
    std::size_t offset = 0;
    for (; slots_[slot].same_as != kNoSlot; slot = slots_[slot].same_as) offset += slots_[slot].offset;
    Location where = slots_[slot].where;
    where.offset += offset;
    where.part = where.part || !whole;
    return where;
  }
  // Whether it is all of its root's memory.
  bool is_whole(std::uint32_t slot) const { return slots_[slot].bytes == slots_[root(slot)].bytes; }
  bool is_stored(program::ValueId id) const;
  LateStep::Input late_input(ValueId id);
  std::string choose_late(const Node& node, LateStep& late);
  // Once, however many outputs the operation has.
  void spare(const SparedNode& node) {
    std::vector<SparedNode>& all = segment_->spared;
    if (all.empty() || all.back().node != node.node || all.back().operation != node.operation) all.push_back(node);
  }
  std::size_t bytes_of(ValueId id) const;
  bool has_slot(ValueId id) const {
    const PlanState::Slots& of = state_.slots(id);
    return of.dense != kNoSlot || of.other != kNoSlot || of.view != kNoSlot || lazy_.contains(id);
  }
  void take_rooms();
  const InputRoom* room_of(ValueId past) const;
  std::uint32_t spaced_slot(std::uint32_t run_value, program::ValueId id, std::int64_t axis, std::int64_t capacity);
  void find_donors();
  void make_whole(const Operand& operand);
  void make_real(ValueId id, LazyValue& lazy);
  void emit_copy(std::shared_ptr<const kernels::Kernel> kernel, std::string name,
                 const std::vector<std::uint32_t>& sources, std::uint32_t target, ValueId id, std::uint32_t node,
                 std::uint32_t operation);
  void settle_outputs(const std::vector<ValueId>& settled);
  void finish_kernels(kernels::LaterWork& later);
  void place(const std::vector<ValueId>& settled);
  void find_last_reads();
  void hand_on(const std::vector<ValueId>& settled);
  std::uint32_t new_run_value() { return state_.run_values++; }
  std::uint32_t pointer_to(std::uint32_t slot) {
    pointer_slots_.push_back(slot);
    return static_cast<std::uint32_t>(pointer_slots_.size() - 1);
  }
  StaticType static_type(ValueId id) const { return {dtype_of(id), dims_of(id)}; }
  std::vector<StaticType> static_types(const std::vector<Operand>& operands) const;

  const Graph& graph_;
  const PlanOptions& options_;
  PlanState& state_;
  std::shared_ptr<Segment> segment_;
  LayoutPlan layouts_;
  std::vector<Slot> slots_;
  std::vector<StridedView> views_;
  std::map<ValueId, LazyValue> lazy_;
  std::unordered_map<std::string, std::shared_ptr<const kernels::Kernel>> unfinished_;  // of this plan alone as yet
  std::set<ValueId> appended_;                // what append() made, and the inputs it appended to
  std::vector<std::uint32_t> pointer_slots_;  // the slot of each pointer of the frame; kNoSlot is null
  std::uint32_t node_index_ = 0, first_ = 0;  // StepInfo::node and ::first
  bool emitted_ = false;
  LateStep* late_ = nullptr;            // for which a kernel is offered
  std::string late_name_;               // of that kernel
  bool offering_ = false;               // the operation, to its select function
  mutable bool only_emits_ = false;     // that has done nothing but emit one kernel, nor asked what it may not again
  KeptChoice to_keep_;                  // that kernel
  mutable std::vector<ValueId> asked_;  // whose contents that asked for, and that are not known
};

}  // namespace norn::runtime
