// Floating numbers to narrow integers or floats, by scale and zero point. Per tensor, per axis (13), in blocks along an
// axis (21). Rounds halves to even and saturates. The output's type is the zero point's, else output_dtype's, else
// uint8.
#include "ops/quantization/quantize/quantize.h"

#include <string>

#include "opset/infer_context.h"

namespace norn::ops {
inline namespace quantize_cc {
namespace {

using namespace opset;

constexpr auto kOptional = ParamOption::Optional;

constexpr Param kYZeroPoint = {.name = "y_zero_point", .type = "T2", .option = kOptional};
constexpr Attr kAxis = {.name = "axis", .type = ir::AttributeType::Int, .def = def_int(1)};
constexpr Attr kSaturate = {.name = "saturate", .type = ir::AttributeType::Int, .def = def_int(1)};
constexpr Attr kBlockSize = {.name = "block_size", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kOutputDtype = {.name = "output_dtype", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr TypeSet kSetT119 = tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16, DataType::Int32));
constexpr TypeSet kSetT323 =
    tensors(elems(DataType::Float4E2M1, DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                  DataType::Float8E5M2FNUZ, DataType::Int16, DataType::Int4, DataType::Int8, DataType::Uint16,
                  DataType::Uint4, DataType::Uint8));
constexpr TypeSet kSetT224 =
    tensors(elems(DataType::BFloat16, DataType::Float, DataType::Float16, DataType::Float8E8M0, DataType::Int32));
constexpr Param kInputs10[] = {
    {.name = "x", .type = "T1"},
    {.name = "y_scale", .type = "tensor(float)"},
    kYZeroPoint,
};
constexpr Param kInputs19[] = {
    {.name = "x", .type = "T1"},
    {.name = "y_scale", .type = "T1"},
    kYZeroPoint,
};
constexpr Param kInputs23[] = {
    {.name = "x", .type = "T1"},
    {.name = "y_scale", .type = "T2"},
    {.name = "y_zero_point", .type = "T3", .option = kOptional},
};
constexpr Param kOutputs10[] = {{.name = "y", .type = "T2"}};
constexpr Param kOutputs23[] = {{.name = "y", .type = "T3"}};
constexpr Attr kAttrs13[] = {kAxis};
constexpr Attr kAttrs19[] = {kAxis, kSaturate};
constexpr Attr kAttrs21[] = {kAxis, kBlockSize, kOutputDtype, kSaturate};
constexpr Attr kAttrs23[] = {
    kAxis,     kBlockSize, kOutputDtype, {.name = "precision", .type = ir::AttributeType::Int, .def = def_int(0)},
    kSaturate,
};
constexpr TypeConstraint kTypes10[] = {
    {"T1", tensors(elems(DataType::Float, DataType::Int32))},
    {"T2", tensors(elems(DataType::Int8, DataType::Uint8))},
};
constexpr TypeConstraint kTypes19[] = {
    {"T1", kSetT119},
    {"T2", tensors(elems(DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                         DataType::Float8E5M2FNUZ, DataType::Int8, DataType::Uint8))},
};
constexpr TypeConstraint kTypes21[] = {
    {"T1", kSetT119},
    {"T2", tensors(elems(DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                         DataType::Float8E5M2FNUZ, DataType::Int16, DataType::Int4, DataType::Int8, DataType::Uint16,
                         DataType::Uint4, DataType::Uint8))},
};
constexpr TypeConstraint kTypes23[] = {
    {"T1", kSetT119},
    {"T2", kSetT119},
    {"T3", kSetT323},
};
constexpr TypeConstraint kTypes24[] = {
    {"T1", kSetT119},
    {"T2", kSetT224},
    {"T3", kSetT323},
};
constexpr TypeConstraint kTypes25[] = {
    {"T1", kSetT119},
    {"T2", kSetT224},
    {"T3", tensors(elems(DataType::Float4E2M1, DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2,
                         DataType::Float8E5M2FNUZ, DataType::Int16, DataType::Int2, DataType::Int4, DataType::Int8,
                         DataType::Uint16, DataType::Uint2, DataType::Uint4, DataType::Uint8))},
};
constexpr TypeConstraint kTypes28[] = {
    {"T1", kSetT119},
    {"T2", kSetT224},
    {"T3", tensors(elems(DataType::Float4E2M1, DataType::Float6E2M3, DataType::Float6E3M2, DataType::Float8E4M3FN,
                         DataType::Float8E4M3FNUZ, DataType::Float8E5M2, DataType::Float8E5M2FNUZ, DataType::Int16,
                         DataType::Int2, DataType::Int4, DataType::Int8, DataType::Uint16, DataType::Uint2,
                         DataType::Uint4, DataType::Uint8))},
};

constexpr Schema kQuantizeLinear[] = {
    {.since = 10, .inputs = kInputs10, .outputs = kOutputs10, .types = kTypes10},
    {.since = 13, .inputs = kInputs10, .outputs = kOutputs10, .attrs = kAttrs13, .types = kTypes10},
    {.since = 19, .inputs = kInputs19, .outputs = kOutputs10, .attrs = kAttrs19, .types = kTypes19},
    {.since = 21, .inputs = kInputs19, .outputs = kOutputs10, .attrs = kAttrs21, .types = kTypes21},
    {.since = 23, .inputs = kInputs23, .outputs = kOutputs23, .attrs = kAttrs23, .types = kTypes23},
    {.since = 24,
     .inputs = kInputs23,
     .outputs = kOutputs23,
     .attrs = kAttrs23,
     .types = kTypes24,
     .same_meaning = true},
    {.since = 25,
     .inputs = kInputs23,
     .outputs = kOutputs23,
     .attrs = kAttrs23,
     .types = kTypes25,
     .same_meaning = true},
    {.since = 28,
     .inputs = kInputs23,
     .outputs = kOutputs23,
     .attrs = kAttrs23,
     .types = kTypes28,
     .same_meaning = true},
};

constexpr std::uint32_t kDivisions = elems(DataType::Float16, DataType::BFloat16, DataType::Float, DataType::Double);

bool contains(std::uint32_t set, DataType type) { return (set >> static_cast<unsigned>(type)) & 1u; }

void scale_does_not_fit(const NodeView& node, const Dims& x, const Dims& scale) {
  node.fail("a scale of shape " + to_string(scale) + " does not fit a tensor of shape " + to_string(x),
            node.version() < 13 ? "before version 13 the scale is a scalar"
            : node.version() < 21
                ? "it is a scalar, or has an element for each index along the axis"
                : "it is a scalar, has an element for each index along the axis, or, with block_size, "
                  "the tensor's rank");
}

bool is_by_blocks(const NodeView& node, std::size_t rank, std::size_t scale_rank) {
  return resolve_scale_block(node) > 0 && rank > 0 && scale_rank == rank;
}

void check_scales(const NodeView& node, const Dims& x, const Dims& scale) {
  const auto rank = static_cast<std::int64_t>(x.size());
  if (is_by_blocks(node, x.size(), scale.size())) {
    const auto axis = static_cast<std::size_t>(resolve_scale_axis(node, rank));
    for (std::size_t d = 0; d < x.size(); ++d) {
      node.unify(d == axis ? DimExpr::ceil_div(x[d], resolve_scale_block(node)) : x[d], scale[d],
                 d == axis ? "blocks of x and size of the scale" : "sizes of x and of the scale");
    }
  } else if (scale.size() > 1) {
    scale_does_not_fit(node, x, scale);
  } else if (scale.size() == 1 && scale[0].is_constant() && scale[0].constant() != 1) {
    // One that is not known may be 1, which is a scale for all.
    if (node.version() < 13) scale_does_not_fit(node, x, scale);
    node.unify(x[static_cast<std::size_t>(resolve_scale_axis(node, rank))], scale[0],
               "the axis of x and size of the scale");
  }
}

void infer_quantize(InferContext& ctx) {
  infer_scales(ctx);
  const DataType to = resolve_quantize(ctx, ctx.elem(1), ctx.has_input(2), ctx.elem(2)).to;
  if (ctx.has_rank(0))
    ctx.set(0, to, ctx.shape(0));
  else
    ctx.set(0, to);
}

}  // namespace
}  // namespace quantize_cc

QuantizeParams resolve_quantize(const NodeView& node, DataType scale, bool zero_point_given, DataType zero_point) {
  const Attrs& attrs = node.attrs();
  const auto type_of = [&](std::string_view name) {
    if (!attrs.declares(name) || attrs.i(name) == 0) return DataType::Undefined;
    return *type_attribute(node, name, {});
  };
  QuantizeParams p;
  p.to = type_of("output_dtype");
  if (p.to != DataType::Undefined && zero_point != DataType::Undefined && p.to != zero_point) {
    node.fail("output_dtype is " + std::string(data_type_name(p.to)) + ", but y_zero_point is of type " +
              std::string(data_type_name(zero_point)));
  }
  if (p.to == DataType::Undefined) p.to = zero_point_given ? zero_point : DataType::Uint8;
  const TypeConstraint* outputs = find_type(node.schema(), node.schema().outputs[0].type);
  if (p.to != DataType::Undefined && !outputs->set.allows_tensor(p.to)) {
    node.fail(std::string(data_type_name(p.to)) + " is not a type that this version quantizes to");
  }
  p.division = type_of("precision");
  if (p.division != DataType::Undefined && !contains(kDivisions, p.division)) {
    node.fail("precision is " + std::string(data_type_name(p.division)) +
              ", but has to be float16, bfloat16, float or double");
  }
  if (p.division == DataType::Undefined && contains(kDivisions, scale)) p.division = scale;
  if (attrs.declares("saturate")) p.saturate = attrs.flag("saturate");
  return p;
}

std::int64_t resolve_scale_block(const NodeView& node) {
  const std::int64_t size = node.attrs().declares("block_size") ? node.attrs().i("block_size") : 0;
  if (size < 0) node.fail("block_size is " + std::to_string(size) + ", but has to be positive, or 0 for no blocks");
  return size;
}

// A tensor of one axis needs no attribute to name it, and the default, 1, is not its axis.
std::int64_t resolve_scale_axis(const NodeView& node, std::int64_t rank) {
  if (!node.attrs().declares("axis")) node.fail("before version 13 the scale is a scalar");
  return rank == 1 && !node.attrs().has("axis") ? 0 : node.axis(rank);
}

ScaleLayout resolve_scales(const NodeView& node, const Shape& x, const Shape& scale) {
  check_scales(node, to_dims(x), to_dims(scale));
  ScaleLayout layout;
  if (is_by_blocks(node, x.size(), scale.size())) {
    const std::int64_t axis = resolve_scale_axis(node, static_cast<std::int64_t>(x.size()));
    layout.view = view_along(x, axis);
    layout.block = resolve_scale_block(node);
    layout.inner_step = 1;
    layout.step = layout.view.inner;
    layout.outer_step = scale[static_cast<std::size_t>(axis)] * layout.step;
  } else if (scale.empty() || scale == Shape{1}) {
    layout.view.inner = element_count(x);
  } else {
    layout.view = view_along(x, resolve_scale_axis(node, static_cast<std::int64_t>(x.size())));
    layout.step = 1;
  }
  return layout;
}

void require_shape_of_scale(const NodeView& node, int scale, int zero_point) {
  const auto own = node.known_shape(scale), other = node.known_shape(zero_point);
  if (!own || !other) return;
  const auto many = [](const Dims& d) { return d.size() > 1 || (d.size() == 1 && DimExpr::differ(d[0], 1)); };
  if (own->size() == other->size()) {
    for (std::size_t d = 0; d < own->size(); ++d) node.unify((*own)[d], (*other)[d], "sizes of scale and zero point");
  } else if (many(*own) || many(*other)) {
    node.fail("the zero point's shape " + to_string(*other) + " is not the scale's, " + to_string(*own));
  }
}

void infer_scales(InferContext& ctx) {
  resolve_scale_block(ctx);
  require_shape_of_scale(ctx, 1, 2);
  if (ctx.has_rank(0) && ctx.has_rank(1)) check_scales(ctx, ctx.shape(0), ctx.shape(1));
}

constinit const Operator QuantizeLinear = {
    .name = "QuantizeLinear", .history = kQuantizeLinear, .infer = infer_quantize};

void quantize_schemas(SchemaTable& table) { table.add(QuantizeLinear); }

}  // namespace norn::ops
