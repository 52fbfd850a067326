// Convolutions over places that are moved.
#include "kernels/cpu/deform_conv.h"
#include "ops/nn/deform_conv/deform_conv.h"
#include "runtime/select.h"

namespace norn::runtime {

bool select_deform_conv(Selector& s) {
  if (!s.is_float("places")) return false;
  kernels::DeformConvConfig config;
  config.x = s.dims(0);
  config.w = s.dims(1);
  config.out = s.out_dims();
  const ops::DeformConvParams p = ops::resolve_deform_conv(SelectedNode(s));
  config.group = p.group;
  config.offset_group = p.offset_group;
  config.strides = p.window.strides;
  config.dilations = p.window.dilations;
  config.pads_begin = p.window.pads_begin;
  config.has_bias = s.has(3);
  config.has_mask = s.has(4);
  config.weights = s.contents(1);
  if (config.x.size() != 4 || config.out.size() != 4 || element_count(config.w) == 0) {
    s.refuse("places", "goes over images only, with filters");
    return false;
  }
  return s.choose(
      kernels::deform_conv_candidates(), config,
      {{s.node().inputs[0]}, {s.node().inputs[1]}, {s.node().inputs[2]}, {s.node().input(3)}, {s.node().input(4)}},
      {s.node().outputs[0]});
}

}  // namespace norn::runtime
