// Scan: the body runs once for each position along an axis of the scanned inputs; what it gives is laid along an axis
// of the outputs. In version 8 all of that is done for each item of a batch, up to the item's own length.
#include <algorithm>
#include <initializer_list>
#include <string>
#include <utility>

#include "norn/error.h"
#include "ops/common/elements.h"
#include "ops/controlflow/scan/scan.h"
#include "runtime/control_flow.h"

namespace norn::runtime {
namespace {

using ops::ScanParameters;

std::int64_t product(const Shape& dims, std::size_t first, std::size_t last) {
  std::int64_t n = 1;
  for (std::size_t d = first; d < last; ++d) n *= dims[d];
  return n;
}

Shape without(Shape dims, std::int64_t axis) {
  dims.erase(dims.begin() + axis);
  return dims;
}

// Position k along the axis, without it: a view where it lies in one piece, else a copy.
// Of a tensor without elements, the sizes that are not 0 may multiply to anything.
Tensor slice(const Tensor& from, std::int64_t axis, std::int64_t k) {
  if (from.size() == 0) return Tensor(from.dtype(), without(from.dims(), axis));
  const std::int64_t outer = product(from.dims(), 0, static_cast<std::size_t>(axis));
  const std::int64_t inner = product(from.dims(), static_cast<std::size_t>(axis) + 1, from.dims().size());
  const std::int64_t length = from.dims()[static_cast<std::size_t>(axis)];
  Shape dims = without(from.dims(), axis);
  if (outer == 1) {
    auto* first = static_cast<std::byte*>(const_cast<void*>(from.data()));
    const auto offset = static_cast<std::size_t>(k * inner) * element_size(from.dtype());
    return Tensor::borrow(from.dtype(), std::move(dims), inner > 0 ? first + offset : first, from.owner());
  }
  Tensor to(from.dtype(), std::move(dims));
  for (std::int64_t o = 0; o < outer; ++o) ops::copy_elements(to, o * inner, from, (o * length + k) * inner, inner);
  return to;
}

// Lays what the body gives along an axis of a tensor that is made when the first of it is there.
class Laid {
 public:
  Laid(std::int64_t axis, bool backwards, std::int64_t length) : axis_(axis), backwards_(backwards), length_(length) {}

  void put(std::int64_t k, const Value& value, std::size_t output) {
    const Tensor& t = scan_output(value, output, all_.dtype(), each_);
    if (!all_.defined()) start(t.dtype(), t.dims());
    if (t.size() == 0) return;
    const auto axis = static_cast<std::size_t>(axis_);
    const std::int64_t outer = product(each_, 0, axis), inner = product(each_, axis, each_.size());
    const std::int64_t at = backwards_ ? length_ - 1 - k : k;
    for (std::int64_t o = 0; o < outer; ++o) ops::copy_elements(all_, (o * length_ + at) * inner, t, o * inner, inner);
  }
  bool empty() const noexcept { return !all_.defined(); }
  // `unseen`: what the body would have given, for where it did not run.
  Tensor take(const StaticType& unseen) {
    if (empty()) start(unseen.dtype, unseen.dims);
    return std::move(all_);
  }

