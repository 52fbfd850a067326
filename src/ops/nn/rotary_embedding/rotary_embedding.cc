// Positions as rotations of pairs of elements. Pairs are halves of a head or, if interleaved, neighbours. Without
// position_ids the caches have a row for each token.
#include "ops/nn/rotary_embedding/rotary_embedding.h"

#include <algorithm>

#include "ops/common/agree.h"
#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace rotary_embedding_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {
    {.name = "X", .type = "T"},
    {.name = "cos_cache", .type = "T"},
    {.name = "sin_cache", .type = "T"},
    {.name = "position_ids", .type = "M", .option = ParamOption::Optional},
};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T"}};
constexpr Attr kAttrs[] = {
    {.name = "interleaved", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "num_heads", .type = ir::AttributeType::Int},
    {.name = "rotary_embedding_dim", .type = ir::AttributeType::Int, .def = def_int(0)},
};
constexpr TypeConstraint kTypes[] = {
    {"T", tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16))},
    {"M", tensors(elems(DataType::Int64))},
};

constexpr Schema kRotaryEmbedding[] = {
    {.since = 23, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

// Throws if X cannot be turned by the caches.
void check_rotary(const NodeView& node) {
  require_rank_of(node, 0, {3, 4});
  const bool positioned = node.has_input(3);
  for (int i = 1; i < 3; ++i) node.require_rank(i, positioned ? 2 : 3);
  node.require_rank(3, 2);
  const RotaryOptions options = resolve_rotary_options(node);
  const auto x = node.known_shape(0);
  if (!x) return;
  const bool packed = x->size() == 3;
  const int tokens = packed ? 1 : 2;
  DimExpr size = x->back();
  if (packed) {
    if (size.is_constant() && size.constant() % options.heads != 0)
      node.fail("X " + to_string(*x) + " does not split into " + std::to_string(options.heads) + " heads",
                "give a num_heads that divides the last axis of X");
    size = DimExpr::floor_div(size, options.heads);
  }
  const DimExpr rotated = options.rotated == 0 ? size : DimExpr(options.rotated);
  if (rotated.is_constant() &&
      (rotated.constant() % 2 != 0 || (size.is_constant() && rotated.constant() > size.constant())))
    node.fail(rotated.to_string() + " elements of a head of " + size.to_string() + " cannot be turned",
              "rotary_embedding_dim is an even number, at most the size of a head");
  agree(node, 0, 0, 3, 0);
  agree(node, 0, tokens, 3, 1);
  for (const int axis : {0, 1, 2}) agree(node, 1, axis, 2, axis);
  for (const int cache : {1, 2}) {
    agree(node, cache, -1, DimExpr::floor_div(rotated, 2), "half of what is turned of each head");
    for (const int axis : {0, 1})
      if (const auto own = size_of(node, cache, axis); !positioned && own && own->is_constant() && own->constant() != 1)
        agree(node, 0, axis == 0 ? 0 : tokens, cache, axis);
  }
}

void infer_rotary(InferContext& ctx) {
  same_as_input(ctx);
  check_rotary(ctx);
}

}  // namespace
}  // namespace rotary_embedding_cc

RotaryOptions resolve_rotary_options(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  const RotaryOptions options{.heads = attrs.find_i("num_heads").value_or(0),
                              .rotated = std::max<std::int64_t>(0, attrs.i("rotary_embedding_dim")),
                              .interleaved = attrs.flag("interleaved")};
  if (const auto x = node.known_shape(0); x && x->size() == 3 && options.heads <= 0)
    node.fail("an X of rank 3 takes the attribute num_heads");
  return options;
}

RotaryParams resolve_rotary(const NodeView& node) {
  check_rotary(node);
  const RotaryOptions options = resolve_rotary_options(node);
  const std::vector<std::int64_t> x = to_constants(node.require(node.known_shape(0), "X"));
  RotaryParams p;
  p.interleaved = options.interleaved;
  p.batch = x[0];
  if (x.size() == 4) {
    p.heads = x[1];
    p.sequence = x[2];
    p.size = x[3];
    p.sequence_stride = p.size;
    p.head_stride = p.sequence * p.size;
    p.batch_stride = p.heads * p.head_stride;
  } else {
    p.heads = options.heads;
    p.sequence = x[1];
    p.size = x[2] / p.heads;
    p.head_stride = p.size;
    p.sequence_stride = x[2];
    p.batch_stride = p.sequence * x[2];
  }
  p.rotated = options.rotated == 0 ? p.size : options.rotated;
  return p;
}

constinit const Operator RotaryEmbedding = {
    .name = "RotaryEmbedding", .history = kRotaryEmbedding, .infer = infer_rotary};

void rotary_embedding_schemas(SchemaTable& table) { table.add(RotaryEmbedding); }

}  // namespace norn::ops
