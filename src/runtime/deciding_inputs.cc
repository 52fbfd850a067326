#include "runtime/deciding_inputs.h"

#include <algorithm>
#include <cstring>

#include "ops/generator/constant_of_shape/constant_of_shape.h"
#include "ops/math/cumulative/cumulative.h"
#include "ops/math/dft/dft.h"
#include "ops/math/expand/expand.h"
#include "ops/math/topk/topk.h"
#include "ops/nn/col2im/col2im.h"
#include "ops/nn/max_unpool/max_unpool.h"
#include "ops/reduction/reduce/reduce.h"
#include "ops/tensor/affine_grid/affine_grid.h"
#include "ops/tensor/cast/cast.h"
#include "ops/tensor/center_crop_pad/center_crop_pad.h"
#include "ops/tensor/identity/identity.h"
#include "ops/tensor/one_hot/one_hot.h"
#include "ops/tensor/pad/pad.h"
#include "ops/tensor/reshape/reshape.h"
#include "ops/tensor/resize/resize.h"
#include "ops/tensor/slice/slice.h"
#include "ops/tensor/split/split.h"
#include "ops/tensor/squeeze/squeeze.h"
#include "ops/tensor/tile/tile.h"
#include "ops/tensor/trilu/trilu.h"
#include "ops/tensor/upsample/upsample.h"

namespace norn::runtime {
namespace {

using program::Graph;
using program::kNone;
using program::Node;
using program::ValueId;

constexpr unsigned bit(unsigned input) { return 1u << input; }

// Operators and which of their inputs decide.
struct Deciding {
  const opset::Operator* op;
  unsigned inputs;
};
constexpr Deciding kDeciding[] = {
    {&ops::AffineGrid, bit(1)},
    {&ops::CenterCropPad, bit(1)},
    {&ops::Col2Im, bit(1) | bit(2)},
    {&ops::ConstantOfShape, bit(0)},
    {&ops::CumProd, bit(1)},
    {&ops::CumSum, bit(1)},
    {&ops::DFT, bit(1) | bit(2)},
    {&ops::Expand, bit(1)},
    {&ops::MaxUnpool, bit(2)},
    {&ops::OneHot, bit(1)},
    {&ops::Pad, bit(1) | bit(3)},
    {&ops::ReduceL1, bit(1)},
    {&ops::ReduceL2, bit(1)},
    {&ops::ReduceLogSum, bit(1)},
    {&ops::ReduceLogSumExp, bit(1)},
    {&ops::ReduceMax, bit(1)},
    {&ops::ReduceMean, bit(1)},
    {&ops::ReduceMin, bit(1)},
    {&ops::ReduceProd, bit(1)},
    {&ops::ReduceSum, bit(1)},
    {&ops::ReduceSumSquare, bit(1)},
    {&ops::Reshape, bit(1)},
    {&ops::Resize, bit(1) | bit(2) | bit(3)},
    {&ops::Slice, bit(1) | bit(2) | bit(3) | bit(4)},
    {&ops::Split, bit(1)},
    {&ops::Squeeze, bit(1)},
    {&ops::Tile, bit(1)},
    {&ops::TopK, bit(1)},
    {&ops::Trilu, bit(1)},
    {&ops::Unsqueeze, bit(1)},
    {&ops::Upsample, bit(1)},
};
// What hands its first input on.
constexpr const opset::Operator* kHandsOn[] = {&ops::Cast, &ops::Identity, &ops::Reshape, &ops::Squeeze,
                                               &ops::Unsqueeze};

unsigned deciding_inputs(const opset::Operator* op) {
  for (const Deciding& known : kDeciding)
    if (known.op == op) return known.inputs;
  return 0;
}

bool decides(const Graph& graph, const GraphUses& uses, ValueId id, int hands = 0) {
  constexpr int kMostHands = 4;
  if (uses.is_output(id) || uses.readers(id).empty()) return false;
  for (const std::uint32_t reader : uses.readers(id)) {
    const Node& node = graph.nodes[reader];
    const unsigned deciding = deciding_inputs(node.op);
    std::size_t reads = 0;
    program::for_each_use(node, [&](ValueId use) { reads += use == id; });
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i] != id) continue;
      --reads;
      if (i < 32 && (deciding >> i & 1) != 0) continue;
      const bool hands_on =
          i == 0 && std::find(std::begin(kHandsOn), std::end(kHandsOn), node.op) != std::end(kHandsOn);
      if (!hands_on || hands == kMostHands || !node.parts.empty() || !decides(graph, uses, node.outputs[0], hands + 1))
        return false;
    }
    if (reads != 0) return false;  // by parts, or graphs of the node
  }
  return true;
}

bool is_small(const Value& value) {
  return value.is_tensor() && value.tensor().defined() && value.tensor().dtype() != DataType::String &&
         value.tensor().size() <= DecidingInputs::kMostElements;
}

bool same(const Tensor& known, const Value& value) {
  if (!known.defined()) return !is_small(value);
  if (!is_small(value)) return false;
  const Tensor& t = value.tensor();
  return t.dtype() == known.dtype() && t.dims() == known.dims() &&
         (t.bytes() == 0 || std::memcmp(t.data(), known.data(), t.bytes()) == 0);
}

}  // namespace

DecidingInputs::DecidingInputs(const Graph& graph, const GraphUses& uses) {
  for (std::uint32_t i = 0; i < graph.inputs.size(); ++i)
    if (decides(graph, uses, graph.inputs[i])) inputs_.push_back(i);
}

std::shared_ptr<const DecidingInputs::Known> DecidingInputs::find(std::span<const Value> inputs) const {
  if (std::none_of(inputs_.begin(), inputs_.end(), [&](std::uint32_t i) { return is_small(inputs[i]); }))
    return nullptr;
  std::lock_guard lock(mutex_);
  for (const auto& known : seen_)
    if (std::all_of(inputs_.begin(), inputs_.end(),
                    [&](std::uint32_t i) { return same(known->inputs[i].constant, inputs[i]); })) {
      ++again_;
      return known;
    }
  if (seen_.size() == kMostContents || (seen_.size() > 1 && again_ < seen_.size())) return nullptr;
  auto known = std::make_shared<Known>();
  known->number = seen_.size();
  known->inputs.resize(inputs.size());
  for (const std::uint32_t i : inputs_)
    if (is_small(inputs[i])) known->inputs[i].constant = inputs[i].tensor().clone();
  seen_.push_back(known);
  return known;
}

}  // namespace norn::runtime
