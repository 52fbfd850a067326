// The table of reference kernels and running one of them outside of any plan.
#include "opset/reference.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "ops/common/elements.h"
#include "opset/registry.h"

namespace norn::ops {
void all_references(opset::ReferenceTable&);
}

namespace norn::opset {
namespace {

struct Entry {
  ReferenceFn run;
  int from, to;
};

struct Kernels final : ReferenceTable {
  std::unordered_map<const Operator*, std::vector<Entry>> entries;

  Kernels() { ops::all_references(*this); }
  void add(const Operator& op, ReferenceFn run, int from, int to) override { entries[&op].push_back({run, from, to}); }
};

const Kernels& kernels() {
  static const Kernels table;
  return table;
}

}  // namespace

const Value& ReferenceContext::value(int i) const {
  if (!has_input(i)) fail(input_name(i) + " is missing");
  return *inputs_[i];
}

const Tensor& ReferenceContext::input(int i) const {
  const Value& v = value(i);
  if (!v.is_tensor()) fail(input_name(i) + " has to be a tensor, but is " + v.describe());
  return v.tensor();
}

const Tensor* ReferenceContext::constant(int i) const noexcept {
  return has_input(i) && inputs_[i]->is_tensor() ? &inputs_[i]->tensor() : nullptr;
}

std::optional<Dims> ReferenceContext::known_ints(int i) const {
  if (!has_input(i)) return {};
  const Tensor& t = input(i);
  if (t.rank() > 1) fail(input_name(i) + " must have rank 1, not shape " + norn::to_string(t.dims()));
  return to_dims(ops::to_ints(t));
}

std::optional<Dims> ReferenceContext::known_shape(int i) const {
  const Tensor* t = constant(i);
  return t ? std::optional(to_dims(t->dims())) : std::nullopt;
}

Tensor& ReferenceContext::output(int i, DataType dtype, const Shape& dims) {
  Output& out = outputs_[static_cast<std::size_t>(i)];
  if (!out.placed) {
    out.value = make_ ? (*make_)(dtype, dims) : Tensor(dtype, dims);
    return out.value.tensor();
  }
  Tensor& planned = out.value.tensor();
  if (planned.dtype() != dtype || planned.dims() != dims) {
    throw Error(ErrorCode::Internal, "output " + std::to_string(i) + " was planned as " + out.value.describe() +
                                         ", but is " + std::string(data_type_name(dtype)) + norn::to_string(dims));
  }
  return planned;
}

void ReferenceContext::set_output(int i, Value value) {
  if (i >= output_count()) return;
  outputs_[static_cast<std::size_t>(i)].value = std::move(value);
  outputs_[static_cast<std::size_t>(i)].placed = false;
}

ReferenceFn find_reference(const Operator& op, int since) noexcept {
  const auto& entries = kernels().entries;
  const auto at = entries.find(&op);
  if (at == entries.end()) return nullptr;
  const Entry* best = nullptr;  // the narrowest: a kept version's own kernel stands before the general one
  for (const Entry& e : at->second) {
    if (e.from > since || since > e.to) continue;
    if (!best || e.to - e.from < best->to - best->from) best = &e;
  }
  return best ? best->run : nullptr;
}

bool is_runnable(const Operator& op) noexcept {
  return op.control_flow != ControlFlow::None || kernels().entries.contains(&op) ||
         body_at(op, op.history.back().since);
}

std::vector<Value> evaluate(const Operator& op, const Attrs& attrs, std::span<const Value* const> inputs,
                            int output_count) {
  static const MakeTensor kPlain = [](DataType dtype, const Shape& dims) { return Tensor(dtype, dims); };
  return evaluate(op, attrs, inputs, output_count, kPlain);
}

std::vector<Value> evaluate(const Operator& op, const Attrs& attrs, std::span<const Value* const> inputs,
                            int output_count, const MakeTensor& make) {
  const ReferenceFn run = find_reference(op, attrs.schema().since);
  if (!run) {
    throw Error(ErrorCode::NotImplemented,
                full_name(op) + " of version " + std::to_string(attrs.schema().since) + " has no reference kernel");
  }
  std::vector<ReferenceContext::Output> outputs(static_cast<std::size_t>(output_count));
  ReferenceContext context(attrs, inputs, outputs, &make);
  run(context);
  std::vector<Value> values;
  values.reserve(outputs.size());
  for (auto& out : outputs) values.push_back(std::move(out.value));
  return values;
}

}  // namespace norn::opset
