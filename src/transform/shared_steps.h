// Version steps that the histories of many operators repeat.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "transform/version_step.h"

namespace norn::transform {

// A literal as a template's argument, so that a step can be named for an attribute.
template <std::size_t kSize>
struct AttrName {
  char text[kSize];
  constexpr AttrName(const char (&name)[kSize]) { std::copy_n(name, kSize, text); }
};

// The node means the same in the other version: what is new there may be left out, or makes explicit what was implied.
void unchanged(NodeEdit& edit);
// Removes the attribute `consumed_inputs` of version 1, which was optional and had no effect.
void drop_consumed_inputs(NodeEdit& edit);
// Removes the attribute, which concerns only what the other version does not have.
template <AttrName kName>
void drop_attr(NodeEdit& edit) {
  edit.remove_attr(kName.text);
}
// An attribute that the older version does not have, and that has no effect while it is 0.
void drop_flag(NodeEdit& edit, std::string_view name);

// Removes the attribute `dilations` of a window. Throws (cannot) if one of them leaves gaps.
void drop_dilations(NodeEdit& edit);
// An attribute that is a float in the older version and an int in the newer one. The first throws (cannot) where it is
// not a whole number.
void float_to_int(NodeEdit& edit, std::string_view name);
void int_to_float(NodeEdit& edit, std::string_view name);

// The attribute `axis`, or each of `axes`, may be negative in the newer version only: counted from the front of the
// first input whose rank is known (and of `new_dims` dimensions more).
void axis_from_front(NodeEdit& edit);
// The same for an axis of input 0, whose rank other inputs do not share, and of `new_dims` dimensions more.
void axis_of_data_from_front(NodeEdit& edit);
void axis_of_data_from_front(NodeEdit& edit, std::int64_t new_dims);
void axes_from_front(NodeEdit& edit);
void axes_from_front(NodeEdit& edit, std::int64_t new_dims);

// The size of input 0 along the attribute `axis`; nothing if its rank is not known. Throws (cannot) if it has no such
// axis.
std::optional<opset::DimExpr> size_along_axis(NodeEdit& edit);

// The integers of a constant input. Throws (cannot) if they are computed: in the other version they are an attribute.
std::vector<std::int64_t> constant_ints(NodeEdit& edit, int input);
// A list attribute becomes input `input`, if the node has it, and back. input_to_attr needs a constant; the inputs from
// `input` on go.
void attr_to_input(NodeEdit& edit, std::string_view name, int input);
void input_to_attr(NodeEdit& edit, int input, std::string_view name);
// A number: the attribute is a float, the input a scalar of the type of input 0 (or, where that is not known, of output
// 0), and must hold what a float can.
void set_scalar_input(NodeEdit& edit, int input, float value);
float scalar_input(NodeEdit& edit, int input, std::string_view name);

// Whether the types of these inputs say that their shapes are the same.
bool have_one_shape(const NodeEdit& edit, int a, int b);

// Elementwise operators of two inputs, 6 -> 7: B is aligned at `axis` before and at the last dimension after, so it
// needs as many trailing ones as lie between. 7 -> 6: B's ones at both ends go, and what is left has to be a run of A's
// dimensions.
void broadcast_as_numpy(NodeEdit& edit);
void broadcast_by_axis(NodeEdit& edit);

}  // namespace norn::transform
