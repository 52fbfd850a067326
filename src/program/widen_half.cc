// Operations on float16 and bfloat16 for which there are f32 kernels are done in f32: what they read is cast to it,
// what they give is cast back, and of two casts in a row that meet, neither is done. What only moves elements between
// two such operations moves them in f32.
//
// A value between two operations then is not rounded to its half type: results are those of f32 arithmetic, rounded at
// the end. Constants are widened once, which doubles their memory, but for the weights of products, which are read as
// they are stored (fuse_stored_weights.cc).
#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/mapped_file.h"
#include "base/memory.h"
#include "base/number.h"
#include "ops/math/cumulative/cumulative.h"
#include "ops/math/einsum/einsum.h"
#include "ops/math/gemm/gemm.h"
#include "ops/math/matmul/matmul.h"
#include "ops/math/softmax/softmax.h"
#include "ops/math/unary_log/unary_log.h"
#include "ops/math/unary_math/unary_math.h"
#include "ops/nn/attention/attention.h"
#include "ops/nn/batch_normalization/batch_normalization.h"
#include "ops/nn/col2im/col2im.h"
#include "ops/nn/conv/conv.h"
#include "ops/nn/conv_transpose/conv_transpose.h"
#include "ops/nn/deform_conv/deform_conv.h"
#include "ops/nn/global_pool/global_pool.h"
#include "ops/nn/instance_normalization/instance_normalization.h"
#include "ops/nn/layer_normalization/layer_normalization.h"
#include "ops/nn/lp_normalization/lp_normalization.h"
#include "ops/nn/lrn/lrn.h"
#include "ops/nn/max_roi_pool/max_roi_pool.h"
#include "ops/nn/pool/pool.h"
#include "ops/nn/rms_normalization/rms_normalization.h"
#include "ops/nn/rotary_embedding/rotary_embedding.h"
#include "ops/object_detection/roi_align/roi_align.h"
#include "ops/reduction/reduce/reduce.h"
#include "ops/rnn/recurrent/recurrent.h"
#include "ops/tensor/cast/cast.h"
#include "ops/tensor/grid_sample/grid_sample.h"
#include "ops/tensor/is_special/is_special.h"
#include "ops/tensor/one_hot/one_hot.h"
#include "ops/tensor/split/split.h"
#include "program/rewrite.h"
#include "program/rewriter.h"
#include "program/stored_weights.h"
#include "transform/version_step.h"

