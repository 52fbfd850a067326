// Without rotary_embedding_dim the whole head is turned, whose size is the cache's. A lone position is that of the
// first token.
#include "ops/common/body_guard.h"
#include "ops/microsoft/domain.h"
#include "ops/microsoft/rotary_positions/rotary_positions.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace microsoft {
inline namespace rotary_positions_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

void rotary_body(BodyBuilder& b) {
  const int rank = b.rank(0);
  const float scale = b.attrs().find_f("scale").value_or(1.0f);
  if (scale != 1 && scale != 0)
    b.unsupported("the attribute scale is " + std::to_string(scale) + "; rotations are not scaled");
  const std::int64_t turned = resolve_rotary_size(b);
  const std::int64_t by_row[] = {1, -1};
  if (b.rank(1) == 1) {
    b.ints("by_row", by_row);
    const std::string length = std::to_string(rank == 3 ? 1 : 2), behind = std::to_string(rank == 3 ? 2 : 3);
    b.add("length_list = Shape <start = " + length + ", end = " + behind + "> (input)");
    b.add(R"(
      batch = Shape <start = 0, end = 1> (input)
      first = Squeeze (position_ids)
      length = Squeeze (length_list)
      end = Add (first, length)
      step = Constant <value_int = 1> ()
      numbers = Range (first, end, step)
      row = Reshape (numbers, by_row)
      by_token = Concat <axis = 0> (batch, length_list)
      positions = Expand (row, by_token)
    )");
  } else {
    b.add("positions = Identity (position_ids)");
  }
  // Of rank 3, the heads are separated by their number or, without it, by their size.
  const bool of_size = rank == 3 && turned == 0;
  const opset::DimExpr width = of_size ? b.type(0).shape->back() : opset::DimExpr(0);
  const std::int64_t size = of_size ? 2 * b.size(2, 1) : 0;
  const bool counted =
      of_size && size > 0 && width.is_constant() && width.constant() > 0 && width.constant() % size == 0;
  const bool split = of_size && !counted;
  if (split) {
    const std::int64_t shape[] = {0, 0, -1, size};
    b.ints("split_shape", shape);
    b.add("by_token_and_head = Reshape (input, split_shape) x = Transpose <perm = [0, 2, 1, 3]> (by_token_and_head)");
  } else {
    b.add("x = Identity (input)");
  }
  // A position counts from the front; the rows of a cache would be taken from behind for a negative one.
  add_index_guard(b, "positions", DataType::Int64, "position_from_0");
  b.add("y = RotaryEmbedding <interleaved: int = @interleaved" +
        std::string(turned > 0 ? ", num_heads: int = @num_heads, rotary_embedding_dim: int = @rotary_embedding_dim"
                    : counted  ? ", num_heads = " + std::to_string(width.constant() / size)
                               : "") +
        "> (x, cos_cache, sin_cache, position_from_0)");
  b.add(split ? "turned = Transpose <perm = [0, 2, 1, 3]> (y) shape = Shape (input) output = Reshape (turned, shape)"
              : "output = Identity (y)");
}

constexpr FunctionBody kRotary[] = {{.since = 1, .opset = kBodyOpset, .build = rotary_body}};

}  // namespace
}  // namespace rotary_positions_body_cc
}  // namespace microsoft

void rotary_positions_bodies(opset::BodyTable& table) { table.add(microsoft::RotaryEmbedding, microsoft::kRotary); }

}  // namespace norn::ops
