// Pad: `paddings` became `pads` in 2 (and may remove elements), both pads and value became inputs in 11, axes came with
// 18 and mode wrap with 19.
#include <algorithm>
#include <vector>

#include "ops/tensor/pad/pad.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace pad_adapt_cc {
namespace {

using namespace transform;

void paddings_to_pads(NodeEdit& edit) {
  const auto pads = edit.attrs().ints("paddings");
  edit.remove_attr("paddings");
  edit.set_attr("pads", pads);
}

void pads_to_paddings(NodeEdit& edit) {
  const auto pads = edit.attrs().ints("pads");
  if (std::any_of(pads.begin(), pads.end(), [](std::int64_t p) { return p < 0; })) {
    edit.cannot("negative pads came with opset 2");
  }
  edit.remove_attr("pads");
  edit.set_attr("paddings", pads);
}

void pads_to_inputs(NodeEdit& edit) {
  const float value = edit.attrs().f("value");
  const bool fills = edit.attrs().s("mode") == "constant";
  attr_to_input(edit, "pads", 1);
  edit.remove_attr("value");
  if (fills && value != 0.0f) set_scalar_input(edit, 2, value);
}

void pads_to_attributes(NodeEdit& edit) {
  const bool fills = edit.attrs().s("mode") == "constant" && edit.has_input(2);
  const float fill = fills ? scalar_input(edit, 2, "constant_value") : 0;
  input_to_attr(edit, 1, "pads");
  if (fill != 0.0f) edit.set_attr("value", fill);
}

void axes_written_out(NodeEdit& edit) {
  if (!edit.has_input(3)) return edit.drop_input(3);
  const auto which = constant_ints(edit, 3), some = constant_ints(edit, 1);
  const auto rank = edit.input_rank(0);
  if (!rank) edit.cannot("axes came with opset 18, and the data's rank is unknown");
  if (some.size() != 2 * which.size()) edit.cannot("pads and axes do not fit together");
  const auto r = static_cast<std::size_t>(*rank);
  std::vector<std::int64_t> all(2 * r, 0);
  for (std::size_t i = 0; i < which.size(); ++i) {
    const std::int64_t a = which[i] < 0 ? which[i] + *rank : which[i];
    if (a < 0 || a >= *rank) edit.cannot("an axis is outside the data's shape");
    all[static_cast<std::size_t>(a)] = some[i];
    all[r + static_cast<std::size_t>(a)] = some[which.size() + i];
  }
  edit.drop_input(3);
  edit.set_input_ints(1, all);
}

void no_wrap(NodeEdit& edit) {
  if (edit.attrs().s("mode") == "wrap") edit.cannot("mode \"wrap\" came with opset 19");
}

}  // namespace
}  // namespace pad_adapt_cc

void pad_steps(StepTable& table) {
  table.add(Pad, 1, 2, paddings_to_pads, pads_to_paddings);
  table.add(Pad, 2, 11, pads_to_inputs, pads_to_attributes);
  table.add(Pad, 13, 18, unchanged, axes_written_out);
  table.add(Pad, 18, 19, unchanged, no_wrap);
}

}  // namespace norn::ops
