// Operators that only move elements: as views where the elements stay in order, as copies otherwise.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "kernels/cpu/cast.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/physical.h"
#include "ops/common/shapes.h"
#include "ops/tensor/cast/cast.h"
#include "ops/tensor/concat/concat.h"
#include "ops/tensor/pad/pad.h"
#include "ops/tensor/slice/slice.h"
#include "ops/tensor/split/split.h"
#include "ops/tensor/transpose/transpose.h"
#include "runtime/select.h"

namespace norn::runtime {
namespace {

using kernels::Layout;

bool plain(Selector& s, std::string_view kernel) {
  if (s.out_dtype() != DataType::String) return true;
  s.refuse(std::string(kernel), "moves elements of fixed size, not strings");
  return false;
}

constexpr std::int64_t kMostExpanded = std::int64_t{1} << 32;

bool has_no_elements(const Shape& dims) { return std::find(dims.begin(), dims.end(), 0) != dims.end(); }

// An empty tensor has no usable strides.
bool has_elements(Selector& s, const Shape& dims, std::string_view kernel) {
  if (!has_no_elements(dims)) return true;
  s.refuse(std::string(kernel), "there are no elements");
  return false;
}

bool constant_from(Selector& s, std::size_t first, std::string_view kernel) {
  for (std::size_t i = first; i < s.node().inputs.size(); ++i)
    if (s.has(i) && !s.constant(i)) {
      s.refuse(std::string(kernel), "input " + std::to_string(i) + " is not constant");
      return false;
    }
  return true;
}

}  // namespace

std::pair<std::shared_ptr<const kernels::Kernel>, std::string> whole_copy(const Shape& dims,
                                                                          const std::vector<std::int64_t>& strides,
                                                                          Layout layout, std::size_t element_bytes,
                                                                          kernels::PackedConstants& packed) {
  // A permutation of a dense tensor, or any elements of one.
  std::vector<std::size_t> order(dims.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return strides[a] > strides[b]; });
  kernels::TransposeConfig transpose;
  transpose.perm.resize(dims.size());
  transpose.element_bytes = element_bytes;
  bool permuted = true;
  for (std::size_t d : order) {
    transpose.perm[d] = static_cast<std::int64_t>(transpose.x.size());
    transpose.x.push_back(dims[d]);
  }
  const std::vector<std::int64_t> dense = ops::dense_strides(transpose.x);
  for (std::size_t k = 0; k < order.size(); ++k)
    permuted = permuted && (dims[order[k]] == 1 || dense[k] == strides[order[k]]);
  if (permuted && layout == Layout::Dense)
    for (const auto& candidate : kernels::transpose_candidates())
      if (candidate.refuses(transpose).empty()) return {candidate.make(transpose, packed), std::string(candidate.name)};
  kernels::StridedCopyConfig copy;
  for (std::size_t d : kernels::memory_order(dims.size(), layout)) {
    copy.dims.push_back(dims[d]);
    copy.x_strides.push_back(strides[d]);
    copy.out_strides.push_back(kernels::layout_strides(dims, layout)[d]);
  }
  copy.element_bytes = element_bytes;
  copy.out_elements = element_count(dims);
  std::string why;
  for (const auto& candidate : kernels::strided_copy_candidates()) {
    why = candidate.refuses(copy);
    if (why.empty()) return {candidate.make(copy, packed), std::string(candidate.name)};
  }
  throw Error(ErrorCode::LimitExceeded, "no kernel copies a view of " + to_string(dims) + ": " + why);
}

std::optional<std::vector<std::int64_t>> reshaped_strides(const Shape& x, const std::vector<std::int64_t>& strides,
                                                          const Shape& out) {
  if (has_no_elements(x)) return {};
  // Of x: runs of dimensions that lie evenly, outermost first.
  struct Run {
    std::int64_t size, stride;  // elements, and the distance of the innermost
  };
  std::vector<Run> runs;
  for (std::size_t d = 0; d < x.size(); ++d) {
    if (x[d] == 1) continue;
    if (!runs.empty() && runs.back().stride == strides[d] * x[d])
      runs.back() = {runs.back().size * x[d], strides[d]};
    else
      runs.push_back({x[d], strides[d]});
  }
  std::vector<std::int64_t> result(out.size(), 0);
  std::size_t r = runs.size();
  std::int64_t left = 1, step = 0;  // of the run at hand, innermost first
  for (std::size_t d = out.size(); d-- > 0;) {
    if (out[d] == 1) continue;
    if (left == 1) {
      if (r == 0) return {};
      left = runs[--r].size;
      step = runs[r].stride;
    }
    if (left % out[d] != 0) return {};
    result[d] = step;
    step *= out[d];
    left /= out[d];
  }
  if (left != 1 || r != 0) return {};
  return result;
}

