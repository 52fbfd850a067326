// What each version added means nothing where it is left out. A mask of one column is for all keys in version 23, where
// masks broadcast, and for the first key from 24 on, where those that are shorter hide the other keys.
#include <optional>
#include <string>
#include <utility>

#include "ops/math/binary_arith/binary_arith.h"
#include "ops/math/expand/expand.h"
#include "ops/math/variadic_arith/variadic_arith.h"
#include "ops/nn/attention/attention.h"
#include "ops/tensor/shape/shape.h"
#include "transform/shared_steps.h"

namespace norn::ops {
inline namespace attention_adapt_cc {
namespace {

using namespace transform;

using opset::DimExpr;

// Size of an axis of the input, counted from behind; nothing if that is not known.
std::optional<DimExpr> size_from_behind(const NodeEdit& edit, int input, std::size_t axis) {
  const opset::ValueType& type = edit.input_type(input);
  if (!type.has_rank() || type.shape->size() < axis) return {};
  return (*type.shape)[type.shape->size() - axis];
}

// Keys of the past and new ones; nothing if that is not known.
std::optional<DimExpr> key_count(const NodeEdit& edit) {
  const auto fresh = size_from_behind(edit, 1, 2);
  const auto past = edit.has_input(4) ? size_from_behind(edit, 4, 2) : DimExpr(0);
  return fresh && past ? std::optional(*fresh + *past) : std::nullopt;
}

void widen_mask(NodeEdit& edit) {
  if (!edit.has_input(3)) return;
  const std::optional<DimExpr> keys = key_count(edit), columns = size_from_behind(edit, 3, 1);
  if (keys && columns && *columns == *keys) return;
  const auto length = [&](int input) {
    return edit.put_in_front(Shape, 23, {make_attr("start", std::int64_t{-2}), make_attr("end", std::int64_t{-1})},
                             {edit.input_name(input)});
  };
  std::string total = length(1);
  if (edit.has_input(4)) total = edit.put_in_front(Add, 23, {}, {std::move(total), length(4)});
  // What has more columns than there are keys is left for Attention to refuse. Of no keys at all there are none.
  std::string own = edit.put_in_front(Shape, 23, {make_attr("start", std::int64_t{-1})}, {edit.input_name(3)});
  std::string one = edit.put_in_front(Shape, 23, {}, {own});
  std::string any = edit.put_in_front(Min, 23, {}, {total, std::move(one)});
  std::string wide = edit.put_in_front(Max, 23, {}, {std::move(total), std::move(own)});
  wide = edit.put_in_front(Mul, 23, {}, {std::move(wide), std::move(any)});
  const std::string mask = edit.input_name(3);
  edit.replace_input(3, edit.put_in_front(Expand, 23, {}, {mask, std::move(wide)}, mask));
}

void without_lengths(NodeEdit& edit) {
  if (edit.has_input(3)) {
    const std::optional<DimExpr> keys = key_count(edit), columns = size_from_behind(edit, 3, 1);
    if (keys && columns && DimExpr::differ(*columns, *keys))
      edit.cannot("masks of version 23 are not for fewer keys than there are");
  }
  if (edit.has_input(6)) edit.cannot("version 23 has no lengths of padded caches");
}

void without_windows(NodeEdit& edit) {
  for (const char* name : {"left_window_size", "right_window_size"}) {
    if (edit.attrs().i(name) >= 0) edit.cannot("version 24 has no windows");
    edit.remove_attr(name);
  }
}

}  // namespace
}  // namespace attention_adapt_cc

void attention_steps(StepTable& table) {
  table.add(Attention, 23, 24, widen_mask, without_lengths);
  table.add(Attention, 24, 25, unchanged, without_windows);
}

}  // namespace norn::ops
