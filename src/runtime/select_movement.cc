// Operators that only move elements: as views where the elements stay in order, as copies otherwise.
#include <algorithm>
#include <cstring>

#include "kernels/cpu/movement.h"
#include "ops/common/shapes.h"
#include "ops/tensor/concat/concat.h"
#include "ops/tensor/pad/pad.h"
#include "ops/tensor/slice/slice.h"
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
  config.perm = *ops::resolve_transpose(SelectedNode(s), static_cast<std::int64_t>(config.x.size()));
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
  config.axis = ops::resolve_concat(SelectedNode(s), static_cast<std::int64_t>(s.out_dims().size()));
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
  kernels::StridedCopyConfig config;
  config.dims = s.out_dims();
  config.element_bytes = element_size(s.out_dtype());
  config.x_strides = ops::dense_strides(x);
  config.out_strides = ops::dense_strides(config.dims);
  config.out_elements = element_count(config.dims);
  const std::vector<ops::SliceRange> ranges = ops::slice_ranges(SelectedNode(s), x);
  for (std::size_t d = 0; d < x.size(); ++d) {
    config.x_offset += ranges[d].start * config.x_strides[d];
    config.x_strides[d] *= ranges[d].step;
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
  const SelectedNode node(s);
  if (ops::pad_mode(node) != ops::PadMode::Constant) {
    s.refuse("strided_copy", "pads with a constant, not by mode " + s.attrs().s("mode"));
    return false;
  }
  const Shape &x = s.dims(0), &out = s.out_dims();
  const auto begin =
      opset::to_constants(node.require(ops::resolve_pad(node, static_cast<std::int64_t>(x.size())).begin, "pads"));
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
  config.axis = SelectedNode(s).axis(static_cast<std::int64_t>(config.data.size()));
  config.element_bytes = element_size(s.out_dtype());
  config.wide_indices = s.dtype(1) == DataType::Int64;
  return s.choose(kernels::gather_candidates(), config, {{s.node().inputs[0]}, {s.node().inputs[1]}},
                  {s.node().outputs[0]});
}

}  // namespace norn::runtime
