#include "runtime/executor.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>

#include "base/given_up.h"
#include "base/room.h"
#include "base/stop.h"
#include "kernels/late_output.h"
#include "norn/spaced.h"
#include "ops/nn/attention/attention.h"
#include "ops/tensor/concat/concat.h"
#include "opset/reference.h"
#include "runtime/body_inputs.h"
#include "runtime/content_choice.h"
#include "runtime/control_flow.h"
#include "runtime/hand_out.h"
#include "runtime/plan_key.h"
#include "runtime/walk.h"

namespace norn::runtime {

using program::kNone;
using program::ValueId;

namespace {

std::vector<std::int64_t> key_of(std::span<const Value> values) {
  std::vector<std::int64_t> key;
  for (const Value& value : values) append_key(key, value);
  return key;
}

// A value that owns its memory: what lies in an arena or in a caller's memory is copied, and so is what a late step
// hands on that lies in a reserve, since its owner does not show that the cache lies there, too.
// Kernels that make sequences copy what they put in, and a list is not looked through each time that it grows by one.
Value owned(Value value) {
  if (!value.is_tensor()) return value;
  const Tensor& tensor = value.tensor();
  return tensor.owns() && !base::lies_in_reserve(tensor) ? std::move(value) : Value(tensor.clone());
}

}  // namespace

namespace {

// A copy for the caller, in memory that later runs use again.
Tensor copied(const Tensor& tensor, ArenaPool& arenas) {
  if (!tensor.defined() || tensor.dtype() == DataType::String || base::room_of(tensor)) return tensor.clone();
  Tensor copy = arenas.tensor(tensor.dtype(), tensor.dims());
  if (tensor.bytes() > 0) std::memcpy(copy.mutable_data(), tensor.bytes_in_place(), tensor.bytes());
  return copy;
}

// Inputs that a Concat begins with whose result is an output, and caches of Attention.
std::vector<bool> appended_inputs(const program::Graph& graph, const GraphUses& uses) {
  std::vector<bool> found(graph.inputs.size() + graph.captures.size(), false);
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    for (const std::uint32_t n : uses.readers(graph.inputs[i])) {
      const program::Node& node = graph.nodes[n];
      const auto appends = [&](std::size_t input, std::size_t output) {
        return input < node.inputs.size() && node.inputs[input] == graph.inputs[i] && output < node.outputs.size() &&
               node.outputs[output] != kNone && uses.is_output(node.outputs[output]);
      };
      if (node.op == &ops::Concat ? appends(0, 0) : node.op == &ops::Attention && (appends(4, 1) || appends(5, 2)))
        found[i] = true;
    }
  return found;
}

}  // namespace

// One run: its values, and the segments it goes through with their frames, which stay taken until the run ends, since
// later segments read what earlier ones made.
class Executor::Run {
 public:
  Run(const Executor& executor, std::vector<Value> inputs, const Call& call)
      : e_(executor),
        context_{base::current_stop(), call.watch, call.given_from != nullptr},
        given_from_(call.given_from),
        inputs_(inputs.size()),
        places_(call.places),
        donations_(call.donations),
        rooms_(call.rooms),
        values_(std::move(inputs)),
        roomy_(!call.rooms.empty()) {}
  ~Run() {
    if (restarts_) e_.states_before_.give(std::move(state_), 1);
    for (Taken& t : taken_)
      if (t.frame) t.segment->give_back(std::move(t.frame), e_.kept_.arenas);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  const Segment& first_segment() {
    for (const Value& value : inputs()) append_key(key_, value);
    for (const InputRoom& r : rooms_) key_.insert(key_.end(), {r.input, r.donated ? 1 : 0, r.axis, r.capacity});
    return find_or_plan(e_.id_);
  }
  std::shared_ptr<const Segment> last_taken() const { return taken_.back().segment; }
  // Types of the graph's outputs, as known behind the first segment: sizes that only a run determines are 0.
  std::vector<StaticType> output_types();
  std::vector<Value> run(bool apart);
  std::vector<Value> run(std::shared_ptr<const Segment> whole) {
    taken_.push_back({std::move(whole), nullptr});
    run_segment(*taken_.back().segment);
    return outputs(*taken_.back().segment);
  }

 private:
  struct Taken {
    std::shared_ptr<const Segment> segment;
    std::unique_ptr<Frame> frame;
  };

  std::span<const Value> inputs() const { return std::span(values_).first(inputs_); }
  // The segment for key_ behind `parent`, which is the last one taken.
  const Segment& find_or_plan(std::uint64_t parent);
  // What is known when so many of the segments have been planned.
  PlanState& state_behind(std::size_t segments);
  const Segment& next_segment(const Segment& before);
  bool has_place(const Segment::Allocation& a) const {
    if (places_.empty() || a.output == kNone) return false;
    const Tensor& place = places_[a.output];
    return place.dtype() == a.dtype && place.dims() == a.dims;
  }
  void run_segment(const Segment& segment);
  Tensor allocate(const Segment::Allocation& a);
  void run_late(const LateStep& late, const Frame& frame);
  std::vector<Value> run_nested(const LateStep& late, std::span<const Value* const> inputs, const Frame& frame);
  std::vector<Value> run_sizing(const LateStep& late, std::span<const Value> inputs);
  // Where a value's elements lie; dense where `spaced` is not said.
  std::byte* memory(std::uint32_t run_value, bool spaced);
  bool may_take(std::uint32_t run_value) const { return !e_.main_ || run_value >= inputs_; }
  Value fetch(const LateStep::Input& in, const Frame& frame) const;
  // The same, and a sequence that nothing reads any more leaves the run.
  Value take(const LateStep::Input& in, const Frame& frame);
  std::vector<Value> outputs(const Segment& last);

  const Executor& e_;
  const RunContext context_;
  const GivenFrom* const given_from_;
  const std::size_t inputs_;  // the first of the run's values
  std::span<const Tensor> places_;
  Donations* const donations_;
  std::span<const InputRoom> rooms_;
  std::vector<Value> values_;  // the run's table
  std::vector<Taken> taken_;
  std::vector<std::int64_t> key_;
  // Dense copies of values with room, for readers that expect dense ones; the values themselves stay as they are.
  std::vector<std::pair<std::uint32_t, Tensor>> dense_;
  bool roomy_ = false;                // some may have room
  bool handed_on_ = false;            // outputs may lie in memory of inputs
  std::unique_ptr<PlanState> state_;  // behind the first state_->depth segments of taken_
  bool restarts_ = false;             // it may be used for the next plan
};

std::vector<StaticType> Executor::Run::output_types() {
  const Segment& first = *taken_.front().segment;
  std::vector<StaticType> types;
  for (const Segment::Result& result : first.results) types.push_back(result.type);
  if (first.last()) return types;
  const PlanState& state = state_behind(1);
  for (const ValueId id : e_.graph_.outputs) {
    // Variables are the Program's: a plan has names of its own for what it does not know.
    const opset::ValueType &planned = state.values[id].type, &symbolic = e_.graph_.value(id).type;
    const bool planned_rank = planned.is_tensor() && planned.has_rank();
    const bool symbolic_rank = symbolic.is_tensor() && symbolic.has_rank();
    StaticType type;
    if (planned_rank || symbolic_rank) {
      type.dtype = planned_rank ? planned.elem : symbolic.elem;
      const std::size_t rank = planned_rank ? planned.shape->size() : symbolic.shape->size();
      for (std::size_t d = 0; d < rank; ++d) {
        std::optional<std::int64_t> size;
        if (planned_rank && (*planned.shape)[d].is_constant())
          size = (*planned.shape)[d].constant();
        else if (symbolic_rank && symbolic.shape->size() == rank)
          size = (*symbolic.shape)[d].evaluate([&](std::string_view variable) { return state.size_of(variable); });
        type.dims.push_back(std::max<std::int64_t>(size.value_or(0), 0));
      }
    }
    types.push_back(std::move(type));
  }
  return types;
}

PlanState& Executor::Run::state_behind(std::size_t segments) {
  if (!state_) {
    if (segments == 0) state_ = e_.states_before_.take();
    if (state_)
      state_->restart(inputs(), given_from_);
    else
      state_ = std::make_unique<PlanState>(e_.graph_, e_.uses_, e_.states_, inputs(), &e_,
                                           std::span<const opset::KnownValue>(), given_from_);
    state_->rooms = rooms_;
    state_->donates = e_.main_;
  }
  while (state_->depth < segments) state_->apply(*taken_[state_->depth].segment);
  return *state_;
}

const Segment& Executor::Run::find_or_plan(std::uint64_t parent) {
  taken_.emplace_back();
  std::shared_ptr<const Segment>& segment = taken_.back().segment;
  segment = e_.kept_.plans.find(parent, key_);
  if (!segment) {
    const std::size_t behind = taken_.size() - 1;
    state_behind(behind);
    if (behind > 0) state_->arrive(*taken_[behind - 1].segment, values_);
    const bool first = behind == 0 && !e_.planned_.exchange(true, std::memory_order_relaxed);
    if (behind == 0 && !first) state_->keep_choices();
    const auto made = plan_segment(*state_, e_.kept_.plans.new_segment(), e_.options_);
    restarts_ = state_->choices && behind == 0 && made->last() && made->late.empty();
    segment = e_.kept_.plans.keep(parent, key_, made);
  }
  return *segment;
}

const Segment& Executor::Run::next_segment(const Segment& before) {
  key_.clear();
  for (const Segment::LateValue& late : before.late_values) append_key(key_, values_[late.run_value]);
  return find_or_plan(before.id);
}

std::byte* Executor::Run::memory(std::uint32_t run_value, bool spaced) {
  const Tensor* tensor = &values_[run_value].tensor();
  if (!spaced && roomy_ && base::room_of(*tensor)) {
    auto made = std::find_if(dense_.begin(), dense_.end(), [&](const auto& d) { return d.first == run_value; });
    if (made == dense_.end()) made = dense_.emplace(made, run_value, share_room(*tensor));
    tensor = &made->second;
  }
  return static_cast<std::byte*>(const_cast<void*>(spaced ? tensor->bytes_in_place() : tensor->data()));
}

Value Executor::Run::fetch(const LateStep::Input& in, const Frame& frame) const {
  switch (in.kind) {
    case LateStep::Input::Kind::Omitted: return {};
    case LateStep::Input::Kind::Run: return values_[in.index];
    case LateStep::Input::Kind::Tensor: {
      const Tensor& stored = values_[in.index].tensor();
      if (roomy_ && base::room_of(stored)) return share_room(stored).reshaped(in.dims);
      return stored.dims() == in.dims ? stored : stored.reshaped(in.dims);
    }
    case LateStep::Input::Kind::Pointer: break;
  }
  return Tensor::borrow(in.dtype, in.dims, frame.pointers[in.index]);
}

Value Executor::Run::take(const LateStep::Input& in, const Frame& frame) {
  if (!in.last || !may_take(in.index) || !values_[in.index].is_sequence()) return fetch(in, frame);
  Value taken = std::move(values_[in.index]);
  // Segments that are planned later ask for the types of inputs.
  if (in.index < inputs_)
    values_[in.index] = base::length_of(taken) == 0 ? Sequence{} : Sequence{{base::item_of(taken, 0)}};
  else
    values_[in.index] = Value();
  return taken;
}

void Executor::Run::run_late(const LateStep& late, const Frame& frame) {
  if (context_.stop) context_.stop->check();
  const program::Node& node = e_.graph_.nodes[late.node];
  std::vector<Value> held(late.inputs.size());
  std::vector<Value*> inputs(late.inputs.size(), nullptr);
  for (std::size_t i = 0; i < late.inputs.size(); ++i) {
    if (late.inputs[i].kind == LateStep::Input::Kind::Omitted) continue;
    held[i] = take(late.inputs[i], frame);
    inputs[i] = &held[i];
  }
  std::vector<Value> outputs;
  std::string given_text;  // for errors after a graph has taken the node's sequences
  const auto fail = [&](const Error& e) {
    Error error = node_error(
        e, e_.graph_, node,
        node.path() + " / " + (given_text.empty() ? inputs_text(e_.graph_, node, inputs) : given_text),
        [&](const program::Inlined::Input& input) { return state_behind(taken_.size()).input_type(input); },
        context_.in_body);
    if (e.code() == ErrorCode::InvalidGraph) error.help("correct the node or what it reads, or feed what fits");
    throw error;
  };
  if (late.nested) {
    outputs = run_nested(late, inputs, frame);
  } else if (auto chosen = late.choice ? late.choice->run(held, {}, context_.watch, 0) : std::nullopt) {
    outputs = std::move(*chosen);
  } else if (late.kernel) {
    try {
      outputs = run_sizing(late, held);
    } catch (const Error& e) {
      fail(e);
    }
  } else if (node.subgraphs.empty()) {
    static const Value kNone;
    const base::GivenUp given_up(held.empty() ? kNone : held[0]);
    try {
      outputs =
          opset::evaluate(*node.op, node.attributes(), inputs, static_cast<int>(node.outputs.size()),
                          [this](DataType dtype, const Shape& dims) { return e_.kept_.arenas.tensor(dtype, dims); });
    } catch (const Error& e) {
      fail(e);
    }
  } else {
    if (std::any_of(held.begin(), held.end(), [](const Value& v) { return v.is_sequence(); }))
      given_text = inputs_text(e_.graph_, node, inputs);
    // The graph of an If runs once and may take what it captures; others need it for each round.
    const bool once = node.op->control_flow == opset::ControlFlow::If;
    std::vector<std::vector<Value>> captures(node.subgraphs.size());
    const BodyInputs::Around around = [this]() -> const PlanState& { return state_behind(taken_.size()); };
    const auto with_captures = [&](std::size_t index, std::vector<Value> all) {
      const std::vector<LateStep::Input>& captured = late.captures[index];
      if (captures[index].empty())
        for (const LateStep::Input& in : captured) captures[index].push_back(once ? take(in, frame) : fetch(in, frame));
      for (Value& value : captures[index]) all.push_back(once ? std::move(value) : value);
      return all;
    };
    const auto run_graph = [&](std::size_t index, std::span<Value> formals) {
      if (context_.stop) context_.stop->check();  // a graph may have no step that looks
      std::vector<Value> all;
      all.reserve(formals.size() + late.captures[index].size());
      for (Value& value : formals) all.push_back(value.is_sequence() ? std::exchange(value, Value()) : value);
      const BodyInputs from(around, node, index, formals);
      return e_.subgraphs_[late.node][index]->run(with_captures(index, std::move(all)),
                                                  {.watch = context_.watch, .given_from = &from});
    };
    const auto plan_graph = [&](std::size_t index, std::span<const Value> formals) {
      return e_.subgraphs_[late.node][index]->planned_outputs(
          with_captures(index, std::vector<Value>(formals.begin(), formals.end())));
    };
    try {
      outputs = run_control_flow(node, inputs, run_graph, plan_graph);
    } catch (const Error& e) {
      fail(e);
    }
  }
  handed_on_ = true;
  for (std::size_t i = 0; i < late.outputs.size() && i < outputs.size(); ++i)
    if (late.outputs[i] != kNone) values_[late.outputs[i]] = owned(std::move(outputs[i]));
}

namespace {

// Scan outputs that grow as rounds add to them.
class GrowingStacks final : public Stacks {
 public:
  GrowingStacks(ArenaPool& arenas, std::span<const StaticType> items)
      : arenas_(arenas), items_(items), all_(items.size()) {}

