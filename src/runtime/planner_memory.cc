// Slots, copies between layouts, and where everything lies.
#include <algorithm>
#include <set>

#include "kernels/cpu/reorder.h"
#include "runtime/arena.h"
#include "runtime/planner.h"
#include "runtime/reference_kernel.h"

namespace norn::runtime {

using kernels::Layout;
using program::kNone;

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
  if (const auto lazy = lazy_.find(operand.value); lazy != lazy_.end() && !lazy->second.made)
    make_real(operand.value, lazy->second);
  if (operand.as_it_lies && strides_of(operand.value)) return views_[of.view].slot;
  if (of.view != kNoSlot && of.dense == kNoSlot && (operand.layout == Layout::Dense || of.other == kNoSlot)) {
    make_whole(operand);
    if (operand.layout != Layout::Dense) return of.other;
  }
  if (operand.layout == Layout::Dense && of.dense == kNoSlot && of.other == kNoSlot) {
    Slot slot;
    slot.bytes = bytes_of(operand.value);
    if (const norn::Tensor* contents = constant_of(operand.value)) {
      if (!is_shared_constant(operand.value)) segment_->constants.push_back(*contents);
      slot.where.kind = Location::Kind::Constant;
      if (operand.anywhere && is_shared_constant(operand.value)) {  // others may need it aligned
        slot.where.constant = contents->bytes_in_place();
        return add_slot(slot);
      }
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
  config.element_bytes = element_size(dtype_of(operand.value));
  const Operand from{operand.value, config.from};
  for (const auto& candidate : kernels::reorder_candidates()) {
    if (!candidate.refuses(config).empty()) continue;
    const std::uint32_t source = slot_for(from);
    const std::uint32_t target = new_slot(operand);
    emit_copy(candidate.make(config, packed()), "reorder (" + std::string(candidate.name) + ")", {source}, target,
              operand.value, node_index_, first_);
    return target;
  }
  throw Error(ErrorCode::Internal, "no kernel reorders " + to_string(config.dims));
}

// A step that gives the same value other memory.
void Planner::emit_copy(std::shared_ptr<const kernels::Kernel> kernel, std::string name,
                        const std::vector<std::uint32_t>& sources, std::uint32_t target, ValueId id, std::uint32_t node,
                        std::uint32_t operation) {
  const auto at = static_cast<std::int64_t>(segment_->steps.size());
  Step step;
  step.operands = static_cast<std::uint32_t>(pointer_slots_.size());
  for (const std::uint32_t source : sources) {
    pointer_to(source);
    if (source == kNoSlot) continue;
    std::int64_t& last = slots_[root(source)].last;
    last = std::max(last, at);  // it may be needed by later segments
  }
  pointer_to(target);
  step.kernel = kernel.get();
  slots_[target].first = slots_[target].last = at;
  segment_->kernels.push_back(std::move(kernel));
  segment_->steps.push_back(step);
  const StaticType type = static_type(id);
  segment_->info.push_back({node, std::move(name), {}, {type}, {type}, operation});
  segment_->info.back().copies = true;
}

void Planner::strided_view(std::size_t i, std::vector<std::int64_t> strides, std::int64_t offset, std::size_t o) {
  only_emits_ = false;
  const ValueId from = node_->inputs[i], to = node_->outputs[o];
  const Shape& dims = dims_of(to);
  const PlanState::Slots& source = state_.slots(from);
  Slot slot;  // in the one that lying_strides() describes
  slot.same_as = !strides_of(from) && source.dense == kNoSlot && source.other != kNoSlot
                     ? source.other
                     : slot_for({from, Layout::Dense, true});
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
  PlanState::Slots& of = state_.slots(to);
  // Channels last, as a reorder makes it, or with other channels between.
  const DataType type = dtype_of(to);
  const bool has_layouts = type == DataType::Float || type == DataType::Uint8 || type == DataType::Int8;
  if (has_layouts && dims.size() >= 3 && dims[1] > 1 && strides[1] == 1) {
    of.made = Layout::ChannelsLast;
    const std::vector<std::int64_t> reordered = kernels::layout_strides(dims, Layout::ChannelsLast);
    bool same = true;
    for (std::size_t d = 0; d < dims.size(); ++d) same = same && (dims[d] == 1 || strides[d] == reordered[d]);
    if (same) {
      of.other = id;
      of.other_layout = Layout::ChannelsLast;
    }
  }
  of.view = static_cast<std::uint32_t>(views_.size());
  views_.push_back({std::move(strides), id, node_index_, first_});
}

void Planner::make_whole(const Operand& operand) {
  StridedView& view = views_[state_.slots(operand.value).view];
  auto [kernel, name] =
      whole_copy(dims_of(operand.value), view.strides, operand.layout, element_size(dtype_of(operand.value)), packed());
  const std::uint32_t target = new_slot(operand);
  // An input is copied for the node at hand.
  emit_copy(std::move(kernel), std::move(name), {view.slot}, target, operand.value,
            view.given ? node_index_ : view.node, view.given ? first_ : view.operation);
  view.copied = true;
}

// In the layout in which the integers lie.
void Planner::make_real(ValueId id, LazyValue& lazy) {
  const Layout layout = made_in(id);
  lazy.made = true;
  const Dequantized& from = lazy.from;
  auto kernel = dequantizing_kernel(dtype_of(from.x), dims_of(from.x), packed());
  std::vector<std::uint32_t> sources = {slot_for({from.x, layout}), slot_for({from.scale}), kNoSlot};
  if (from.zero != kNone) sources[2] = slot_for({from.zero});
  const std::uint32_t target = new_slot({id, layout});
  state_.slots(id).made = layout;
  emit_copy(std::move(kernel), "dequantize", sources, target, id, lazy.node, lazy.operation);
}

// Graph outputs take their memory from the run; values that later segments read keep their arena place to the end.
void Planner::settle_outputs(const std::vector<ValueId>& settled) {
  std::set<std::uint32_t> taken;  // roots that are some output's memory already
  for (ValueId id : settled) {
    // Constants known from shapes are handed out as they are.
    if (!state_.uses.is_output(id) || !has_slot(id) || appended_.contains(id)) continue;
    const std::uint32_t slot = slot_for({id, Layout::Dense});
    const std::uint32_t base = root(slot);
    const Location where = slots_[base].where;
    const bool whole = is_whole(slot);
    // Known strings are handed out, too: they cannot be copied as bytes.
    if (dtype_of(id) == DataType::String && where.kind == Location::Kind::Constant) continue;
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
      segment_->info.back().copies = true;
    }
    segment_->allocations.push_back({run_value, dtype_of(id), dims_of(id), state_.uses.output_of(id)});
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

// Which late steps are the last to read a value that is not a tensor: they may take it.
void Planner::find_last_reads() {
  std::set<ValueId> read;  // by later steps
  for (std::size_t s = segment_->late.size(); s-- > 0;) {
    LateStep& late = segment_->late[s];
    const Node& node = graph_.nodes[late.node];
    std::vector<std::vector<std::pair<ValueId, LateStep::Input*>>> reads(1);
    for (std::size_t i = 0; i < late.inputs.size(); ++i) reads[0].emplace_back(node.inputs[i], &late.inputs[i]);
    for (std::size_t g = 0; g < late.captures.size(); ++g) {
      // Of the graphs of an If, one runs.
      if (node.op->control_flow == opset::ControlFlow::If) reads.emplace_back();
      for (std::size_t c = 0; c < late.captures[g].size(); ++c)
        reads.back().emplace_back(node.subgraphs[g].graph->captures[c].outer, &late.captures[g][c]);
    }
    std::set<ValueId> here;
    for (const auto& together : reads) {
      std::map<ValueId, std::size_t> times;
      for (const auto& [id, input] : together)
        if (input->kind == LateStep::Input::Kind::Run) ++times[id];
      for (const auto& [id, input] : together)
        if (const auto found = times.find(id); found != times.end())
          input->last =
              found->second == 1 && !read.contains(id) && !state_.uses.is_output(id) && !state_.has_waiting_reader(id);
      for (const auto& [id, n] : times) here.insert(id);
    }
    read.merge(here);
  }
}

// What planning continues from, and where the outputs are once nothing is left to plan.
void Planner::hand_on(const std::vector<ValueId>& settled) {
  find_last_reads();
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
      const opset::ValueType& type = state_.values[id].type;
      if (type.is_tensor() && type.is_static()) result.type = static_type(id);
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
}  // namespace norn::runtime
