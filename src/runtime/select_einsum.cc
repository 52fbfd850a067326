// Products of other types than float, Einsum of up to three inputs, transposed convolutions, and what else goes by
// channels and planes.
#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "base/checked.h"
#include "kernels/cpu/channel_norm.h"
#include "kernels/cpu/contraction.h"
#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/fold.h"
#include "kernels/cpu/typed.h"
#include "ops/math/einsum/einsum.h"
#include "ops/math/gemm/gemm.h"
#include "ops/nn/batch_normalization/batch_normalization.h"
#include "ops/nn/col2im/col2im.h"
#include "ops/nn/conv_transpose/conv_transpose.h"
#include "runtime/select.h"

namespace norn::runtime {
namespace {

using kernels::ContractionConfig;

std::vector<std::int64_t> dense_strides(const Shape& dims) {
  std::vector<std::int64_t> strides(dims.size(), 1);
  for (std::size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}
bool is_empty(const Shape& dims) { return std::find(dims.begin(), dims.end(), 0) != dims.end(); }

// A label of an equation: its size, and how far apart its elements lie in each operand; 0 where it is not there.
struct Axis {
  std::int64_t size = 1, a = 0, b = 0, c = 0;
  bool in_a = false, in_b = false, in_c = false;
};

// Axes, the outermost first, as one; nothing if they are not evenly spaced.
std::optional<Axis> merged(const std::vector<Axis>& axes) {
  Axis one;
  for (std::size_t i = axes.size(); i-- > 0;) {
    const Axis& axis = axes[i];
    if (axis.size == 1) continue;
    if (one.size == 1) {
      one = axis;
      continue;
    }
    const auto even = [&](std::int64_t outer, std::int64_t inner) { return outer == inner * one.size; };
    if (!even(axis.a, one.a) || !even(axis.b, one.b) || !even(axis.c, one.c)) return {};
    one.size *= axis.size;
  }
  return one;
}

// The neighbouring axes that are most elements as one, the last of them if `last`; all others go to `rest`.
Axis split(const std::vector<Axis>& group, std::vector<Axis>& rest, bool last) {
  Axis best;
  std::size_t from = 0, to = 0;
  for (std::size_t end = last ? group.size() : 1; end <= group.size(); ++end)
    for (std::size_t begin = 0; begin < end; ++begin) {
      const auto one = merged(
          {group.begin() + static_cast<std::ptrdiff_t>(begin), group.begin() + static_cast<std::ptrdiff_t>(end)});
      if (!one) continue;
      if (from == to || one->size > best.size) {
        best = *one;
        from = begin;
        to = end;
      }
      break;  // fewer of them are not more
    }
  for (std::size_t i = 0; i < group.size(); ++i)
    if (i < from || i >= to) rest.push_back(group[i]);
  return best;
}

bool one_input(Selector& s, const ops::EinsumParams& p) {
  const Shape &x = s.dims(0), &out = s.out_dims();
  const std::vector<int>& labels = p.inputs[0];
  if (is_empty(x) || is_empty(out)) {
    s.refuse("strided", "an empty tensor");
    return false;
  }
  const std::vector<std::int64_t> lying = s.lying_strides(0);
  std::vector<std::int64_t> strides(p.output->size(), 0), reduced;
  for (std::size_t d = 0; d < labels.size(); ++d) {
    const auto at = std::find(p.output->begin(), p.output->end(), labels[d]);
    if (at == p.output->end()) {
      reduced.push_back(static_cast<std::int64_t>(d));
      continue;
    }
    const auto o = static_cast<std::size_t>(at - p.output->begin());
    if (x[d] != out[o]) return false;
    strides[o] += lying[d];
  }
  if (reduced.empty()) {
    if (s.passes_over("view")) return false;
    s.strided_view(0, std::move(strides), 0);
    return true;
  }
  std::vector<int> kept;
  bool is_diagonal = false;
  for (std::size_t d = 0; d < labels.size(); ++d) {
    is_diagonal = is_diagonal || std::count(labels.begin(), labels.end(), labels[d]) > 1;
    if (std::find(reduced.begin(), reduced.end(), static_cast<std::int64_t>(d)) == reduced.end())
      kept.push_back(labels[d]);
  }
  if (!is_diagonal && kept == *p.output) {
    const kernels::FoldConfig config{kernels::FoldKind::Sum, s.out_dtype(), x, reduced};
    if (s.choose(kernels::fold_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]})) return true;
  }
  // A dimension that is named twice is walked along its diagonal.
  kernels::StridedSumConfig config;
  config.type = s.out_dtype();
  config.kept = out;
  config.kept_strides.assign(out.size(), 0);
  std::vector<int> summed;
  const std::vector<std::int64_t> dense = dense_strides(x);
  for (std::size_t d = 0; d < labels.size(); ++d) {
    const auto o =
        static_cast<std::size_t>(std::find(p.output->begin(), p.output->end(), labels[d]) - p.output->begin());
    if (o < out.size()) {
      config.kept_strides[o] += dense[d];
      continue;
    }
    const auto j = static_cast<std::size_t>(std::find(summed.begin(), summed.end(), labels[d]) - summed.begin());
    if (j == summed.size()) {
      summed.push_back(labels[d]);
      config.summed.push_back(x[d]);
      config.summed_strides.push_back(0);
    }
    if (config.summed[j] != x[d]) {
      s.refuse("strided", "a diagonal of unequal sides");
      return false;
    }
    config.summed_strides[j] += dense[d];
  }
  return s.choose(kernels::strided_sum_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]});
}

