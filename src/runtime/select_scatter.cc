// Operators that pick or write elements by indices or by their place.
#include <algorithm>

#include "kernels/cpu/class_vectors.h"
#include "kernels/cpu/compress.h"
#include "kernels/cpu/nonzero.h"
#include "kernels/cpu/scatter.h"
#include "kernels/cpu/triangle.h"
#include "ops/common/shapes.h"
#include "ops/tensor/compress/compress.h"
#include "ops/tensor/gather_elements/gather_elements.h"
#include "ops/tensor/gather_nd/gather_nd.h"
#include "ops/tensor/one_hot/one_hot.h"
#include "ops/tensor/reverse_sequence/reverse_sequence.h"
#include "ops/tensor/scatter_elements/reduction.h"
#include "ops/tensor/scatter_elements/scatter_elements.h"
#include "ops/tensor/trilu/trilu.h"
#include "runtime/select.h"

namespace norn::runtime {
namespace {

bool moves_elements(Selector& s, std::string_view kernel) {
  if (s.out_dtype() != DataType::String) return true;
  s.refuse(std::string(kernel), "moves elements of fixed size, not strings");
  return false;
}

// Whether it has a rank of 2 or more and no size of 0.
bool has_matrices(Selector& s, std::string_view kernel, const Shape& x) {
  if (x.size() >= 2 && std::find(x.begin(), x.end(), 0) == x.end()) return true;
  s.refuse(std::string(kernel), "there are no elements, or they have fewer than two dimensions");
  return false;
}

// The data, which the output may lie in place of, what says where, and what is written there.
std::vector<Operand> written_into(const Selector& s) {
  const auto& inputs = s.node().inputs;
  return {{inputs[0]}, {.value = inputs[1], .apart = true}, {.value = inputs[2], .apart = true}};
}

kernels::ScatterKind kind_of(ops::ScatterReduction reduction) {
  switch (reduction) {
    case ops::ScatterReduction::None: return kernels::ScatterKind::Replace;
    case ops::ScatterReduction::Add: return kernels::ScatterKind::Add;
    case ops::ScatterReduction::Mul: return kernels::ScatterKind::Mul;
    case ops::ScatterReduction::Max: return kernels::ScatterKind::Max;
    case ops::ScatterReduction::Min: return kernels::ScatterKind::Min;
  }
  return kernels::ScatterKind::Replace;
}

}  // namespace

bool select_gather_elements(Selector& s) {
  if (!moves_elements(s, "gather_elements")) return false;
  kernels::GatherElementsConfig config;
  config.data = s.dims(0);
  config.indices = s.dims(1);
  const SelectedNode node(s);
  config.axis = *ops::elements_axis(node, node.known_shape(1));
  config.element_bytes = element_size(s.out_dtype());
  config.wide_indices = s.dtype(1) == DataType::Int64;
  return s.choose(kernels::gather_elements_candidates(), config, {{s.node().inputs[0]}, {s.node().inputs[1]}},
                  {s.node().outputs[0]});
}

namespace {

// Whether the indices are a vector of them that was expanded, so that each is that of a whole slice of the data.
bool name_slices(const Selector& s, std::int64_t axis) {
  const auto* const lies = s.strides_of(s.node().inputs[1]);
  const Shape &data = s.dims(0), &indices = s.dims(1);
  if (!lies || axis != 0 || s.dtype(1) != DataType::Int64 || element_count(indices) == 0) return false;
  if ((*lies)[0] != 1 && indices[0] != 1) return false;
  for (std::size_t d = 1; d < data.size(); ++d)
    if (indices[d] != data[d] || (indices[d] != 1 && (*lies)[d] != 0)) return false;
  return true;
}

}  // namespace

bool select_scatter_elements(Selector& s) {
  if (!moves_elements(s, "scatter_elements")) return false;
  const SelectedNode node(s);
  if (name_slices(s, *ops::scatter_axis(node))) {
    const Shape& data = s.dims(0);
    kernels::ScatterNdConfig slices;
    slices.rows = s.dims(1)[0];
    slices.axes = {data[0]};
    slices.block = element_count(Shape(data.begin() + 1, data.end()));
    slices.type = s.out_dtype();
    slices.kind = kind_of(ops::resolve_scatter_reduction(node));
    std::vector<Operand> uses = written_into(s);
    uses[1].as_it_lies = true;
    if (s.choose(kernels::scatter_nd_candidates(), slices, uses, {s.node().outputs[0]}, true)) return true;
  }
  kernels::ScatterElementsConfig config;
  config.data = s.dims(0);
  config.indices = s.dims(1);
  config.axis = *ops::scatter_axis(node);
  config.type = s.out_dtype();
  config.kind = kind_of(ops::resolve_scatter_reduction(node));
  config.wide_indices = s.dtype(1) == DataType::Int64;
  return s.choose(kernels::scatter_elements_candidates(), config, written_into(s), {s.node().outputs[0]}, true);
}

bool select_nonzero(Selector& s) {
  return s.choose(kernels::nonzero_candidates(), kernels::NonZeroConfig{s.dtype(0), s.dims(0)}, {{s.node().inputs[0]}},
                  {s.node().outputs[0]});
}

bool select_compress(Selector& s) {
  if (!moves_elements(s, "compress")) return false;
  const ops::CompressParams p = ops::resolve_compress(SelectedNode(s));
  kernels::CompressConfig config;
  config.out = p.flattened ? Shape{element_count(s.dims(0))} : s.dims(0);
  config.axis = p.axis;
  const ops::AxisView view = ops::view_along(config.out, p.axis);
  config.outer = view.outer;
  config.n = view.n;
  config.inner = view.inner;
  config.condition = element_count(s.dims(1));
  config.element_bytes = element_size(s.dtype(0));
  return s.choose(kernels::compress_candidates(), config, {{s.node().inputs[0]}, {s.node().inputs[1]}},
                  {s.node().outputs[0]});
}

bool select_gather_nd(Selector& s) {
  if (!moves_elements(s, "gather_nd")) return false;
  const Shape &data = s.dims(0), &indices = s.dims(1);
  const ops::GatherNdParams p = ops::resolve_gather_nd(SelectedNode(s));
  const auto b = static_cast<std::ptrdiff_t>(p.batches.size()), n = static_cast<std::ptrdiff_t>(*p.length);
  const std::int64_t sizes = element_count(s.out_dims());
  kernels::GatherNdConfig config;
  config.batches = element_count(Shape(data.begin(), data.begin() + b));
  config.rows = element_count(Shape(indices.begin() + b, indices.end() - 1));
  config.axes = Shape(data.begin() + b, data.begin() + b + n);
  config.block = element_count(Shape(data.begin() + b + n, data.end()));
  config.element_bytes = element_size(s.out_dtype());
  if (sizes == 0) {
    s.refuse("gather_nd", "there are no elements to move");
    return false;
  }
  return s.choose(kernels::gather_nd_candidates(), config, {{s.node().inputs[0]}, {s.node().inputs[1]}},
                  {s.node().outputs[0]});
}

bool select_scatter_nd(Selector& s) {
  if (!moves_elements(s, "scatter_nd")) return false;
  const Shape &data = s.dims(0), &indices = s.dims(1);
  const auto n = static_cast<std::ptrdiff_t>(indices.back());
  kernels::ScatterNdConfig config;
  config.axes = Shape(data.begin(), data.begin() + n);
  config.block = element_count(Shape(data.begin() + n, data.end()));
  config.type = s.out_dtype();
  config.kind = kind_of(ops::resolve_scatter_reduction(SelectedNode(s)));
  if (n == 0 || element_count(s.dims(2)) == 0) {
    s.refuse("scatter_nd", "an index has no coordinates, or there is nothing to write");
    return false;
  }
  config.rows = element_count(Shape(indices.begin(), indices.end() - 1));
  config.indices = s.contents(1);
  return s.choose(kernels::scatter_nd_candidates(), config, written_into(s), {s.node().outputs[0]}, true);
}

bool select_one_hot(Selector& s) {
  if (!moves_elements(s, "class_vectors")) return false;
  const SelectedNode node(s);
  if (node.version() < 11) {
    s.refuse("class_vectors", "negative classes count from the end since version 11");
    return false;
  }
  const ops::AxisView view = ops::view_along(s.out_dims(), node.require(ops::resolve_one_hot(node).axis, "axis"));
  const kernels::ClassVectorsConfig config{s.dtype(0), view.outer, view.n, view.inner, element_size(s.out_dtype())};
  return s.choose(kernels::class_vectors_candidates(), config, {{s.node().inputs[0]}, {s.node().inputs[2]}},
                  {s.node().outputs[0]});
}

bool select_trilu(Selector& s) {
  const Shape& x = s.dims(0);
  if (!moves_elements(s, "triangle") || !has_matrices(s, "triangle", x)) return false;
  const ops::TriluParams p = ops::resolve_trilu(SelectedNode(s));
  if (!p.k) {
    s.refuse("triangle", "k is not constant");
    return false;
  }
  kernels::TriangleConfig config;
  config.rows = x[x.size() - 2];
  config.columns = x.back();
  config.matrices = element_count(Shape(x.begin(), x.end() - 2));
  config.upper = p.upper;
  config.k = *p.k;
  config.element_bytes = element_size(s.out_dtype());
  return s.choose(kernels::triangle_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]});
}

bool select_reverse_sequence(Selector& s) {
  const Shape& x = s.dims(0);
  if (!moves_elements(s, "reverse") || !has_matrices(s, "reverse", x)) return false;
  kernels::ReverseConfig config;
  config.batch_first = ops::batch_is_first(SelectedNode(s));
  if (s.dims(1) != Shape{x[config.batch_first ? 0 : 1]}) {
    s.refuse("reverse", "there is not a length for each sequence");
    return false;
  }
  config.first = x[0];
  config.second = x[1];
  config.inner = element_count(Shape(x.begin() + 2, x.end()));
  config.element_bytes = element_size(s.out_dtype());
  return s.choose(kernels::reverse_candidates(), config, {{s.node().inputs[0]}, {s.node().inputs[1]}},
                  {s.node().outputs[0]});
}

}  // namespace norn::runtime