namespace norn::program {
namespace {

bool is_half(const opset::ValueType& type) {
  return type.is_tensor() && (type.elem == DataType::Float16 || type.elem == DataType::BFloat16);
}

bool computes(const opset::Operator* op) {
  static const opset::Operator* const kComputing[] = {&ops::Conv,
                                                      &ops::Gemm,
                                                      &ops::MatMul,
                                                      &ops::BatchNormalization,
                                                      &ops::LRN,
                                                      &ops::InstanceNormalization,
                                                      &ops::LayerNormalization,
                                                      &ops::RMSNormalization,
                                                      &ops::RotaryEmbedding,
                                                      &ops::Attention,
                                                      &ops::MaxPool,
                                                      &ops::AveragePool,
                                                      &ops::GlobalAveragePool,
                                                      &ops::GlobalMaxPool,
                                                      &ops::Softmax,
                                                      &ops::LogSoftmax,
                                                      &ops::ReduceMean,
                                                      &ops::ReduceSum,
                                                      &ops::ReduceMax,
                                                      &ops::ReduceMin,
                                                      &ops::ReduceProd,
                                                      &ops::ReduceSumSquare,
                                                      &ops::Einsum,
                                                      &ops::ConvTranspose,
                                                      &ops::ReduceL2,
                                                      &ops::ReduceLogSum,
                                                      &ops::Hardmax,
                                                      &ops::ReduceL1,
                                                      &ops::CumSum,
                                                      &ops::CumProd,
                                                      &ops::LpNormalization,
                                                      &ops::GridSample,
                                                      &ops::RoiAlign,
                                                      &ops::MaxRoiPool,
                                                      &ops::DeformConv,
                                                      &ops::Col2Im};
  return op->elementwise || std::find(std::begin(kComputing), std::end(kComputing), op) != std::end(kComputing);
}

// All of their outputs are of one type, but for the statistics of LayerNormalization.
bool gives_several(const Node& node) {
  static const opset::Operator* const kSeveral[] = {
      &ops::LSTM, &ops::GRU, &ops::RNN, &ops::Attention, &ops::LayerNormalization, &ops::Split};
  return std::find(std::begin(kSeveral), std::end(kSeveral), node.op) != std::end(kSeveral);
}

// Their kernels for half types go by bits.
bool changes_signs(const opset::Operator* op) {
  return op == &ops::Neg || op == &ops::Abs || op == &ops::Sign || op == &ops::Relu;
}

bool normalises_rows(const opset::Operator* op) {
  return op == &ops::LayerNormalization || op == &ops::RMSNormalization;
}

// OneHot is not: its indices are compared, and are as half types have rounded them.
bool moves(const opset::Operator* op) { return op->moves != opset::Movement::None && op != &ops::OneHot; }

norn::Tensor widened(const norn::Tensor& half) {
  norn::Tensor wide(DataType::Float, half.dims());
  const auto* from = static_cast<const std::byte*>(half.bytes_in_place());
  float* to = wide.as_mutable<float>();
  base::prepare_to_fill(to, wide.bytes());
  if (half.dtype() == DataType::Float16) {
    base::halves_to_floats(from, to, half.size());
  } else {
    for (std::int64_t i = 0; i < half.size(); ++i) {
      std::uint16_t bits;
      std::memcpy(&bits, from + 2 * i, sizeof bits);
      to[i] = base::bfloat16_to_float(bits);
    }
  }
  base::release_pages(from, half.bytes());
  return wide;
}

std::vector<ir::Attribute> to_type(DataType type) {
  return {transform::make_attr("to", static_cast<std::int64_t>(type))};
}

class Widening {
 public:
  Widening(Program& program, Graph& graph) : rewriter_(program, graph) {}

  void run() {
    rewriter_.each([&](NodeId n) {
      const Node& node = rewriter_.node(n);
      if (is_for_f32(node))
        widen(n, node);
      else if (node.op == &ops::IsNaN && node.parts.empty() && wide_.contains(node.inputs[0]))
        ask_wide(n, node);
      else if (moves_some_wide(node))
        rewriter_.nearly("widen_half", node, [&] {
          return std::string(node.op->name) +
                 " could move elements of f32, but not all that it reads is computed in f32";
        });
    });
    // Their readers read the f32 value.
    for (const NodeId cast : narrowing_)
      if (rewriter_.is_there(cast) && rewriter_.reads(rewriter_.node(cast).outputs[0]) == 0) rewriter_.drop(cast);
    rewriter_.commit();
  }

 private:
  bool is_for_f32(const Node& node) const {
    if (!node.parts.empty() || node.schema != &node.op->history.back()) return false;
    const bool several = gives_several(node);
    if (node.outputs.size() != 1 && !several) return false;
    // An input of the outputs' type may be one whose own type is unknown before the run.
    for (const ValueId id : node.inputs)
      if (id != kNone && (!rewriter_.value(id).type.known() || (rewriter_.value(id).type.is_tensor() &&
                                                                rewriter_.value(id).type.elem == DataType::Undefined)))
        return false;
    bool gives = false;
    for (const ValueId id : node.outputs) {
      if (id == kNone) continue;
      const Value& y = rewriter_.value(id);
      const bool statistic = node.op == &ops::LayerNormalization && id != node.outputs[0];
      if (is_half(y.type) == statistic || !y.type.known() || y.known.constant.defined()) return false;
      gives = gives || rewriter_.reads(id) > 0;
    }
    if (!gives) return false;
    if (has_half_kernel(node) && !wide_.contains(node.inputs[0])) {
      bool computed = false;
      rewriter_.readers(node.outputs[0],
                        [&](NodeId n) { computed = computed || (n != kNoNode && computes(rewriter_.node(n).op)); });
      return computed;
    }
    if (!moves(node.op)) return several || computes(node.op);
    bool any = false;
    for (const ValueId id : node.inputs) {
      if (id == kNone || !is_half(rewriter_.value(id).type)) continue;
      if (!wide_.contains(id) && !rewriter_.value(id).is_constant()) return false;
      any = any || wide_.contains(id);
    }
    return any;
  }

