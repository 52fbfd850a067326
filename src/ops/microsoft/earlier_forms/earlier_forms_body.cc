// Where ONNX takes a scalar or a list, these take either.
#include "ops/microsoft/domain.h"
#include "ops/microsoft/earlier_forms/earlier_forms.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace microsoft {
inline namespace earlier_forms_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

constexpr const char* kAsList = "as_list = Constant <value = int64[1] {-1}> () ";

void expand_dims_body(BodyBuilder& b) {
  b.add(kAsList);
  b.add("wide = Cast <to = 7> (axis) axes = Reshape (wide, as_list) Y = Unsqueeze (X, axes)");
}

void trilu_body(BodyBuilder& b) {
  if (!b.has_input(1)) return b.add("Y = Trilu <upper: int = @upper> (X)");
  b.add("diagonal = Squeeze (k) Y = Trilu <upper: int = @upper> (X, diagonal)");
}

void pad_body(BodyBuilder& b) {
  b.add(kAsList);
  b.add("list = Reshape (pads, as_list) output = Pad <mode: string = @mode> (data, list, value)");
}

void unique_body(BodyBuilder& b) { b.add("y, first, idx, counts = Unique <sorted = 0> (x)"); }

void gather_nd_body(BodyBuilder& b) { b.add("wide = Cast <to = 7> (indices) output = GatherND (data, wide)"); }

void range_body(BodyBuilder& b) {
  if (b.has_input(2))
    b.add("by = Squeeze (delta)");
  else
    b.scalar("by", b.elem(0), 1);
  b.add("from = Squeeze (start) to = Squeeze (limit) Y = Range (from, to, by)");
}

// |a - b|^2 = |a|^2 - 2ab + |b|^2 in one product of matrices. It is taken about the mean of B's rows, where less of it
// cancels out, and is not below 0.
void cdist_body(BodyBuilder& b) {
  const std::string metric = b.attrs().find_s("metric").value_or("sqeuclidean");
  if (metric != "sqeuclidean" && metric != "euclidean")
    b.unsupported("the attribute metric is \"" + metric + "\"", "sqeuclidean and euclidean are known");
  b.scalar("zero", b.elem(0), 0);
  b.scalar("minus_two", b.elem(0), -2);
  b.add(R"(
    rows = Constant <value = int64[1] {0}> ()
    columns = Constant <value = int64[1] {1}> ()
    middle = ReduceMean (B, rows)
    a = Sub (A, middle)
    b = Sub (B, middle)
    a_squares = ReduceSumSquare (a, columns)
    b_squares = ReduceSumSquare (b, columns)
    b_across = Transpose <perm = [1, 0]> (b)
    b_squares_across = Transpose <perm = [1, 0]> (b_squares)
    product = MatMul (a, b_across)
    twice = Mul (product, minus_two)
    partial = Add (twice, a_squares)
    squares = Add (partial, b_squares_across)
  )");
  b.add(metric == "euclidean" ? "bounded = Max (squares, zero) C = Sqrt (bounded)" : "C = Max (squares, zero)");
}

constexpr FunctionBody kExpandDims[] = {{.since = 1, .opset = kBodyOpset, .build = expand_dims_body}};
constexpr FunctionBody kTrilu[] = {{.since = 1, .opset = kBodyOpset, .build = trilu_body}};
constexpr FunctionBody kPad[] = {{.since = 1, .opset = kBodyOpset, .build = pad_body}};
constexpr FunctionBody kCDist[] = {{.since = 1, .opset = kBodyOpset, .build = cdist_body}};
constexpr FunctionBody kUnique[] = {{.since = 1, .opset = kBodyOpset, .build = unique_body}};
constexpr FunctionBody kGatherND[] = {{.since = 1, .opset = kBodyOpset, .build = gather_nd_body}};
constexpr FunctionBody kRange[] = {{.since = 1, .opset = kBodyOpset, .build = range_body}};

}  // namespace
}  // namespace earlier_forms_body_cc
}  // namespace microsoft

void earlier_forms_bodies(opset::BodyTable& table) {
  table.add(microsoft::ExpandDims, microsoft::kExpandDims);
  table.add(microsoft::Trilu, microsoft::kTrilu);
  table.add(microsoft::Pad, microsoft::kPad);
  table.add(microsoft::CDist, microsoft::kCDist);
  table.add(microsoft::Unique, microsoft::kUnique);
  table.add(microsoft::GatherND, microsoft::kGatherND);
  table.add(microsoft::Range, microsoft::kRange);
}

}  // namespace norn::ops
