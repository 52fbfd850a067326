// DequantizeLinear or Cast of a constant matrix, and the product behind it, become one node.
#include <algorithm>
#include <optional>

#include "ops/math/gemm/gemm.h"
#include "ops/math/matmul/matmul.h"
#include "ops/quantization/dequantize/dequantize.h"
#include "ops/quantization/quantize/quantize.h"
#include "ops/tensor/cast/cast.h"
#include "ops/tensor/transpose/transpose.h"
#include "program/node_parameters.h"
#include "program/rewrite.h"
#include "program/stored_weights.h"

namespace norn::program {
namespace {

constexpr std::int64_t kLeastElements = 1 << 14;  // smaller matrices stay in the cache however wide they are
constexpr std::int64_t kLeastBlock = 8;

bool is_half(DataType type) { return type == DataType::Float16 || type == DataType::BFloat16; }
bool is_float(DataType type) { return type == DataType::Float || is_half(type); }

bool is_stored_integer(DataType type) {
  const DataType types[] = {DataType::Int2,  DataType::Uint2, DataType::Int4,
                            DataType::Uint4, DataType::Int8,  DataType::Uint8};
  return std::find(std::begin(types), std::end(types), type) != std::end(types);
}
bool is_narrow_float(DataType type) {
  const DataType types[] = {DataType::Float8E4M3FN,   DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                            DataType::Float8E5M2FNUZ, DataType::Float6E2M3,     DataType::Float6E3M2,
                            DataType::Float4E2M1};
  return std::find(std::begin(types), std::end(types), type) != std::end(types);
}

DataType type_of(const Rewriter& rewriter, ValueId id) {
  const opset::ValueType& type = rewriter.value(id).type;
  return type.is_tensor() ? type.elem : DataType::Undefined;
}

bool is_large_matrix(const norn::Tensor& t) { return t.rank() == 2 && t.size() >= kLeastElements; }

bool is_product(const Node& node) { return node.op == &ops::MatMul || node.op == &ops::Gemm; }
bool is_newest(const Node& node) { return node.schema == &node.op->history.back(); }

// Along which dimension of the stored matrix the scale may change at every element: 0, 1, or -1 for none.
std::optional<int> columns_of_scales(const Node& node, const Shape& stored, const Shape& scale) {
  if (element_count(scale) == 1) return -1;
  const int along = static_cast<int>(ops::resolve_scale_axis(NodeParameters(node), 2));
  if (scale.size() == 1) return along;
  const std::int64_t block = ops::resolve_scale_block(NodeParameters(node));
  if (scale.size() != 2 || block < std::min(kLeastBlock, stored[static_cast<std::size_t>(along)])) return {};
  return 1 - along;
}

// Whether scales, if the node has any, change slowly enough along the rows of the product's factor.
bool scales_fit(const Rewriter& rewriter, const Node& widening, bool transposed) {
  if (widening.op != &ops::DequantizeLinear) return true;
  const auto columns = columns_of_scales(widening, rewriter.value(widening.inputs[0]).constant.dims(),
                                         rewriter.value(widening.inputs[1]).constant.dims());
  return columns && (*columns < 0 || *columns == (transposed ? 0 : 1));
}

// Whether the product's right factor is `running` transposed; nothing unless that is its right factor alone.
std::optional<bool> right_factor(const Rewriter& rewriter, const Node& node, ValueId running) {
  if (!is_product(node) || !node.parts.empty() || node.inputs.size() < 2 || node.inputs[1] != running) return {};
  if (node.inputs[0] == running || node.input(2) == running) return {};
  if (is_const(rewriter.graph(), node.inputs[0])) return {};  // all of it is computed ahead
  const opset::ValueType& a = rewriter.value(node.inputs[0]).type;
  if (!a.has_rank() || a.shape->size() < 2 || !is_float(type_of(rewriter, node.outputs[0]))) return {};
  return node.op == &ops::Gemm && ops::resolve_gemm(NodeParameters(node)).trans_b;
}

}  // namespace

bool widens_constant(const Rewriter& rewriter, NodeId n) {
  const Node& node = rewriter.node(n);
  if (!node.parts.empty() || node.outputs.size() != 1 || node.inputs.empty()) return false;
  if (node.op != &ops::DequantizeLinear && node.op != &ops::Cast) return false;
  const auto constant = [&](std::size_t i) {
    return is_const(rewriter.graph(), node.input(i)) && rewriter.value(node.inputs[i]).constant.defined();
  };
  if (!constant(0) || !is_float(type_of(rewriter, node.outputs[0]))) return false;
  const norn::Tensor& stored = rewriter.value(node.inputs[0]).constant;
  if (!is_large_matrix(stored)) return false;
  if (node.op == &ops::Cast) return is_half(stored.dtype()) && type_of(rewriter, node.outputs[0]) == DataType::Float;
  if (!constant(1)) return false;
  const DataType scale = rewriter.value(node.inputs[1]).constant.dtype();
  if (!is_float(scale) && scale != DataType::Float8E8M0) return false;
  const bool zeros = node.input(2) != kNone;
  if (zeros && (!constant(2) ||
                rewriter.value(node.inputs[2]).constant.size() != rewriter.value(node.inputs[1]).constant.size()))
    return false;
  return is_stored_integer(stored.dtype()) || (is_narrow_float(stored.dtype()) && !zeros);
}

bool is_kept_as_stored(const Rewriter& rewriter, const Node& product) {
  if (product.inputs.size() < 2 || !is_const(rewriter.graph(), product.inputs[1])) return false;
  const norn::Tensor& stored = rewriter.value(product.inputs[1]).constant;
  return is_half(stored.dtype()) && is_large_matrix(stored) && right_factor(rewriter, product, product.inputs[1]);
}

std::vector<NodeId> way_to_product(const Rewriter& rewriter, NodeId widening, NodeId reader) {
  std::vector<NodeId> way;
  const Node& first = rewriter.node(widening);
  ValueId running = first.outputs[0];
  bool transposed = false;
  for (NodeId next = reader; next != kNoNode; next = rewriter.only_reader(running)) {
    const Node& node = rewriter.node(next);
    way.push_back(next);
    if (const auto stored_so = right_factor(rewriter, node, running)) {
      // Half products are computed in f32 later, behind another Cast.
      if (scales_fit(rewriter, first, transposed != *stored_so)) return way;
      return {};
    }
    if (!node.parts.empty() || way.size() > 4) return {};
    if (node.op == &ops::Transpose) {
      transposed = transposed != (ops::resolve_transpose(NodeParameters(node), 2)->front() == 1);
    } else if (node.op != &ops::Cast || !is_half(type_of(rewriter, running)) ||
               type_of(rewriter, node.outputs[0]) != DataType::Float) {
      return {};
    }
    running = node.outputs[0];
  }
  return {};
}

bool is_for_products(Rewriter& rewriter, NodeId widening) {
  std::vector<NodeId> products;
  std::size_t others = 0;
  rewriter.readers(rewriter.node(widening).outputs[0], [&](NodeId reader) {
    if (reader != kNoNode && !way_to_product(rewriter, widening, reader).empty())
      products.push_back(reader);
    else
      ++others;
  });
  if (products.empty()) return false;
  if (products.size() == 1 && others == 0) return true;
  const Node& first = rewriter.node(widening);
  const auto all_newest = [&] {
    return is_newest(first) &&
           std::all_of(products.begin(), products.end(), [&](NodeId n) { return is_newest(rewriter.node(n)); });
  };
  if (!all_newest()) return false;
  for (const NodeId n : products) {
    const ValueId old = rewriter.node(widening).outputs[0];
    const ValueId own = rewriter.emit(*rewriter.node(widening).op, rewriter.node(widening).attrs,
                                      rewriter.node(widening).inputs, {widening});
    const Node& reader = rewriter.node(n);
    std::vector<ValueId> inputs = reader.inputs;
    std::replace(inputs.begin(), inputs.end(), old, own);
    rewriter.replace(reader.outputs[0], rewriter.emit(*reader.op, reader.attrs, std::move(inputs), {n}));
  }
  if (others > 0) return false;
  rewriter.drop(widening);
  return true;
}

void fuse_stored_weights(Program& program, Graph& graph) {
  const auto may_widen = [](const Node& node) { return node.op == &ops::DequantizeLinear || node.op == &ops::Cast; };
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), may_widen)) return;
  Rewriter rewriter(program, graph);
  rewriter.each([&](NodeId n) {
    if (!widens_constant(rewriter, n)) return;
    const ValueId widened = rewriter.node(n).outputs[0];
    const NodeId reader = rewriter.only_reader(widened);
    std::vector<NodeId> chain = reader == kNoNode ? std::vector<NodeId>() : way_to_product(rewriter, n, reader);
    if (chain.empty() || type_of(rewriter, rewriter.node(chain.back()).outputs[0]) != DataType::Float) {
      rewriter.nearly("fuse_stored_weights", rewriter.node(n), [&] {
        return "\"" + rewriter.value(widened).name + "\" is not the right factor of one product of float alone";
      });
      return;
    }
    chain.insert(chain.begin(), n);
    rewriter.fuse(chain);
  });
  rewriter.commit();
}

}  // namespace norn::program