// An operand or a result of a product: sizes, and what the equation calls its axes.
struct Labelled {
  Shape dims;
  std::vector<int> labels;
};
struct Contracted {
  ContractionConfig config;
  bool swapped = false;  // the second operand is A
};

// The contraction of x and y into `out`, or why there is none.
std::optional<Contracted> contraction_of(const Labelled& x, const Labelled& y, const Labelled& out, DataType type,
                                         const char*& why) {
  const auto refuse = [&](const char* reason) -> std::optional<Contracted> {
    why = reason;
    return {};
  };
  std::vector<Axis> axes;
  std::vector<int> names;
  const auto axis_of = [&](int label) -> Axis& {
    const auto at = std::find(names.begin(), names.end(), label);
    if (at != names.end()) return axes[static_cast<std::size_t>(at - names.begin())];
    names.push_back(label);
    return axes.emplace_back();
  };
  // The output's labels first, so that axes are in its order.
  const std::vector<std::int64_t> c_strides = dense_strides(out.dims);
  for (std::size_t d = 0; d < out.labels.size(); ++d) {
    Axis& axis = axis_of(out.labels[d]);
    axis.in_c = true;
    axis.size = out.dims[d];
    axis.c = c_strides[d];
  }
  for (const Labelled* operand : {&x, &y}) {
    const Shape& dims = operand->dims;
    const std::vector<std::int64_t> strides = dense_strides(dims);
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const bool is_new = std::find(names.begin(), names.end(), operand->labels[d]) == names.end();
      Axis& axis = axis_of(operand->labels[d]);
      bool& there = operand == &x ? axis.in_a : axis.in_b;
      if (is_new) axis.size = dims[d];
      if (there || axis.size != dims[d]) return refuse("an axis is stretched, or an input has one twice");
      there = true;
      (operand == &x ? axis.a : axis.b) = strides[d];
    }
  }
  std::vector<Axis> batch, rows, columns, summed;
  for (const Axis& axis : axes) {
    if (axis.in_c)
      (axis.in_a && axis.in_b ? batch : axis.in_a ? rows : columns).push_back(axis);
    else if (axis.in_a && axis.in_b)
      summed.push_back(axis);
    else if (axis.size != 1)
      return refuse("an axis of one input alone is summed");
  }
  // Neighbours in the output are columns: the last axis that is not one of a batch decides whose they are. What does
  // not merge with it stands beside the batches.
  const Axis* last = nullptr;
  for (const Axis& axis : axes)
    if (axis.in_c && axis.size != 1 && axis.c == 1) last = &axis;
  const auto alone = [](const std::vector<Axis>& group) {
    return std::all_of(group.begin(), group.end(), [](const Axis& axis) { return axis.size == 1; });
  };
  Contracted made;
  made.swapped = last && last->in_a;
  if (last && last->in_a && last->in_b) {
    if (!alone(rows) && !alone(columns)) return refuse("neighbours of the output are of different products");
    made.swapped = !alone(columns);  // a single column lies anywhere
  }
  if (made.swapped) {
    std::swap(rows, columns);
    for (std::vector<Axis>* group : {&batch, &rows, &columns, &summed})
      for (Axis& axis : *group) std::swap(axis.a, axis.b);
  }
  const Axis i = split(rows, batch, false), j = split(columns, batch, true);
  ContractionConfig& config = made.config;
  std::optional<Axis> l;
  for (; !(l = merged(summed)); summed.erase(summed.begin()))  // axes that are not evenly spaced
    config.sums.push_back({summed.front().size, summed.front().a, summed.front().b, 0});
  config.type = type;
  for (const Axis& axis : batch) config.batch.push_back({axis.size, axis.a, axis.b, axis.c});
  config.m = i.size;
  config.n = j.size;
  config.k = l->size;
  config.a_row = i.a;
  config.a_column = l->a;
  config.b_row = l->b;
  config.b_column = j.b;
  config.c_row = i.c;
  if (config.m == 1 && config.n == 1 && (config.k < 16 || config.a_column != 1 || config.b_row != 1))
    return refuse("the sums are too short for a contraction");
  return made;
}