 private:
  void start(DataType type, const Shape& each) {
    const auto rank = static_cast<std::int64_t>(each.size()) + 1;
    const std::int64_t axis = axis_ < 0 ? axis_ + rank : axis_;
    if (axis < 0 || axis >= rank)
      throw Error(ErrorCode::RuntimeError, "scan_output_axes has " + std::to_string(axis_) +
                                               ", but the output has rank " + std::to_string(rank));
    axis_ = axis;
    each_ = each;
    Shape dims = each;
    dims.insert(dims.begin() + axis, length_);
    all_ = Tensor(type, std::move(dims));
    // Items of a batch that end early leave the rest as it is.
    if (type != DataType::String && all_.bytes() > 0)
      std::fill_n(static_cast<std::byte*>(all_.mutable_data()), all_.bytes(), std::byte{0});
  }
  std::int64_t axis_;
  bool backwards_;
  std::int64_t length_;
  Tensor all_;
  Shape each_;
};

struct Scanned {
  const Tensor* tensor;
  std::int64_t axis;
  bool backwards;
};

// "All the output tensors (state variables as well as scan_output_element tensors) are required to have the same shape
// in each iteration of the loop".
void check_state(const Value& before, const Value& now, std::size_t state) {
  if (!before.is_tensor() || !now.is_tensor() || before.tensor().dims() == now.tensor().dims()) return;
  throw Error(ErrorCode::RuntimeError,
              "the body gives " + now.describe() + " for state " + std::to_string(state) + ", but gave " +
                  before.describe() + " before",
              {}, "a state of Scan has one shape at every position; a Loop may carry a value that grows");
}

// A part of the tensor, without those axes, of which only type and sizes matter.
Value part_without(const Tensor& of, std::initializer_list<std::int64_t> axes) {
  Shape dims = of.dims();
  for (const std::int64_t axis : axes) dims = without(std::move(dims), axis);
  return Tensor::borrow(of.dtype(), std::move(dims), nullptr);
}

// The states after `steps` positions of `length`, then what is laid along axes.
std::vector<Value> scan(const program::Graph& body, const ScanParameters& p, std::vector<Value> states,
                        const std::vector<Scanned>& inputs, std::int64_t length, std::int64_t steps,
                        const RunSubgraph& run, const PlanSubgraph& plan) {
  std::vector<Laid> laid;
  for (std::size_t o = 0; o < p.output_axes.size(); ++o)
    laid.emplace_back(p.output_axes[o], p.output_backwards[o], length);
  std::vector<Value> formals = std::move(states);
  const std::size_t carried = formals.size();
  formals.resize(carried + inputs.size());
  for (std::int64_t k = 0; k < steps; ++k) {
    try {
      for (std::size_t i = 0; i < inputs.size(); ++i)
        formals[carried + i] = slice(*inputs[i].tensor, inputs[i].axis, inputs[i].backwards ? steps - 1 - k : k);
      std::vector<Value> made = run(0, formals);
      for (std::size_t o = 0; o < laid.size(); ++o) laid[o].put(k, made[carried + o], o);
      for (std::size_t i = 0; i < carried; ++i) {
        if (k > 0) check_state(formals[i], made[i], i);
        formals[i] = std::move(made[i]);
      }
    } catch (Error& e) {
      throw e.within("position " + std::to_string(k));
    }
  }
  std::vector<StaticType> planned;
  if (!laid.empty() && laid[0].empty()) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      formals[carried + i] = part_without(*inputs[i].tensor, {inputs[i].axis});
    planned = plan(0, formals);
  }
  formals.resize(carried);
  for (std::size_t o = 0; o < laid.size(); ++o)
    formals.emplace_back(
        laid[o].take(scan_output_unseen(planned, carried + o, body.value(body.outputs[carried + o]).type)));
  return formals;
}

std::int64_t common_length(const std::vector<Scanned>& inputs) {
  const std::int64_t length = inputs[0].tensor->dims()[static_cast<std::size_t>(inputs[0].axis)];
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    const std::int64_t other = inputs[i].tensor->dims()[static_cast<std::size_t>(inputs[i].axis)];
    if (other == length) continue;
    throw Error(ErrorCode::RuntimeError, "scanned input " + std::to_string(i) + " has " + std::to_string(other) +
                                             " positions, but scanned input 0 has " + std::to_string(length));
  }
  return length;
}

// Of version 8: positions of each item of the batch.
std::vector<std::int64_t> steps_of_items(const Value* lengths, std::int64_t batch, std::int64_t length) {
  if (!lengths) return std::vector<std::int64_t>(static_cast<std::size_t>(batch), length);
  const Tensor& given = lengths->tensor();
  if (given.size() != batch)
    throw Error(ErrorCode::RuntimeError, "sequence_lens has " + std::to_string(given.size()) +
                                             " elements, but the batch has " + std::to_string(batch) + " items");
  const auto* first = given.as<std::int64_t>();
  for (std::int64_t b = 0; b < batch; ++b)
    if (first[b] < 0 || first[b] > length)
      throw Error(ErrorCode::RuntimeError, "sequence_lens has " + std::to_string(first[b]) +
                                               ", but the scanned inputs have " + std::to_string(length) +
                                               " positions");
  return {first, first + batch};
}

