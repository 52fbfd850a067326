// Keys to values, by a table. Version 1 maps strings to their positions and back; 2 took pairs of lists; 4 tensors,
// whose default depends on type.
#include "ops/traditionalml/label_encoder/label_encoder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "ir/tensor_data.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace label_encoder_cc {
namespace {

using namespace opset;

constexpr Attr kDefaultInt64 = {.name = "default_int64", .type = ir::AttributeType::Int, .def = def_int(-1)};
constexpr Attr kDefaultString = {
    .name = "default_string", .type = ir::AttributeType::String, .def = def_string("_Unused")};
constexpr Attr kDefaultFloat = {.name = "default_float", .type = ir::AttributeType::Float, .def = def_float(-0.0f)};
constexpr Attr kKeysFloats = {.name = "keys_floats", .type = ir::AttributeType::Floats};
constexpr Attr kKeysInt64s = {.name = "keys_int64s", .type = ir::AttributeType::Ints};
constexpr Attr kKeysStrings = {.name = "keys_strings", .type = ir::AttributeType::Strings};
constexpr Attr kValuesFloats = {.name = "values_floats", .type = ir::AttributeType::Floats};
constexpr Attr kValuesInt64s = {.name = "values_int64s", .type = ir::AttributeType::Ints};
constexpr Attr kValuesStrings = {.name = "values_strings", .type = ir::AttributeType::Strings};
constexpr TypeSet kSetT11 = tensors(types::kString | elems(DataType::Int64));
constexpr TypeSet kSetT12 = tensors(types::kString | elems(DataType::Float, DataType::Int64));
constexpr TypeSet kSetT14 =
    tensors(types::kIndex | types::kString | elems(DataType::Double, DataType::Float, DataType::Int16));
constexpr Param kInputs[] = {{.name = "X", .type = "T1"}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T2"}};
constexpr Attr kAttrs1[] = {
    {.name = "classes_strings", .type = ir::AttributeType::Strings},
    kDefaultInt64,
    kDefaultString,
};
constexpr Attr kAttrs2[] = {kDefaultFloat, kDefaultInt64, kDefaultString, kKeysFloats,   kKeysInt64s,
                            kKeysStrings,  kValuesFloats, kValuesInt64s,  kValuesStrings};
constexpr Attr kAttrs4[] = {
    kDefaultFloat, kDefaultInt64, kDefaultString, {.name = "default_tensor", .type = ir::AttributeType::Tensor},
    kKeysFloats,   kKeysInt64s,   kKeysStrings,   {.name = "keys_tensor", .type = ir::AttributeType::Tensor},
    kValuesFloats, kValuesInt64s, kValuesStrings, {.name = "values_tensor", .type = ir::AttributeType::Tensor},
};
constexpr TypeConstraint kTypes1[] = {{"T1", kSetT11}, {"T2", kSetT11}};
constexpr TypeConstraint kTypes2[] = {{"T1", kSetT12}, {"T2", kSetT12}};
constexpr TypeConstraint kTypes4[] = {{"T1", kSetT14}, {"T2", kSetT14}};

constexpr Schema kLabelEncoder[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs1, .types = kTypes1},
    {.since = 2, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs2, .types = kTypes2},
    {.since = 4, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs4, .types = kTypes4},
};

void infer_label_encoder(InferContext& ctx) {
  const DataType x = ctx.elem(0);
  const DataType to = resolve_label_encoder(ctx, x).values.dtype();
  if (ctx.version() == 1 && x == DataType::Undefined) return;  // it goes both ways
  if (ctx.has_rank(0))
    ctx.set(0, to, ctx.shape(0));
  else
    ctx.set(0, to);
}

template <class T>
Tensor vector_of(DataType type, const std::vector<T>& values) {
  Tensor t(type, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), t.as_mutable<T>());
  return t;
}
template <class T>
Tensor scalar_of(DataType type, const T& value) {
  return vector_of(type, std::vector<T>{value});
}

