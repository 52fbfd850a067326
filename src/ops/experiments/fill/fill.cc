// The shape is an attribute; or that of the input with `extra_shape` behind it; or with `input_as_shape` the input's
// contents with `extra_shape` behind them. ConstantFill's `value` is a float, converted to `dtype`. GivenTensorFill's
// input is a floating tensor even where it holds a shape, and its output is of the same type.
#include "ops/experiments/fill/fill.h"

#include <array>
#include <charconv>
#include <cmath>

#include "ops/common/shapes.h"
#include "ops/experiments/withdrawn.h"
#include "opset/infer_context.h"

namespace norn::ops {
namespace experiments {
inline namespace fill_cc {
namespace {

using namespace opset;

constexpr std::uint32_t kFilled = elems(DataType::Float, DataType::Int32, DataType::Int64, DataType::Bool);
constexpr TypeConstraint kConstantTypes[] = {{"T1", tensors(kFilled)}, {"T2", tensors(kFilled)}};
constexpr Param kConstantInputs[] = {{.name = "input", .type = "T1", .option = ParamOption::Optional}};
constexpr Param kConstantOutputs[] = {{.name = "output", .type = "T2"}};
constexpr Attr kConstantAttrs[] = {
    {.name = "dtype", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "extra_shape", .type = ir::AttributeType::Ints},
    {.name = "input_as_shape", .type = ir::AttributeType::Int},
    {.name = "shape", .type = ir::AttributeType::Ints},
    {.name = "value", .type = ir::AttributeType::Float, .def = def_float(0)},
};
constexpr Schema kConstantFill[] = {
    experimental(kConstantInputs, kConstantOutputs, kConstantAttrs, kConstantTypes),
    withdrawn(experimental(kConstantInputs, kConstantOutputs, kConstantAttrs, kConstantTypes))};

constexpr TypeConstraint kGivenTypes[] = {{"T", tensors(types::kFloat16To64)}};
constexpr Param kGivenInputs[] = {{.name = "shape", .type = "T", .option = ParamOption::Optional}};
constexpr Param kGivenOutputs[] = {{.name = "X", .type = "T"}};
constexpr Attr kGivenAttrs[] = {
    {.name = "extra_shape", .type = ir::AttributeType::Ints},
    {.name = "input_as_shape", .type = ir::AttributeType::Int},
    {.name = "shape", .type = ir::AttributeType::Ints},
    {.name = "values", .type = ir::AttributeType::Floats},
};
constexpr Schema kGivenTensorFill[] = {experimental(kGivenInputs, kGivenOutputs, kGivenAttrs, kGivenTypes),
                                       withdrawn(experimental(kGivenInputs, kGivenOutputs, kGivenAttrs, kGivenTypes))};

// The input's integers, those of a floating one too.
std::optional<Dims> contents(const InferContext& ctx) {
  if (const Dims* ints = ctx.ints(0)) return *ints;
  const auto fractions = ctx.fractions(0);
  if (!fractions) return {};
  Dims sizes;
  for (const Fraction& f : *fractions) {
    if (f.denominator != 1) return {};
    sizes.push_back(f.numerator);
  }
  return sizes;
}

// The output's shape, if its rank is known.
std::optional<Dims> filled_shape(InferContext& ctx, const FillParams& p) {
  Dims dims;
  if (p.shape == FillParams::Shape::OfInput) {
    if (!ctx.has_rank(0)) return {};
    dims = ctx.shape(0);
  } else if (p.shape == FillParams::Shape::Contents) {
    ctx.require_rank(0, 1);
    if (ctx.elem(0) == DataType::Bool) ctx.fail("with input_as_shape the input holds a shape, but it is of booleans");
    if (auto sizes = contents(ctx)) {
      dims = *std::move(sizes);
    } else {
      if (!ctx.has_rank(0) || !ctx.shape(0)[0].is_constant() || ctx.shape(0)[0].constant() > kMostDims) return {};
      ctx.explain("the contents of the input are not known");
      for (std::int64_t i = 0; i < ctx.shape(0)[0].constant(); ++i) dims.push_back(ctx.fresh_dim());
    }
  }
  for (const std::int64_t size : p.sizes) dims.emplace_back(size);
  for (const DimExpr& d : dims)
    if (d.is_constant() && d.constant() < 0) ctx.fail("the shape asked for has a negative size: " + to_string(dims));
  return dims;
}

void infer_fill(InferContext& ctx, DataType elem, const FillParams& p) {
  if (auto dims = filled_shape(ctx, p))
    ctx.set(0, elem, *std::move(dims));
  else
    ctx.set(0, elem);
}

void infer_constant_fill(InferContext& ctx) {
  infer_fill(ctx, resolve_constant_fill_value(ctx).type, resolve_fill(ctx));
}

void infer_given_tensor_fill(InferContext& ctx) {
  const FillParams p = resolve_fill(ctx);
  const DimExpr values = static_cast<std::int64_t>(ctx.attrs().floats("values").size());
  infer_fill(ctx, ctx.has_input(0) ? ctx.elem(0) : DataType::Float, p);
  const auto dims = filled_shape(ctx, p);
  if (dims && DimExpr::differ(product(*dims), values))
    ctx.fail(values.to_string() + " values cannot fill the shape " + to_string(*dims));
}

std::string value_text(const NodeView& node, DataType type, float value) {
  if (type == DataType::Float) {
    std::array<char, 40> text;
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
  }
  if (type == DataType::Bool) return value != 0 ? "1" : "0";
  const double whole = std::trunc(static_cast<double>(value));
  const double most = type == DataType::Int32 ? 0x1p31 : 0x1p63;
  if (!(whole >= -most && whole < most))
    node.fail("value is " + std::to_string(value) + ", which " + std::string(data_type_name(type)) + " cannot hold");
  return std::to_string(static_cast<std::int64_t>(whole));
}

}  // namespace
}  // namespace fill_cc

FillParams resolve_fill(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  const bool has_input = node.has_input(0);
  FillParams p;
  const auto shape = attrs.find_ints("shape"), extra = attrs.find_ints("extra_shape");
  if (has_input && shape) node.fail("both an input and the attribute shape say which shape is wanted");
  if (!has_input && extra) node.fail("extra_shape is to follow the input's shape, but there is no input");
  if (!has_input && !shape) node.fail("neither an input nor the attribute shape says which shape is wanted");
  if (has_input)
    p.shape =
        attrs.find_i("input_as_shape").value_or(0) != 0 ? FillParams::Shape::Contents : FillParams::Shape::OfInput;
  p.sizes = shape ? *shape : extra.value_or(std::vector<std::int64_t>{});
  for (const std::int64_t size : p.sizes)
    if (size < 0) node.fail("the shape asked for has a negative size: " + std::to_string(size));
  return p;
}

ConstantFillValue resolve_constant_fill_value(const NodeView& node) {
  const std::int64_t given = node.attrs().i("dtype");
  if (given <= 0 || given >= kDataTypeCount || !((kFilled >> static_cast<unsigned>(given)) & 1u))
    node.fail("dtype is " + std::to_string(given) + ", but has to be float (1), int32 (6), int64 (7) or bool (9)");
  const auto type = static_cast<DataType>(given);
  return {type, value_text(node, type, node.attrs().f("value"))};
}

constinit const Operator ConstantFill = {
    .name = "ConstantFill", .history = kConstantFill, .infer = infer_constant_fill, .standard = false};
constinit const Operator GivenTensorFill = {
    .name = "GivenTensorFill", .history = kGivenTensorFill, .infer = infer_given_tensor_fill, .standard = false};

}  // namespace experiments

void fill_schemas(opset::SchemaTable& table) {
  table.add(experiments::ConstantFill);
  table.add(experiments::GivenTensorFill);
}

}  // namespace norn::ops
