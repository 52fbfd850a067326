#include "runtime/executor.h"

#include <algorithm>

#include "opset/reference.h"
#include "runtime/control_flow.h"

namespace norn::runtime {

using program::kNone;
using program::Origin;
using program::ValueId;

opset::ValueType type_of(const Value& value) {
  opset::ValueType type;
  if (value.is_tensor()) {
    const Tensor& t = value.tensor();
    return opset::ValueType::tensor(t.dtype(), opset::Dims(t.dims().begin(), t.dims().end()));
  }
  if (value.is_sequence()) {
    const auto& items = value.sequence().items;
    // Elements may differ in shape: the sequence's type keeps the element type only.
    opset::ValueType element = items.empty() ? opset::ValueType() : type_of(items.front());
    element.shape.reset();
    return opset::ValueType::sequence(std::move(element));
  }
  if (value.is_map()) {
    type.kind = opset::ValueType::Kind::Map;
    type.elem = value.map().keys.dtype();
  }
  if (value.is_sparse()) {
    type.kind = opset::ValueType::Kind::SparseTensor;
    type.elem = value.sparse().values.dtype();
  }
  return type;
}

namespace {

// A value that keeps its memory alive by itself: parts that lie in an arena or in a caller's memory are copied.
Value owned(Value value) {
  if (value.is_tensor()) return value.tensor().owns() ? std::move(value) : Value(value.tensor().clone());
  if (value.is_sequence()) {
    const auto& items = value.sequence().items;
    if (std::all_of(items.begin(), items.end(), [](const Value& v) { return v.is_tensor() && v.tensor().owns(); }))
      return value;
    Sequence copy;
    for (const Value& item : items) copy.items.push_back(owned(item));
    return Value(std::move(copy));
  }
  return value;
}

}  // namespace

Executor::Executor(const program::Graph& graph, const PlanOptions& options) : graph_(graph), options_(options) {
  inputs_ = static_cast<std::uint32_t>(graph.inputs.size() + graph.captures.size());
  subgraphs_.resize(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (const program::Subgraph& sub : graph.nodes[i].subgraphs)
      subgraphs_[i].push_back(std::make_unique<Executor>(*sub.graph, options));
}

Executor::~Executor() = default;

std::vector<std::int64_t> Executor::sizes_of(std::span<const Value> values) const {
  std::vector<std::int64_t> key;
  for (const Value& value : values) {
    if (!value.is_tensor()) {
      key.push_back(value.is_empty() ? -1 : value.is_sequence() ? -2 : -3);
      // What a sequence holds decides the types behind it.
      if (value.is_sequence() && !value.sequence().items.empty() && value.sequence().items.front().is_tensor())
        key.push_back(static_cast<std::int64_t>(value.sequence().items.front().tensor().dtype()));
      continue;
    }
    const Tensor& t = value.tensor();
    key.push_back(static_cast<std::int64_t>(t.dtype()));
    key.push_back(t.rank());
    key.insert(key.end(), t.dims().begin(), t.dims().end());
  }
  return key;
}

std::shared_ptr<const Segment> Executor::first_segment(std::span<const Value> inputs) const {
  std::vector<std::int64_t> key = sizes_of(inputs);
  {
    std::shared_lock lock(mutex_);
    for (const auto& [sizes, plan] : plans_)
      if (sizes == key) return plan;
  }
  PlanState state;
  state.types.resize(graph_.values.size());
  state.known.resize(graph_.values.size());
  state.where.resize(graph_.values.size());
  for (ValueId id = 0; id < graph_.values.size(); ++id) {
    const program::Value& value = graph_.value(id);
    if (value.origin != Origin::Constant && value.origin != Origin::State) continue;
    state.types[id] = value.type;
    if (value.is_constant()) state.known[id] = value.known;
    if (value.constant.defined())
      state.where[id] = {Location::Kind::Constant, 0, 0, value.constant.data()};
  }
  auto give = [&](ValueId id, std::uint32_t index, const Value& value) {
    state.types[id] = value.is_empty() ? graph_.value(id).type : type_of(value);
    state.where[id] = {Location::Kind::Run, index, 0, nullptr};
  };
  std::uint32_t at = 0;
  for (ValueId id : graph_.inputs) {
    give(id, at, inputs[at]);
    ++at;
  }
  for (const program::Graph::Capture& c : graph_.captures) {
    give(c.inner, at, inputs[at]);
    ++at;
  }
  state.run_values = inputs_;
  for (std::uint32_t i = 0; i < graph_.nodes.size(); ++i) state.remaining.push_back(i);
  std::shared_ptr<const Segment> plan = plan_segment(graph_, state, options_);
  std::unique_lock lock(mutex_);
  for (const auto& [sizes, other] : plans_)
    if (sizes == key) return other;  // somebody was quicker
  if (plans_.size() >= kMaxPlans) plans_.erase(plans_.begin());
  plans_.emplace_back(std::move(key), plan);
  return plan;
}

std::shared_ptr<const Segment> Executor::next_segment(const Segment& segment, const std::vector<Value>& values) const {
  std::vector<Value> late;
  for (std::uint32_t index : segment.late_values) late.push_back(values[index]);
  std::vector<std::int64_t> key = sizes_of(late);
  if (auto next = segment.find_next(key)) return next;
  PlanState state = segment.after;
  for (ValueId id = 0; id < graph_.values.size(); ++id) {
    const Location& where = state.where[id];
    if (where.kind != Location::Kind::Run) continue;
    if (std::find(segment.late_values.begin(), segment.late_values.end(), where.index) == segment.late_values.end())
      continue;
    state.types[id] = type_of(values[where.index]);
  }
  std::shared_ptr<const Segment> next = plan_segment(graph_, state, options_);
  segment.keep_next(std::move(key), next);
  return next;
}

void Executor::run_late(const Segment& segment, const LateStep& late, const Frame& frame,
                        std::vector<Value>& values) const {
  (void)segment;
  const program::Node& node = graph_.nodes[late.node];
  auto fetch = [&](const LateStep::Input& in) -> Value {
    if (in.kind == LateStep::Input::Kind::Run) return values[in.index];
    return Tensor::borrow(in.dtype, in.dims, frame.pointers[in.index]);
  };
  std::vector<Value> held(late.inputs.size());
  std::vector<const Value*> inputs(late.inputs.size(), nullptr);
  for (std::size_t i = 0; i < late.inputs.size(); ++i) {
    if (late.inputs[i].kind == LateStep::Input::Kind::Omitted) continue;
    held[i] = fetch(late.inputs[i]);
    inputs[i] = &held[i];
  }
  std::vector<Value> outputs;
  if (node.subgraphs.empty()) {
    outputs = opset::evaluate(*node.op, node.attributes(), inputs, static_cast<int>(node.outputs.size()));
  } else {
    outputs = run_control_flow(node, inputs, [&](std::size_t index, std::span<const Value> formals) {
      std::vector<Value> arguments(formals.begin(), formals.end());
      for (const LateStep::Input& in : late.captures[index]) arguments.push_back(fetch(in));
      return subgraphs_[late.node][index]->run(arguments);
    });
  }
  for (std::size_t i = 0; i < late.outputs.size() && i < outputs.size(); ++i)
    if (late.outputs[i] != kNone) values[late.outputs[i]] = owned(std::move(outputs[i]));
}

std::vector<Value> Executor::run(std::span<const Value> inputs) const {
  // Frames stay taken until the run ends: later segments read what earlier ones made.
  struct Taken {
    std::shared_ptr<const Segment> segment;
    std::unique_ptr<Frame> frame;
  };
  struct Frames {
    std::vector<Taken> list;
    ~Frames() {
      for (Taken& t : list) t.segment->give_back(std::move(t.frame));
    }
  } taken;

  std::vector<Value> values(inputs.begin(), inputs.end());
  std::shared_ptr<const Segment> segment = first_segment(inputs);
  for (;;) {
    values.resize(segment->after.run_values);
    taken.list.push_back({segment, segment->take_frame()});
    Frame& frame = *taken.list.back().frame;
    for (const Segment::Allocation& a : segment->allocations) values[a.run_value] = Tensor(a.dtype, a.dims);
    for (std::uint32_t at : segment->patches) {
      const Location& where = segment->pointers[at];
      if (where.kind == Location::Kind::Run)
        frame.pointers[at] = const_cast<void*>(values[where.index].tensor().data());
      else
        frame.pointers[at] = static_cast<std::byte*>(taken.list[where.index].frame->arena.get()) + where.offset;
    }
    const Step* const first = segment->steps.data();
    const Step* const end = first + segment->steps.size();
    const Step* step = first;
    try {
      for (; step != end; ++step) {
        if (step->kernel) [[likely]]
          step->kernel->run(frame.pointers.data() + step->operands, frame.scratch);
        else
          run_late(*segment, segment->late[step->late], frame, values);
      }
    } catch (Error& e) {
      const StepInfo& info = segment->info[static_cast<std::size_t>(step - first)];
      const std::string& path = graph_.nodes[info.node].path();
      if (e.where().find(path) == std::string::npos) e.within(info.shapes.empty() ? path : path + " / " + info.shapes);
      throw;
    }
    if (segment->last()) break;
    segment = next_segment(*segment, values);
  }

  std::vector<Value> outputs;
  outputs.reserve(graph_.outputs.size());
  const PlanState& after = segment->after;
  for (ValueId id : graph_.outputs) {
    const Location& where = after.where[id];
    const program::Value& value = graph_.value(id);
    if (where.kind == Location::Kind::Run && where.index >= inputs_)
      outputs.push_back(values[where.index]);
    else if (where.kind == Location::Kind::Run)  // an input handed through: the caller keeps its own
      outputs.push_back(values[where.index].is_tensor() ? Value(values[where.index].tensor().clone())
                                                        : values[where.index]);
    else if (value.constant.defined())
      outputs.push_back(value.constant.clone());
    else if (after.known[id].constant.defined())
      outputs.push_back(after.known[id].constant.clone());
    else
      throw Error(ErrorCode::Internal, "the output \"" + value.name + "\" was not planned");
  }
  return outputs;
}

void Executor::describe(std::span<const Value> inputs,
                        const std::function<void(const program::Graph&, const Segment&)>& f) const {
  f(graph_, *first_segment(inputs));
}

}  // namespace norn::runtime