// The one of the lists `prefix`_floats, _int64s, _strings and _tensor that is given.
Tensor pairs_of(const NodeView& node, const std::string& prefix) {
  const Attrs& attrs = node.attrs();
  Tensor found;
  const auto take = [&](Tensor list) {
    if (found.defined()) node.fail("only one of the attributes " + prefix + "_* may be given");
    found = std::move(list);
  };
  if (const auto v = attrs.find_floats(prefix + "_floats")) take(vector_of(DataType::Float, *v));
  if (const auto v = attrs.find_ints(prefix + "_int64s")) take(vector_of(DataType::Int64, *v));
  if (const auto v = attrs.find_strings(prefix + "_strings")) take(vector_of(DataType::String, *v));
  const std::string tensor = prefix + "_tensor";
  if (attrs.declares(tensor))
    if (const ir::Tensor* t = attrs.tensor(tensor)) take(ir::to_value(*t));
  if (!found.defined()) node.fail("one of the attributes " + prefix + "_* must be given");
  if (found.rank() != 1) node.fail(prefix + "_tensor must have rank 1, not shape " + norn::to_string(found.dims()));
  return found;
}

// Of a type: what the attribute says, else that of the type.
Tensor default_of(const NodeView& node, DataType type) {
  const Attrs& attrs = node.attrs();
  if (attrs.declares("default_tensor")) {
    if (const ir::Tensor* given = attrs.tensor("default_tensor")) {
      Tensor t = ir::to_value(*given);
      if (t.dtype() != type || t.size() != 1)
        node.fail("default_tensor must be one " + std::string(data_type_name(type)) + ", not " +
                  std::string(data_type_name(t.dtype())) + norn::to_string(t.dims()));
      return t.reshaped({1});
    }
  }
  switch (type) {
    case DataType::String: return scalar_of(type, attrs.s("default_string"));
    case DataType::Int64: return scalar_of(type, attrs.i("default_int64"));
    case DataType::Float: return scalar_of(type, attrs.f("default_float"));
    case DataType::Double: return scalar_of(type, -0.0);
    case DataType::Int32: return scalar_of(type, std::int32_t{-1});
    case DataType::Int16: return scalar_of(type, std::int16_t{-1});
    default: node.fail("values of type " + std::string(data_type_name(type)) + " are not among LabelEncoder's");
  }
  return {};
}

}  // namespace
}  // namespace label_encoder_cc

LabelPairs resolve_label_encoder(const NodeView& node, DataType x) {
  LabelPairs p;
  if (node.version() == 1) {
    const std::vector<std::string> classes = node.attrs().strings("classes_strings");
    std::vector<std::int64_t> places(classes.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int64_t>(i);
    p.keys = vector_of(DataType::String, classes);
    p.values = vector_of(DataType::Int64, places);
    if (x != DataType::String) std::swap(p.keys, p.values);
    p.first_counts = true;
  } else {
    p.keys = pairs_of(node, "keys");
    p.values = pairs_of(node, "values");
    p.bitwise = node.version() < 4;
  }
  if (p.keys.size() != p.values.size())
    node.fail("there are " + std::to_string(p.keys.size()) + " keys, but " + std::to_string(p.values.size()) +
              " values");
  if (x != DataType::Undefined && x != p.keys.dtype())
    node.fail("the keys are " + std::string(data_type_name(p.keys.dtype())) + ", but X is " +
              std::string(data_type_name(x)));
  const TypeConstraint* types = find_type(node.schema(), "T2");
  if (!types->set.allows_tensor(p.values.dtype()) || !types->set.allows_tensor(p.keys.dtype()))
    node.fail("keys of " + std::string(data_type_name(p.keys.dtype())) + " or values of " +
              std::string(data_type_name(p.values.dtype())) + " are not among LabelEncoder's");
  p.otherwise = default_of(node, p.values.dtype());
  return p;
}

constinit const Operator LabelEncoder = {
    .domain = "ai.onnx.ml", .name = "LabelEncoder", .history = kLabelEncoder, .infer = infer_label_encoder};

void label_encoder_schemas(SchemaTable& table) { table.add(LabelEncoder); }

}  // namespace norn::ops
