// Planning a segment, in walks over its nodes:
//   1. inference with the sizes that are known now; a node that depends on a late value waits for the next segment
//   2. which nodes are needed: what inference computed needs no step, nor does what only computed it
//   3. kernels, in order; layouts meet here, and reorders are put between
//   4. what outlives the segment, and which memory is an output's
//   5. places in the arena, by lifetime
//   6. what the segments behind this one have to know
// segment_nodes.cc has the first two, arena.cc the fifth; what follows are slots and steps.
#include <algorithm>
#include <set>

#include "kernels/cpu/physical.h"
#include "kernels/cpu/reorder.h"
#include "norn/error.h"
#include "opset/reference.h"
#include "runtime/arena.h"
#include "runtime/plan_state.h"
#include "runtime/reference_kernel.h"
#include "runtime/segment_nodes.h"
#include "runtime/select.h"

namespace norn::runtime {
namespace {

using kernels::Layout;
using program::Graph;
using program::kNone;
using program::Node;
using program::ValueId;

constexpr std::uint32_t kNoSlot = PlanState::Slots::kNone;

// Memory of a step's operand: a value in one layout.
struct Slot {
  Location where;                   // Arena offsets are settled last
  std::uint32_t same_as = kNoSlot;  // a view shares the memory of another slot
  std::size_t offset = 0;           // and begins there, in bytes
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
};

class Planner final : public Selector {
 public:
  Planner(PlanState& state, std::shared_ptr<Segment> segment, const PlanOptions& options)
      : graph_(state.graph), options_(options), state_(state), segment_(std::move(segment)) {}

  std::shared_ptr<Segment> run() {
    const SegmentNodes nodes = infer_segment(state_);
    segment_->spared = nodes.known;
    for (const SegmentNodes::Planned& planned : nodes.planned)
      if (planned.needed) plan_node(planned);
    settle_outputs(nodes.settled);
    place(nodes.settled);
    for (const StridedView& v : views_)  // that nothing needed dense
      if (!v.strides.empty()) spare({SparedNode::Why::View, v.node, v.operation});
    hand_on(nodes.settled);
    return segment_;
  }

  // --- Selector ---
  DataType dtype_of(ValueId id) const override { return state_.values[id].type.elem; }
  const Shape& dims_of(ValueId id) const override { return state_.values[id].dims; }
  const norn::Tensor* constant_of(ValueId id) const override {
    if (graph_.value(id).is_constant()) return &graph_.value(id).constant;
    return state_.values[id].known.constant.defined() ? &state_.values[id].known.constant : nullptr;
  }
  bool is_shared_constant(ValueId id) const override { return graph_.value(id).is_constant(); }
  Layout made_in(ValueId id) const override { return state_.slots(id).made; }

  void view(std::size_t i) override {
    if (passes_over("view")) return;
    const ValueId from = node_->inputs[i], to = node_->outputs[0];
    if (bytes_of(from) != bytes_of(to))
      throw Error(ErrorCode::Internal, "a view of " + to_string(dims_of(from)) + " as " + to_string(dims_of(to)));
    const std::uint32_t source = slot_for({from, Layout::Dense});
    Slot slot;
    slot.same_as = source;
    slot.bytes = slots_[source].bytes;
    state_.slots(to).dense = add_slot(slot);
    spare({SparedNode::Why::View, node_index_, first_});
    emitted_ = true;
  }
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

 protected:
  void emit(std::shared_ptr<const kernels::Kernel> kernel, std::string_view name, const std::vector<Operand>& uses,
            const std::vector<Operand>& outs, bool in_place) override {
    emit_step(std::move(kernel), std::string(name), uses, outs, in_place);
    emitted_ = true;
  }
  kernels::PackedConstants& packed() override { return *options_.packed; }
  KernelStore& kernel_store() override { return *options_.kernels; }

