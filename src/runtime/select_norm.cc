// Normalisation of rows and of channels, and rotations of heads.
#include "kernels/cpu/group_norm.h"
#include "kernels/cpu/halves.h"
#include "kernels/cpu/norm.h"
#include "kernels/cpu/plane_norm.h"
#include "kernels/cpu/rotary.h"
#include "ops/nn/instance_normalization/instance_normalization.h"
#include "ops/nn/layer_normalization/layer_normalization.h"
#include "ops/nn/rms_normalization/rms_normalization.h"
#include "ops/nn/rotary_embedding/rotary_embedding.h"
#include "ops/tensor/reshape/reshape.h"
#include "runtime/select.h"

namespace norn::runtime {

bool select_row_norm(Selector& s) {
  const DataType type = s.out_dtype();
  const bool is_double = type == DataType::Double;
  if (!is_double && !kernels::is_half(type) && !s.is_float("row_norm")) return false;
  const Shape& x = s.dims(0);
  const ops::RowNormParams p = ops::resolve_row_norm(SelectedNode(s));
  const auto refuse = [&](const char* why) {
    s.refuse("row_norm", why);
    return false;
  };
  if (is_double && p.stash != DataType::Float && p.stash != DataType::Double)
    return refuse("computes in float or double");
  if (!is_double && p.stash != DataType::Float) return refuse("computes in float, not in stash_type");
  for (std::size_t i = 0; i < 3; ++i)
    if (s.has(i) && s.dtype(i) != type) return refuse("inputs of several types");
  const Shape row(x.begin() + p.axis, x.end());
  for (std::size_t i = 1; i < 3; ++i) {
    if (!s.has(i)) continue;
    // Ones in front do not matter.
    const Shape& dims = s.dims(i);
    const std::size_t lead = dims.size() - std::min(dims.size(), row.size());
    if (Shape(dims.begin() + static_cast<std::ptrdiff_t>(lead), dims.end()) != row ||
        element_count(dims) != element_count(row))
      return refuse("scale and bias are not of the row's shape");
  }
  kernels::LayerNormConfig config;
  config.outer = element_count(Shape(x.begin(), x.begin() + p.axis));
  config.n = element_count(row);
  config.epsilon = p.epsilon;
  config.has_bias = s.has(2);
  config.type = type;
  config.rounds_to_float = is_double && p.stash == DataType::Float;
  config.root_mean_square = s.node().op == &ops::RMSNormalization;
  std::vector<Operand> outs = {{s.node().outputs[0]}};
  const auto wanted = [&](std::size_t o) { return o < s.node().outputs.size() ? s.node().outputs[o] : program::kNone; };
  config.gives_mean = wanted(1) != program::kNone;
  config.gives_inverse = wanted(2) != program::kNone;
  if (config.gives_mean || config.gives_inverse) outs.insert(outs.end(), {{wanted(1)}, {wanted(2)}});
  return s.choose_outputs(kernels::layer_norm_candidates(), config,
                          {{s.node().inputs[0]}, {s.node().inputs[1]}, {s.node().input(2)}}, outs, outs.size() == 1);
}

namespace {

// x, which is [N, C, ...], by groups of channels, with channels last if that is how it lies: `norm` is the
// InstanceNormalization, and `behind` parts of the node belong to what it is of.
bool select_groups(Selector& s, const program::Node& norm, std::int64_t groups, std::size_t behind) {
  using kernels::Layout;
  const auto advised = s.advised_layout();
  if ((advised ? *advised : s.made_in(s.node().inputs[0])) != Layout::ChannelsLast) return false;
  kernels::GroupNormConfig config;
  config.x = s.dims(0);
  config.groups = groups;
  config.epsilon = norm.attributes().f("epsilon");
  std::vector<Operand> uses = {{s.node().inputs[0], Layout::ChannelsLast}, {norm.inputs[1]}, {norm.inputs[2]}};
  const program::ValueId made = s.take_parts(config.post, config.extra, uses, Layout::ChannelsLast, behind);
  for (std::size_t i = 1; i < uses.size(); ++i) uses[i].apart = true;
  if (s.choose(kernels::group_norm_candidates(), config, uses, {made, Layout::ChannelsLast}, true)) return true;
  s.leave_parts();
  return false;
}

}  // namespace

bool select_group_norm(Selector& s) {
  const auto parts = s.parts();
  if (parts.size() < 2 || parts[0].op != &ops::InstanceNormalization || parts[1].op != &ops::Reshape) return false;
  const Shape &x = s.dims(0), &grouped = s.dims_of(s.node().outputs[0]);
  if (s.dims_of(parts[1].outputs[0]) != x || grouped.size() < 3 || x.size() < 3 || grouped[0] != x[0] ||
      grouped[1] < 1 || x[1] % grouped[1] != 0)
    return false;
  return select_groups(s, parts[0], grouped[1], 2);
}

bool select_plane_norm(Selector& s) {
  if (!s.is_float("plane_norm")) return false;
  const Shape& x = s.dims(0);
  if (x.size() > 2 && select_groups(s, s.node(), x[1], 0)) return true;
  kernels::PlaneNormConfig config;
  config.batch = x[0];
  config.channels = x[1];
  config.plane = element_count(Shape(x.begin() + 2, x.end()));
  config.epsilon = s.attrs().f("epsilon");
  return s.choose(kernels::plane_norm_candidates(), config,
                  {{s.node().inputs[0]}, {s.node().inputs[1]}, {s.node().inputs[2]}}, {s.node().outputs[0]}, true);
}

bool select_rotary(Selector& s) {
  if (!kernels::is_half(s.out_dtype()) && !s.is_float("rotary")) return false;
  const Shape &x = s.dims(0), &cache = s.dims(1);
  const bool by_position = s.has(3);
  const ops::RotaryParams p = ops::resolve_rotary(SelectedNode(s));
  kernels::RotaryConfig config;
  config.type = s.out_dtype();
  config.batch = p.batch;
  config.tokens = p.sequence;
  config.heads = p.heads;
  config.size = p.size;
  config.rotated = p.rotated;
  config.interleaved = p.interleaved;
  config.by_position = by_position;
  config.x = config.y = {p.batch_stride, p.sequence_stride, p.head_stride};
  config.cache_rows = cache[0];
  if (!by_position) {
    config.cache_rows = cache[0] * cache[1];
    config.row_strides = {cache[0] == 1 ? 0 : cache[1], cache[1] == 1 ? 0 : 1};
  }
  bool as_it_lies = false;
  if (const auto* strides = s.strides_of(s.node().inputs[0]); strides && strides->back() == 1) {
    as_it_lies = true;
    if (x.size() == 4)
      config.x = {(*strides)[0], (*strides)[2], (*strides)[1]};
    else
      config.x = {(*strides)[0], (*strides)[1], p.head_stride};
  }
  return s.choose(kernels::rotary_candidates(), config,
                  {{s.node().inputs[0], kernels::Layout::Dense, as_it_lies},
                   {s.node().inputs[1]},
                   {s.node().inputs[2]},
                   {s.node().input(3)}},
                  {s.node().outputs[0]});
}

}  // namespace norn::runtime
