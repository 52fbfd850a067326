// Operators of object detection: which boxes are kept, and what regions of an image become.
#include "kernels/cpu/roi_align.h"
#include "kernels/cpu/suppression.h"
#include "ops/object_detection/non_max_suppression/non_max_suppression.h"
#include "ops/object_detection/roi_align/roi_align.h"
#include "runtime/select.h"

namespace norn::runtime {

using kernels::Layout;

bool select_suppression(Selector& s) {
  const ops::NonMaxSuppressionParams p = ops::resolve_non_max_suppression(SelectedNode(s));
  const auto is_number = [&](std::size_t i) { return s.has(i) && element_count(s.dims(i)) == 1; };
  const Shape &boxes = s.dims(0), &scores = s.dims(1);
  kernels::SuppressionConfig config;
  config.batches = scores[0];
  config.classes = scores[1];
  config.boxes = boxes[1];
  config.centered = p.centered;
  config.has_most = is_number(2);
  config.has_overlap = is_number(3);
  config.has_least = is_number(4);
  std::vector<Operand> uses;
  for (std::size_t i = 0; i < 5; ++i) uses.push_back({s.node().input(i)});
  return s.choose(kernels::suppression_candidates(), config, uses, {s.node().outputs[0]});
}

bool select_roi_align(Selector& s) {
  if (!s.is_float("pixels")) return false;
  const ops::RoiAlignParams p = ops::resolve_roi_align(SelectedNode(s));
  const std::vector<program::ValueId>& inputs = s.node().inputs;
  const Shape& x = s.dims(0);
  kernels::RoiAlignConfig config;
  config.batch = x[0];
  config.channels = x[1];
  config.rows = x[2];
  config.columns = x[3];
  config.regions = s.out_dims()[0];
  config.height = p.height;
  config.width = p.width;
  config.sampling_ratio = p.sampling_ratio;
  config.spatial_scale = p.spatial_scale;
  config.maximum = p.maximum;
  config.half_pixel = p.half_pixel;
  // Putting channels last costs about as much as this many elements of the output gain.
  constexpr std::int64_t kPerElement = 16;
  const Layout layout = Layout::ChannelsLast;
  if (s.made_in(inputs[0]) != layout && element_count(x) / kPerElement > element_count(s.out_dims())) {
    s.refuse("pixels", "the regions are few beside an image whose channels are not last");
    return false;
  }
  return s.choose(kernels::roi_align_candidates(), config, {{inputs[0], layout}, {inputs[1]}, {inputs[2]}},
                  {s.node().outputs[0]});
}

}  // namespace norn::runtime
