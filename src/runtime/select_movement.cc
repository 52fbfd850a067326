// Operators that only move elements: as views where the elements stay in order, as copies otherwise.
#include <algorithm>
#include <cstring>

#include "kernels/cpu/movement.h"
#include "ops/common/shapes.h"
#include "runtime/select.h"

namespace norn::runtime {
namespace {

using kernels::Layout;

bool plain(Selector& s, std::string_view kernel) {
  if (s.out_dtype() != DataType::String) return true;
  s.refuse(std::string(kernel), "moves elements of fixed size, not strings");
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

bool select_view(Selector& s) {
  // Inference may tell the output's shape without knowing the axes or the shape asked for: only running tells then
  // whether they fit.
  if (!plain(s, "view") || !constant_from(s, 1, "view")) return false;
  s.view(0);
  return true;
}

bool select_transpose(Selector& s) {
  if (!plain(s, "transpose")) return false;
  kernels::TransposeConfig config;
  config.x = s.dims(0);
  config.element_bytes = element_size(s.out_dtype());
  if (auto perm = s.attrs().find_ints("perm")) {
    config.perm = *perm;
  } else {
    for (std::size_t d = config.x.size(); d-- > 0;) config.perm.push_back(static_cast<std::int64_t>(d));
  }
  const auto rank = static_cast<std::int64_t>(config.perm.size());
  for (std::int64_t& p : config.perm)
    if (p < 0) p += rank;
  // Dimensions of size 1 may move freely: if the others keep their order, the elements do not move at all.
  std::int64_t last = -1;
  bool in_order = true;
  for (std::int64_t p : config.perm) {
    if (config.x[static_cast<std::size_t>(p)] == 1) continue;
    in_order = in_order && p > last;
    last = p;
  }
  if (in_order) {
    s.view(0);
    return true;
  }
  return s.choose(kernels::transpose_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]});
}

bool select_concat(Selector& s) {
  if (!plain(s, "concat")) return false;
  kernels::ConcatConfig config;
  std::vector<Operand> uses;
  config.element_bytes = element_size(s.out_dtype());
  config.axis = s.attrs().i("axis");
  if (config.axis < 0) config.axis += static_cast<std::int64_t>(s.out_dims().size());
  bool same = config.axis == 1 && s.out_dims().size() >= 3 && s.out_dtype() == DataType::Float;
  Layout made = Layout::Dense;
  for (std::size_t i = 0; i < s.node().inputs.size(); ++i) {
    config.inputs.push_back(s.dims(i));
    const Layout l = s.made_in(s.node().inputs[i]);
    same = same && l != Layout::Dense && (made == Layout::Dense || l == made);
    made = l;
    uses.push_back({s.node().inputs[i]});
  }
  if (same) {
    config.layout = made;
    for (Operand& use : uses) use.layout = made;
    if (s.choose(kernels::concat_candidates(), config, uses, {s.node().outputs[0], made})) return true;
    config.layout = Layout::Dense;
    for (Operand& use : uses) use.layout = Layout::Dense;
  }
  return s.choose(kernels::concat_candidates(), config, uses, {s.node().outputs[0]});
}

bool select_slice(Selector& s) {
  if (!plain(s, "strided_copy") || !constant_from(s, 1, "strided_copy")) return false;
  const Shape& x = s.dims(0);
  const auto rank = static_cast<std::int64_t>(x.size());
  std::vector<std::int64_t> starts = s.ints(1), axes = s.ints(3), steps = s.ints(4);
  if (!s.has(3))
    for (std::size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<std::int64_t>(i));
  if (!s.has(4)) steps.assign(starts.size(), 1);
  kernels::StridedCopyConfig config;
  config.dims = s.out_dims();
  config.element_bytes = element_size(s.out_dtype());
  config.x_strides = ops::dense_strides(x);
  config.out_strides = ops::dense_strides(config.dims);
  config.out_elements = element_count(config.dims);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::int64_t axis = axes[i] < 0 ? axes[i] + rank : axes[i];
    const auto a = static_cast<std::size_t>(axis);
    const std::int64_t size = x[a], step = steps[i];
    // ONNX clamps a start to [0, size] going forward and to [0, size - 1] going backward.
    const std::int64_t start = std::clamp<std::int64_t>(starts[i] < -size ? 0
                                                        : starts[i] < 0   ? starts[i] + size
                                                                          : starts[i],
                                                        0, std::max<std::int64_t>(0, step > 0 ? size : size - 1));
    if (config.dims[a] > 0) config.x_offset += start * config.x_strides[a];
    config.x_strides[a] *= step;
  }
  // Nothing to gather: the elements are a run of x from its start.
  if (config.dims == x && config.x_offset == 0) {
    s.view(0);
    return true;
  }
  return s.choose(kernels::strided_copy_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]});
}

bool select_pad(Selector& s) {
  if (!plain(s, "strided_copy") || !constant_from(s, 1, "strided_copy")) return false;
  if (s.attrs().s("mode") != "constant") {
    s.refuse("strided_copy", "pads with a constant, not by mode " + s.attrs().s("mode"));
    return false;
  }
  const Shape &x = s.dims(0), &out = s.out_dims();
  const auto rank = static_cast<std::int64_t>(x.size());
  const std::vector<std::int64_t> pads = s.ints(1);
  std::vector<std::int64_t> axes = s.ints(3);
  if (!s.has(3))
    for (std::int64_t d = 0; d < rank; ++d) axes.push_back(d);
  std::vector<std::int64_t> begin(x.size(), 0);
  for (std::size_t i = 0; i < axes.size(); ++i)
    begin[static_cast<std::size_t>(axes[i] < 0 ? axes[i] + rank : axes[i])] = pads[i];
  kernels::StridedCopyConfig config;
  config.element_bytes = element_size(s.out_dtype());
  config.x_strides = ops::dense_strides(x);
  config.out_strides = ops::dense_strides(out);
  config.out_elements = element_count(out);
  config.fill = true;
  if (s.has(2) && s.constant(2)->size() != 1) {
    s.refuse("strided_copy", "constant_value has " + std::to_string(s.constant(2)->size()) + " elements, not one");
    return false;
  }
  if (s.has(2)) std::memcpy(config.fill_element.data(), s.constant(2)->data(), config.element_bytes);
  for (std::size_t d = 0; d < x.size(); ++d) {
    // The part of x that is kept: negative padding crops.
    const std::int64_t from = std::max<std::int64_t>(0, -begin[d]), to = std::min(x[d], out[d] - begin[d]);
    config.dims.push_back(std::max<std::int64_t>(0, to - from));
    config.x_offset += from * config.x_strides[d];
    config.out_offset += (from + begin[d]) * config.out_strides[d];
  }
  return s.choose(kernels::strided_copy_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]});
}

bool select_gather(Selector& s) {
  if (!plain(s, "gather")) return false;
  kernels::GatherConfig config;
  config.data = s.dims(0);
  config.indices = s.dims(1);
  config.axis = s.attrs().i("axis");
  if (config.axis < 0) config.axis += static_cast<std::int64_t>(config.data.size());
  config.element_bytes = element_size(s.out_dtype());
  config.wide_indices = s.dtype(1) == DataType::Int64;
  return s.choose(kernels::gather_candidates(), config, {{s.node().inputs[0]}, {s.node().inputs[1]}},
                  {s.node().outputs[0]});
}

}  // namespace norn::runtime