bool select_view(Selector& s) {
  if (!s.parts().empty() && select_group_norm(s)) return true;
  // Inference may know the output's shape without the axes or the shape that is asked for: whether these fit is only
  // known when the node runs.
  if (!plain(s, "view") || !constant_from(s, 1, "view")) return false;
  // What is not dense stays where it is if its dimensions are only cut, or joined where they lie evenly. A value that
  // was made channels last may have a dense copy by now, which lying_strides() describes.
  const program::ValueId x = s.node().inputs[0];
  if (s.strides_of(x) || s.made_in(x) != Layout::Dense) {
    const std::vector<std::int64_t> lies = s.lying_strides(0);
    const auto strides =
        lies == ops::dense_strides(s.dims(0)) ? std::nullopt : reshaped_strides(s.dims(0), lies, s.out_dims());
    if (strides && !s.passes_over("view")) {
      s.strided_view(0, *strides, 0);
      return true;
    }
  }
  s.view(0);
  return true;
}

// An expanded dimension is read again and again.
bool select_expand(Selector& s) {
  if (!plain(s, "view") || !constant_from(s, 1, "view")) return false;
  const Shape &x = s.dims(0), &out = s.out_dims();
  if (!has_elements(s, out, "view") || x.size() > out.size()) return false;
  if (element_count(out) > kMostExpanded) {
    s.refuse("view", "expands to more elements than any reader could go through");
    return false;
  }
  const std::size_t lead = out.size() - x.size();
  const std::vector<std::int64_t> from = s.lying_strides(0);
  std::vector<std::int64_t> strides(out.size(), 0);
  for (std::size_t d = 0; d < x.size(); ++d)
    if (x[d] != 1) strides[lead + d] = from[d];
  if (s.passes_over("view")) return false;
  s.strided_view(0, std::move(strides), 0);
  return true;
}

bool select_transpose(Selector& s) {
  if (!plain(s, "transpose")) return false;
  kernels::TransposeConfig config;
  config.x = s.dims(0);
  config.element_bytes = element_size(s.out_dtype());
  config.perm = *ops::resolve_transpose(SelectedNode(s), static_cast<std::int64_t>(config.x.size()));
  if (!s.passes_over("view")) {
    if (has_no_elements(config.x)) {  // whose strides nothing can count
      s.view(0);
      return true;
    }
    const std::vector<std::int64_t> from = s.lying_strides(0);
    std::vector<std::int64_t> strides;
    for (std::int64_t p : config.perm) strides.push_back(from[static_cast<std::size_t>(p)]);
    s.strided_view(0, std::move(strides), 0);
    return true;
  }
  return s.choose(kernels::transpose_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]});
}

bool select_concat(Selector& s) {
  if (!plain(s, "concat")) return false;
  kernels::ConcatConfig config;
  config.element_bytes = element_size(s.out_dtype());
  config.axis = ops::resolve_concat(SelectedNode(s), static_cast<std::int64_t>(s.out_dims().size()));
  const std::vector<program::ValueId>& inputs = s.node().inputs;
  if (s.can_append(inputs[0], s.node().outputs[0], config.axis)) {
    std::vector<Piece> behind;
    for (std::size_t i = 1; i < inputs.size(); ++i) behind.push_back(s.piece(inputs[i]));
    s.append(inputs[0], s.node().outputs[0], config.axis, behind);
    return true;
  }
  // The layout that most of the elements have.
  double channels_last = 0, all = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    config.inputs.push_back(s.dims(i));
    const auto elements = static_cast<double>(element_count(s.dims(i)));
    all += elements;
    if (s.made_in(inputs[i]) == Layout::ChannelsLast) channels_last += elements;
  }
  const auto attempt = [&](Layout layout) {
    config.layout = layout;
    config.strides.clear();
    std::vector<Operand> uses;
    for (const program::ValueId id : inputs) {
      const auto* strides = s.strides_of(id);
      config.strides.push_back(strides ? *strides : std::vector<std::int64_t>());
      uses.push_back({id, layout, strides != nullptr});
    }
    return s.choose(kernels::concat_candidates(), config, uses, {s.node().outputs[0], layout});
  };
  const auto advised = s.advised_layout();
  const bool last = advised ? *advised == Layout::ChannelsLast : channels_last * 2 > all;
  return (last && attempt(Layout::ChannelsLast)) || attempt(Layout::Dense);
}