 private:
  void plan_node(const SegmentNodes::Planned& planned);
  void plan_late(const Node& node, std::uint32_t index);
  void plan_operations(const Node& first, std::span<const Node> parts);
  std::size_t plan_operation(const Node& node, std::span<const Node> parts);
  bool offer(SelectFn select, std::span<const Node> parts);
  void emit_step(std::shared_ptr<const kernels::Kernel> kernel, std::string name, const std::vector<Operand>& uses,
                 const std::vector<Operand>& outs, bool in_place);
  std::uint32_t slot_for(const Operand& operand);
  std::uint32_t new_slot(const Operand& operand);
  std::uint32_t add_slot(Slot slot) {
    slots_.push_back(std::move(slot));
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
  LateStep::Input late_input(ValueId id);
  // Once, however many outputs the operation has.
  void spare(const SparedNode& node) {
    std::vector<SparedNode>& all = segment_->spared;
    if (all.empty() || all.back().node != node.node || all.back().operation != node.operation) all.push_back(node);
  }
  std::size_t bytes_of(ValueId id) const;
  bool has_slot(ValueId id) const {
    const PlanState::Slots& of = state_.slots(id);
    return of.dense != kNoSlot || of.other != kNoSlot || of.view != kNoSlot;
  }
  void make_dense(ValueId id);
  void emit_copy(std::shared_ptr<const kernels::Kernel> kernel, std::string name, std::uint32_t source,
                 std::uint32_t target, ValueId id, std::uint32_t node, std::uint32_t operation);
  void settle_outputs(const std::vector<ValueId>& settled);
  void place(const std::vector<ValueId>& settled);
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
  std::vector<Slot> slots_;
  std::vector<StridedView> views_;            // without strides once they are dense
  std::vector<std::uint32_t> pointer_slots_;  // the slot of each pointer of the frame; kNoSlot is null
  std::uint32_t node_index_ = 0, first_ = 0;  // StepInfo::node and ::first
  bool emitted_ = false;
};

// What is laid out in memory, or read by kernels, has a size that 63 bits can count.
std::size_t Planner::bytes_of(ValueId id) const {
  const auto bytes = tensor_bytes(dtype_of(id), dims_of(id));
  if (!bytes)
    throw Error(ErrorCode::LimitExceeded, "the value \"" + graph_.value(id).name + "\" is " +
                                              std::string(data_type_name(dtype_of(id))) + to_string(dims_of(id)) +
                                              ", more bytes than 63 bits can count");
  return static_cast<std::size_t>(*bytes);
}

std::uint32_t Planner::new_slot(const Operand& operand) {
  Slot slot;
  const DataType type = dtype_of(operand.value);
  slot.bytes = bytes_of(operand.value);
  if (type == DataType::String) {  // strings are objects: they live in a tensor of their own
    slot.where.kind = Location::Kind::Run;
    slot.where.index = new_run_value();
    segment_->allocations.push_back({slot.where.index, type, dims_of(operand.value)});
  } else {
    slot.where.kind = Location::Kind::Arena;
    slot.where.index = state_.depth;
  }
  const std::uint32_t id = add_slot(slot);
  PlanState::Slots& of = state_.slots(operand.value);
  if (operand.layout == Layout::Dense) {
    of.dense = id;
  } else {
    of.other = id;
    of.other_layout = operand.layout;
  }
  return id;
}

// The slot that holds the value in the wanted layout, reordering it if it lies in the other one.
std::uint32_t Planner::slot_for(const Operand& operand) {
  PlanState::Slots& of = state_.slots(operand.value);
  if (operand.as_it_lies && strides_of(operand.value)) return views_[of.view].slot;
  if (of.view != kNoSlot && of.dense == kNoSlot) make_dense(operand.value);
  if (operand.layout == Layout::Dense && of.dense == kNoSlot && of.other == kNoSlot) {
    Slot slot;
    slot.bytes = bytes_of(operand.value);
    if (const norn::Tensor* contents = constant_of(operand.value)) {
      if (!is_shared_constant(operand.value)) segment_->constants.push_back(*contents);
      slot.where.kind = Location::Kind::Constant;
      slot.where.constant = contents->data();
    } else {
      slot.where = state_.values[operand.value].where;
    }
    of.dense = add_slot(slot);
    return of.dense;
  }
  if (operand.layout == Layout::Dense && of.dense != kNoSlot) return of.dense;
  if (operand.layout != Layout::Dense && of.other != kNoSlot && of.other_layout == operand.layout) return of.other;

  const Shape& dims = dims_of(operand.value);
  if (dims.size() >= 2 && (dims[1] == 1 || element_count(Shape(dims.begin() + 2, dims.end())) == 1)) {
    // One channel, or one position: both layouts are the same memory.
    Slot slot;
    slot.same_as = operand.layout == Layout::Dense ? of.other : slot_for({operand.value, Layout::Dense});
    slot.bytes = slots_[slot.same_as].bytes;
    const std::uint32_t id = add_slot(slot);
    (operand.layout == Layout::Dense ? of.dense : of.other) = id;
    if (operand.layout != Layout::Dense) of.other_layout = operand.layout;
    return id;
  }
  kernels::ReorderConfig config;
  config.dims = dims;
  config.from = operand.layout == Layout::Dense ? of.other_layout : Layout::Dense;
  config.to = operand.layout;
  const Operand from{operand.value, config.from};
  for (const auto& candidate : kernels::reorder_candidates()) {
    if (!candidate.refuses(config).empty()) continue;
    const std::uint32_t source = slot_for(from);
    const std::uint32_t target = new_slot(operand);
    emit_copy(candidate.make(config, packed()), "reorder (" + std::string(candidate.name) + ")", source, target,
              operand.value, node_index_, first_);
    return target;
  }
  throw Error(ErrorCode::Internal, "no kernel reorders " + to_string(config.dims));
}

// A step that gives the same value other memory.
void Planner::emit_copy(std::shared_ptr<const kernels::Kernel> kernel, std::string name, std::uint32_t source,
                        std::uint32_t target, ValueId id, std::uint32_t node, std::uint32_t operation) {
  const auto at = static_cast<std::int64_t>(segment_->steps.size());
  Step step;
  step.operands = pointer_to(source);
  pointer_to(target);
  step.kernel = kernel.get();
  std::int64_t& last = slots_[root(source)].last;
  last = std::max(last, at);  // it may be needed by later segments
  slots_[target].first = slots_[target].last = at;
  segment_->scratch_bytes = std::max(segment_->scratch_bytes, kernel->scratch_bytes());
  segment_->kernels.push_back(std::move(kernel));
  segment_->steps.push_back(step);
  const StaticType type = static_type(id);
  segment_->info.push_back({node, std::move(name), {}, {type}, {type}, operation});
}

void Planner::strided_view(std::size_t i, std::vector<std::int64_t> strides, std::int64_t offset, std::size_t o) {
  const ValueId from = node_->inputs[i], to = node_->outputs[o];
  const Shape& dims = dims_of(to);
  const PlanState::Slots& source = state_.slots(from);
  Slot slot;
  slot.same_as =
      source.dense == kNoSlot && source.other != kNoSlot ? source.other : slot_for({from, Layout::Dense, true});
  slot.offset = static_cast<std::size_t>(offset) * element_size(dtype_of(to));
  slot.bytes = bytes_of(to);
  bool dense = true;
  for (std::int64_t step = 1, d = static_cast<std::int64_t>(dims.size()); d-- > 0;) {
    const auto at = static_cast<std::size_t>(d);
    dense = dense && (dims[at] == 1 || strides[at] == step);
    step *= dims[at];
  }
  const std::uint32_t id = add_slot(slot);
  emitted_ = true;
  if (dense) {
    state_.slots(to).dense = id;
    spare({SparedNode::Why::View, node_index_, first_});
    return;
  }
  state_.slots(to).view = static_cast<std::uint32_t>(views_.size());
  views_.push_back({std::move(strides), id, node_index_, first_});
}

void Planner::make_dense(ValueId id) {
  StridedView& view = views_[state_.slots(id).view];
  auto [kernel, name] = dense_copy(dims_of(id), view.strides, element_size(dtype_of(id)), packed());
  const std::uint32_t target = new_slot({id, Layout::Dense});
  emit_copy(std::move(kernel), std::move(name), view.slot, target, id, view.node, view.operation);
  view.strides.clear();
}

std::vector<StaticType> Planner::static_types(const std::vector<Operand>& operands) const {
  std::vector<StaticType> types;
  for (const Operand& o : operands)
    if (o.value != kNone) types.push_back(static_type(o.value));
  return types;
}

void Planner::emit_step(std::shared_ptr<const kernels::Kernel> kernel, std::string name,
                        const std::vector<Operand>& uses, const std::vector<Operand>& outs, bool in_place) {
  // Reorders come first, since they are steps themselves.
  std::vector<std::uint32_t> operand_slots;
  for (const Operand& use : uses) operand_slots.push_back(use.value == kNone ? kNoSlot : slot_for(use));
  const auto at = static_cast<std::int64_t>(segment_->steps.size());
  // An operand of other dimensions or in another layout is read in another order than the output is written, unless
  // both are dense: then equal sizes are equal elements.
  const auto in_order = [&](const Operand& use) {
    return in_place && !use.as_it_lies && use.layout == outs[0].layout &&
           (use.layout == Layout::Dense || dims_of(use.value) == dims_of(outs[0].value));
  };
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (operand_slots[i] == kNoSlot) continue;
    segment_->largest_operand = std::max(segment_->largest_operand, bytes_of(uses[i].value));
    Slot& slot = slots_[root(operand_slots[i])];
    slot.yields = in_order(uses[i]) && is_whole(operand_slots[i]) && (slot.last != at || slot.yields);
    slot.last = at;
  }
  for (const Operand& out : outs) {
    if (out.value == kNone) {
      operand_slots.push_back(kNoSlot);
      continue;
    }
    const std::uint32_t slot = new_slot(out);
    state_.slots(out.value).made = out.layout;
    slots_[slot].first = slots_[slot].last = at;
    slots_[slot].in_place = in_place;
    operand_slots.push_back(slot);
  }
  Step step;
  step.operands = static_cast<std::uint32_t>(pointer_slots_.size());
  for (std::uint32_t slot : operand_slots) pointer_to(slot);
  step.kernel = kernel.get();
  segment_->scratch_bytes = std::max(segment_->scratch_bytes, kernel->scratch_bytes());
  segment_->kernels.push_back(std::move(kernel));
  segment_->steps.push_back(step);
  segment_->info.push_back({node_index_, std::move(name), std::move(refusals_), static_types(uses), static_types(outs),
                            first_, static_cast<std::uint32_t>(taken_ + 1)});
  refusals_.clear();
}

void Planner::plan_node(const SegmentNodes::Planned& planned) {
  const Node& node = *planned.node;
  node_index_ = planned.index;
  first_ = planned.first;
  taken_ = 0;
  refusals_.clear();
  try {
    if (planned.late) return plan_late(node, planned.index);
    planned.for_each_use([&](ValueId id) { bytes_of(id); });
    for (ValueId id : planned.results())
      if (id != kNone) bytes_of(id);
    plan_operations(node, planned.parts);
  } catch (Error& e) {
    if (e.where().find(node.path()) == std::string::npos) e.within(node.path());
    throw;
  }
}

// What a kernel leaves is planned behind it.
void Planner::plan_operations(const Node& first, std::span<const Node> parts) {
  const Node* node = &first;
  for (;;) {
    const std::size_t taken = plan_operation(*node, parts);
    if (taken == parts.size()) return;
    node = &parts[taken];
    parts = parts.subspan(taken + 1);
    first_ += static_cast<std::uint32_t>(taken + 1);
  }
}

bool Planner::offer(SelectFn select, std::span<const Node> parts) {
  parts_ = parts;
  taken_ = 0;
  return select(*this) && emitted_;
}

// Plans the operation with as many of the parts behind it as its kernel takes, and returns their number.
std::size_t Planner::plan_operation(const Node& node, std::span<const Node> parts) {
  node_ = &node;
  emitted_ = false;
  to_pass_over_ = options_.passed_over;
  if (!options_.reference_only) {
    SelectFn select = find_select(node.op);
    if (!select) refuse("fast", "there is no fast kernel for " + std::string(node.op->name));
    // No kernel may take what is fused behind the operation, and one the operation alone.
    if (select && (offer(select, parts) || (taken_ > 0 && offer(select, {})))) return taken_;
    taken_ = 0;
  }
  opset::ReferenceFn reference = opset::find_reference(*node.op, node.schema->since);
  if (!reference)
    throw Error(ErrorCode::NotImplemented, "there is no kernel for " + opset::full_name(*node.op) + " version " +
                                               std::to_string(node.schema->since));
  std::vector<StaticType> inputs, outputs;
  std::vector<Operand> uses, outs;
  for (ValueId id : node.inputs) {
    inputs.push_back(id == kNone ? StaticType{} : static_type(id));
    uses.push_back({id});
  }
  for (ValueId id : node.outputs) {
    outputs.push_back(id == kNone ? StaticType{} : static_type(id));
    outs.push_back({id});
  }
  emit_step(make_reference_kernel(node, reference, std::move(inputs), std::move(outputs)), "reference", uses, outs,
            false);
  return 0;
}

LateStep::Input Planner::late_input(ValueId id) {
  LateStep::Input input;
  if (id == kNone) return input;
  using Kind = LateStep::Input::Kind;
  const PlanState::ValueState& value = state_.values[id];
  const bool stored = value.where.kind == Location::Kind::Run && !value.where.part && !has_slot(id);
  if (!value.type.is_tensor()) {
    if (!stored) throw Error(ErrorCode::Internal, "the value \"" + graph_.value(id).name + "\" is nowhere");
    input.kind = Kind::Run;
    input.index = value.where.index;
    return input;
  }
  // The memory in the run's table may be a view's source.
  if (value.type.is_static()) input.dtype = dtype_of(id);
  input.dims = dims_of(id);
  if (stored) {
    input.kind = Kind::Tensor;
    input.index = value.where.index;
    return input;
  }
  const std::uint32_t slot = slot_for({id, Layout::Dense});
  slots_[root(slot)].last = static_cast<std::int64_t>(segment_->steps.size());
  input.kind = Kind::Pointer;
  input.index = pointer_to(slot);
  return input;
}

void Planner::plan_late(const Node& node, std::uint32_t index) {
  node_ = &node;
  if (node.subgraphs.empty() && !opset::find_reference(*node.op, node.schema->since))
    throw Error(ErrorCode::NotImplemented, "there is no kernel for " + opset::full_name(*node.op));
  // Reorders that the inputs need are steps before this one.
  std::vector<ValueId> read;
  program::for_each_use(node, [&](ValueId id) { read.push_back(id); });
  for (ValueId id : read)
    if (state_.values[id].where.kind != Location::Kind::Run && (constant_of(id) || has_slot(id)))
      slot_for({id, Layout::Dense});
  LateStep late;
  late.node = index;
  std::vector<StaticType> types;
  for (ValueId id : node.inputs) {
    late.inputs.push_back(late_input(id));
    if (id != kNone && state_.values[id].type.is_tensor() && state_.values[id].type.is_static())
      types.push_back(static_type(id));
  }
  for (const program::Subgraph& sub : node.subgraphs) {
    late.captures.emplace_back();
    for (const Graph::Capture& c : sub.graph->captures) late.captures.back().push_back(late_input(c.outer));
  }
  for (ValueId id : node.outputs) {
    if (id == kNone) {
      late.outputs.push_back(kNone);
      continue;
    }
    late.outputs.push_back(new_run_value());
    segment_->late_values.push_back({id, late.outputs.back()});
    state_.values[id].where = {Location::Kind::Run, late.outputs.back(), 0, nullptr};
  }
  Step step;
  step.late = static_cast<std::uint32_t>(segment_->late.size());
  segment_->late.push_back(std::move(late));
  segment_->steps.push_back(step);
  segment_->info.push_back(
      {index, node.subgraphs.empty() ? "reference" : "control flow", std::move(refusals_), std::move(types), {}});
  refusals_.clear();
}

// Graph outputs take their memory from the run; values that later segments read keep their arena place to the end.
void Planner::settle_outputs(const std::vector<ValueId>& settled) {
  std::set<std::uint32_t> taken;  // roots that are some output's memory already
  for (ValueId id : settled) {
    // Constants known from shapes are handed out as they are.
    if (!state_.uses.is_output(id) || !has_slot(id)) continue;
    const std::uint32_t slot = slot_for({id, Layout::Dense});
    const std::uint32_t base = root(slot);
    const Location where = slots_[base].where;
    const bool whole = is_whole(slot);
    if (dtype_of(id) == DataType::String && where.kind == Location::Kind::Run) {
      state_.values[id].where = where;  // strings lie in a tensor of the run's own already
      continue;
    }
    const std::uint32_t run_value = new_run_value();
    if (where.kind == Location::Kind::Arena && where.index == state_.depth && whole && taken.insert(base).second) {
      slots_[base].where = {Location::Kind::Run, run_value, 0, nullptr};
    } else {
      Slot copy;
      copy.where = {Location::Kind::Run, run_value, 0, nullptr};
      copy.bytes = slots_[slot].bytes;
      const std::uint32_t target = add_slot(copy);
      auto kernel = make_copy_kernel(copy.bytes);
      Step step;
      step.operands = pointer_to(slot);
      pointer_to(target);
      step.kernel = kernel.get();
      slots_[base].last = static_cast<std::int64_t>(segment_->steps.size());
      segment_->kernels.push_back(std::move(kernel));
      segment_->steps.push_back(step);
      const StaticType type = static_type(id);
      segment_->info.push_back({node_index_, "copy to an output", {}, {type}, {type}});
    }
    segment_->allocations.push_back({run_value, dtype_of(id), dims_of(id)});
    state_.values[id].where = {Location::Kind::Run, run_value, 0, nullptr};
  }
  for (ValueId id : settled) {
    if (!has_slot(id) || constant_of(id) || !state_.has_waiting_reader(id)) continue;
    if (state_.values[id].where.kind != Location::Kind::None) continue;
    const std::uint32_t base = root(slot_for({id, Layout::Dense}));
    slots_[base].last = kForever;
  }
}

// Settles where the arena's slots lie, and with them what the frame's pointers point to.
void Planner::place(const std::vector<ValueId>& settled) {
  std::vector<Block> blocks;
  std::vector<std::uint32_t> slot_of;
  for (std::uint32_t s = 0; s < slots_.size(); ++s) {
    const Slot& slot = slots_[s];
    if (slot.same_as != kNoSlot || slot.where.kind != Location::Kind::Arena || slot.where.index != state_.depth)
      continue;
    if (slot.first < 0) continue;
    blocks.push_back({slot.bytes, slot.first, slot.last, slot.in_place, slot.yields});
    slot_of.push_back(s);
  }
  segment_->arena_bytes = lay_out(blocks, segment_->steps.size());
  for (std::size_t b = 0; b < blocks.size(); ++b) slots_[slot_of[b]].where.offset = blocks[b].offset;

  for (std::uint32_t slot : pointer_slots_) {
    Location where;
    if (slot != kNoSlot) where = location(slot);
    const auto at = static_cast<std::uint32_t>(segment_->pointers.size());
    if (where.kind == Location::Kind::Run || (where.kind == Location::Kind::Arena && where.index != state_.depth))
      segment_->patches.push_back(at);
    segment_->pointers.push_back(where);
  }
  for (ValueId id : settled) {
    Location& where = state_.values[id].where;
    if (where.kind != Location::Kind::None || state_.slots(id).dense == kNoSlot) continue;
    where = location(state_.slots(id).dense);
  }
}

// What planning goes on from, and where the outputs are once nothing is left to plan.
void Planner::hand_on(const std::vector<ValueId>& settled) {
  segment_->run_values = state_.run_values;
  segment_->waiting = state_.waiting;
  segment_->bound = state_.take_newly_bound();
  if (segment_->last()) {
    std::set<std::uint32_t> handed_out;
    for (std::uint32_t i = 0; i < graph_.inputs.size() + graph_.captures.size(); ++i) handed_out.insert(i);
    for (ValueId id : graph_.outputs) {
      const Location& where = state_.values[id].where;
      Segment::Result result;
      if (where.kind == Location::Kind::Run) {
        result.run_value = where.index;
        result.copied = !handed_out.insert(where.index).second;
      } else if (const norn::Tensor* contents = state_.contents_of(id); contents && contents->defined()) {
        result.constant = *contents;
      } else if (const norn::Tensor* known = constant_of(id)) {
        result.constant = *known;
      } else {
        throw Error(ErrorCode::Internal, "the output \"" + graph_.value(id).name + "\" was not planned");
      }
      segment_->results.push_back(std::move(result));
    }
  } else {
    segment_->settled = std::move(state_.arrived);
    for (ValueId id : settled)
      if (state_.uses.is_output(id) || state_.has_waiting_reader(id))
        segment_->settled.push_back({id, false, state_.values[id]});
    for (const Segment::LateValue& late : segment_->late_values)
      segment_->settled.push_back({late.value, true, state_.values[late.value]});
  }
  state_.arrived.clear();
  ++state_.depth;
}

}  // namespace

std::shared_ptr<Segment> plan_segment(PlanState& state, std::shared_ptr<Segment> segment, const PlanOptions& options) {
  return Planner(state, std::move(segment), options).run();
}

}  // namespace norn::runtime
