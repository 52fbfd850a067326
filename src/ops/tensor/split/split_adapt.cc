// Split: lengths are an input of floating-point numbers or an attribute in version 1, an attribute up to 11, an input
// since 13. Without them, parts are equal before version 18; from then on num_outputs says how many there are, and the
// last may be smaller.
#include <cmath>

#include "ops/common/shapes.h"
#include "ops/tensor/split/split.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace split_adapt_cc {
namespace {

using namespace transform;
using opset::DimExpr;

void lengths_to_attribute(NodeEdit& edit) {
  if (!edit.has_input(1)) return;
  if (edit.attrs().find_ints("split")) edit.cannot("split is given both as an attribute and as an input");
  const Tensor* given = edit.input_constant(1);
  if (!given) edit.cannot("split is computed here, and an attribute in the other version");
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < given->size(); ++i) {
    const double v = number_at(*given, i);
    if (!(std::abs(v) < 0x1p62) || v != std::trunc(v)) edit.cannot("split has a number that is not whole");
    lengths.push_back(static_cast<std::int64_t>(v));
  }
  edit.drop_input(1);
  edit.set_attr("split", lengths);
}

void lengths_to_input(NodeEdit& edit) { attr_to_input(edit, "split", 1); }
void lengths_from_input(NodeEdit& edit) { input_to_attr(edit, 1, "split"); }

bool divides(const std::optional<DimExpr>& size, std::int64_t parts) {
  return size && DimExpr::floor_div(*size, parts) * DimExpr(parts) == *size;
}

void count_outputs(NodeEdit& edit) {
  if (edit.has_input(1)) return;
  if (!divides(size_along_axis(edit), edit.output_count()))
    edit.cannot("parts have to be equal before version 18, and the axis is not known to be divisible");
  edit.set_attr("num_outputs", std::int64_t{edit.output_count()});
}

void name_lengths(NodeEdit& edit) {
  if (edit.has_input(1)) return;
  const std::int64_t n = edit.output_count();
  const auto size = size_along_axis(edit);
  edit.remove_attr("num_outputs");
  if (divides(size, n)) return;
  if (!size || !size->is_constant())
    edit.cannot("the last part may be smaller, which takes a known size to express before version 18");
  const std::int64_t part = (size->constant() + n - 1) / n;
  std::vector<std::int64_t> lengths(static_cast<std::size_t>(n), part);
  lengths.back() = size->constant() - part * (n - 1);
  edit.set_input_ints(1, lengths);
}

}  // namespace
}  // namespace split_adapt_cc

void split_steps(StepTable& table) {
  table.add(Split, 1, 2, lengths_to_attribute, unchanged);
  table.keeps(Split, 1, "the lengths of the parts are computed, as floating-point numbers");
  table.add(Split, 2, 11, unchanged, axis_from_front);
  table.add(Split, 11, 13, lengths_to_input, lengths_from_input);
  table.add(Split, 13, 18, count_outputs, name_lengths);
  table.keeps(Split, 13, "the parts have to be equal, and the size of the axis is not known");
}

}  // namespace norn::ops
