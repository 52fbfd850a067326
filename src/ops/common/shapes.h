// Shape rules that several slices share, symbolic (for inference) and concrete (for reference kernels).
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "norn/types.h"
#include "norn/value.h"
#include "opset/infer_context.h"

namespace norn::ops {

// NumPy broadcasting of two symbolic shapes; throws through `ctx` if they cannot be broadcast together.
opset::Dims broadcast(opset::InferContext& ctx, const opset::Dims& a, const opset::Dims& b);
// Of concrete shapes; throws norn::Error (RuntimeError) naming both.
norn::Shape broadcast(const norn::Shape& a, const norn::Shape& b);

// Binary operators before opset 7: the dimension of A at which B's begin, by the attributes `broadcast` and `axis`;
// nothing if B is not stretched. Throws if B does not fit into A there.
std::optional<std::int64_t> axis_of_b(const opset::NodeView& node, std::int64_t rank_a, std::int64_t rank_b);

// Inference of those operators in all versions: output 0 is of the type, with the shape that both inputs broadcast to.
void infer_pairs(opset::InferContext& ctx, DataType type);

// The same for arithmetic, whose result is of the inputs' type: known integers are computed as expressions. `of_ints`
// gives nothing where no expression is the result, and throws norn::Error where it leaves 64 bits.
using IntArithmetic = std::optional<opset::DimExpr> (*)(const opset::DimExpr&, const opset::DimExpr&);
// `of_fractions` gives the exact result for known floating elements, which is then rounded to their type.
using FractionArithmetic = std::optional<opset::Fraction> (*)(const opset::Fraction&, const opset::Fraction&);
void infer_arithmetic(opset::InferContext& ctx, IntArithmetic of_ints, FractionArithmetic of_fractions = nullptr);
// Of float and double.
int significand_bits(DataType type);
// Whether the expression is known not to be below `least`.
bool known_at_least(const opset::DimExpr& e, std::int64_t least);

// Number of elements; 0 if a dimension is known to be 0, however large the others are.
opset::DimExpr product(std::span<const opset::DimExpr> dims);

// Element `i` of a tensor of integers of 8 to 64 bits or of floating-point numbers; NaN for other types.
double number_at(const Tensor& tensor, std::int64_t i);
// Sizes and axes that the first operator sets give as floating-point numbers. Throws through `node`, naming `what`, if
// one has a fraction or does not fit.
std::vector<std::int64_t> whole_numbers(const opset::NodeView& node, const Tensor& tensor, std::string_view what);

// Strides, in elements, of a dense tensor of shape `dims`.
std::vector<std::int64_t> dense_strides(const norn::Shape& dims);
// Strides with which a tensor of shape `from` is read when broadcast to `to`: 0 along stretched dimensions.
std::vector<std::int64_t> broadcast_strides(const norn::Shape& from, const norn::Shape& to);

// Calls f(offset_0, ..., offset_{k-1}) for every index of `dims` in row-major order, offsets advanced by the strides.
class Odometer {
 public:
  Odometer(norn::Shape dims, std::vector<std::vector<std::int64_t>> strides);
  bool done() const noexcept { return done_; }
  std::int64_t offset(std::size_t operand) const noexcept { return offsets_[operand]; }
  std::span<const std::int64_t> index() const noexcept { return index_; }
  void next() noexcept;

 private:
  norn::Shape dims_;
  std::vector<std::vector<std::int64_t>> strides_;
  std::vector<std::int64_t> index_, offsets_;
  bool done_;
};

// A shape seen around an axis: `outer` times `n` lines of `inner` elements; element (o, k, i) is number
// (o * n + k) * inner + i.
struct AxisView {
  std::int64_t outer = 1, n = 1, inner = 1;
};
AxisView view_along(const norn::Shape& dims, std::int64_t axis);
// The same around the dimensions [first, last), taken as one.
AxisView view_along(const norn::Shape& dims, std::int64_t first, std::int64_t last);

// Output 0 has the type and shape of input 0 (most element-wise operators).
void same_as_input(opset::InferContext& ctx);

// Requires that input i, if its shape is known, is a scalar or a list of one number.
void require_single(const opset::NodeView& node, int i);
// The integer that input `i` holds, as an expression; nothing if the input is omitted or not known. Throws if it holds
// more or less than one.
std::optional<opset::DimExpr> one_int(const opset::NodeView& node, int i);
// The element type that attribute `name` gives, nothing if the node leaves it out and it has no default. Throws if the
// type variable of the schema does not allow it.
std::optional<DataType> type_attribute(const opset::NodeView& node, std::string_view name, std::string_view variable);

// Padding, stride and dilation of a sliding window (Conv, pooling), resolved for concrete sizes.
struct Window {
  std::vector<std::int64_t> kernel, strides, dilations, pads_begin, pads_end;
  std::vector<std::int64_t> out;  // spatial output sizes
};
enum class AutoPad : std::uint8_t { NotSet, Valid, SameUpper, SameLower };
// Those attributes as given, brought to the spatial rank: a kernel that is not given is empty, pads count under NotSet
// only. Throws norn::Error.
struct WindowAttrs {
  std::vector<std::int64_t> kernel, strides, dilations, pads_begin, pads_end;
  AutoPad auto_pad = AutoPad::NotSet;
};
WindowAttrs read_window(const opset::Attrs& attrs, std::size_t rank);
// Attributes kernel_shape, strides, dilations, pads, auto_pad (and ceil_mode where the operator has it) as the standard
// reads them, for spatial sizes `in`. `kernel` overrides kernel_shape when that is absent. Throws norn::Error.
Window resolve_window(const opset::Attrs& attrs, std::span<const std::int64_t> in, std::vector<std::int64_t> kernel,
                      bool ceil_mode);
// The symbolic output sizes for the same rules.
opset::Dims window_output(opset::InferContext& ctx, std::span<const opset::DimExpr> in,
                          std::span<const opset::DimExpr> kernel, bool ceil_mode);

}  // namespace norn::ops
