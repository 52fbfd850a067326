// What passes know of quantized values. Internal to the passes.
#pragma once
#include <cmath>
#include <optional>
#include <string>

#include "ops/quantization/dequantize/dequantize.h"
#include "ops/quantization/quantize/quantize.h"
#include "program/node_parameters.h"
#include "program/rewrite.h"
#include "program/rewriter.h"

namespace norn::program {

// A scale and a zero point, which are constants and one number each.
struct OneScale {
  ValueId scale = kNone, zero = kNone;  // no zero point: 0
  float value = 0;
  std::int32_t zero_value = 0;
  DataType type = DataType::Undefined;  // Uint8 or Int8

  bool operator==(const OneScale& o) const { return value == o.value && zero_value == o.zero_value && type == o.type; }
  std::int32_t least() const { return type == DataType::Uint8 ? 0 : -128; }
  std::int32_t most() const { return type == DataType::Uint8 ? 255 : 127; }
  std::int32_t quantized(double x) const {
    const double q = std::nearbyint(x / value) + zero_value;
    return q < least() ? least() : q > most() ? most() : static_cast<std::int32_t>(q);
  }
};

inline bool is_8_bit(DataType type) { return type == DataType::Uint8 || type == DataType::Int8; }

inline std::int32_t int8_at(const norn::Tensor& t, std::int64_t i) {
  return t.dtype() == DataType::Uint8 ? t.as<std::uint8_t>()[i] : t.as<std::int8_t>()[i];
}

inline bool is_float_value(const Graph& graph, ValueId id) {
  const opset::ValueType& type = graph.value(id).type;
  return type.is_tensor() && type.elem == DataType::Float;
}

// Whether the scale and the zero point of a node with inputs x, scale and zero point are one number each, which runs
// may bring; `quantized` is of the 8-bit type.
inline bool has_one_scale(const Graph& graph, const Node& node, ValueId quantized) {
  const opset::ValueType& type = graph.value(quantized).type;
  if (node.schema != &node.op->history.back() || !node.parts.empty() || !type.is_tensor() || !is_8_bit(type.elem))
    return false;
  // One of a higher rank is of a block, and stands beside its own block size.
  const auto single = [&](ValueId id, DataType wanted) {
    const opset::ValueType& t = graph.value(id).type;
    return t.is_tensor() && t.elem == wanted && t.has_rank() &&
           (t.shape->empty() || (t.shape->size() == 1 && (*t.shape)[0] == opset::DimExpr(1)));
  };
  return single(node.inputs[1], DataType::Float) && (node.input(2) == kNone || single(node.inputs[2], type.elem));
}

// Those numbers, if they are constants.
inline std::optional<OneScale> one_scale(const Graph& graph, const Node& node, ValueId quantized) {
  if (!has_one_scale(graph, node, quantized)) return {};
  OneScale found{.scale = node.inputs[1], .zero = node.input(2), .type = graph.value(quantized).type.elem};
  const auto known = [&](ValueId id) { return is_const(graph, id) && graph.value(id).constant.defined(); };
  if (!known(found.scale)) return {};
  found.value = *graph.value(found.scale).constant.as<float>();
  if (!(found.value > 0) || !std::isfinite(found.value)) return {};
  if (found.zero != kNone) {
    if (!known(found.zero)) return {};
    found.zero_value = int8_at(graph.value(found.zero).constant, 0);
  }
  return found;
}
inline bool dequantizes_by_one(const Graph& graph, const Node& node) {
  return node.op == &ops::DequantizeLinear && is_float_value(graph, node.outputs[0]) &&
         has_one_scale(graph, node, node.inputs[0]);
}

// Of a DequantizeLinear from 8 bits to float.
inline std::optional<OneScale> dequantizing(const Graph& graph, const Node& node) {
  if (node.op != &ops::DequantizeLinear || !is_float_value(graph, node.outputs[0])) return {};
  return one_scale(graph, node, node.inputs[0]);
}

// A QuantizeLinear from float, which divides in f32.
inline bool divides_in_float(const Graph& graph, const Node& node) {
  if (node.op != &ops::QuantizeLinear || node.schema != &node.op->history.back() ||
      !is_float_value(graph, node.inputs[0]))
    return false;
  const auto elem = [&](ValueId id) { return id == kNone ? DataType::Undefined : graph.value(id).type.elem; };
  const ValueId zero = node.input(2);
  return ops::resolve_quantize(NodeParameters(node), elem(node.inputs[1]), zero != kNone, elem(zero)).division ==
         DataType::Float;
}
// Of one to 8 bits.
inline std::optional<OneScale> quantizing(const Graph& graph, const Node& node) {
  return divides_in_float(graph, node) ? one_scale(graph, node, node.outputs[0]) : std::nullopt;
}
inline bool quantizes_by_one(const Graph& graph, const Node& node) {
  return divides_in_float(graph, node) && has_one_scale(graph, node, node.outputs[0]);
}

}  // namespace norn::program