// Version 8: everything once for each item of the batch, which is the first axis of states, inputs and outputs.
std::vector<Value> scan_batch(const program::Graph& body, const ScanParameters& p, std::span<const Value* const> inputs,
                              const RunSubgraph& run, const PlanSubgraph& plan) {
  const std::span<const Value* const> values = inputs.subspan(1);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int rank = i < p.states ? 1 : 2;
    if (values[i]->tensor().rank() < rank)
      throw Error(ErrorCode::RuntimeError, "input " + std::to_string(i + 1) + " is " + values[i]->describe() +
                                               (rank == 1 ? ", but its first axis has to be the batch"
                                                          : ", but its first axes have to be the batch and the scan"));
  }
  const std::int64_t batch = values[0]->tensor().dims()[0];
  std::vector<Scanned> all_scanned;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i]->tensor().dims()[0] != batch)
      throw Error(ErrorCode::RuntimeError,
                  "an input is " + values[i]->describe() + ", but the batch has " + std::to_string(batch) + " items");
    if (i >= p.states) all_scanned.push_back({&values[i]->tensor(), 1, p.input_backwards[i - p.states]});
  }
  const std::int64_t length = common_length(all_scanned);
  const std::vector<std::int64_t> steps = steps_of_items(inputs[0], batch, length);
  std::vector<Laid> outputs;
  for (std::size_t o = 0; o < p.states + p.output_axes.size(); ++o) outputs.emplace_back(0, false, batch);
  for (std::int64_t b = 0; b < batch; ++b) {
    std::vector<Value> made;
    for (std::size_t i = 0; i < p.states; ++i) made.emplace_back(slice(values[i]->tensor(), 0, b));
    // An item without positions has its states only; the shape of its scan outputs is taken from the other items.
    if (const std::int64_t own = steps[static_cast<std::size_t>(b)]; own > 0) {
      std::vector<Tensor> items;
      std::vector<Scanned> scanned;
      for (const Scanned& s : all_scanned) items.push_back(slice(*s.tensor, 0, b));
      for (std::size_t i = 0; i < items.size(); ++i) scanned.push_back({&items[i], 0, all_scanned[i].backwards});
      made = scan(body, p, std::move(made), scanned, length, own, run, plan);
    }
    for (std::size_t o = 0; o < made.size(); ++o) outputs[o].put(b, made[o], o);
  }
  std::vector<StaticType> planned;
  if (std::any_of(outputs.begin(), outputs.end(), [](const Laid& l) { return l.empty(); })) {
    std::vector<Value> formals;
    for (std::size_t i = 0; i < p.states; ++i) formals.push_back(part_without(values[i]->tensor(), {0}));
    for (const Scanned& s : all_scanned) formals.push_back(part_without(*s.tensor, {1, 0}));
    planned = plan(0, formals);
  }
  std::vector<Value> all;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    StaticType each = scan_output_unseen(planned, o, body.value(body.outputs[o]).type);
    if (o >= p.states) each.dims.insert(each.dims.begin(), length);
    all.emplace_back(outputs[o].take(each));
  }
  return all;
}

}  // namespace

std::vector<Value> run_scan(const program::Node& node, std::span<const Value* const> inputs, const RunSubgraph& run,
                            const PlanSubgraph& plan) {
  const program::Graph& body = *node.subgraphs.at(0).graph;
  const ScanParameters p =
      ops::resolve_scan(node.attributes(), static_cast<std::int64_t>(inputs.size()), body.outputs.size());
  if (p.batched) return scan_batch(body, p, inputs, run, plan);
  std::vector<Value> states;
  for (std::size_t i = 0; i < p.states; ++i) states.push_back(*inputs[i]);
  std::vector<Scanned> scanned;
  for (std::size_t i = 0; i < p.input_axes.size(); ++i) {
    const Tensor& t = inputs[p.states + i]->tensor();
    const std::int64_t axis = p.input_axes[i] < 0 ? p.input_axes[i] + t.rank() : p.input_axes[i];
    if (axis < 0 || axis >= t.rank())
      throw Error(ErrorCode::RuntimeError, "scan_input_axes has " + std::to_string(p.input_axes[i]) +
                                               ", but the input is " + inputs[p.states + i]->describe());
    scanned.push_back({&t, axis, p.input_backwards[i]});
  }
  const std::int64_t length = common_length(scanned);
  return scan(body, p, std::move(states), scanned, length, length, run, plan);
}

}  // namespace norn::runtime
