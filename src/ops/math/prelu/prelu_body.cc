// Before version 7 a slope of rank 1 is of the channels, which are dimension 1.
#include "ops/math/prelu/prelu.h"

#include <algorithm>

#include "opset/function_body.h"

namespace norn::ops {
inline namespace prelu_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

constexpr std::string_view kNodes = R"({
  zero_float = Constant <value = float {0.0}> ()
  zero = CastLike (zero_float, X)
  is_negative = Less (X, zero)
  below = Mul (slope, X)
  Y = Where (is_negative, below, X)
})";

// A list becomes a column whose rank is only known when running.
constexpr std::string_view kColumnOfAnyRank = R"(
  x_shape = Shape (X)
  x_rank = Size (x_shape)
  slope_shape = Shape (slope)
  slope_rank = Size (slope_shape)
  behind = Sub (x_rank, two)
  not_negative = Max (behind, none)
  is_list = Equal (slope_rank, single)
  is_list_number = Cast <to = 7> (is_list)
  count = Mul (not_negative, is_list_number)
  ones = ConstantOfShape <value = int64[1] {1}> (count)
  column = Concat <axis = 0> (slope_shape, ones)
  slopes = Reshape <allowzero = 1> (slope, column)
)";

void by_channel_body(BodyBuilder& b) {
  SlopeFit fit = SlopeFit::DependsOnSizes;
  if (b.type(0).has_rank() && b.type(1).has_rank()) {
    fit = slope_fit(*b.type(0).shape, *b.type(1).shape, true);
    const bool number = is_one_number(*b.type(1).shape) || b.rank(0) == 0;
    std::vector<std::int64_t> column(number ? 0 : static_cast<std::size_t>(std::max(b.rank(0) - 1, 1)), 1);
    if (!number) column[0] = -1;
    b.ints("column", column);
    b.add(number || b.rank(1) == 1 ? "slopes = Reshape (slope, column)" : "slopes = Identity (slope)");
  } else {
    const std::int64_t none[] = {0}, single[] = {1}, two[] = {2};
    b.ints("none", none);
    b.ints("single", single);
    b.ints("two", two);
    b.add(kColumnOfAnyRank);
  }
  b.scalar("zero", b.elem(0), 0.0);
  b.add(R"(
    is_negative = Less (X, zero)
    below = Mul (slopes, X)
  )");
  if (fit == SlopeFit::Fits) return b.add("Y = Where (is_negative, below, X)");
  // A slope that does not broadcast to X makes other elements than X has.
  b.add(R"(
    y = Where (is_negative, below, X)
    shape = Shape (X)
    Y = Reshape <allowzero = 1> (y, shape)
  )");
}

constexpr FunctionBody kPreluBodies[] = {
    {.since = 1, .opset = 16, .build = by_channel_body},
    {.since = 7, .opset = 16, .nodes = kNodes},
};

}  // namespace
}  // namespace prelu_body_cc

void prelu_bodies(opset::BodyTable& table) { table.add(PRelu, kPreluBodies); }

}  // namespace norn::ops