  // Which casts around it would cost more than they gain.
  bool has_half_kernel(const Node& node) const {
    if (changes_signs(node.op) || node.op == &ops::RotaryEmbedding) return true;
    if (!normalises_rows(node.op)) return false;
    const DataType type = rewriter_.value(node.outputs[0]).type.elem;
    for (const ValueId id : node.inputs)
      if (id != kNone && rewriter_.value(id).type.elem != type) return false;
    for (std::size_t i = 1; i < node.outputs.size(); ++i)
      if (node.outputs[i] != kNone && rewriter_.reads(node.outputs[i]) > 0) return false;
    return true;
  }

  // Of a node that is not for f32.
  bool moves_some_wide(const Node& node) const {
    return moves(node.op) && node.parts.empty() &&
           std::any_of(node.inputs.begin(), node.inputs.end(), [&](ValueId id) { return wide_.contains(id); });
  }

  void widen(NodeId n, const Node& node) {
    const std::vector<ValueId> outputs = node.outputs;
    const opset::Operator& op = *node.op;
    std::vector<ir::Attribute> attributes = node.attrs;
    std::vector<ValueId> inputs = node.inputs;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      ValueId& id = inputs[i];
      if (id == kNone || !is_half(rewriter_.value(id).type)) continue;
      // One for each product, which it becomes a part of.
      const bool stays = i == 1 && is_kept_as_stored(rewriter_, node);
      id = stays ? rewriter_.emit(ops::Cast, to_type(DataType::Float), {id}, {n}) : in_f32(id);
    }
    std::vector<bool> given;
    for (const ValueId id : outputs) given.push_back(id != kNone);
    const std::vector<ValueId> wide = rewriter_.emit(op, std::move(attributes), std::move(inputs), {n}, given);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i] == kNone || rewriter_.reads(outputs[i]) == 0) continue;
      if (!is_half(rewriter_.value(outputs[i]).type)) {
        rewriter_.replace(outputs[i], wide[i]);
        continue;
      }
      const DataType half = rewriter_.value(outputs[i]).type.elem;
      const ValueId narrow = rewriter_.emit(ops::Cast, to_type(half), {wide[i]}, {n});
      rewriter_.replace(outputs[i], narrow);
      wide_.emplace(narrow, wide[i]);
      narrowing_.push_back(rewriter_.producer(narrow));
    }
  }

  // What is rounded is NaN where it was before.
  void ask_wide(NodeId n, const Node& node) {
    const ValueId y = node.outputs[0];
    rewriter_.replace(y, rewriter_.emit(ops::IsNaN, {}, {wide_.at(node.inputs[0])}, {n}));
  }

  ValueId in_f32(ValueId id) {
    const auto found = wide_.find(id);
    if (found != wide_.end()) return found->second;
    const Value& value = rewriter_.value(id);
    const ValueId wide = value.is_constant() ? rewriter_.constant(widened(value.constant), value.name + "_f32")
                                             : rewriter_.emit(ops::Cast, to_type(DataType::Float), {id}, {});
    wide_.emplace(id, wide);
    return wide;
  }

  Rewriter rewriter_;
  std::unordered_map<ValueId, ValueId> wide_;  // the f32 value of a half one
  std::vector<NodeId> narrowing_;              // casts of results
};

}  // namespace

void widen_half(Program& program, Graph& graph) {
  const bool any = std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    return std::any_of(node.outputs.begin(), node.outputs.end(),
                       [&](ValueId id) { return id != kNone && is_half(graph.value(id).type); });
  });
  if (any) Widening(program, graph).run();
}

}  // namespace norn::program
