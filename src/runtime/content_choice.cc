#include "runtime/content_choice.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "infer/infer_node.h"
#include "norn/error.h"
#include "runtime/arena.h"
#include "runtime/plan_key.h"
#include "runtime/segment_nodes.h"
#include "runtime/step_cost.h"

namespace norn::runtime {

using opset::ValueType;
using program::kNone;

namespace {

constexpr std::int64_t kMostElements = 64;
constexpr std::size_t kMostInputs = 64;  // bits

bool is_small(const Value& value) {
  return value.is_tensor() && runtime::is_small(value.tensor().dtype(), value.tensor().dims());
}

// A graph of the operation alone. Its types have no sizes, which are those of the run.
program::Graph alone(const program::Graph& graph, const program::Node& operation, std::vector<std::uint32_t>& fed,
                     std::vector<std::uint32_t>& wanted) {
  program::Graph made;
  program::Node& node = made.nodes.emplace_back();
  node.op = operation.op;
  node.schema = operation.schema;
  node.name = operation.name;
  node.attrs = operation.attrs;
  node.paths = operation.paths;
  const auto add = [&](program::ValueId id, program::Origin origin) {
    program::Value value;
    value.name = graph.value(id).name;
    value.origin = origin;
    if (graph.value(id).type.is_tensor()) value.type = ValueType::tensor(graph.value(id).type.elem);
    return made.add_value(std::move(value));
  };
  for (std::uint32_t i = 0; i < operation.inputs.size(); ++i) {
    const program::ValueId id = operation.inputs[i];
    if (id == kNone) {
      node.inputs.push_back(kNone);
    } else if (graph.value(id).is_constant()) {
      node.inputs.push_back(made.add_value(graph.value(id)));
    } else {
      node.inputs.push_back(add(id, program::Origin::Feed));
      made.inputs.push_back(node.inputs.back());
      fed.push_back(i);
    }
  }
  for (std::uint32_t o = 0; o < operation.outputs.size(); ++o) {
    const program::ValueId id = operation.outputs[o];
    node.outputs.push_back(id == kNone ? kNone : add(id, program::Origin::Computed));
    if (id == kNone) continue;
    made.outputs.push_back(node.outputs.back());
    wanted.push_back(o);
  }
  return made;
}

void append_contents(std::vector<std::int64_t>& key, const Tensor& tensor) {
  const std::size_t words = (tensor.bytes() + sizeof(std::int64_t) - 1) / sizeof(std::int64_t), at = key.size();
  key.resize(at + words, 0);
  if (words > 0) std::memcpy(key.data() + at, tensor.data(), tensor.bytes());
}

// Whether a kernel other than the reference kernel computes it.
bool is_fast(const Segment& plan) {
  return plan.is_whole() && !plan.steps.empty() &&
         std::none_of(plan.info.begin(), plan.info.end(), [](const StepInfo& i) { return i.kernel == "reference"; });
}

}  // namespace

bool is_small(DataType dtype, const Shape& dims) noexcept {
  if (dtype == DataType::String) return false;
  std::int64_t count = 1;
  for (const std::int64_t d : dims) {
    if (d > kMostElements) return false;
    count *= d;
    if (count > kMostElements) return false;
  }
  return true;
}

ContentChoice::ContentChoice(const program::Graph& graph, const program::Node& operation, const PlanOptions& options,
                             Executor::Kept kept)
    : graph_(alone(graph, operation, fed_, wanted_)),
      outputs_(operation.outputs.size()),
      options_(options),
      kept_(kept),
      id_(kept.plans.new_choice_id()),
      uses_(graph_),
      executor_(graph_, {}, options_, kept),
      moves_(only_moves(operation.op)) {}

std::vector<opset::KnownValue> ContentChoice::known(std::span<const Value> given, InputBits bits) const {
  std::vector<opset::KnownValue> all(given.size());
  for (std::size_t k = 0; k < given.size(); ++k) {
    if (fed_[k] >= kMostInputs || !(bits >> fed_[k] & 1)) continue;
    all[k].constant = given[k].tensor().clone();
    infer::complete_value(all[k]);
  }
  return all;
}

bool ContentChoice::is_late(std::span<const Value> given, InputBits bits) const {
  const std::vector<opset::KnownValue> contents = known(given, bits);
  PlanState state(graph_, uses_, {}, given, nullptr, contents);
  const SegmentNodes nodes = infer_segment(state);
  return std::any_of(nodes.planned.begin(), nodes.planned.end(), [](const auto& p) { return p.late; });
}

// Whether contents like these lead to sizes that there may be memory for.
bool ContentChoice::can_be_counted(std::span<const Value> inputs) const {
  try {
    const std::vector<Value> given = fed(inputs);
    const std::vector<opset::KnownValue> contents = known(given, small_ones(given));
    PlanState state(graph_, uses_, {}, given, nullptr, contents);
    infer_segment(state);
    return std::all_of(state.values.begin(), state.values.end(), [](const PlanState::ValueState& value) {
      return !value.type.is_tensor() || !value.type.is_static() || tensor_bytes(value.type.elem, value.dims);
    });
  } catch (const Error&) {
    return false;
  } catch (const std::bad_alloc&) {
    return true;
  }
}

std::vector<Value> ContentChoice::fed(std::span<const Value> inputs) const {
  std::vector<Value> given;
  given.reserve(fed_.size());
  for (const std::uint32_t i : fed_) given.push_back(inputs[i]);
  return given;
}

InputBits ContentChoice::small_ones(std::span<const Value> given) const {
  InputBits bits = 0;
  for (std::size_t k = 0; k < given.size(); ++k)
    if (fed_[k] < kMostInputs && is_small(given[k])) bits |= InputBits{1} << fed_[k];
  return bits;
}

// The small contents that the sizes of the outputs depend on. First inputs are left out first, since they are mostly
// the data. None if the sizes do not follow from small contents.
InputBits ContentChoice::needed(std::span<const Value> given) const {
  InputBits bits = small_ones(given);
  if (bits == 0 || is_late(given, bits)) return 0;
  for (const std::uint32_t i : fed_) {
    const InputBits without = i < kMostInputs ? bits & ~(InputBits{1} << i) : bits;
    if (without != bits && !is_late(given, without)) bits = without;
  }
  return bits;
}

// Whether the key ran before; it is noted otherwise.
bool ContentChoice::comes_again(std::span<const std::int64_t> key) const {
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  for (const std::int64_t v : key) {
    hash = (hash ^ static_cast<std::uint64_t>(v)) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return seen_[hash % seen_.size()].exchange(hash, std::memory_order_relaxed) == hash;
}

std::shared_ptr<const Segment> ContentChoice::find_or_plan(std::span<const Value> given, InputBits asked) const {
  std::vector<std::int64_t> key;
  for (const Value& value : given) append_key(key, value);
  const std::size_t sizes = key.size();
  InputBits bits = asked | sizing_.load(std::memory_order_relaxed);
  for (;;) {
    key.resize(sizes);
    key.push_back(static_cast<std::int64_t>(bits));
    for (std::size_t k = 0; k < given.size(); ++k)
      if (fed_[k] < kMostInputs && (bits >> fed_[k] & 1)) append_contents(key, given[k].tensor());
    std::shared_ptr<const Segment> plan = kept_.plans.find(id_, key);
    if (!plan) {
      if (moves_ && bits != 0 && options_.chosen_from > 0 && !comes_again(key)) return nullptr;
      const std::vector<opset::KnownValue> contents = known(given, bits);
      PlanState state(graph_, uses_, {}, given, nullptr, contents);
      plan = kept_.plans.keep(id_, key, plan_segment(state, kept_.plans.new_segment(), options_));
    }
    InputBits more = plan->asked;
    if (!plan->late.empty()) {
      more = needed(given);
      sizing_.fetch_or(more, std::memory_order_relaxed);
    }
    if ((more & ~bits) == 0) return is_fast(*plan) ? plan : nullptr;
    bits |= more;
  }
}

std::optional<std::vector<Value>> ContentChoice::run(std::span<const Value> inputs, std::span<const Tensor> places,
                                                     StepWatch* watch, InputBits asked) const {
  try {
    std::vector<Value> given = fed(inputs);
    std::shared_ptr<const Segment> plan = find_or_plan(given, asked);
    if (!plan) return {};
    std::vector<Value> made =
        executor_.run_planned(std::move(plan), std::move(given), {.watch = watch, .places = places});
    std::vector<Value> outputs(outputs_);
    for (std::size_t o = 0; o < made.size(); ++o) outputs[wanted_[o]] = std::move(made[o]);
    return outputs;
  } catch (const Error& e) {
    if (e.code() == ErrorCode::Cancelled) throw;
    // Whether there is memory must not decide which kernel gives the answer. The place is that of the node.
    if (e.code() == ErrorCode::LimitExceeded && can_be_counted(inputs)) throw Error(e.code(), e.message());
    return {};
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::LimitExceeded, "there is no memory to choose a kernel for these contents");
  }
}

namespace {

class ChosenStep final : public NestedStep {
 public:
  ChosenStep(std::unique_ptr<kernels::Kernel> reference, const ContentChoice& choice, InputBits asked,
             std::vector<StaticType> inputs, std::vector<StaticType> outputs)
      : reference_(std::move(reference)),
        choice_(choice),
        asked_(asked),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)) {}