  std::byte* grow(std::size_t index, std::int64_t count, std::int64_t capacity) override {
    Tensor larger = stack(index, capacity);
    if (count > 0) std::memcpy(larger.mutable_data(), all_[index].data(), bytes(index, count));
    all_[index] = std::move(larger);
    return static_cast<std::byte*>(all_[index].mutable_data());
  }
  Tensor take(std::size_t index, std::int64_t count) {
    Tensor& all = all_[index];
    if (count == 0) return stack(index, 0);
    if (all.dims()[0] == count) return std::move(all);
    Tensor exact = stack(index, count);
    std::memcpy(exact.mutable_data(), all.data(), bytes(index, count));
    return exact;
  }

 private:
  Tensor stack(std::size_t index, std::int64_t count) {
    Shape dims = items_[index].dims;
    dims.insert(dims.begin(), count);
    return arenas_.tensor(items_[index].dtype, dims);
  }
  std::size_t bytes(std::size_t index, std::int64_t count) const {
    return static_cast<std::size_t>(count * element_count(items_[index].dims)) * element_size(items_[index].dtype);
  }
  ArenaPool& arenas_;
  std::span<const StaticType> items_;
  std::vector<Tensor> all_;
};

}  // namespace

namespace {

// An output of the type that its value has, in memory of the arenas.
class SizedOutput final : public kernels::LateOutput {
 public:
  SizedOutput(ArenaPool& arenas, DataType type) : arenas_(arenas), type_(type) {}
  void* allocate(const Shape& dims) override {
    tensor_ = arenas_.tensor(type_, dims);
    return tensor_.mutable_data();
  }
  Tensor take() { return std::move(tensor_); }

