// Element-wise operations on dequantized values, with the quantization fused behind them. Where all follows from one
// 8-bit integer, that is a table of what each of 256 integers becomes; the operations' reference kernels fill it.
#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "kernels/cpu/byte_table.h"
#include "kernels/cpu/quantized_chain.h"
#include "norn/error.h"
#include "ops/quantization/dequantize/dequantize.h"
#include "ops/quantization/quantize/quantize.h"
#include "opset/reference.h"
#include "runtime/select.h"

namespace norn::runtime {

using kernels::Layout;

namespace {

constexpr std::int64_t kByteEntries = 256;

// What the operations make of every integer.
class TableEvaluation {
 public:
  explicit TableEvaluation(Selector& s) : s_(s), dims_(s.out_dims().size(), 1) { dims_.back() = kByteEntries; }

  // False if that does not follow from one integer.
  bool add(const program::Node& operation) {
    if (operation.outputs.size() != 1 || !operation.subgraphs.empty() || !is_known(operation)) return false;
    if (s_.dims_of(operation.outputs[0]) != s_.out_dims()) return false;
    if (!opset::find_reference(*operation.op, operation.schema->since)) return false;
    std::vector<const norn::Value*> inputs;
    for (const program::ValueId id : operation.inputs) {
      if (id != program::kNone && !values_.contains(id) && !take(id)) return false;
      inputs.push_back(id == program::kNone ? nullptr : &values_.at(id));
    }
    try {
      std::vector<norn::Value> made = opset::evaluate(*operation.op, operation.attributes(), inputs, 1);
      if (!made[0].is_tensor() || made[0].tensor().dims() != dims_) return false;
      values_.insert_or_assign(operation.outputs[0], std::move(made[0]));
    } catch (const Error&) {
      return false;  // the reference kernel reports what is wrong
    }
    return true;
  }

  std::optional<program::ValueId> source() const { return source_; }
  const norn::Tensor& of(program::ValueId id) const { return values_.at(id).tensor(); }

 private:
  static bool is_known(const program::Node& operation) {
    return operation.op->elementwise || operation.op == &ops::QuantizeLinear || operation.op == &ops::DequantizeLinear;
  }

  // A number, or the integers as real numbers.
  bool take(program::ValueId id) {
    if (const norn::Tensor* t = s_.constant_of(id)) {
      if (t->size() != 1 || t->dims().size() > dims_.size()) return false;
      values_.insert_or_assign(id, norn::Value(*t));
      return true;
    }
    const Dequantized* from = s_.dequantized(id);
    if (!from || s_.dims_of(from->x) != s_.out_dims() || (source_ && *source_ != from->x)) return false;
    const norn::Tensor* scale = s_.constant_of(from->scale);
    const norn::Tensor* zero = from->zero == program::kNone ? nullptr : s_.constant_of(from->zero);
    if (!scale || (from->zero != program::kNone && !zero)) return false;
    const bool is_signed = s_.dtype_of(from->x) == DataType::Int8;
    const auto integer = [&](std::uint8_t byte) { return is_signed ? static_cast<std::int8_t>(byte) : int{byte}; };
    const int zero_point = zero == nullptr ? 0 : integer(*static_cast<const std::uint8_t*>(zero->data()));
    norn::Tensor real(DataType::Float, dims_);
    for (int i = 0; i < kByteEntries; ++i)
      real.as_mutable<float>()[i] =
          static_cast<float>(integer(static_cast<std::uint8_t>(i)) - zero_point) * *scale->as<float>();
    source_ = from->x;
    values_.insert_or_assign(id, norn::Value(std::move(real)));
    return true;
  }