bool two_inputs(Selector& s, const ops::EinsumParams& p) {
  const char* why = "";
  auto made =
      contraction_of({s.dims(0), p.inputs[0]}, {s.dims(1), p.inputs[1]}, {s.out_dims(), *p.output}, s.out_dtype(), why);
  if (!made) {
    s.refuse("contraction", why);
    return false;
  }
  const std::size_t a = made->swapped ? 1 : 0;
  made->config.b_constant = s.contents(1 - a);
  return s.choose(kernels::contraction_candidates(), made->config,
                  {{s.node().inputs[a]}, {s.node().inputs[1 - a]}, {program::kNone}}, {s.node().outputs[0]});
}

// The product of two of them first, whichever takes least work, and that with the third.
bool three_inputs(Selector& s, const ops::EinsumParams& p) {
  struct Order {
    double work;
    std::size_t x, y, z;
    Labelled middle;
  };
  std::vector<Order> orders;
  for (const auto& [x, y, z] :
       {std::array<std::size_t, 3>{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {2, 0, 1}, {1, 2, 0}, {2, 1, 0}}) {
    Order order{0, x, y, z, {}};
    const auto is_in = [](const std::vector<int>& labels, int label) {
      return std::find(labels.begin(), labels.end(), label) != labels.end();
    };
    double first = 1, second = 1;
    std::vector<int> seen;
    for (const std::size_t i : {x, y, z})
      for (std::size_t d = 0; d < p.inputs[i].size(); ++d) {
        const int label = p.inputs[i][d];
        const bool is_kept = is_in(*p.output, label) || is_in(p.inputs[z], label);
        if (is_in(seen, label)) continue;
        seen.push_back(label);
        const std::int64_t size = s.dims(i)[d];
        if (i != z) first *= static_cast<double>(size);
        if (i == z || is_kept) second *= static_cast<double>(size);
        if (i == z || !is_kept) continue;
        order.middle.labels.push_back(label);
        order.middle.dims.push_back(size);
      }
    order.work = first + second;
    orders.push_back(std::move(order));
  }
  std::stable_sort(orders.begin(), orders.end(), [](const Order& a, const Order& b) { return a.work < b.work; });
  const char* why = "";
  for (const Order& order : orders) {
    const auto given = [&](std::size_t i) { return Labelled{s.dims(i), p.inputs[i]}; };
    if (!base::checked_count(order.middle.dims)) continue;
    const auto first = contraction_of(given(order.x), given(order.y), order.middle, s.out_dtype(), why);
    if (!first) continue;
    const auto second = contraction_of(order.middle, given(order.z), {s.out_dims(), *p.output}, s.out_dtype(), why);
    if (!second || !first->config.sums.empty() || !second->config.sums.empty()) continue;
    const kernels::ContractionPairConfig config{first->config, second->config, element_count(order.middle.dims),
                                                !second->swapped};
    const std::size_t a = first->swapped ? order.y : order.x, b = first->swapped ? order.x : order.y;
    return s.choose(kernels::contraction_pair_candidates(), config,
                    {{s.node().inputs[a]}, {s.node().inputs[b]}, {s.node().inputs[order.z]}}, {s.node().outputs[0]});
  }
  s.refuse("contraction-pair", why);
  return false;
}

// Nothing is summed, and every input has some of the output's axes in their order: a product of elements.
bool products_of_elements(Selector& s, const ops::EinsumParams& p) {
  std::vector<Shape> dims;
  for (std::size_t i = 0; i < p.inputs.size(); ++i) {
    const std::vector<int>& labels = p.inputs[i];
    Shape& spread = dims.emplace_back();
    std::size_t next = 0;
    for (const int label : *p.output) {
      const bool is_here = next < labels.size() && labels[next] == label;
      spread.push_back(is_here ? s.dims(i)[next++] : 1);
    }
    if (next < labels.size()) return false;
  }
  std::vector<Operand> uses;
  kernels::ChainConfig chain{.out = s.out_dims(), .type = s.out_dtype()};
  for (std::size_t i = 0; i < dims.size(); ++i) {
    uses.push_back({s.node().inputs[i]});
    chain.inputs.push_back({.dims = dims[i]});
    if (i > 0) chain.steps.push_back({.op = kernels::ElementOp::Mul, .operand = static_cast<int>(i)});
  }
  if (s.choose(kernels::chain_candidates(), chain, uses, {s.node().outputs[0]})) return true;
  kernels::TypedConfig typed;
  typed.op = kernels::TypedOp::Mul;
  typed.type = s.out_dtype();
  typed.inputs = std::move(dims);
  typed.out = s.out_dims();
  return s.choose(kernels::typed_candidates(), typed, uses, {s.node().outputs[0]});
}

}  // namespace

