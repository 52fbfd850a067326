// Mean and variance are computed in stash_type; scale and bias are applied in X's own type.
#include "ops/nn/layer_normalization/layer_normalization.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

// The axes from `axis` on, as negative numbers, which need no rank where `axis` is one.
std::vector<std::int64_t> axes_from(const BodyBuilder& b) {
  std::int64_t axis = b.attrs().i("axis");
  if (axis >= 0) axis -= b.rank(0);
  if (axis >= 0) b.fail("axis " + std::to_string(b.attrs().i("axis")) + " is beyond the input's rank");
  std::vector<std::int64_t> axes;
  for (; axis < 0; ++axis) axes.push_back(axis);
  return axes;
}

void layer_normalization_body(BodyBuilder& b) {
  const auto stash = static_cast<DataType>(b.attrs().i("stash_type"));
  b.ints("axes", axes_from(b));
  b.scalar("epsilon_stash", stash, b.attrs().f("epsilon"));
  b.add("x = Cast <to: int = @stash_type> (X)");
  b.add(R"(
    Mean = ReduceMean (x, axes)
    d = Sub (x, Mean)
    squares = Mul (d, d)
    variance = ReduceMean (squares, axes)
    variance_epsilon = Add (variance, epsilon_stash)
    deviation = Sqrt (variance_epsilon)
    InvStdDev = Reciprocal (deviation)
    standardized = Mul (d, InvStdDev)
    normalized = CastLike (standardized, X)
  )");
  if (b.has_input(2))
    b.add("scaled = Mul (normalized, Scale) Y = Add (scaled, B)");
  else
    b.add("Y = Mul (normalized, Scale)");
}

constexpr FunctionBody kBodies[] = {{.since = 17, .opset = 18, .build = layer_normalization_body}};

}  // namespace

void layer_normalization_bodies(opset::BodyTable& table) { table.add(LayerNormalization, kBodies); }

}  // namespace norn::ops
