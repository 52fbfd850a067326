// Element-wise operations on dequantized values, with the quantization fused behind them.
#include "kernels/cpu/quantized_chain.h"
#include "ops/quantization/quantize/quantize.h"
#include "runtime/select.h"

namespace norn::runtime {

using kernels::Layout;

bool select_quantized_chain(Selector& s) {
  if (s.out_dtype() != DataType::Float) return false;
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
    const norn::Tensor* contents = s.constant(0);
    chain.inputs.push_back({s.dims(0), full ? layout : Layout::Dense, contents ? contents->data() : nullptr});
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
          one(quantize.input(2), type) && quantize.attributes().i("precision") == 0) {
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
