// Inputs are multiplied one after another. What no later input and no output has is summed at once, so that a chain of
// products costs what its matrix products cost. Integers wrap around; floating types are rounded once, at the end.
#include "base/stop.h"
#include "ops/math/einsum/einsum.h"

#include <algorithm>
#include <string>

#include "base/checked.h"
#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace einsum_ref_cc {
namespace {

// A tensor with a label for each axis, each of them once.
template <class D>
struct Operand {
  std::vector<int> labels;
  Shape dims;
  std::vector<std::int64_t> strides;
  std::vector<D> values;
  std::vector<int> axes;  // by label: its axis, or -1; what is not listed has none

  int find(int label) const {
    return static_cast<std::size_t>(label) < axes.size() ? axes[static_cast<std::size_t>(label)] : -1;
  }
  void add(int label, std::int64_t size, std::int64_t stride) {
    axes.resize(std::max(axes.size(), static_cast<std::size_t>(label) + 1), -1);
    axes[static_cast<std::size_t>(label)] = static_cast<int>(labels.size());
    labels.push_back(label);
    dims.push_back(size);
    strides.push_back(stride);
  }
};

// Of an input, whose label may be there several times: then it is read along the diagonal.
template <class D>
Operand<D> operand(const opset::ReferenceContext& ctx, int input, const std::vector<int>& labels) {
  const Tensor& x = ctx.input(input);
  Operand<D> o;
  o.values = load_all<D>(x);
  const std::vector<std::int64_t> strides = dense_strides(x.dims());
  for (std::size_t d = 0; d < labels.size(); ++d) {
    if (o.find(labels[d]) < 0) {
      o.add(labels[d], x.dims()[d], strides[d]);
      continue;
    }
    const auto at = static_cast<std::size_t>(o.find(labels[d]));
    o.strides[at] += strides[d];
  }
  return o;
}

// The axis of a label in a product: its size, 1 if the operand does not have it, and how far apart elements lie.
struct Side {
  std::int64_t size = 1, step = 0;
};
template <class D>
Side side(const Operand<D>& o, int label) {
  if (o.find(label) < 0) return {};
  const auto at = static_cast<std::size_t>(o.find(label));
  return {o.dims[at], o.dims[at] == 1 ? 0 : o.strides[at]};
}

// The product of both, with the axes `kept`; summed over all others. A size of 1 is stretched to the other's.
template <class D>
Operand<D> contract(const opset::ReferenceContext& ctx, const Operand<D>& a, const Operand<D>& b,
                    const std::vector<int>& kept) {
  Shape dims = {1};  // of the product, then of what is summed; the first stands for none
  std::vector<std::int64_t> a_steps = {0}, b_steps = {0};
  const auto go_over = [&](int label) {
    const Side x = side(a, label), y = side(b, label);
    dims.push_back(x.size == 1 ? y.size : x.size);
    a_steps.push_back(x.step);
    b_steps.push_back(y.step);
  };
  for (const int label : kept) go_over(label);
  const Shape out(dims.begin() + 1, dims.end());
  const std::vector<std::int64_t> out_strides = dense_strides(out);
  Operand<D> result;
  for (std::size_t d = 0; d < kept.size(); ++d) result.add(kept[d], out[d], out_strides[d]);
  const auto count = base::checked_count(out);
  if (!count) ctx.fail("a product of the equation has more elements than 63 bits count");
  result.values.resize(static_cast<std::size_t>(*count));

  for (const int label : a.labels) {
    if (result.find(label) < 0) go_over(label);
  }
  for (const int label : b.labels) {
    if (result.find(label) < 0 && a.find(label) < 0) go_over(label);
  }
  std::vector<std::int64_t> to_steps = {0};
  to_steps.insert(to_steps.end(), out_strides.begin(), out_strides.end());
  to_steps.resize(dims.size(), 0);
  // The innermost axis is a loop of its own.
  const std::int64_t n = dims.back(), a_step = a_steps.back(), b_step = b_steps.back(), to_step = to_steps.back();
  for (auto* list : {&dims, &a_steps, &b_steps, &to_steps}) list->pop_back();
  if (n == 0) return result;
  const base::Stop* const stop = base::current_stop();
  std::int64_t done = 0;  // since it was looked whether to stop
  for (Odometer at(dims, {a_steps, b_steps, to_steps}); !at.done(); at.next()) {
    if (stop && (done += n) >= 1 << 20) {
      stop->check();
      done = 0;
    }
    const D *x = a.values.data() + at.offset(0), *y = b.values.data() + at.offset(1);
    D* to = result.values.data() + at.offset(2);
    for (std::int64_t k = 0; k < n; ++k) to[k * to_step] = plus(to[k * to_step], times(x[k * a_step], y[k * b_step]));
  }
  return result;
}

template <class D>
void run(opset::ReferenceContext& ctx, const EinsumParams& p) {
  // Who needs a label last: an input, or the output, which comes behind them.
  std::vector<std::size_t> last;
  const auto needs = [&](std::size_t who, const std::vector<int>& labels) {
    for (const int label : labels) {
      last.resize(std::max(last.size(), static_cast<std::size_t>(label) + 1));
      last[static_cast<std::size_t>(label)] = who;
    }
  };
  const std::size_t inputs = p.inputs.size();
  for (std::size_t i = 0; i < inputs; ++i) needs(i, p.inputs[i]);
  needs(inputs, *p.output);

  Operand<D> one;
  one.values = {D{1}};
  Operand<D> product = one;
  for (std::size_t i = 0; i < inputs; ++i) {
    const auto needed = [&](int label) { return last[static_cast<std::size_t>(label)] > i; };
    Operand<D> next = operand<D>(ctx, static_cast<int>(i), p.inputs[i]);
    // What this input alone has is summed before it is multiplied.
    std::vector<int> kept;
    for (const int label : next.labels) {
      if (needed(label) || product.find(label) >= 0) kept.push_back(label);
    }
    if (kept.size() < next.labels.size()) next = contract(ctx, next, one, kept);
    kept.clear();
    if (i + 1 == inputs) {
      kept = *p.output;
    } else {
      for (const int label : product.labels) {
        if (needed(label)) kept.push_back(label);
      }
      for (const int label : next.labels) {
        if (needed(label) && product.find(label) < 0) kept.push_back(label);
      }
    }
    product = contract(ctx, product, next, kept);
  }
  store_all<D>(ctx.output(0, ctx.input(0).dtype(), product.dims), product.values);
}

void einsum_ref(opset::ReferenceContext& ctx) {
  std::vector<std::int64_t> ranks;
  for (int i = 0; i < ctx.input_count(); ++i) ranks.push_back(ctx.input(i).rank());
  const EinsumParams p = resolve_einsum(ctx, ranks);
  resolve_einsum_sizes(ctx, p);
  visit_real(domain_of(ctx.input(0).dtype()), [&]<class D>(D) { run<D>(ctx, p); });
}

}  // namespace
}  // namespace einsum_ref_cc

void einsum_references(opset::ReferenceTable& table) { table.add(Einsum, einsum_ref); }

}  // namespace norn::ops