  std::int64_t run_nested(void* const* operands, void* scratch, const RunContext& context, Stacks*) const override {
    std::vector<Value> inputs(inputs_.size());
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (inputs_[i].dtype != DataType::Undefined)
        inputs[i] = Tensor::borrow(inputs_[i].dtype, inputs_[i].dims, operands[i]);
    void* const* const to = operands + inputs_.size();
    std::vector<Tensor> places;
    for (std::size_t o = 0; o < outputs_.size(); ++o)
      if (outputs_[o].dtype != DataType::Undefined)
        places.push_back(Tensor::borrow(outputs_[o].dtype, outputs_[o].dims, to[o]));
    const auto made = choice_.run(inputs, places, context.watch, asked_);
    if (!made) {
      reference_->run(operands, scratch);
      return 0;
    }
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      if (outputs_[o].dtype == DataType::Undefined) continue;
      const Tensor& tensor = (*made)[o].tensor();
      if (tensor.data() != to[o] && tensor.bytes() > 0) std::memcpy(to[o], tensor.data(), tensor.bytes());
    }
    return 0;
  }
  std::size_t scratch_bytes() const override { return reference_->scratch_bytes(); }

 private:
  const std::unique_ptr<kernels::Kernel> reference_;
  const ContentChoice& choice_;
  const InputBits asked_;
  const std::vector<StaticType> inputs_, outputs_;  // Undefined where omitted
};

}  // namespace

std::shared_ptr<const NestedStep> make_chosen_step(std::unique_ptr<kernels::Kernel> reference,
                                                   const ContentChoice& choice, InputBits asked,
                                                   std::vector<StaticType> inputs, std::vector<StaticType> outputs) {
  return std::make_shared<ChosenStep>(std::move(reference), choice, asked, std::move(inputs), std::move(outputs));
}

}  // namespace norn::runtime