  Selector& s_;
  Shape dims_;
  std::map<program::ValueId, norn::Value> values_;
  std::optional<program::ValueId> source_;
};

bool is_byte(DataType type) { return type == DataType::Uint8 || type == DataType::Int8; }

}  // namespace

bool select_byte_table(Selector& s) {
  const auto parts = s.parts();
  std::size_t last = parts.size();  // behind the last quantization
  while (last > 0 && parts[last - 1].op != &ops::QuantizeLinear) --last;
  if (last == 0 && s.node().op != &ops::QuantizeLinear) return false;
  if (s.out_dims().empty() || element_count(s.out_dims()) == 0) return false;
  const program::ValueId made = last == 0 ? s.node().outputs[0] : parts[last - 1].outputs[0];
  if (!is_byte(s.dtype_of(made))) return false;
  TableEvaluation evaluation(s);
  if (!evaluation.add(s.node())) return false;
  for (std::size_t i = 0; i < last; ++i)
    if (!evaluation.add(parts[i])) return false;
  if (!evaluation.source()) return false;
  const program::ValueId x = *evaluation.source();
  kernels::ByteTableConfig config;
  config.elements = element_count(s.out_dims());
  std::memcpy(config.table.data(), evaluation.of(made).data(), config.table.size());
  s.take(last);
  const kernels::Layout layout = s.made_in(x);
  if (s.choose(kernels::byte_table_candidates(), config, {{x, layout}}, {made, layout}, true)) return true;
  s.leave_parts();
  return false;
}

bool select_quantized_chain(Selector& s) {
  if (s.out_dtype() != DataType::Float) return false;
  if (select_byte_table(s)) return true;
  const auto concerns = [&](const program::Node& operation) {
    if (operation.op == &ops::QuantizeLinear) return true;
    for (const program::ValueId id : operation.inputs)
      if (id != program::kNone && s.dequantized(id) && s.dims_of(id) == s.out_dims()) return true;
    return false;
  };
  bool any = concerns(s.node());
  Layout other = Layout::Dense;
  const auto consider = [&](const program::Node& operation) {
    for (const program::ValueId id : operation.inputs)
      if (id != program::kNone && s.dims_of(id) == s.out_dims() && s.made_in(id) != Layout::Dense)
        other = s.made_in(id);
  };
  consider(s.node());
  for (const program::Node& part : s.parts()) {
    any = any || concerns(part);
    consider(part);
  }
  if (!any) return false;
  const auto attempt = [&](Layout layout) {
    kernels::QuantizedChainConfig config;
    kernels::ChainConfig& chain = config.chain;
    chain.out = s.out_dims();
    chain.layout = layout;
    std::vector<Operand> uses;
    const bool full = s.dims(0) == chain.out;
    chain.inputs.push_back({s.dims(0), full ? layout : Layout::Dense, s.constant_data(0)});
    uses.push_back({s.node().inputs[0], chain.inputs.back().layout});
    if (!s.element_steps(s.node(), 0, chain.steps, chain.inputs, uses, layout)) return false;
    program::ValueId made = s.take_parts(chain.steps, chain.inputs, uses, layout);
    // The quantization behind them.
    const std::size_t taken = s.taken();
    std::vector<Operand> last(2);
    if (taken < s.parts().size() && s.parts()[taken].op == &ops::QuantizeLinear) {
      const program::Node& quantize = s.parts()[taken];
      const DataType type = s.dtype_of(quantize.outputs[0]);
      const auto one = [&](program::ValueId id, DataType wanted) {
        return id == program::kNone || (s.dtype_of(id) == wanted && element_count(s.dims_of(id)) == 1);
      };
      if ((type == DataType::Uint8 || type == DataType::Int8) && one(quantize.inputs[1], DataType::Float) &&
          one(quantize.input(2), type) &&
          ops::resolve_quantize(SelectedNode(s, quantize), DataType::Float, true, type).division == DataType::Float) {
        config.out = type;
        last = {{quantize.inputs[1]}, {quantize.input(2)}};
        made = quantize.outputs[0];
        s.take(taken + 1);
      }
    }
    std::vector<Operand> scales;
    bool quantized = config.out != DataType::Float;
    for (std::size_t i = 0; i < chain.inputs.size(); ++i) {
      const Dequantized* from = s.dequantized(uses[i].value);
      if (!from || chain.inputs[i].dims != chain.out) {
        config.inputs.push_back(DataType::Float);
        scales.insert(scales.end(), 2, Operand{});
        continue;
      }
      quantized = true;
      config.inputs.push_back(s.dtype_of(from->x));
      uses[i].value = from->x;
      scales.insert(scales.end(), {Operand{from->scale}, Operand{from->zero}});
    }
    if (!quantized) return false;
    uses.insert(uses.end(), scales.begin(), scales.end());
    uses.insert(uses.end(), last.begin(), last.end());
    return s.choose(kernels::quantized_chain_candidates(), config, uses, {made, layout});
  };
  return (other != Layout::Dense && attempt(other)) || attempt(Layout::Dense);
}

}  // namespace norn::runtime
