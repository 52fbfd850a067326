#include "runtime/step_cost.h"

#include <algorithm>
#include <array>
#include <map>

#include "ops/generator/constant/constant.h"
#include "ops/generator/constant_of_shape/constant_of_shape.h"
#include "ops/generator/eye_like/eye_like.h"
#include "ops/math/einsum/einsum.h"
#include "ops/math/gemm/gemm.h"
#include "ops/math/matmul/matmul.h"
#include "ops/math/matmul_integer/matmul_integer.h"
#include "ops/math/qlinear_matmul/qlinear_matmul.h"
#include "ops/nn/attention/attention.h"
#include "ops/nn/conv/conv.h"
#include "ops/nn/conv_integer/conv_integer.h"
#include "ops/nn/conv_transpose/conv_transpose.h"
#include "ops/nn/deform_conv/deform_conv.h"
#include "ops/nn/pool/pool.h"
#include "ops/nn/qlinear_conv/qlinear_conv.h"
#include "ops/rnn/recurrent/recurrent.h"
#include "ops/tensor/bit_cast/bit_cast.h"
#include "ops/tensor/cast/cast.h"
#include "ops/tensor/shape/shape.h"
#include "opset/domains.h"
#include "program/node_parameters.h"

namespace norn::runtime {
namespace {

using opset::Operator;
using program::Node;

double elements(const Shape& dims) {
  double count = 1;
  for (const std::int64_t d : dims) count *= static_cast<double>(d);
  return count;
}

}  // namespace

bool only_moves(const Operator* op) {
  // Constants, sizes, and elements in another type: nothing is computed from their values.
  static constexpr std::array kGiven = {&ops::BitCast, &ops::Cast,  &ops::Constant, &ops::ConstantOfShape,
                                        &ops::EyeLike, &ops::Shape, &ops::Size};
  return op->moves != opset::Movement::None || std::find(kGiven.begin(), kGiven.end(), op) != kGiven.end();
}

namespace {

bool pools(const Operator* op) { return op == &ops::MaxPool || op == &ops::AveragePool; }

// One for each combination of the labels' sizes, and each operand beyond the first.
double einsum(const Node& node, const std::vector<Shape>& inputs) {
  std::vector<std::int64_t> ranks;
  for (const Shape& dims : inputs) ranks.push_back(static_cast<std::int64_t>(dims.size()));
  const ops::EinsumParams params = ops::resolve_einsum(program::NodeParameters(node), ranks);
  std::map<int, std::int64_t> sizes;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (std::size_t d = 0; d < inputs[i].size(); ++d) {
      std::int64_t& size = sizes.try_emplace(params.inputs[i][d], 1).first->second;
      size = std::max(size, inputs[i][d]);  // axes of an ellipsis broadcast
    }
  double count = static_cast<double>(inputs.size()) - 1;
  for (const auto& [label, size] : sizes) count *= static_cast<double>(size);
  return count;
}

// Of strings, none.
double bytes_of(const StaticType& type) { return elements(type.dims) * storage_bits(type.dtype) / 8; }

}  // namespace

double multiply_adds(const Node& node, const std::function<const Shape&(program::ValueId)>& dims) {
  const Operator* op = node.op;
  const auto in = [&](std::size_t i) -> const Shape& { return dims(node.inputs[i]); };
  const auto made = [&] { return elements(dims(node.outputs[0])); };
  // Each element of the output is a sum of as many products as a filter has weights.
  const auto convolution = [&](std::size_t w) { return in(w)[0] > 0 ? made() * elements(in(w)) / in(w)[0] : 0; };
  const auto product = [&](std::size_t a) { return made() * static_cast<double>(in(a).back()); };
  if (op == &ops::MatMul || op == &ops::MatMulInteger || op == &ops::QLinearMatMul) return product(0);
  if (op == &ops::Gemm) {
    const Shape& out = dims(node.outputs[0]);
    return out[0] > 0 ? elements(out) * elements(in(0)) / static_cast<double>(out[0]) : 0;
  }
  if (op == &ops::Conv || op == &ops::ConvInteger || op == &ops::DeformConv) return convolution(1);
  if (op == &ops::QLinearConv) return convolution(3);
  if (op == &ops::ConvTranspose) return in(1)[0] > 0 ? elements(in(0)) * elements(in(1)) / in(1)[0] : 0;
  if (op == &ops::LSTM || op == &ops::GRU || op == &ops::RNN) {
    const double size = static_cast<double>(in(0).back());
    return size > 0 ? elements(in(0)) / size * (elements(in(1)) + elements(in(2))) : 0;
  }
  if (op == &ops::Attention) {
    const auto length = [&](std::size_t i) { return static_cast<double>(in(i)[in(i).size() - 2]); };
    const double keys = length(1) + (node.input(4) != program::kNone ? length(4) : 0);  // those of the past
    return keys * (elements(in(0)) + made());
  }
  if (op == &ops::Einsum) {
    std::vector<Shape> inputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) inputs.push_back(in(i));
    return einsum(node, inputs);
  }
  return 0;
}

StepCost step_cost(const program::Graph& graph, const StepInfo& info) {
  StepCost cost;
  const Node& first = operation_of(graph, info);
  if (!first.subgraphs.empty()) return cost;
  double read = 0, made = 0, given = 0;
  for (const StaticType& type : info.outputs) {
    given += bytes_of(type);
    made = std::max(made, elements(type.dims));
  }
  cost.bytes = given;
  for (std::size_t i = 0; i < info.inputs.size(); ++i) {
    const double bytes = bytes_of(info.inputs[i]);
    const bool picked = i == 0 && first.op->moves == opset::Movement::First;
    cost.bytes += picked ? std::min(bytes, given) : bytes;
    read = std::max(read, elements(info.inputs[i].dims));
  }
  if (info.copies) {
    cost.flop = 0;
    return cost;
  }
  if (first.op->domain == opset::kMlDomain) return cost;
  cost.flop = 2 * info.multiply_adds;
  const bool is_product = info.multiply_adds > 0;
  for (std::uint32_t k = 0; k < info.operations; ++k) {
    const Node& node = operation_of(graph, info, k);
    if (only_moves(node.op)) continue;
    if (k == 0 && pools(node.op)) {
      double window = 1;
      for (const std::int64_t size : ops::resolve_pool(program::NodeParameters(node)).kernel)
        window *= static_cast<double>(size);
      *cost.flop += made * window;
    } else if (k == 0) {
      *cost.flop += is_product ? 0 : std::max(read, made);
    } else {
      *cost.flop += made;
    }
  }
  return cost;
}

}  // namespace norn::runtime
