// Pairs of elements are turned by the angles whose cosines and sines are given. In between the input is
// [batch, sequence, heads, head size].
#include "ops/nn/rotary_embedding/rotary_embedding.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace rotary_embedding_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

void rotary_embedding_body(BodyBuilder& b) {
  const int rank = b.rank(0);
  const RotaryOptions options = resolve_rotary_options(b);
  const std::int64_t zero[] = {0}, one[] = {1}, two[] = {2}, three[] = {3}, last[] = {-1}, most[] = {INT64_MAX};
  b.ints("zero", zero);
  b.ints("one", one);
  b.ints("two", two);
  b.ints("three", three);
  b.ints("last", last);
  b.ints("most", most);
  if (rank == 4) {
    b.add("x = Transpose <perm = [0, 2, 1, 3]> (X)");
  } else {
    const std::int64_t shape[] = {0, 0, options.heads, -1};
    b.ints("head_shape", shape);
    b.add("x = Reshape (X, head_shape)");
  }
  if (options.rotated > 0) {
    const std::int64_t size[] = {options.rotated};
    b.ints("size", size);
    b.add("turned = Slice (x, zero, size, three) rest = Slice (x, size, most, three)");
  } else {
    b.add("size = Shape <start = 3, end = 4> (x) turned = Identity (x)");
  }
  b.add(options.interleaved ? R"(
    x1 = Slice (turned, zero, most, three, two)
    x2 = Slice (turned, one, most, three, two)
  )"
                            : R"(
    half = Div (size, two)
    x1 = Slice (turned, zero, half, three)
    x2 = Slice (turned, half, most, three)
  )");
  b.add(b.has_input(3) ? "cosines = Gather (cos_cache, position_ids) sines = Gather (sin_cache, position_ids)"
                       : "cosines = Identity (cos_cache) sines = Identity (sin_cache)");
  b.add(R"(
    c = Unsqueeze (cosines, two)
    s = Unsqueeze (sines, two)
    c_x1 = Mul (c, x1)
    s_x2 = Mul (s, x2)
    real = Sub (c_x1, s_x2)
    s_x1 = Mul (s, x1)
    c_x2 = Mul (c, x2)
    imaginary = Add (s_x1, c_x2)
  )");
  if (options.interleaved) {
    const std::int64_t joined[] = {0, 0, 0, -1};
    b.ints("joined_shape", joined);
    b.add(R"(
      evens = Unsqueeze (real, last)
      odds = Unsqueeze (imaginary, last)
      pairs = Concat <axis = -1> (evens, odds)
      whole = Reshape (pairs, joined_shape)
    )");
  } else {
    b.add("whole = Concat <axis = -1> (real, imaginary)");
  }
  b.add(options.rotated > 0 ? "y = Concat <axis = -1> (whole, rest)" : "y = Identity (whole)");
  b.add(rank == 4 ? "Y = Transpose <perm = [0, 2, 1, 3]> (y)" : "shape = Shape (X) Y = Reshape (y, shape)");
}

constexpr FunctionBody kRotaryEmbeddingBodies[] = {{.since = 23, .opset = 23, .build = rotary_embedding_body}};

}  // namespace
}  // namespace rotary_embedding_body_cc

void rotary_embedding_bodies(opset::BodyTable& table) { table.add(RotaryEmbedding, kRotaryEmbeddingBodies); }

}  // namespace norn::ops