bool select_einsum(Selector& s) {
  std::vector<std::int64_t> ranks;
  for (std::size_t i = 0; i < s.node().inputs.size(); ++i) ranks.push_back(static_cast<std::int64_t>(s.dims(i).size()));
  const ops::EinsumParams p = ops::resolve_einsum(SelectedNode(s), ranks);
  if (!p.output || p.output->size() != s.out_dims().size()) return false;
  if (ranks.size() == 1) return one_input(s, p);
  if (products_of_elements(s, p)) return true;
  if (ranks.size() == 2) return two_inputs(s, p);
  if (ranks.size() == 3) return three_inputs(s, p);
  s.refuse("contraction", "there are more than three inputs");
  return false;
}

bool select_product(Selector& s) {
  Shape a = s.dims(0), b = s.dims(1), out = s.out_dims();
  if (b.size() == 1) {
    b.push_back(1);
    out.push_back(1);
  }
  if (a.size() == 1) {
    a.insert(a.begin(), 1);
    out.insert(out.end() - 1, 1);
  }
  if (is_empty(a) || is_empty(b)) {
    s.refuse("contraction", "an empty tensor");
    return false;
  }
  s.leave_parts();
  ContractionConfig config;
  config.type = s.out_dtype();
  const std::size_t ra = a.size(), rb = b.size(), ro = out.size();
  const auto as = dense_strides(a), bs = dense_strides(b), cs = dense_strides(out);
  config.m = out[ro - 2];
  config.n = out[ro - 1];
  config.k = a[ra - 1];
  config.a_row = as[ra - 2];
  config.a_column = 1;
  config.b_row = bs[rb - 2];
  config.b_column = 1;
  config.c_row = config.n;
  config.b_constant = s.contents(1);
  if (element_count(b) == b[rb - 2] * b[rb - 1] && element_count(a) / config.k == element_count(out) / config.n) {
    config.m = element_count(a) / config.k;  // batches are more rows
  } else {
    for (std::size_t d = 0; d + 2 < ro; ++d) {
      const auto stride = [&](const Shape& dims, const std::vector<std::int64_t>& strides) {
        const std::size_t lead = ro - dims.size();
        return d < lead || dims[d - lead] == 1 ? 0 : strides[d - lead];
      };
      config.batch.push_back({out[d], stride(a, as), stride(b, bs), cs[d]});
    }
  }
  return s.choose(kernels::contraction_candidates(), config,
                  {{s.node().inputs[0]}, {s.node().inputs[1]}, {program::kNone}}, {s.node().outputs[0]});
}