 private:
  ArenaPool& arenas_;
  DataType type_;
  Tensor tensor_;
};

}  // namespace

std::vector<Value> Executor::Run::run_sizing(const LateStep& late, std::span<const Value> inputs) {
  const program::Node& node = e_.graph_.nodes[late.node];
  std::vector<void*> operands;
  for (const std::uint32_t input : late.operands)
    operands.push_back(input == kNone ? nullptr : const_cast<void*>(inputs[input].tensor().data()));
  std::vector<SizedOutput> sized;
  sized.reserve(node.outputs.size());
  for (const ValueId id : node.outputs) {
    if (id != kNone) sized.emplace_back(e_.kept_.arenas, e_.graph_.value(id).type.elem);
    operands.push_back(id == kNone ? nullptr : &sized.back());
  }
  late.kernel->run(operands.data(), nullptr);
  std::vector<Value> outputs(node.outputs.size());
  for (std::size_t o = 0, next = 0; o < outputs.size(); ++o)
    if (node.outputs[o] != kNone) outputs[o] = sized[next++].take();
  return outputs;
}

// A loop whose body is settled, but not how often it runs.
std::vector<Value> Executor::Run::run_nested(const LateStep& late, std::span<const Value* const> inputs,
                                             const Frame& frame) {
  std::vector<Value> captures, outputs;
  std::vector<void*> operands;
  const auto data = [](const Value& value) { return const_cast<void*>(value.tensor().data()); };
  for (const Value* input : inputs) operands.push_back(input ? data(*input) : nullptr);
  for (const LateStep::Input& in : late.captures[0]) {
    captures.push_back(fetch(in, frame));
    operands.push_back(data(captures.back()));
  }
  for (std::size_t o = 0; o < late.types.size(); ++o) {
    const bool wanted = late.outputs[o] != kNone && o < late.stacked && late.given[o] == Nested::kComputed;
    outputs.push_back(wanted ? Value(e_.kept_.arenas.tensor(late.types[o].dtype, late.types[o].dims)) : Value());
    operands.push_back(wanted ? data(outputs.back()) : nullptr);
  }
  struct Scratch {
    ArenaPool& arenas;
    ArenaPool::Stretch stretch;
    ~Scratch() {
      if (stretch.memory) arenas.give_back(std::move(stretch));
    }
  } scratch{e_.kept_.arenas, {}};
  try {
    scratch.stretch = e_.kept_.arenas.take(late.nested->scratch_bytes());
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::LimitExceeded, "there is no memory for the intermediates of a body of these shapes: " +
                                              std::to_string(late.nested->scratch_bytes()) + " bytes");
  }
  GrowingStacks stacks(e_.kept_.arenas, std::span(late.types).subspan(late.stacked));
  const std::int64_t rounds = late.nested->run_nested(operands.data(), scratch.stretch.memory.get(), context_, &stacks);
  for (std::size_t o = 0; o < late.stacked && o < outputs.size(); ++o)
    if (late.given[o] != Nested::kComputed) outputs[o] = *inputs[late.given[o]];
  for (std::size_t o = late.stacked; o < outputs.size(); ++o)
    if (late.outputs[o] != kNone) outputs[o] = stacks.take(o - late.stacked, rounds);
  return outputs;
}

Tensor Executor::Run::allocate(const Segment::Allocation& a) {
  if (a.has_room()) {
    roomy_ = true;
    base::Room room{static_cast<std::size_t>(a.axis), a.capacity, nullptr};
    const std::int64_t positions = a.dims[room.axis];
    if (a.appends) {
      room.reserve = donations_->taken(a.donor);
      donations_->appended(*room.reserve, positions);
    } else {
      Shape dims = a.dims;
      dims[room.axis] = a.capacity;
      Tensor memory = e_.kept_.arenas.tensor(a.dtype, dims);
      room.reserve = std::make_shared<base::Reserve>();
      room.reserve->data = static_cast<std::byte*>(memory.mutable_data());
      room.reserve->bytes = memory.bytes();
      room.reserve->memory = memory.owner();
      room.reserve->used = positions;
    }
    return base::with_room(a.dtype, a.dims, std::move(room));
  }
  if (has_place(a)) return places_[a.output];
  if (a.donor != kNone && donations_ && donations_->writable(a.donor)) {
    Tensor given = values_[a.donor].tensor();
    return Tensor::borrow(a.dtype, a.dims, given.mutable_data(), given.owner());
  }
  return e_.kept_.arenas.tensor(a.dtype, a.dims);
}

void Executor::Run::run_segment(const Segment& segment) {
  values_.resize(segment.run_values);
  taken_.back().frame = segment.take_frame(e_.kept_.arenas);
  Frame& frame = *taken_.back().frame;
  for (const Segment::Allocation& a : segment.allocations) {
    try {
      values_[a.run_value] = allocate(a);
    } catch (const Error& e) {
      throw memory_error(e, segment, e_.graph_, {a.dtype, a.dims}, context_.in_body);
    }
  }
  for (std::uint32_t at : segment.patches) {
    const Location& where = segment.pointers[at];
    if (where.kind == Location::Kind::Run)
      frame.pointers[at] = memory(where.index, where.spaced) + where.offset;
    else
      frame.pointers[at] = taken_[where.index].frame->base + where.offset;
  }
  walk(segment, e_.graph_, frame.pointers.data(), frame.scratch, context_,
       [&](const Step& step) { run_late(segment.late[step.late], frame); });
}

std::vector<Value> Executor::Run::outputs(const Segment& last) {
  std::vector<Value> outputs;
  outputs.reserve(last.results.size());
  for (auto result = last.results.begin(); result != last.results.end(); ++result) {
    if (result->run_value == kNone) {
      outputs.push_back(copied(result->constant, e_.kept_.arenas));
      continue;
    }
    Value& value = values_[result->run_value];
    if (value.is_tensor()) {
      outputs.push_back(result->copied ? Value(copied(value.tensor(), e_.kept_.arenas)) : value);
      continue;
    }
    handed_on_ = true;
    if (e_.main_ && value.is_sequence()) value.sequence();  // whole, for any number of threads
    const auto same = [&](const Segment::Result& r) { return r.run_value == result->run_value; };
    const bool again = !may_take(result->run_value) || std::any_of(result + 1, last.results.end(), same);
    outputs.push_back(again ? value : std::move(value));
  }
  return outputs;
}

std::vector<Value> Executor::Run::run(bool apart) {
  const Segment* segment = &first_segment();
  for (;;) {
    run_segment(*segment);
    if (segment->last()) break;
    if (context_.stop) context_.stop->check();
    segment = &next_segment(*segment);
  }
  std::vector<Value> found = outputs(*segment);
  if (apart && handed_on_) copy_overlapping_outputs(found, inputs());
  return found;
}

Executor::Executor(const program::Graph& graph, std::span<const program::State> states, const PlanOptions& options,
                   Kept kept, bool main)
    : graph_(graph),
      states_(states),
      uses_(graph),
      options_(options),
      kept_(kept),
      id_(kept.plans.new_id()),
      main_(main) {
  inputs_ = static_cast<std::uint32_t>(graph.inputs.size() + graph.captures.size());
  may_append_ = appended_inputs(graph_, uses_);
  subgraphs_.resize(graph.nodes.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i)
    for (const program::Subgraph& sub : graph.nodes[i].subgraphs)
      subgraphs_[i].push_back(std::make_unique<Executor>(*sub.graph, states, options, kept));
}

Executor::~Executor() = default;

std::vector<Value> Executor::run(std::vector<Value> inputs, const Call& call) const {
  return Run(*this, std::move(inputs), call).run(call.apart);
}

std::vector<Value> Executor::run_planned(std::shared_ptr<const Segment> plan, std::vector<Value> inputs,
                                         const Call& call) const {
  return Run(*this, std::move(inputs), call).run(std::move(plan));
}

const ContentChoice& Executor::choice(std::uint32_t node, std::uint32_t operation) const {
  std::lock_guard lock(choices_mutex_);
  std::unique_ptr<const ContentChoice>& made = choices_[{node, operation}];
  if (!made) {
    const program::Node& first = graph_.nodes[node];
    made =
        std::make_unique<ContentChoice>(graph_, operation == 0 ? first : first.parts[operation - 1], options_, kept_);
  }
  return *made;
}

std::shared_ptr<const Segment> Executor::plan_body(std::uint32_t node, std::size_t subgraph,
                                                   std::span<const Value> inputs,
                                                   std::span<const opset::KnownValue> known) const {
  if (options_.reference_only || options_.passed_over > 0) return nullptr;  // tests compare both ways of running them
  const Executor& body = *subgraphs_[node][subgraph];
  if (known.empty())
    if (auto found = kept_.plans.find(body.id_, key_of(inputs))) return found;
  PlanState state(body.graph_, body.uses_, states_, inputs, &body, known);
  return plan_segment(state, kept_.plans.new_segment(), options_);
}

std::vector<StaticType> Executor::planned_outputs(std::span<const Value> inputs) const {
  try {
    Run run(*this, {inputs.begin(), inputs.end()}, {});
    run.first_segment();
    return run.output_types();
  } catch (const Error& e) {
    if (ends_run(e)) throw;
    return {};  // a graph that never runs may contradict the sizes
  }
}

void Executor::keep_body(std::uint32_t node, std::size_t subgraph, std::span<const Value> inputs,
                         std::shared_ptr<const Segment> plan) const {
  kept_.plans.keep(subgraphs_[node][subgraph]->id_, key_of(inputs), std::move(plan));
}

std::shared_ptr<const Segment> Executor::plan(std::span<const Value> inputs, std::span<const InputRoom> rooms) const {
  Run run(*this, {inputs.begin(), inputs.end()}, {.rooms = rooms});
  run.first_segment();
  return run.last_taken();
}

}  // namespace norn::runtime
