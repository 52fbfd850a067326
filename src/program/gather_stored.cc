// Rows picked out of a constant matrix that is widened first (an embedding by DequantizeLinear, or by Cast from float16
// or bfloat16) are picked out of the matrix as it is stored, and then widened: Gather(DequantizeLinear(w, s), i)
// becomes DequantizeLinear(Gather(w, i), Gather(s, i)). Every element is computed as before. Scales for blocks of rows
// stay: there is no scale for a row to pick.
#include <algorithm>
#include <optional>

#include "ops/quantization/dequantize/dequantize.h"
#include "ops/quantization/quantize/quantize.h"
#include "ops/tensor/cast/cast.h"
#include "ops/tensor/gather/gather.h"
#include "ops/tensor/squeeze/squeeze.h"
#include "program/node_parameters.h"
#include "program/rewrite.h"
#include "program/stored_weights.h"
#include "transform/version_step.h"

namespace norn::program {
namespace {

// How the scales of a matrix go along with its rows.
enum class Scales { ForAll, ForColumns, ForRows, ForBlocks };

// Gather takes integers of a byte; those of fewer bits lie in bytes too, and DequantizeLinear takes both. Undefined for
// types that it does not take at all.
DataType gathered_type(DataType type) {
  switch (type) {
    case DataType::Int8:
    case DataType::Int4:
    case DataType::Int2: return DataType::Int8;
    case DataType::Uint8:
    case DataType::Uint4:
    case DataType::Uint2: return DataType::Uint8;
    case DataType::Float:
    case DataType::Float16:
    case DataType::BFloat16: return type;
    default: return DataType::Undefined;
  }
}

std::optional<Scales> scales_of(const Node& node, const Shape& scale) {
  if (element_count(scale) == 1 && scale.size() <= 1) return Scales::ForAll;
  const bool columns = ops::resolve_scale_axis(NodeParameters(node), 2) == 1;
  if (scale.size() == 1) return columns ? Scales::ForColumns : Scales::ForRows;
  if (columns) return Scales::ForBlocks;
  return {};
}

class Picking {
 public:
  Picking(Rewriter& rewriter, NodeId gather, NodeId widening)
      : rewriter_(rewriter), gather_(gather), widening_(widening), indices_(rewriter.node(gather).inputs[1]) {}

  void run() {
    const ValueId y = rewriter_.node(gather_).outputs[0];
    if (node().op == &ops::Cast) {
      const ValueId rows = pick(node().inputs[0]);  // of a half type
      rewriter_.replace(y, rewriter_.emit(ops::Cast, node().attrs, {rows}, {gather_}));
      return;
    }
    const Shape dims = rewriter_.value(node().inputs[0]).constant.dims();
    const Shape scale = rewriter_.value(node().inputs[1]).constant.dims();
    const auto scales = scales_of(node(), scale);
    const auto stays = [&](std::string why) {
      rewriter_.nearly("gather_stored", rewriter_.node(gather_), [&] { return why; });
    };
    if (!scales) return stays("the scales are those of blocks of the rows that Gather picks from");
    for (const ValueId id : node().inputs)
      if (id != kNone && gathered_type(rewriter_.value(id).constant.dtype()) == DataType::Undefined)
        return stays("Gather does not take " + std::string(data_type_name(rewriter_.value(id).constant.dtype())));
    std::vector<ir::Attribute> attributes;
    const DataType scaled = rewriter_.value(node().inputs[1]).constant.dtype();
    if (const DataType to = ops::dequantized_type(NodeParameters(node()), scaled); to != scaled)
      attributes.push_back(transform::make_attr("output_dtype", static_cast<std::int64_t>(to)));
    if (*scales != Scales::ForAll) attributes.push_back(transform::make_attr("axis", std::int64_t{-1}));
    if (*scales == Scales::ForRows) attributes.push_back(transform::make_attr("block_size", dims[1]));
    if (*scales == Scales::ForBlocks)
      attributes.push_back(transform::make_attr("block_size", ops::resolve_scale_block(NodeParameters(node()))));
    std::vector<ValueId> inputs = {pick(node().inputs[0])};
    for (std::size_t i = 1; i < node().inputs.size(); ++i)
      inputs.push_back(node().inputs[i] == kNone ? kNone : numbers(node().inputs[i], *scales));
    rewriter_.replace(y, rewriter_.emit(ops::DequantizeLinear, std::move(attributes), std::move(inputs), {gather_}));
  }

 private:
  const Node& node() const { return rewriter_.node(widening_); }

  // The constant, under the type that Gather takes.
  ValueId as_gathered(ValueId id) {
    const norn::Tensor contents = rewriter_.value(id).constant;
    const DataType type = gathered_type(contents.dtype());
    if (type == contents.dtype()) return id;
    return rewriter_.constant(
        norn::Tensor::borrow(type, contents.dims(), const_cast<void*>(contents.data()), contents.owner()),
        rewriter_.value(id).name + "_bytes");
  }

  ValueId pick(ValueId from) {
    from = as_gathered(from);
    return rewriter_.emit(ops::Gather, {transform::make_attr("axis", std::int64_t{0})}, {from, indices_}, {gather_});
  }

  // Scales or zero points of the rows.
  ValueId numbers(ValueId of_all, Scales scales) {
    if (scales == Scales::ForAll || scales == Scales::ForColumns) return as_gathered(of_all);
    const ValueId picked = pick(of_all);
    if (scales == Scales::ForBlocks) return picked;
    norn::Tensor last(DataType::Int64, {1});
    *last.as_mutable<std::int64_t>() = -1;
    return rewriter_.emit(ops::Unsqueeze, {}, {picked, rewriter_.constant(std::move(last), "last_axis")}, {gather_});
  }

  Rewriter& rewriter_;
  NodeId gather_, widening_;
  ValueId indices_;
};

bool picks_rows(const Node& node) {
  if (node.op != &ops::Gather || !node.parts.empty() || node.schema != &node.op->history.back()) return false;
  const std::int64_t axis = node.attributes().i("axis");
  return axis == 0 || axis == -2;
}

}  // namespace

void gather_stored(Program& program, Graph& graph) {
  if (std::none_of(graph.nodes.begin(), graph.nodes.end(), picks_rows)) return;
  Rewriter rewriter(program, graph);
  rewriter.each([&](NodeId n) {
    const Node& node = rewriter.node(n);
    if (!picks_rows(node) || node.inputs[0] == node.inputs[1]) return;
    const NodeId widening = rewriter.producer(node.inputs[0]);
    if (widening != kNoNode && widens_constant(rewriter, widening)) Picking(rewriter, n, widening).run();
  });
  rewriter.commit();
}

}  // namespace norn::program