bool select_slice(Selector& s) {
  if (!plain(s, "strided_copy") || !constant_from(s, 1, "strided_copy")) return false;
  const Shape& x = s.dims(0);
  kernels::StridedCopyConfig config;
  config.dims = s.out_dims();
  config.element_bytes = element_size(s.out_dtype());
  config.out_strides = ops::dense_strides(config.dims);
  config.out_elements = element_count(config.dims);
  const std::vector<ops::SliceRange> ranges = ops::slice_ranges(SelectedNode(s), x);
  const auto pick = [&](std::vector<std::int64_t> strides) {
    config.x_offset = 0;
    config.x_strides = std::move(strides);
    for (std::size_t d = 0; d < x.size(); ++d) {
      config.x_offset += ranges[d].start * config.x_strides[d];
      config.x_strides[d] *= ranges[d].step;
    }
  };
  const bool forward = std::all_of(ranges.begin(), ranges.end(), [](const auto& r) { return r.step > 0; });
  if (forward && !has_no_elements(config.dims) && !s.passes_over("view")) {
    pick(s.lying_strides(0));
    s.strided_view(0, std::move(config.x_strides), config.x_offset);
    return true;
  }
  pick(ops::dense_strides(x));
  return s.choose(kernels::strided_copy_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]});
}

bool select_split(Selector& s) {
  if (s.dtype(0) == DataType::String) {  // any output may be omitted
    s.refuse("view", "moves elements of fixed size, not strings");
    return false;
  }
  if (!constant_from(s, 1, "view") || !has_elements(s, s.dims(0), "view")) return false;
  const Shape& x = s.dims(0);
  const opset::Dims dims(x.begin(), x.end());
  const ops::SplitParams params = ops::resolve_split(SelectedNode(s), &dims, s.node().outputs.size(), s.constant(1));
  if (!params.lengths || s.passes_over("view")) return false;
  const std::vector<std::int64_t> strides = s.lying_strides(0);
  std::int64_t first = 0;
  for (std::size_t o = 0; o < s.node().outputs.size(); ++o) {
    const std::int64_t length = (*params.lengths)[o].constant();
    // An empty part lies at the beginning: there may be nothing behind the last one.
    if (s.node().outputs[o] != program::kNone)
      s.strided_view(0, strides, length == 0 ? 0 : first * strides[static_cast<std::size_t>(params.axis)], o);
    first += length;
  }
  return true;
}

bool select_pad(Selector& s) {
  if (!plain(s, "strided_copy") || !constant_from(s, 1, "strided_copy")) return false;
  const SelectedNode node(s);
  if (ops::pad_mode(node) != ops::PadMode::Constant) {
    s.refuse("strided_copy", "pads with a constant, not by mode " + s.attrs().s("mode"));
    return select_pad_mode(s);
  }
  if (select_pad_mode(s)) return true;
  const Shape &x = s.dims(0), &out = s.out_dims();
  const auto begin =
      opset::to_constants(node.require(ops::resolve_pad(node, static_cast<std::int64_t>(x.size())).begin, "pads"));
  kernels::StridedCopyConfig config;
  config.element_bytes = element_size(s.out_dtype());
  config.x_strides = ops::dense_strides(x);
  config.out_strides = ops::dense_strides(out);
  config.out_elements = element_count(out);
  config.fill = true;
  if (const Tensor* const element = ops::pad_element(node))
    std::memcpy(config.fill_element.data(), element->data(), config.element_bytes);
  for (std::size_t d = 0; d < x.size(); ++d) {
    // The part of x that is kept: negative padding crops.
    const std::int64_t from = std::max<std::int64_t>(0, -begin[d]), to = std::min(x[d], out[d] - begin[d]);
    config.dims.push_back(std::max<std::int64_t>(0, to - from));
    config.x_offset += from * config.x_strides[d];
    config.out_offset += (from + begin[d]) * config.out_strides[d];
  }
  return s.choose(kernels::strided_copy_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]});
}

