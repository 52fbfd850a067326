// Outputs in memory of inputs that the caller gives up: in place, or behind what lies there.
//
// Trap: a tensor with room is only written to behind its elements, never where they are, so that its readers see the
// same elements before and after.
#include <algorithm>

#include "base/checked.h"
#include "kernels/cpu/movement.h"
#include "ops/common/shapes.h"
#include "runtime/arena.h"
#include "runtime/donations.h"
#include "runtime/planner.h"

namespace norn::runtime {

namespace {

std::vector<std::int64_t> spaced_strides(Shape dims, std::int64_t axis, std::int64_t capacity) {
  dims[static_cast<std::size_t>(axis)] = capacity;
  return ops::dense_strides(dims);
}

bool is_dense(const Shape& dims, const std::vector<std::int64_t>& strides) {
  const std::vector<std::int64_t> dense = ops::dense_strides(dims);
  for (std::size_t d = 0; d < dims.size(); ++d)
    if (dims[d] != 1 && dense[d] != strides[d]) return false;
  return true;
}

// Half as much again, so that copies are a constant factor of what is appended.
std::int64_t roomy(std::int64_t positions) { return positions + std::max<std::int64_t>(positions / 2, 16); }

}  // namespace

// A value of the run that has room: as it lies, and dense where that is the same.
std::uint32_t Planner::spaced_slot(std::uint32_t run_value, program::ValueId id, std::int64_t axis,
                                   std::int64_t capacity) {
  const Shape& dims = dims_of(id);
  std::vector<std::int64_t> strides = spaced_strides(dims, axis, capacity);
  const bool dense = is_dense(dims, strides);
  Slot slot;
  slot.where = {.kind = Location::Kind::Run, .index = run_value, .spaced = true};
  slot.bytes = bytes_of(id);
  const std::uint32_t at = add_slot(slot);
  PlanState::Slots& of = state_.slots(id);
  if (dense) {
    of.dense = at;
  } else {
    of.view = static_cast<std::uint32_t>(views_.size());
    views_.push_back({std::move(strides), at, 0, 0, false, true});
  }
  return at;
}

void Planner::take_rooms() {
  if (state_.depth != 0) return;
  for (const InputRoom& room : state_.rooms)
    if (room.capacity >= 0) spaced_slot(room.input, graph_.inputs[room.input], room.axis, room.capacity);
}

const InputRoom* Planner::room_of(ValueId past) const {
  if (state_.depth != 0) return nullptr;
  const auto room = std::find_if(state_.rooms.begin(), state_.rooms.end(),
                                 [&](const InputRoom& r) { return r.donated && graph_.inputs[r.input] == past; });
  return room == state_.rooms.end() ? nullptr : &*room;
}

bool Planner::can_append(ValueId past, ValueId out, std::int64_t axis) const {
  only_emits_ = false;
  if (!parts_.empty() || !room_of(past) || !state_.uses.is_output(out) || appended_.contains(past)) return false;
  Shape dims = dims_of(out);
  if (dtype_of(out) == DataType::String || dtype_of(out) != dtype_of(past) || element_count(dims) == 0) return false;
  std::int64_t& positions = dims[static_cast<std::size_t>(axis)];
  positions = roomy(positions);
  return tensor_bytes(dtype_of(out), dims).has_value();
}

void Planner::append(ValueId past, ValueId out, std::int64_t axis, const std::vector<Piece>& behind) {
  if (appended_.contains(past)) throw Error(ErrorCode::Internal, "two outputs are appended to one input");
  const InputRoom& room = *room_of(past);
  const auto along = static_cast<std::size_t>(axis);
  const Shape& dims = dims_of(out);
  Segment::Allocation allocation{new_run_value(), dtype_of(out), dims, state_.uses.output_of(out)};
  allocation.donor = room.input;
  allocation.axis = axis;
  allocation.appends = room.axis == axis && dims[along] <= room.capacity;
  allocation.capacity = allocation.appends ? room.capacity : roomy(dims[along]);
  const std::uint32_t target = spaced_slot(allocation.run_value, out, axis, allocation.capacity);
  const std::vector<std::int64_t> strides = spaced_strides(dims, axis, allocation.capacity);
  std::int64_t first = 0;
  const auto write = [&](const Piece& piece, const char* name) {
    const std::int64_t at = first;
    first += piece.dims[along];
    if (element_count(piece.dims) == 0) return;
    kernels::StridedCopyConfig config;
    config.dims = piece.dims;
    config.x_strides = piece.strides;
    config.out_strides = strides;
    config.out_offset = at * strides[along];
    config.element_bytes = element_size(dtype_of(out));
    config.out_elements = element_count(piece.dims);
    std::shared_ptr<const kernels::Kernel> kernel;
    std::string why;
    for (const auto& candidate : kernels::strided_copy_candidates()) {
      if (kernel) break;
      why = candidate.refuses(config);
      if (why.empty()) kernel = candidate.make(config, packed());
    }
    if (!kernel) throw Error(ErrorCode::LimitExceeded, "no kernel appends to " + to_string(dims) + ": " + why);
    const std::uint32_t source = slot_for({piece.value, Layout::Dense, piece.as_it_lies});
    emit_copy(std::move(kernel), name, {source}, target, piece.value, node_index_, first_);
    segment_->info.back().outputs = {static_type(out)};
    segment_->info.back().donated = room.input;
  };
  if (allocation.appends)
    first = dims_of(past)[along];
  else
    write(piece(past), "copy to where there is room");
  for (const Piece& p : behind) write(p, "append in place");
  state_.values[out].where = {.kind = Location::Kind::Run, .index = allocation.run_value};
  segment_->allocations.push_back(std::move(allocation));
  appended_.insert({past, out});
  emitted_ = true;
}

// Outputs that are computed in place of an input which nothing else reads.
void Planner::find_donors() {
  if (state_.depth != 0 || !state_.donates) return;
  std::set<std::uint32_t> given;
  for (Segment::Allocation& a : segment_->allocations) {
    if (a.output == program::kNone || a.has_room() || a.dtype == DataType::String) continue;
    const auto made = std::find_if(slots_.begin(), slots_.end(), [&](const Slot& s) {
      return s.same_as == kNoSlot && s.where.kind == Location::Kind::Run && s.where.index == a.run_value;
    });
    if (made == slots_.end() || !made->in_place || made->first < 0) continue;
    const auto step = static_cast<std::size_t>(made->first);
    const std::size_t begin = segment_->steps[step].operands;
    const std::size_t end =
        step + 1 < segment_->steps.size() ? segment_->steps[step + 1].operands : pointer_slots_.size();
    for (std::size_t p = begin; p < end; ++p) {
      if (pointer_slots_[p] == kNoSlot) continue;
      const Slot& from = slots_[root(pointer_slots_[p])];
      if (from.where.kind != Location::Kind::Run || from.where.index >= graph_.inputs.size() || from.where.spaced ||
          !from.yields || from.last != made->first || from.bytes != made->bytes)
        continue;
      const ValueId id = graph_.inputs[from.where.index];
      if (state_.uses.readers(id).size() != 1 || state_.uses.is_output(id) || !given.insert(from.where.index).second)
        continue;
      a.donor = from.where.index;
      segment_->info[step].donated = from.where.index;
      break;
    }
  }
}

}  // namespace norn::runtime
