// Before version 7 a slope of rank 1 is of the channels, which are dimension 1.
#include "ops/math/prelu/prelu.h"

#include <algorithm>

#include "opset/function_body.h"

namespace norn::ops {
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

void by_channel_body(BodyBuilder& b) {
  std::vector<std::int64_t> column(static_cast<std::size_t>(std::max(b.rank(0) - 1, 1)), 1);
  column[0] = -1;
  b.ints("column", column);
  b.add(b.rank(1) == 1 ? "slopes = Reshape (slope, column)" : "slopes = Identity (slope)");
  b.scalar("zero", b.elem(0), 0.0);
  b.add(R"(
    is_negative = Less (X, zero)
    below = Mul (slopes, X)
    Y = Where (is_negative, below, X)
  )");
}

constexpr FunctionBody kBodies[] = {
    {.since = 1, .opset = 16, .build = by_channel_body},
    {.since = 7, .opset = 16, .nodes = kNodes},
};

}  // namespace

void prelu_bodies(opset::BodyTable& table) { table.add(PRelu, kBodies); }

}  // namespace norn::ops