bool select_cast(Selector& s) {
  if (select_stored_product(s) || select_integer_log_sum_exp(s)) return true;
  if (s.dtype(0) == s.out_dtype() && element_size(s.out_dtype()) > 1 && s.out_dtype() != DataType::String) {
    s.view(0);  // an infinity may have to saturate in the 8-bit formats
    return true;
  }
  const bool saturate = ops::resolve_cast(SelectedNode(s)).saturate;
  const kernels::CastConfig config{s.dtype(0), s.out_dtype(), element_count(s.out_dims()), saturate};
  return s.choose(kernels::cast_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]});
}

namespace {

// Indices that count up by the same steps, none of them negative, along each of their dimensions.
struct EvenIndices {
  std::int64_t first = 0;
  std::vector<std::int64_t> steps;
};

// Nothing if they do not, or one lies outside of a dimension of `size`.
std::optional<EvenIndices> even_indices(const Tensor& indices, std::int64_t size) {
  constexpr std::int64_t kMost = std::int64_t{1} << 16;
  if (indices.size() == 0 || indices.size() > kMost) return {};
  const bool wide = indices.dtype() == DataType::Int64;
  const auto at = [&](std::int64_t i) {
    const std::int64_t value = wide ? indices.as<std::int64_t>()[i] : indices.as<std::int32_t>()[i];
    return value < 0 ? value + size : value;
  };
  const Shape& dims = indices.dims();
  const std::vector<std::int64_t> distances = ops::dense_strides(dims);
  for (std::int64_t i = 0; i < indices.size(); ++i)
    if (at(i) < 0 || at(i) >= size) return {};
  EvenIndices even{at(0), std::vector<std::int64_t>(dims.size(), 0)};
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] > 1) even.steps[d] = at(distances[d]) - even.first;
    if (even.steps[d] < 0) return {};
  }
  for (std::int64_t i = 0; i < indices.size(); ++i) {
    std::int64_t want = even.first;
    for (std::size_t d = 0; d < dims.size(); ++d) want += i / distances[d] % dims[d] * even.steps[d];
    if (at(i) != want) return {};
  }
  return even;
}

}  // namespace

bool select_gather(Selector& s) {
  if (!plain(s, "gather")) return false;
  kernels::GatherConfig config;
  config.data = s.dims(0);
  config.indices = s.dims(1);
  config.axis = SelectedNode(s).axis(static_cast<std::int64_t>(config.data.size()));
  const auto axis = static_cast<std::size_t>(config.axis);
  const Tensor* indices = s.constant_if_known(s.node().inputs[1]);
  if (indices && !has_no_elements(s.out_dims()) && element_count(s.out_dims()) <= kMostExpanded) {
    const auto even = even_indices(*indices, config.data[axis]);
    if (even && !s.passes_over("view")) {
      std::vector<std::int64_t> strides = s.lying_strides(0);
      const std::int64_t step = strides[axis];
      std::vector<std::int64_t> picked;
      for (const std::int64_t by : even->steps) picked.push_back(by * step);
      strides.erase(strides.begin() + config.axis);
      strides.insert(strides.begin() + config.axis, picked.begin(), picked.end());
      s.strided_view(0, std::move(strides), even->first * step);
      return true;
    }
  }
  config.element_bytes = element_size(s.out_dtype());
  config.wide_indices = s.dtype(1) == DataType::Int64;
  return s.choose(kernels::gather_candidates(), config,
                  {{.value = s.node().inputs[0], .anywhere = true}, {s.node().inputs[1]}}, {s.node().outputs[0]});
}

}  // namespace norn::runtime
