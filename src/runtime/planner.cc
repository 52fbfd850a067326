// Planning a segment, in walks over its nodes:
//   1. inference with the sizes that are known now; a node that depends on a late value waits for the next segment
//   2. which nodes are needed: what inference computed needs no step, nor does what only computed it
//   3. kernels, in order; layouts meet here, and reorders are put between
//   4. what outlives the segment, and which memory is an output's
//   5. places in the arena, by lifetime
//   6. what the segments behind this one have to know
// segment_nodes.cc has the first two, planner_memory.cc the last three.
#include "runtime/planner.h"

#include <algorithm>
#include <new>

#include "base/text.h"
#include "norn/error.h"
#include "ops/math/binary_arith/binary_arith.h"
#include "ops/math/expand/expand.h"
#include "ops/math/pow/pow.h"
#include "ops/math/unary_log/unary_log.h"
#include "ops/math/unary_math/unary_math.h"
#include "ops/tensor/tile/tile.h"
#include "opset/reference.h"
#include "runtime/reference_kernel.h"
#include "runtime/run_errors.h"
#include "runtime/step_cost.h"

namespace norn::runtime {

using program::kNone;
using program::Node;
using program::ValueId;

namespace {

constexpr const char* kChosenWhenRun = "chosen when run";

StaticType static_type_of(const opset::ValueType& type) {
  StaticType found{type.elem, {}};
  for (const opset::DimExpr& d : *type.shape) found.dims.push_back(d.constant());
  return found;
}

}  // namespace

std::shared_ptr<Segment> Planner::run() {
  kernels::LaterWork later;
  const SegmentNodes nodes = infer_segment(state_);
  segment_->spared = nodes.known;
  take_rooms();
  if (!options_.reference_only) layouts_ = LayoutPlan(state_, nodes, options_.precision);
  for (const SegmentNodes::Planned& planned : nodes.planned)
    if (planned.needed) plan_node(planned);
  settle_outputs(nodes.settled);
  find_donors();
  finish_kernels(later);
  place(nodes.settled);
  for (const StridedView& v : views_)
    if (!v.copied && !v.given) spare({SparedNode::Why::View, v.node, v.operation});
  for (const auto& [id, lazy] : lazy_)
    if (!lazy.made) spare({SparedNode::Why::View, lazy.node, lazy.operation});
  hand_on(nodes.settled);
  return segment_;
}

void Planner::finish_kernels(kernels::LaterWork& later) {
  try {
    later.run();
  } catch (const std::bad_alloc&) {
    throw NoMemory("there is no memory for the code of this plan's kernels");
  }
  for (const auto& kernel : segment_->kernels)
    segment_->scratch_bytes = std::max(segment_->scratch_bytes, kernel->scratch_bytes());
  for (auto& [key, kernel] : unfinished_) options_.kernels->keep(key, kernel);
}

std::vector<StaticType> Planner::static_types(const std::vector<Operand>& operands) const {
  std::vector<StaticType> types;
  for (const Operand& o : operands)
    if (o.value != kNone) types.push_back(static_type(o.value));
  return types;
}

namespace {

constexpr const char* kReference = "reference";

// Gives ordinary numbers of subnormal ones.
bool magnifies(const Node& node) {
  return node.op == &ops::Log || node.op == &ops::Reciprocal || node.op == &ops::Div || node.op == &ops::Pow ||
         node.op == &ops::Sqrt;
}

bool is_floating(DataType type) {
  return type == DataType::Float || type == DataType::Float16 || type == DataType::BFloat16 || type == DataType::Double;
}

}  // namespace

void Planner::emit_step(std::shared_ptr<const kernels::Kernel> kernel, std::string name,
                        const std::vector<Operand>& uses, const std::vector<Operand>& outs, bool in_place) {
  // Reorders come first, since they are steps themselves.
  std::vector<std::uint32_t> operand_slots;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    const ValueId id = uses[i].value;
    const bool reads = id != kNone && kernel->reads(i);
    operand_slots.push_back(reads ? slot_for(uses[i]) : kNoSlot);
    // The kernel may refer to contents that it does not read as an operand.
    if (id != kNone && !reads && constant_of(id) && !is_shared_constant(id))
      segment_->constants.push_back(*constant_of(id));
  }
  const auto at = static_cast<std::int64_t>(segment_->steps.size());
  // An operand of other dimensions or in another layout is read in another order than the output is written, unless
  // both are dense: then equal sizes are equal elements.
  const auto in_order = [&](const Operand& use) {
    return in_place && !use.as_it_lies && !use.apart && use.layout == outs[0].layout &&
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
  segment_->kernels.push_back(std::move(kernel));
  segment_->steps.push_back(step);
  segment_->info.push_back({node_index_, std::move(name), std::move(refusals_), static_types(uses), static_types(outs),
                            first_, static_cast<std::uint32_t>(taken_ + 1)});
  double& products = segment_->info.back().multiply_adds;
  const auto dims = [this](ValueId id) -> const Shape& { return dims_of(id); };
  products = multiply_adds(*node_, dims);
  for (const Node& part : parts_.first(taken_)) products += multiply_adds(part, dims);
  // Not where factors are integers, whose scales may be subnormal while what they are divided by is so, too.
  const auto parts = parts_.first(taken_);
  segment_->steps.back().flushes_subnormals = options_.flush_subnormals && segment_->info.back().kernel != kReference &&
                                              products > 0 && is_floating(dtype_of(node_->inputs[0])) &&
                                              is_floating(dtype_of(uses[0].value)) &&
                                              std::none_of(parts.begin(), parts.end(), magnifies);
  refusals_.clear();
}

void Planner::plan_node(const SegmentNodes::Planned& planned) {
  const Node& node = *planned.node;
  node_index_ = planned.index;
  first_ = planned.first;
  taken_ = 0;
  refusals_.clear();
  const auto fail = [&](const Error& e) {
    std::string inputs;
    for (const ValueId id : node.inputs)
      inputs += (inputs.empty() ? "" : ", ") +
                (id == kNone ? std::string("none")
                             : base::quoted(state_.graph.value(id).name) + " " + state_.values[id].type.to_string());
    Error error = node_error(
        e, state_.graph, node, node.path() + " / inputs (" + inputs + ")",
        [this](const program::Inlined::Input& input) { return state_.input_type(input); },
        state_.given_from != nullptr);
    if (e.code() == ErrorCode::InvalidGraph) error.help("correct the node or what it reads, or feed what fits");
    throw_as(e, error);
  };
  try {
    if (planned.late) return plan_late(node, planned.index, planned.nested.get());
    planned.for_each_use([&](ValueId id) { bytes_of(id); });
    for (ValueId id : planned.results())
      if (id != kNone) bytes_of(id);
    if (planned.nested) return plan_nested(node, *planned.nested);
    plan_operations(node, planned.parts);
  } catch (const Error& e) {
    fail(e);
  } catch (const std::bad_alloc&) {
    fail(NoMemory("there is no memory for its kernel, or to choose one"));
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
  asked_.clear();
  only_emits_ = true;
  offering_ = true;
  const bool taken = select(*this) && emitted_;
  offering_ = false;
  return taken;
}

// Whether choosing depends on types alone: values lie dense, and none has contents of the plan's own.
bool Planner::is_plain(const Node& node, std::span<const Node> parts) const {
  if (layouts_.of(node)) return false;
  const auto is_plain_value = [&](ValueId id) {
    if (id == kNone || graph_.value(id).is_constant()) return true;
    const PlanState::ValueState& value = state_.values[id];
    if (value.known.constant.defined() || lazy_.contains(id) || appended_.contains(id)) return false;
    if (value.slots.segment != state_.depth) return true;
    return value.slots.view == kNoSlot && value.slots.other == kNoSlot && value.slots.made == Layout::Dense;
  };
  const auto all = [&](const std::vector<ValueId>& ids) { return std::all_of(ids.begin(), ids.end(), is_plain_value); };
  return all(node.inputs) && all(node.outputs) && std::all_of(parts.begin(), parts.end(), [&](const Node& part) {
           return all(part.inputs) && all(part.outputs);
         });
}

// Emits what the plan before chose, if nothing has changed that the choice depends on.
bool Planner::take_over(const Node& node, std::span<const Node> parts) {
  if (state_.plans == 0 || !state_.choices) return false;
  const auto found = state_.choices->by_operation.find({node_index_, first_});
  if (found == state_.choices->by_operation.end()) return false;
  KeptChoice& kept = found->second;
  if (kept.plan + 1 != state_.plans || kept.offered != parts.size()) return false;
  const auto unchanged = [&](const std::vector<ValueId>& ids) {
    return std::all_of(ids.begin(), ids.end(), [&](ValueId id) { return id == kNone || !state_.values[id].changed; });
  };
  if (!unchanged(node.inputs) || !unchanged(node.outputs) ||
      !std::all_of(parts.begin(), parts.end(),
                   [&](const Node& part) { return unchanged(part.inputs) && unchanged(part.outputs); }))
    return false;
  std::shared_ptr<const kernels::Kernel> kernel = kept.kernel.lock();
  if (!kernel) return false;
  kept.plan = state_.plans;
  parts_ = parts;
  taken_ = kept.taken;
  refusals_ = kept.refusals;
  emit_step(std::move(kernel), kept.name, kept.uses, kept.outs, kept.in_place);
  return true;
}

// Inputs whose contents the last choice lacked, and that may be known while running.
InputBits Planner::asked_inputs(const Node& node) const {
  InputBits bits = 0;
  for (std::size_t i = 0; i < node.inputs.size() && i < 8 * sizeof bits; ++i) {
    const ValueId id = node.inputs[i];
    if (id != kNone && std::find(asked_.begin(), asked_.end(), id) != asked_.end() &&
        is_small(dtype_of(id), dims_of(id)))
      bits |= InputBits{1} << i;
  }
  return bits;
}

// Whether outputs of any size may come of small inputs.
bool repeats_elements(const program::Node& node) { return node.op == &ops::Tile || node.op == &ops::Expand; }

// Whether the reference kernel may cost more than looking for another while running. `has_sizes`: the outputs have.
bool Planner::is_worth_choosing(const Node& node, bool has_sizes) const {
  if (options_.reference_only || !state_.bodies || !find_select(node.op)) return false;
  if (!has_sizes && repeats_elements(node)) return true;
  std::int64_t largest = 0;
  const auto look = [&](ValueId id) {
    const opset::ValueType& type = state_.values[id].type;
    if (type.is_tensor() && type.is_static() && type.elem != DataType::String)
      largest = std::max(largest, element_count(dims_of(id)));
  };
  for (const auto* ids : {&node.inputs, &node.outputs})
    for (const ValueId id : *ids)
      if (id != kNone) look(id);
  return largest >= options_.chosen_from;
}

// No valid document leaves out an output that is required, but some are run that do.
constexpr std::string_view kLacksFirstOutput = "its first output, which is required, is left out";
bool lacks_first_output(const program::Node& node) {
  return !node.outputs.empty() && node.outputs[0] == program::kNone && !node.schema->outputs.empty() &&
         node.schema->outputs[0].option == opset::ParamOption::Single;
}

// Plans the operation with as many of the parts behind it as its kernel takes, and returns their number.
std::size_t Planner::plan_operation(const Node& node, std::span<const Node> parts) {
  node_ = &node;
  emitted_ = false;
  to_pass_over_ = options_.passed_over;
  if (!options_.reference_only) {
    SelectFn select = find_select(node.op);
    if (!select) {
      refuse("fast", "there is no fast kernel for " + std::string(node.op->name));
    } else if (lacks_first_output(node)) {
      refuse("fast", std::string(kLacksFirstOutput));
      select = nullptr;
    }
    const bool plain = select && options_.passed_over == 0 && is_plain(node, parts);
    if (plain && take_over(node, parts)) return taken_;
    // No kernel may take what is fused behind the operation, and one the operation alone.
    if (select && (offer(select, parts) || (taken_ > 0 && offer(select, {})))) {
      if (plain && only_emits_ && state_.choices) {
        to_keep_.offered = parts.size();
        to_keep_.taken = taken_;
        state_.choices->by_operation.insert_or_assign({node_index_, first_}, std::move(to_keep_));
      }
      return taken_;
    }
    taken_ = 0;
    if (!select) asked_.clear();
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
  const InputBits asked = asked_inputs(node);
  segment_->asked |= asked;
  std::unique_ptr<kernels::Kernel> kernel = make_reference_kernel(node, reference, inputs, outputs);
  if (asked == 0 || !is_worth_choosing(node, true)) {
    emit_step(std::move(kernel), kReference, uses, outs, false);
    return 0;
  }
  const std::shared_ptr<const NestedStep> chosen = make_chosen_step(
      std::move(kernel), state_.bodies->choice(node_index_, first_), asked, std::move(inputs), std::move(outputs));
  emit_step(chosen, kChosenWhenRun, uses, outs, false);
  segment_->steps.back().kernel = nullptr;
  segment_->steps.back().nested = chosen.get();
  return 0;
}

// Whether the run's table has the value itself.
bool Planner::is_stored(ValueId id) const {
  const Location& where = state_.values[id].where;
  return where.kind == Location::Kind::Run && !where.part && !has_slot(id);
}

LateStep::Input Planner::late_input(ValueId id) {
  LateStep::Input input;
  if (id == kNone) return input;
  using Kind = LateStep::Input::Kind;
  const PlanState::ValueState& value = state_.values[id];
  if (!value.type.is_tensor()) {
    if (!is_stored(id)) throw Error(ErrorCode::Internal, "the value \"" + graph_.value(id).name + "\" is nowhere");
    input.kind = Kind::Run;
    input.index = value.where.index;
    return input;
  }
  // The memory in the run's table may be a view's source.
  if (value.type.is_static()) input.dtype = dtype_of(id);
  input.dims = dims_of(id);
  if (is_stored(id)) {
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

void Planner::plan_nested(const Node& node, const Nested& nested) {
  std::vector<Operand> uses, outs;
  for (ValueId id : node.inputs) uses.push_back({id});
  for (const program::Subgraph& sub : node.subgraphs)
    for (const program::Graph::Capture& c : sub.graph->captures) uses.push_back({c.outer});
  const auto is_input = [&](std::size_t o) { return nested.input_of(o) != Nested::kComputed; };
  for (std::size_t o = 0; o < node.outputs.size(); ++o) outs.push_back({is_input(o) ? kNone : node.outputs[o]});
  node_ = &node;
  emit_step(nested.step, "control flow", uses, outs, false);
  Step& step = segment_->steps.back();
  step.kernel = nullptr;
  step.nested = nested.step.get();
  StepInfo& info = segment_->info.back();
  info.bodies = nested.bodies;
  info.inputs.clear();
  info.outputs.clear();
  for (ValueId id : node.inputs)
    if (id != kNone) info.inputs.push_back(static_type(id));
  for (ValueId id : node.outputs)
    if (id != kNone) info.outputs.push_back(static_type(id));
  for (std::size_t o = 0; o < node.outputs.size(); ++o) {
    if (!is_input(o) || node.outputs[o] == kNone) continue;
    Slot same;
    same.same_as = slot_for({node.inputs[nested.input_of(o)]});
    same.bytes = slots_[same.same_as].bytes;
    state_.slots(node.outputs[o]).dense = add_slot(same);
  }
}

// Chooses a kernel for the late step, or says why there is none; returns what runs it.
std::string Planner::choose_late(const Node& node, LateStep& late) {
  const SelectFn select = find_late_select(node.op);
  if (!find_select(node.op) && !select) {
    refuse("fast", "there is no fast kernel for " + std::string(node.op->name));
    return kReference;
  }
  if (lacks_first_output(node)) {
    refuse("fast", std::string(kLacksFirstOutput));
    return kReference;
  }
  bool tensors = true, small = false;
  for (const ValueId id : node.inputs) {
    if (id == kNone) continue;
    const opset::ValueType& type = state_.values[id].type;
    tensors = tensors && type.is_tensor() && type.is_static();
    small = small || (tensors && !graph_.value(id).is_constant() && is_small(dtype_of(id), dims_of(id)));
  }
  if (select) {
    if (!tensors) refuse("fast", "it reads a value of unknown sizes");
    emitted_ = false;
    to_pass_over_ = options_.passed_over;
    late_ = &late;
    const bool taken = tensors && offer(select, {});
    late_ = nullptr;
    return taken ? std::move(late_name_) : kReference;
  }
  refuse("fast", tensors ? "the sizes of the output follow from contents that are only known when it runs"
                         : "it reads or makes a value that is not a tensor");
  if (!tensors || !small || !is_worth_choosing(node, false)) return kReference;
  late.choice = &state_.bodies->choice(late.node, 0);
  return kChosenWhenRun;
}

void Planner::plan_late(const Node& node, std::uint32_t index, const Nested* nested) {
  node_ = &node;
  if (node.subgraphs.empty() && !opset::find_reference(*node.op, node.schema->since))
    throw Error(ErrorCode::NotImplemented, "there is no kernel for " + opset::full_name(*node.op));
  // Copies that the inputs need, of caches with room as well, are steps before this one: all of them, as what they
  // give has to last until it.
  std::vector<ValueId> read;
  program::for_each_use(node, [&](ValueId id) { read.push_back(id); });
  for (ValueId id : read)
    if (state_.values[id].type.is_tensor() && !is_stored(id)) slot_for({id, Layout::Dense});
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
  std::string kernel = node.subgraphs.empty() ? kReference : "control flow";
  if (node.subgraphs.empty() && !options_.reference_only) kernel = choose_late(node, late);
  if (nested) {
    late.nested = nested->step;
    late.stacked = nested->stacked;
    late.given = nested->inputs;
    for (const opset::Fact& output : nested->outputs) late.types.push_back(static_type_of(output.type));
  }
  Step step;
  step.late = static_cast<std::uint32_t>(segment_->late.size());
  segment_->late.push_back(std::move(late));
  segment_->steps.push_back(step);
  segment_->info.push_back({index, std::move(kernel), std::move(refusals_), std::move(types), {}});
  if (nested) segment_->info.back().bodies = nested->bodies;
  refusals_.clear();
}
std::shared_ptr<Segment> plan_segment(PlanState& state, std::shared_ptr<Segment> segment, const PlanOptions& options) {
  return Planner(state, std::move(segment), options).run();
}

}  // namespace norn::runtime