bool select_gemm_product(Selector& s) {
  const ops::GemmParams params = ops::resolve_gemm(SelectedNode(s));
  const Shape &a = s.dims(0), &b = s.dims(1), &out = s.out_dims();
  if (s.node().schema->since < 7 || a.size() != 2 || b.size() != 2 || is_empty(a) || is_empty(b)) return false;
  s.leave_parts();
  ContractionConfig config;
  config.type = s.out_dtype();
  config.m = out[0];
  config.n = out[1];
  config.k = a[params.trans_a ? 0 : 1];
  config.a_row = params.trans_a ? 1 : a[1];
  config.a_column = params.trans_a ? a[1] : 1;
  config.b_row = params.trans_b ? 1 : b[1];
  config.b_column = params.trans_b ? b[1] : 1;
  config.c_row = config.n;
  config.b_constant = s.contents(1);
  config.alpha = params.alpha;
  config.beta = params.beta;
  config.has_d = s.has(2);
  if (config.has_d) config.d = s.dims(2);
  return s.choose(kernels::contraction_candidates(), config,
                  {{s.node().inputs[0]}, {s.node().inputs[1]}, {s.node().input(2)}}, {s.node().outputs[0]});
}

bool select_conv_transpose(Selector& s) {
  kernels::DeconvConfig config;
  config.type = s.out_dtype();
  config.x = s.dims(0);
  config.w = s.dims(1);
  config.out = s.out_dims();
  const ops::ConvTransposeParams params = ops::resolve_conv_transpose(SelectedNode(s), config.x, config.w);
  config.group = params.group;
  config.has_bias = s.has(2);
  if (config.has_bias && s.dims(2) != Shape{params.filters}) return false;
  config.strides = params.window.strides;
  config.dilations = params.window.dilations;
  config.pads_begin = params.window.pads_begin;
  config.weights = s.contents(1);
  const auto attempt = [&](kernels::Layout layout) {
    config.layout = layout;
    return s.choose(kernels::deconv_candidates(), config,
                    {{s.node().inputs[0], layout}, {s.node().inputs[1]}, {s.node().input(2)}},
                    {s.node().outputs[0], layout});
  };
  using kernels::Layout;
  const bool last = s.made_in(s.node().inputs[0]) == Layout::ChannelsLast || kernels::deconv_rows_gain(config);
  return (last && attempt(Layout::ChannelsLast)) || attempt(Layout::Dense) || attempt(Layout::ChannelsLast);
}

bool select_col2im(Selector& s) {
  const Shape& x = s.dims(0);
  if (!s.constant(1) || !s.constant(2) || x.size() != 3 || is_empty(x)) {
    s.refuse("col2im", "the sizes of image and block are not constant, or there is nothing to add");
    return false;
  }
  const ops::Col2ImParams p = ops::resolve_col2im(SelectedNode(s), x);
  kernels::Col2ImConfig config;
  config.type = s.out_dtype();
  config.planes = x[0] * p.channels;
  config.columns = p.window.out;
  config.image = p.image;
  config.kernel = p.window.kernel;
  config.strides = p.window.strides;
  config.dilations = p.window.dilations;
  config.pads_begin = p.window.pads_begin;
  return s.choose(kernels::col2im_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]});
}

bool select_batch_normalization(Selector& s) {
  const Shape& x = s.dims(0);
  bool more = false;
  for (std::size_t o = 1; o < s.node().outputs.size(); ++o) more = more || s.node().outputs[o] != program::kNone;
  const ops::BatchNormalizationParams p = ops::resolve_batch_normalization(SelectedNode(s), more);
  kernels::ChannelNormConfig config;
  config.type = s.out_dtype();
  std::vector<Operand> uses = {{s.node().inputs[0]}};
  bool fits = !more && !p.training && !p.per_activation && x.size() >= 2 && !is_empty(x);
  for (std::size_t i = 1; i < 5 && fits; ++i) {
    fits = s.dtype(i) == s.out_dtype() && s.dims(i) == Shape{x[1]};
    uses.push_back({s.node().inputs[i]});
  }
  if (!fits) {
    s.refuse("channels", "statistics are computed, are not those of channels, or are of another type");
    return false;
  }
  config.batch = x[0];
  config.channels = x[1];
  config.inner = element_count(Shape(x.begin() + 2, x.end()));
  config.epsilon = p.epsilon;
  return s.choose(kernels::channel_norm_candidates(), config, uses, {s.node().outputs[0]});
}

}  // namespace norn::runtime
