// What a segment keeps from one run to the next: frames.
#include <algorithm>
#include <new>

#include "base/checked.h"
#include "base/text.h"
#include "norn/error.h"
#include "runtime/arena.h"
#include "runtime/nested.h"
#include "runtime/plan.h"

namespace norn::runtime {

namespace {

template <class T>
std::size_t held(const std::vector<T>& v) {
  return v.capacity() * sizeof(T);
}

const program::Node& operation_at(const program::Graph& graph, std::uint32_t node, std::uint32_t operation) {
  const program::Node& first = graph.nodes[node];
  return operation == 0 ? first : first.parts[operation - 1];
}

}  // namespace

const program::Node& operation_of(const program::Graph& graph, const StepInfo& info, std::uint32_t k) {
  return operation_at(graph, info.node, info.first + k);
}

const program::Node& operation_of(const program::Graph& graph, const SparedNode& spared) {
  return operation_at(graph, spared.node, spared.operation);
}

std::string shapes_text(const program::Graph& graph, const StepInfo& info) {
  const auto text = [](const std::vector<StaticType>& types, const std::vector<std::string>& names) {
    std::string list;
    for (std::size_t i = 0; i < types.size(); ++i)
      list += (i ? ", " : "") + (names.size() == types.size() ? base::quoted(names[i]) + " " : std::string()) +
              std::string(data_type_name(types[i].dtype)) + to_string(types[i].dims);
    return list;
  };
  std::vector<std::string> names;
  if (info.operations == 1) {
    for (const program::ValueId id : operation_of(graph, info).inputs)
      if (id != program::kNone) names.push_back(graph.value(id).name);
  }
  return text(info.inputs, names) + " -> " + text(info.outputs, {});
}

std::size_t Segment::bytes() const {
  std::size_t total = sizeof(Segment) + held(steps) + held(info) + held(spared) + held(kernels) + held(late) +
                      held(pointers) + held(patches) + held(allocations) + held(settled) + held(bound) +
                      held(late_values) + held(constants) + held(results) + sizeof(Frame) +
                      pointers.size() * sizeof(void*);
  for (const auto& kernel : kernels) total += kernel->bytes();
  for (const StepInfo& i : info) {
    total += i.kernel.capacity() + held(i.refusals) + held(i.inputs) + held(i.outputs) + held(i.bodies);
    for (const auto* types : {&i.inputs, &i.outputs})
      for (const StaticType& t : *types) total += held(t.dims);
    for (const Refusal& r : i.refusals) total += r.kernel.capacity() + r.reason.capacity();
  }
  for (const norn::Tensor& t : constants) total += t.bytes();
  for (const Settled& s : settled) {
    if (s.state.type.shape) total += s.state.type.shape->capacity() * sizeof(opset::DimExpr);
    if (s.state.known.constant.defined()) total += s.state.known.constant.bytes();
  }
  for (const Result& r : results) total += held(r.type.dims);
  for (const LateStep& step : late) {
    if (step.nested) total += step.nested->bytes() + held(step.types) + held(step.given);
    if (step.kernel) total += step.kernel->bytes();
    total += held(step.inputs) + held(step.captures) + held(step.outputs) + held(step.operands);
    for (const auto& list : step.captures) total += held(list);
  }
  return total;
}

bool Segment::is_whole() const noexcept {
  const auto fits = [](DataType type) { return type != DataType::Undefined && type != DataType::String; };
  return last() && late.empty() &&
         std::all_of(allocations.begin(), allocations.end(), [&](const Allocation& a) { return fits(a.dtype); }) &&
         std::all_of(results.begin(), results.end(), [&](const Result& r) { return fits(r.type.dtype); });
}

std::unique_ptr<Frame> Segment::take_frame(ArenaPool& arenas) const {
  std::unique_ptr<Frame> frame = frames_.take();
  if (!frame) {
    frame = std::make_unique<Frame>();
    frame->pointers.resize(pointers.size(), nullptr);
    for (std::size_t i = 0; i < pointers.size(); ++i)
      if (pointers[i].kind == Location::Kind::Constant)
        frame->pointers[i] = static_cast<std::byte*>(const_cast<void*>(pointers[i].constant)) + pointers[i].offset;
  }
  const auto scratch_at = base::checked_round_up(std::uint64_t{arena_bytes}, kArenaAlign);
  const auto total =
      scratch_at ? base::checked_add(*scratch_at, std::uint64_t{scratch_bytes} + kArenaAlign) : std::nullopt;
  try {
    if (!total) throw std::bad_alloc();
    frame->arena = arenas.take(*total, frame->base);
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::LimitExceeded,
                "there is no memory for the intermediates of these shapes: " + std::to_string(arena_bytes) +
                    " bytes, and " + std::to_string(scratch_bytes) + " for scratch");
  }
  auto* const base = static_cast<std::byte*>(frame->arena.memory.get());
  if (base != frame->base) {
    frame->base = base;
    frame->scratch = base + *scratch_at;
    for (std::size_t i = 0; i < pointers.size(); ++i)
      if (pointers[i].kind == Location::Kind::Arena) frame->pointers[i] = base + pointers[i].offset;
  }
  return frame;
}

void Segment::give_back(std::unique_ptr<Frame> frame, ArenaPool& arenas) const noexcept {
  arenas.give_back(std::move(frame->arena));
  frames_.give(std::move(frame), kMaxFrames);
}

}  // namespace norn::runtime
