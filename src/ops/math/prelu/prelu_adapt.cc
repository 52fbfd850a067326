// Version steps of PRelu: version 1's consumed_inputs, and the slope, which is per channel before version 7 (they are
// dimension 1) and broadcasts from the last dimension since.
#include <algorithm>
#include <numeric>

#include "ops/math/prelu/prelu.h"
#include "ops/tensor/squeeze/squeeze.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace prelu_adapt_cc {
namespace {

using namespace transform;

bool is_one_number(const opset::ValueType& type) {
  return type.is_tensor() && type.has_rank() && ops::is_one_number(*type.shape);
}

// The dimensions of X behind the channels, as axes of a slope that has one for each of them.
std::vector<std::int64_t> behind_channels(NodeEdit& edit) {
  const auto rank = edit.input_rank(0);
  if (!rank) edit.cannot("where the channels of X lie follows from its rank, which is not known");
  std::vector<std::int64_t> axes(static_cast<std::size_t>(std::max<std::int64_t>(*rank - 2, 0)));
  std::iota(axes.begin(), axes.end(), std::int64_t{1});
  return axes;
}

void slope_to_broadcast(NodeEdit& edit) {
  if (edit.input_rank(1) == 0) return;
  if (is_one_number(edit.input_type(1))) {
    // Of more dimensions than X it would not broadcast.
    if (edit.input_rank(0).value_or(0) >= *edit.input_rank(1)) return;
    std::vector<std::int64_t> all(static_cast<std::size_t>(*edit.input_rank(1)));
    std::iota(all.begin(), all.end(), std::int64_t{0});
    return edit.wrap_input(1, Squeeze, 1, {make_attr("axes", all)});
  }
  const std::vector<std::int64_t> axes = behind_channels(edit);
  if (!axes.empty()) edit.wrap_input(1, Unsqueeze, 1, {make_attr("axes", axes)});
}

void slope_by_channels(NodeEdit& edit) {
  const opset::ValueType& slope = edit.input_type(1);
  if (is_one_number(slope) && slope.shape->size() <= 1) return;
  const std::vector<std::int64_t> axes = behind_channels(edit);
  bool columns =
      edit.input_rank(0) >= 2 && slope.is_tensor() && slope.has_rank() && slope.shape->size() == axes.size() + 1;
  for (std::size_t d = 1; columns && d < slope.shape->size(); ++d) columns = (*slope.shape)[d] == opset::DimExpr(1);
  if (!columns) edit.cannot("the slope is not one of channels, which is what PRelu takes before version 7");
  if (!axes.empty()) edit.wrap_input(1, Squeeze, 1, {make_attr("axes", axes)});
}

}  // namespace
}  // namespace prelu_adapt_cc

void prelu_steps(StepTable& table) {
  table.add(PRelu, 1, 6, drop_consumed_inputs, unchanged);
  table.add(PRelu, 6, 7, slope_to_broadcast, slope_by_channels);
}

}  // namespace norn::ops
