// Of an integer, roots and logarithms are taken in double.
#include "ops/reduction/reduce/reduce.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace reduce_body_cc {
namespace {

using opset::FunctionBody;

constexpr FunctionBody kL1[] = {{.since = 18, .opset = 18, .nodes = R"({
  size = Abs (data)
  reduced = ReduceSum <keepdims: int = @keepdims, noop_with_empty_axes: int = @noop_with_empty_axes> (size, axes)
})"}};

constexpr FunctionBody kL2[] = {{.since = 18, .opset = 18, .nodes = R"({
  wide = Cast <to = 11> (data)
  square = Mul (wide, wide)
  sum = ReduceSum <keepdims: int = @keepdims, noop_with_empty_axes: int = @noop_with_empty_axes> (square, axes)
  root = Sqrt (sum)
  reduced = CastLike (root, data)
})"}};

constexpr FunctionBody kLogSum[] = {{.since = 18, .opset = 18, .nodes = R"({
  wide = Cast <to = 11> (data)
  sum = ReduceSum <keepdims: int = @keepdims, noop_with_empty_axes: int = @noop_with_empty_axes> (wide, axes)
  logarithm = Log (sum)
  reduced = CastLike (logarithm, data)
})"}};

constexpr FunctionBody kLogSumExp[] = {{.since = 18, .opset = 18, .nodes = R"({
  wide = Cast <to = 11> (data)
  power = Exp (wide)
  sum = ReduceSum <keepdims: int = @keepdims, noop_with_empty_axes: int = @noop_with_empty_axes> (power, axes)
  logarithm = Log (sum)
  reduced = CastLike (logarithm, data)
})"}};

constexpr FunctionBody kSumSquare[] = {{.since = 18, .opset = 18, .nodes = R"({
  square = Mul (data, data)
  reduced = ReduceSum <keepdims: int = @keepdims, noop_with_empty_axes: int = @noop_with_empty_axes> (square, axes)
})"}};

}  // namespace
}  // namespace reduce_body_cc

void reduce_bodies(opset::BodyTable& table) {
  table.add(ReduceL1, kL1);
  table.add(ReduceL2, kL2);
  table.add(ReduceLogSum, kLogSum);
  table.add(ReduceLogSumExp, kLogSumExp);
  table.add(ReduceSumSquare, kSumSquare);
}

}  // namespace norn::ops
