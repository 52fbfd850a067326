// QuantizeLinear and DequantizeLinear between floating types and 8-bit integers, by one scale, or by one for each index
// of an axis or for each block of the last one; DequantizeLinear also of the integers that take fewer bits in a file,
// and both of floats of 8 bits and fewer.
#include <optional>

#include "kernels/cpu/quantize.h"
#include "ops/quantization/dequantize/dequantize.h"
#include "ops/quantization/quantize/quantize.h"
#include "runtime/select.h"

namespace norn::runtime {

using kernels::Layout;

namespace {

// How the scales of input 1 go over input 0; nothing for blocks, or if the zero points lie otherwise.
std::optional<kernels::QuantizeConfig> scales(Selector& s, DataType integer) {
  const ops::ScaleLayout layout = ops::resolve_scales(SelectedNode(s), s.dims(0), s.dims(1));
  kernels::QuantizeConfig config;
  config.integer = integer;
  // Blocks of the last axis are runs.
  const bool by_run =
      layout.view.inner == 1 && layout.inner_step == 1 && layout.block > 1 && layout.view.n % layout.block == 0;
  const bool by_index = layout.block == 1 && layout.outer_step == 0 && layout.inner_step == 0 && layout.step == 1;
  if (element_count(s.dims(1)) == 1) {
    config.inner = element_count(s.dims(0));
  } else if (by_index) {
    config.outer = layout.view.outer;
    config.n = layout.view.n;
    config.inner = layout.view.inner;
  } else if (by_run) {
    config.n = element_count(s.dims(1));
    config.inner = layout.block;
  } else {
    s.refuse("quantize", "scales of blocks");
    return {};
  }
  if (s.has(2) && element_count(s.dims(2)) != element_count(s.dims(1))) {
    s.refuse("quantize", "zero points that are not one for each scale");
    return {};
  }
  return config;
}

// The same for blocks of any axis and scales from element to element.
std::optional<kernels::BlockQuantizeConfig> block_scales(Selector& s, DataType integer) {
  if (s.has(2) && element_count(s.dims(2)) != element_count(s.dims(1))) return {};
  const ops::ScaleLayout layout = ops::resolve_scales(SelectedNode(s), s.dims(0), s.dims(1));
  kernels::BlockQuantizeConfig config{integer,       layout.view.n == 0 ? 0 : layout.view.outer,
                                      layout.view.n, layout.view.inner,
                                      layout.block,  layout.outer_step,
                                      layout.step,   layout.inner_step};
  if (element_count(s.dims(1)) == 1)
    config = {.integer = integer, .outer = 1, .n = 1, .inner = element_count(s.dims(0)), .block = 1};
  return config;
}

// The type that holds an integer of fewer bits in memory.
DataType byte_of(DataType type) {
  switch (type) {
    case DataType::Int4:
    case DataType::Int2: return DataType::Int8;
    case DataType::Uint4:
    case DataType::Uint2: return DataType::Uint8;
    default: return type;
  }
}

}  // namespace

bool select_quantize(Selector& s) {
  if (select_byte_table(s)) return true;
  const ops::QuantizeParams params =
      ops::resolve_quantize(SelectedNode(s), s.dtype(1), s.has(2), s.has(2) ? s.dtype(2) : DataType::Undefined);
  const DataType real = s.dtype(0);
  if (s.dtype(1) != real || params.division != real) {
    s.refuse("quantize", "divides by a scale of the elements' type");
    return false;
  }
  std::vector<Operand> uses = {{s.node().inputs[0]}, {s.node().inputs[1]}, {s.node().input(2)}};
  const auto by_blocks = [&] {
    auto blocks = block_scales(s, params.to);
    if (blocks) {
      blocks->real = real;
      blocks->saturate = params.saturate;
    }
    return blocks && s.choose(kernels::block_quantize_candidates(), *blocks, uses, {s.node().outputs[0]});
  };
  if (auto config = scales(s, params.to)) {
    config->real = real;
    constexpr std::int64_t kShortRun = 256;  // which is not worth a call
    if (config->inner < kShortRun && element_count(s.dims(1)) > 1 && by_blocks()) return true;
    // By one scale in any layout, and from one to the other.
    const Layout made = s.made_in(uses[0].value);
    const bool is_one = element_count(s.dims(1)) == 1;
    if (is_one && made != Layout::Dense) {
      uses[0].layout = made;
      if (s.choose(kernels::quantize_candidates(), *config, uses, {s.node().outputs[0], made})) return true;
      uses[0].layout = Layout::Dense;
    }
    const Shape& x = s.dims(0);
    if (real == DataType::Float && is_one && made == Layout::Dense && x.size() >= 3 && element_count(x) > 0 &&
        s.advised_layout() == Layout::ChannelsLast) {
      const kernels::PixelQuantizeConfig pixels{params.to, x[0], x[1], element_count(x) / x[0] / x[1]};
      if (s.choose(kernels::pixel_quantize_candidates(), pixels, uses, {s.node().outputs[0], Layout::ChannelsLast}))
        return true;
    }
    if (s.choose(kernels::quantize_candidates(), *config, uses, {s.node().outputs[0]})) return true;
  }
  return by_blocks();
}

std::shared_ptr<const kernels::Kernel> dequantizing_kernel(DataType integer, const Shape& dims,
                                                           kernels::PackedConstants& packed) {
  kernels::QuantizeConfig config;
  config.integer = integer;
  config.inner = element_count(dims);
  return kernels::dequantize_candidates()[0].make(config, packed);
}

bool select_dynamic_quantize(Selector& s) {
  const program::Node& node = s.node();
  std::vector<Operand> outs;
  for (std::size_t i = 0; i < 3; ++i) outs.push_back({i < node.outputs.size() ? node.outputs[i] : program::kNone});
  if (outs[0].value == program::kNone) {
    s.refuse("quantize", "gives the quantized tensor");
    return false;
  }
  return s.choose_outputs(kernels::dynamic_quantize_candidates(), {element_count(s.dims(0))}, {{node.inputs[0]}}, outs);
}

bool select_dequantize(Selector& s) {
  if (select_stored_product(s)) return true;
  const DataType integer = s.dtype(0), real = s.out_dtype();
  if (s.dtype(1) != real) {
    s.refuse("dequantize", "multiplies by a scale of the output's type");
    return false;
  }
  auto config = scales(s, byte_of(integer));
  if (config) config->real = real;
  if (config && real == DataType::Float && (integer == DataType::Uint8 || integer == DataType::Int8) &&
      config->outer == 1 && config->n == 1 && kernels::dequantize_candidates()[0].refuses(*config).empty() &&
      element_count(s.dims(1)) == 1 && !s.passes_over("view")) {
    s.dequantized_view();
    return true;
  }
  const std::vector<Operand> uses = {{s.node().inputs[0]}, {s.node().inputs[1]}, {s.node().input(2)}};
  if (config && s.choose(kernels::dequantize_candidates(), *config, uses, {s.node().outputs[0]})) return true;
  auto blocks = block_scales(s, byte_of(integer));
  if (blocks) blocks->real = real;
  return blocks && s.choose(kernels::block_dequantize_candidates(), *blocks, uses, {s.node().outputs[0]});
}

}  // namespace norn::runtime
