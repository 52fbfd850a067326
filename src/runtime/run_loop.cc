// Loop: the body runs M times or until its condition is false, handing carried values from one time to the next. Scan
// outputs are stacked along a new first axis.
//
// How often a body runs that ends by its condition is not known ahead, so the stacks grow by doubling. Each iteration
// has to add items of the first one's shape; without an iteration, the empty stack has the body's declared shape.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/input_refused.h"
#include "norn/error.h"
#include "ops/common/elements.h"
#include "runtime/control_flow.h"
#include "runtime/failed_round.h"

namespace norn::runtime {
namespace {

// Outputs of equal types and shapes, one behind the other.
class Stack {
 public:
  void add(const Value& value, std::size_t output) {
    const Tensor& t = scan_output(value, output, type_, each_);
    if (count_ == 0) {
      type_ = t.dtype();
      each_ = t.dims();
    }
    if (count_ == capacity_) grow(count_ == 0 ? 1 : count_ * 2);
    ops::copy_elements(all_, count_ * t.size(), t, 0, t.size());
    ++count_;
  }
  bool empty() const noexcept { return count_ == 0; }
  Tensor take() {
    if (count_ < capacity_) grow(count_);
    return std::move(all_);
  }

 private:
  void grow(std::int64_t capacity) {
    Shape dims = each_;
    dims.insert(dims.begin(), capacity);
    Tensor larger(type_, std::move(dims));
    if (count_ > 0) ops::copy_elements(larger, 0, all_, 0, count_ * element_count(each_));
    all_ = std::move(larger);
    capacity_ = capacity;
  }
  Tensor all_;
  DataType type_ = DataType::Undefined;
  Shape each_;
  std::int64_t count_ = 0, capacity_ = 0;
};

Tensor empty_stack(std::span<const StaticType> planned, const program::Graph& body, std::size_t output) {
  StaticType item = scan_output_unseen(planned, output, body.value(body.outputs[output]).type);
  item.dims.insert(item.dims.begin(), 0);
  return Tensor(item.dtype, std::move(item.dims));
}

// The only element of a tensor; `refuse` throws the error for any other value.
template <class T, class Refuse>
T scalar(const Value& value, std::string_view what, Refuse refuse) {
  if (!value.is_tensor() || value.tensor().size() != 1)
    refuse(std::string(what) + " is " + value.describe() + "; it must have one element");
  return *value.tensor().as<T>();
}
template <class T>
T scalar_input(std::span<Value* const> inputs, std::size_t i, std::string_view what) {
  return scalar<T>(*inputs[i], what, [i](std::string message) { throw base::InputRefused(std::move(message), i); });
}

// Of rank 0, or 1 where the body asks for it.
Shape scalar_shape(const opset::ValueType& formal) {
  return formal.shape && formal.shape->size() == 1 ? Shape{1} : Shape{};
}
template <class T>
Value formal_scalar(DataType type, T number, const opset::ValueType& formal) {
  Tensor t(type, scalar_shape(formal));
  *t.as_mutable<T>() = number;
  return Value(std::move(t));
}

}  // namespace

std::optional<Shape> shape_of_own_formal(const program::Node& node, std::size_t index, std::size_t formal) {
  if (node.op->control_flow != opset::ControlFlow::Loop || formal > 1) return {};
  const program::Graph& body = *node.subgraphs[index].graph;
  return scalar_shape(body.value(body.inputs[formal]).type);
}

std::vector<Value> run_loop(const program::Node& node, std::span<Value* const> inputs, const RunSubgraph& run,
                            const PlanSubgraph& plan) {
  const program::Graph& body = *node.subgraphs.at(0).graph;
  const std::size_t carried = inputs.size() > 2 ? inputs.size() - 2 : 0;
  const auto given = [&](std::size_t i) { return i < inputs.size() && inputs[i] && !inputs[i]->is_empty(); };
  const std::int64_t most = given(0) ? scalar_input<std::int64_t>(inputs, 0, "the trip count M of Loop") : INT64_MAX;
  bool go = !given(1) || scalar_input<std::uint8_t>(inputs, 1, "the condition of Loop") != 0;

  std::vector<Value> formals(2 + carried);
  for (std::size_t i = 0; i < carried; ++i) {
    Value* const begins = inputs[2 + i];
    if (begins) formals[2 + i] = begins->is_sequence() ? std::exchange(*begins, Value()) : *begins;
  }
  std::vector<Stack> stacks(body.outputs.size() - 1 - carried);
  const auto goes_on = [&] {
    return formal_scalar<std::uint8_t>(DataType::Bool, go, body.value(body.inputs.at(1)).type);
  };
  formals[1] = goes_on();
  for (std::int64_t k = 0; go && k < most; ++k) {
    try {
      formals[0] = formal_scalar<std::int64_t>(DataType::Int64, k, body.value(body.inputs.at(0)).type);
      std::vector<Value> made = run(0, formals);
      go = scalar<std::uint8_t>(made[0], "the condition that the body gives", [](std::string message) {
             throw Error(ErrorCode::RuntimeError, std::move(message), "output 0 of the body");
           }) != 0;
      for (std::size_t s = 0; s < stacks.size(); ++s) stacks[s].add(made[1 + carried + s], s);
      formals[1] = goes_on();
      for (std::size_t i = 1; i <= carried; ++i) formals[1 + i] = std::move(made[i]);
    } catch (Error& e) {
      throw FailedRound(e.within("iteration " + std::to_string(k)), k);
    }
  }
  std::vector<StaticType> unseen;
  if (!stacks.empty() && stacks[0].empty()) {
    formals[0] = formal_scalar<std::int64_t>(DataType::Int64, 0, body.value(body.inputs.at(0)).type);
    unseen = plan(0, formals);
  }
  std::vector<Value> outputs(std::make_move_iterator(formals.begin() + 2), std::make_move_iterator(formals.end()));
  for (std::size_t s = 0; s < stacks.size(); ++s)
    outputs.emplace_back(stacks[s].empty() ? empty_stack(unseen, body, 1 + carried + s) : stacks[s].take());
  return outputs;
}

}  // namespace norn::runtime
