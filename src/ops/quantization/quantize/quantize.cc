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

void scale_does_not_fit(const NodeView& node, const std::string& x, const std::string& scale) {
  node.fail("a scale of shape " + scale + " does not fit a tensor of shape " + x,
            node.version() < 13 ? "before version 13 the scale is a scalar"
            : node.version() < 21
                ? "it is a scalar, or has an element for each index along the axis"
                : "it is a scalar, has an element for each index along the axis, or, with block_size, "
                  "the tensor's rank");
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
    const std::int64_t number = attrs.declares(name) ? attrs.i(name) : 0;
    if (number < 0 || number >= kDataTypeCount)
      node.fail(std::string(name) + " is " + std::to_string(number) + ", which is not an element type");
    return static_cast<DataType>(number);
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
  const std::int64_t block = resolve_scale_block(node), rank = static_cast<std::int64_t>(x.size());
  ScaleLayout layout;
  if (block > 0 && !x.empty() && scale.size() == x.size()) {
    const std::int64_t axis = resolve_scale_axis(node, rank);
    Shape blocks = x;
    std::int64_t& along = blocks[static_cast<std::size_t>(axis)];
    along = along / block + (along % block != 0);
    if (scale != blocks) scale_does_not_fit(node, norn::to_string(x), norn::to_string(scale));
    layout.view = view_along(x, axis);
    layout.block = block;
    layout.inner_step = 1;
    layout.step = layout.view.inner;
    layout.outer_step = along * layout.step;
  } else if (scale.empty() || scale == Shape{1}) {
    layout.view.inner = element_count(x);
  } else {
    if (scale.size() != 1 || node.version() < 13) scale_does_not_fit(node, norn::to_string(x), norn::to_string(scale));
    const std::int64_t axis = resolve_scale_axis(node, rank);
    if (x[static_cast<std::size_t>(axis)] != scale[0]) {
      scale_does_not_fit(node, norn::to_string(x), norn::to_string(scale));
    }
    layout.view = view_along(x, axis);
    layout.step = 1;
  }
  return layout;
}

void require_shape_of_scale(const NodeView& node, const Shape& scale, const Shape& zero_point) {
  const auto single = [](const Shape& s) { return s.empty() || s == Shape{1}; };
  if (scale == zero_point || (single(scale) && single(zero_point))) return;
  node.fail("the zero point's shape " + norn::to_string(zero_point) + " is not the scale's, " + norn::to_string(scale));
}

void infer_scales(InferContext& ctx) {
  const std::int64_t block = resolve_scale_block(ctx);
  if (!ctx.has_rank(1)) return;
  const Dims& scale = ctx.shape(1);
  if (ctx.has_rank(2)) {
    const Dims& zero_point = ctx.shape(2);
    const auto many = [](const Dims& d) { return d.size() > 1 || (d.size() == 1 && DimExpr::differ(d[0], 1)); };
    if (scale.size() == zero_point.size()) {
      for (std::size_t d = 0; d < scale.size(); ++d)
        ctx.unify(scale[d], zero_point[d], "sizes of scale and zero point");
    } else if (many(scale) || many(zero_point)) {
      ctx.fail("the zero point's shape " + to_string(zero_point) + " is not the scale's, " + to_string(scale));
    }
  }
  if (!ctx.has_rank(0)) return;
  const Dims& x = ctx.shape(0);
  const std::int64_t rank = ctx.rank(0);
  if (block > 0 && !x.empty() && scale.size() == x.size()) {
    const auto axis = static_cast<std::size_t>(resolve_scale_axis(ctx, rank));
    for (std::size_t d = 0; d < x.size(); ++d) {
      ctx.unify(d == axis ? DimExpr::ceil_div(x[d], block) : x[d], scale[d],
                d == axis ? "blocks of x and size of the scale" : "sizes of x and of the scale");
    }
  } else if (scale.size() > 1) {
    scale_does_not_fit(ctx, to_string(x), to_string(scale));
  } else if (scale.size() == 1 && scale[0].is_constant() && scale[0].constant() != 1) {
    // One that is not known may be 1, which is a scale for all.
    if (ctx.version() < 13) scale_does_not_fit(ctx, to_string(x), to_string(scale));
    ctx.unify(x[static_cast<std::size_t>(resolve_scale_axis(ctx, rank))], scale[0],
              "the axis of x and size of the scale");
  }
}

constinit const Operator QuantizeLinear = {
    .name = "QuantizeLinear", .history = kQuantizeLinear, .infer = infer_quantize};

void quantize_schemas(SchemaTable& table) { table.add(QuantizeLinear); }

}  // namespace norn::ops
