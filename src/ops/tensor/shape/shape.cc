// Shape and Size: a tensor's dimensions as data. They are where symbolic dimensions become known values.
#include "ops/tensor/shape/shape.h"

#include <algorithm>

#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {

using namespace opset;

inline namespace shape_cc {
namespace {

template <std::uint32_t kElements>
constexpr TypeConstraint kTypes[] = {{"T", tensors(kElements)}, {"T1", tensors(elems(DataType::Int64))}};

constexpr Param kInputs1[] = {{.name = "data", .type = "T"}};
constexpr Param kInputs13[] = {{.name = "data", .type = "T", .diff = Differentiability::NonDifferentiable}};
constexpr Param kShapeOutputs1[] = {{.name = "shape", .type = "T1"}};
constexpr Param kShapeOutputs13[] = {{.name = "shape", .type = "T1", .diff = Differentiability::NonDifferentiable}};
constexpr Param kSizeOutputs1[] = {{.name = "size", .type = "T1"}};
constexpr Param kSizeOutputs13[] = {{.name = "size", .type = "T1", .diff = Differentiability::NonDifferentiable}};
constexpr Attr kShapeAttrs15[] = {
    {.name = "end", .type = ir::AttributeType::Int},
    {.name = "start", .type = ir::AttributeType::Int, .def = def_int(0)},
};

constexpr Schema shape_row(int since, std::span<const TypeConstraint> types) {
  return {.since = since,
          .inputs = kInputs13,
          .outputs = kShapeOutputs13,
          .attrs = kShapeAttrs15,
          .types = types,
          .same_meaning = since != 15};
}
constexpr Schema kShape[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kShapeOutputs1, .types = kTypes<types::kAll>},
    {.since = 13,
     .inputs = kInputs13,
     .outputs = kShapeOutputs13,
     .types = kTypes<types::kAllBf>,
     .same_meaning = true},
    shape_row(15, kTypes<types::kAllBf>),
    shape_row(19, kTypes<types::kAllIr9>),
    shape_row(21, kTypes<types::kAllIr10>),
    shape_row(23, kTypes<types::kAllIr11>),
    shape_row(24, kTypes<types::kAllIr12>),
    shape_row(25, kTypes<types::kAllIr13>),
};

constexpr Schema size_row(int since, std::span<const TypeConstraint> types) {
  return {.since = since, .inputs = kInputs13, .outputs = kSizeOutputs13, .types = types, .same_meaning = true};
}
constexpr Schema kSize[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kSizeOutputs1, .types = kTypes<types::kAll>},
    size_row(13, kTypes<types::kAllBf>),
    size_row(19, kTypes<types::kAllIr9>),
    size_row(21, kTypes<types::kAllIr10>),
    size_row(23, kTypes<types::kAllIr11>),
    size_row(24, kTypes<types::kAllIr12>),
    size_row(25, kTypes<types::kAllIr13>),
};

std::int64_t clamp_axis(std::int64_t axis, std::int64_t rank) {
  return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
}

void infer_shape(InferContext& ctx) {
  if (!ctx.has_rank(0)) {
    ctx.set(0, DataType::Int64, {ctx.fresh_dim()});
    return;
  }
  const Dims& dims = ctx.shape(0);
  const auto [first, last] = resolve_shape(ctx, ctx.rank(0));
  ctx.set(0, DataType::Int64, {DimExpr(last - first)});
  ctx.set_ints(0, Dims(dims.begin() + first, dims.begin() + last));
}

void infer_size(InferContext& ctx) {
  ctx.set(0, DataType::Int64, Dims{});
  if (ctx.has_rank(0)) ctx.set_ints(0, {product(ctx.shape(0))});
}

}  // namespace
}  // namespace shape_cc

ShapeParams resolve_shape(const NodeView& node, std::int64_t rank) {
  if (node.version() < 15) return {0, rank};
  const std::int64_t first = clamp_axis(node.attrs().i("start"), rank);
  const auto end = node.attrs().find_i("end");
  return {first, std::max(first, end ? clamp_axis(*end, rank) : rank)};
}

constinit const Operator Shape = {.name = "Shape", .history = kShape, .infer = infer_shape};
constinit const Operator Size = {.name = "Size", .history = kSize, .infer = infer_size};

void shape_schemas(SchemaTable& table) {
  table.add(Shape);
  table.add(Size);
}

}  // namespace norn::ops
