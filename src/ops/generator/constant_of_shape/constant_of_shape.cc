// ConstantOfShape: the input's *contents* are the output's shape; an empty input asks for a scalar.
#include "ops/generator/constant_of_shape/constant_of_shape.h"

#include <optional>
#include <string>

#include "ir/tensor_data.h"
#include "opset/infer_context.h"

namespace norn::ops {

using namespace opset;

inline namespace constant_of_shape_cc {
namespace {

constexpr std::uint32_t kBase = types::kNumeric | types::kBool;
constexpr std::uint32_t k20 = types::kNumericBf | types::kBool | types::kFloat8;
constexpr std::uint32_t k21 = k20 | types::kInt4;
constexpr std::uint32_t k23 = k21 | elems(DataType::Float4E2M1);
constexpr std::uint32_t k24 = k23 | elems(DataType::Float8E8M0);
constexpr std::uint32_t k25 = k24 | types::kInt2;

template <std::uint32_t kElements>
constexpr TypeConstraint kTypes[] = {{"T1", tensors(elems(DataType::Int64))}, {"T2", tensors(kElements)}};

constexpr Param kInputs[] = {{.name = "input", .type = "T1"}};
constexpr Param kOutputs[] = {{.name = "output", .type = "T2"}};
constexpr Attr kAttrs[] = {{.name = "value",
                            .type = ir::AttributeType::Tensor,
                            .def = {.kind = Default::Kind::Tensor, .f = 0, .tensor_type = DataType::Float}}};

constexpr Schema row(int since, std::span<const TypeConstraint> types) {
  return {.since = since,
          .inputs = kInputs,
          .outputs = kOutputs,
          .attrs = kAttrs,
          .types = types,
          .same_meaning = since != 9};
}
constexpr Schema kConstantOfShape[] = {
    row(9, kTypes<kBase>), row(20, kTypes<k20>), row(21, kTypes<k21>),
    row(23, kTypes<k23>),  row(24, kTypes<k24>), row(25, kTypes<k25>),
};

std::optional<DimExpr> integer_value(const ir::Tensor* value) {
  if (!value) return std::nullopt;
  const std::int32_t type = value->data_type;
  if (type != static_cast<int>(DataType::Int64) && type != static_cast<int>(DataType::Int32)) return std::nullopt;
  if (value->data_location == ir::kDataLocationExternal) return std::nullopt;
  const Tensor one = ir::to_value(*value);
  return one.dtype() == DataType::Int64 ? DimExpr(one.as<std::int64_t>()[0]) : DimExpr(one.as<std::int32_t>()[0]);
}

void infer_constant_of_shape(InferContext& ctx) {
  const auto [value, elem, wanted] = resolve_constant_of_shape(ctx);
  if (wanted) {
    ctx.set(0, elem, *wanted);
    // Longer vectors are not shape arithmetic.
    const bool scalar = wanted->empty();
    const bool small = wanted->size() == 1 && (*wanted)[0].is_constant() && (*wanted)[0].constant() <= kMostDims;
    if (!scalar && !small) return;
    if (auto v = integer_value(value)) {
      ctx.set_ints(0, Dims(scalar ? 1 : static_cast<std::size_t>((*wanted)[0].constant()), *v));
    }
    return;
  }
  // The bound keeps a damaged file from asking for a million dimensions.
  if (ctx.has_rank(0) && ctx.shape(0)[0].is_constant() && ctx.shape(0)[0].constant() <= kMostDims) {
    ctx.explain("the contents of input are not known");
    Dims dims;
    for (std::int64_t i = 0; i < ctx.shape(0)[0].constant(); ++i) dims.push_back(ctx.fresh_dim());
    ctx.set(0, elem, std::move(dims));
    return;
  }
  if (ctx.has_rank(0)) ctx.explain("neither the contents of input nor its length are known");
  ctx.set(0, elem);
}

}  // namespace
}  // namespace constant_of_shape_cc

ConstantOfShapeParams resolve_constant_of_shape(const NodeView& node) {
  ConstantOfShapeParams p{node.attrs().tensor("value"), DataType::Float, {}};
  if (p.value) {
    const Shape dims = ir::tensor_shape(*p.value);
    if (element_count(dims) != 1)
      node.fail("the attribute value has to have one element, but is of shape " + to_string(dims));
    const std::int32_t number = p.value->data_type;
    if (number <= 0 || number >= kDataTypeCount) node.fail("the attribute value has no valid element type");
    p.elem = static_cast<DataType>(number);
    if (!find_type(node.schema(), "T2")->set.allows_tensor(p.elem))
      node.fail("the attribute value is of type " + std::string(data_type_name(p.elem)) +
                ", which this version does not have");
  }
  node.require_rank(0, 1);
  p.shape = node.known_ints(0);
  for (const DimExpr& d : p.shape ? *p.shape : Dims())
    if (d.is_constant() && d.constant() < 0)
      node.fail("the shape asked for has a negative size: " + to_string(*p.shape));
  return p;
}

constinit const Operator ConstantOfShape = {
    .name = "ConstantOfShape", .history = kConstantOfShape, .infer = infer_constant_of_shape};

void constant_of_shape_schemas(SchemaTable& table) { table.add(ConstantOfShape); }

}  // namespace norn::ops
