// Constant: a tensor spelled in one of eight attributes.
//
// Trap: `value` may keep its data in an external file, which nothing here can read; such a node still has its type and
// shape, but its contents are unknown to inference.
#include "ops/generator/constant/constant.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ir/tensor_data.h"
#include "opset/infer_context.h"

namespace norn::ops {

using namespace opset;

inline namespace constant_cc {
namespace {

template <std::uint32_t kElements>
constexpr TypeConstraint kT[] = {{"T", tensors(kElements)}};

constexpr Param kOutputs[] = {{.name = "output", .type = "T"}};
constexpr Attr kAttrs1[] = {{.name = "value", .type = ir::AttributeType::Tensor, .required = true}};
constexpr Attr kAttrs11[] = {
    {.name = "sparse_value", .type = ir::AttributeType::SparseTensor},
    {.name = "value", .type = ir::AttributeType::Tensor},
};
constexpr Attr kAttrs12[] = {
    {.name = "sparse_value", .type = ir::AttributeType::SparseTensor},
    {.name = "value", .type = ir::AttributeType::Tensor},
    {.name = "value_float", .type = ir::AttributeType::Float},
    {.name = "value_floats", .type = ir::AttributeType::Floats},
    {.name = "value_int", .type = ir::AttributeType::Int},
    {.name = "value_ints", .type = ir::AttributeType::Ints},
    {.name = "value_string", .type = ir::AttributeType::String},
    {.name = "value_strings", .type = ir::AttributeType::Strings},
};

constexpr Schema row(int since, std::span<const TypeConstraint> types) {
  return {.since = since, .outputs = kOutputs, .attrs = kAttrs12, .types = types, .same_meaning = true};
}
constexpr Schema kConstant[] = {
    {.since = 1, .outputs = kOutputs, .attrs = kAttrs1, .types = kT<types::kFloat16To64>},
    {.since = 9, .outputs = kOutputs, .attrs = kAttrs1, .types = kT<types::kAll>, .same_meaning = true},
    {.since = 11, .outputs = kOutputs, .attrs = kAttrs11, .types = kT<types::kAll>},
    {.since = 12, .outputs = kOutputs, .attrs = kAttrs12, .types = kT<types::kAll>},
    row(13, kT<types::kAllBf>),
    row(19, kT<types::kAllIr9>),
    row(21, kT<types::kAllIr10>),
    row(23, kT<types::kAllIr11>),
    row(24, kT<types::kAllIr12>),
    row(25, kT<types::kAllIr13>),
};

// Contents of more elements stay out of inference; the value itself is as large as its file says.
constexpr std::int64_t kMostKnown = 1024;

// The one attribute that a node gives.
std::string_view given_attribute(const Attrs& attrs) {
  std::string_view found;
  for (const Attr& attr : attrs.schema().attrs) {
    if (!attrs.has(attr.name)) continue;
    if (!found.empty()) {
      throw Error(ErrorCode::InvalidGraph, "Constant has both " + std::string(found) + " and " + std::string(attr.name),
                  {}, "exactly one of its attributes must be given");
    }
    found = attr.name;
  }
  if (found.empty()) {
    throw Error(ErrorCode::InvalidGraph, "Constant has no value", {},
                "give it `value`, or from opset 11 `sparse_value`, or from opset 12 one of value_*");
  }
  return found;
}

DataType stored_type(const ir::Tensor& tensor) {
  const std::int32_t number = tensor.data_type;
  return number > 0 && number < kDataTypeCount ? static_cast<DataType>(number) : DataType::Undefined;
}

template <class T>
Tensor vector_value(DataType type, Shape dims, const std::vector<T>& values) {
  Tensor tensor(type, std::move(dims));
  std::copy(values.begin(), values.end(), tensor.as_mutable<T>());
  return tensor;
}
std::int64_t length(std::size_t n) { return static_cast<std::int64_t>(n); }

void infer_constant(InferContext& ctx) {
  const Attrs& attrs = ctx.attrs();
  const std::string_view name = given_attribute(attrs);
  if (name == "value") {
    const ir::Tensor& tensor = *attrs.tensor(name);
    const Shape dims = ir::tensor_shape(tensor);
    ctx.set(0, stored_type(tensor), Dims(dims.begin(), dims.end()));
    if (tensor.data_location == ir::kDataLocationExternal || element_count(dims) > kMostKnown) return;
  } else if (name == "sparse_value") {
    const ir::SparseTensor& sparse = *attrs.sparse(name);
    if (!sparse.values) ctx.fail("sparse_value has no values");
    ctx.set(0, stored_type(*sparse.values), Dims(sparse.dims.begin(), sparse.dims.end()));
    if (element_count(sparse.dims) > kMostKnown) return;
    if (sparse.values->data_location == ir::kDataLocationExternal) return;
    if (sparse.indices && sparse.indices->data_location == ir::kDataLocationExternal) return;
  }
  Tensor value = constant_value(attrs);
  ctx.set(0, value.dtype(), Dims(value.dims().begin(), value.dims().end()));
  if (value.size() <= kMostKnown) ctx.set_constant(0, std::move(value));
}

}  // namespace
}  // namespace constant_cc

Tensor constant_value(const Attrs& attrs) {
  const std::string_view name = given_attribute(attrs);
  if (name == "value") return ir::to_value(*attrs.tensor(name));
  if (name == "sparse_value") return ir::densify(*attrs.sparse(name));
  if (name == "value_float") return vector_value<float>(DataType::Float, {}, {attrs.f(name)});
  if (name == "value_int") return vector_value<std::int64_t>(DataType::Int64, {}, {attrs.i(name)});
  if (name == "value_string") return vector_value<std::string>(DataType::String, {}, {attrs.s(name)});
  if (name == "value_floats") {
    const auto values = attrs.floats(name);
    return vector_value(DataType::Float, {length(values.size())}, values);
  }
  if (name == "value_ints") {
    const auto values = attrs.ints(name);
    return vector_value(DataType::Int64, {length(values.size())}, values);
  }
  const auto values = attrs.strings(name);
  return vector_value(DataType::String, {length(values.size())}, values);
}

constinit const Operator Constant = {.name = "Constant", .history = kConstant, .infer = infer_constant};

void constant_schemas(SchemaTable& table) { table.add(Constant); }

}  // namespace norn::ops
