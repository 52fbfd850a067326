#include "runtime/plan_key.h"

#include <algorithm>
#include <memory>

#include "base/given_up.h"
#include "norn/types.h"
#include "opset/type_check.h"

namespace norn::runtime {
namespace {

using opset::DimExpr;
using opset::ValueType;
using Kind = ValueType::Kind;

enum KeyPart : std::int64_t { kEmpty, kTensor, kSequence, kMap, kSparse };

void append(std::vector<std::int64_t>& key, const Value& value, bool sizes) {
  const auto append_dims = [&](const Shape& dims) {
    key.push_back(static_cast<std::int64_t>(dims.size()));
    key.insert(key.end(), dims.begin(), dims.end());
  };
  const auto append_first = [&](const Value* first) {
    if (first)
      append(key, *first, false);
    else
      key.push_back(kEmpty);
  };
  if (value.is_tensor()) {
    key.push_back(kTensor);
    key.push_back(static_cast<std::int64_t>(value.tensor().dtype()));
    if (sizes) append_dims(value.tensor().dims());
  } else if (value.is_sequence()) {
    key.push_back(kSequence);
    append_first(base::first_item(value));
  } else if (value.is_map()) {
    key.push_back(kMap);
    key.push_back(static_cast<std::int64_t>(value.map().keys.dtype()));
    append_first(value.map().values.empty() ? nullptr : &value.map().values.front());
  } else if (value.is_sparse()) {
    key.push_back(kSparse);
    key.push_back(static_cast<std::int64_t>(value.sparse().values.dtype()));
    if (sizes) append_dims(value.sparse().dims);
  } else {
    key.push_back(kEmpty);
  }
}

ValueType type_of(const Value& value, const ValueType& expected, bool sizes) {
  static const ValueType kUnknown;
  const auto dims_of = [&](const Shape& dims) -> std::optional<opset::Dims> {
    if (!sizes) return {};
    return opset::Dims(dims.begin(), dims.end());
  };
  const auto element_of = [&](Kind kind, const Value* first) {
    const ValueType& of = expected.kind == kind && expected.element ? *expected.element : kUnknown;
    if (first) return std::make_shared<const ValueType>(type_of(*first, of, false));
    ValueType type = of;
    type.shape.reset();
    return std::make_shared<const ValueType>(std::move(type));
  };
  if (!value.is_empty() && expected.kind == Kind::Optional && expected.element)
    return type_of(value, *expected.element, sizes);
  ValueType type;
  if (value.is_tensor()) {
    type.kind = Kind::Tensor;
    type.elem = value.tensor().dtype();
    type.shape = dims_of(value.tensor().dims());
  } else if (value.is_sequence()) {
    // Elements may differ in shape: the sequence's type keeps the element type only.
    type.kind = Kind::Sequence;
    type.element = element_of(Kind::Sequence, base::first_item(value));
  } else if (value.is_map()) {
    type.kind = Kind::Map;
    type.elem = value.map().keys.dtype();
    type.element = element_of(Kind::Map, value.map().values.empty() ? nullptr : &value.map().values.front());
  } else if (value.is_sparse()) {
    type.kind = Kind::SparseTensor;
    type.elem = value.sparse().values.dtype();
    type.shape = dims_of(value.sparse().dims);
  } else {
    return expected;
  }
  return type;
}

std::string misfit_of_tensor(DataType elem, const Shape& dims, const ValueType& declared) {
  if (declared.elem != DataType::Undefined && elem != declared.elem)
    return "the element type is " + std::string(data_type_name(elem)) + ", the model wants " +
           std::string(data_type_name(declared.elem));
  if (!declared.shape) return {};
  if (dims.size() != declared.shape->size())
    return "the rank is " + std::to_string(dims.size()) + " (shape " + to_string(dims) + "), the model wants rank " +
           std::to_string(declared.shape->size());
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const DimExpr& wanted = (*declared.shape)[d];
    if (wanted.is_constant() && wanted.constant() != dims[d])
      return "dimension " + std::to_string(d) + " is " + std::to_string(dims[d]) + " (shape " + to_string(dims) +
             "), the model wants " + std::to_string(wanted.constant());
  }
  return {};
}

// Exporters declare the values of maps as lists of one element, where a map of numbers has scalars: both match.
ValueType with_single_values(const Map& map, const ValueType& declared) {
  if (!declared.element || !declared.element->is_tensor() || !declared.element->shape) return declared;
  const auto is_one = [](const DimExpr& d) { return !d.is_constant() || d.constant() == 1; };
  const opset::Dims& dims = *declared.element->shape;
  const auto is_single = [](const Value& v) { return v.is_tensor() && v.tensor().size() == 1; };
  if (!std::all_of(dims.begin(), dims.end(), is_one) || !std::all_of(map.values.begin(), map.values.end(), is_single))
    return declared;
  ValueType loose = declared;
  loose.element = std::make_shared<const ValueType>(opset::without_shape(*declared.element));
  return loose;
}

// Sizes that the model fixes, with the axis `from` moved to `to`.
bool fits_moved(const Shape& dims, const opset::Dims& declared, std::size_t from, std::size_t to) {
  Shape moved = dims;
  const std::int64_t size = moved[from];
  moved.erase(moved.begin() + static_cast<std::ptrdiff_t>(from));
  moved.insert(moved.begin() + static_cast<std::ptrdiff_t>(to), size);
  for (std::size_t d = 0; d < moved.size(); ++d)
    if (declared[d].is_constant() && declared[d].constant() != moved[d]) return false;
  return true;
}

std::string hint_of_tensor(DataType elem, const Shape& dims, const ValueType& declared) {
  if (declared.elem != DataType::Undefined && elem != declared.elem) {
    if (declared.elem == DataType::String) return "feed an array of strings";
    if (elem == DataType::String)
      return "make numbers of the strings first, as they were made when the model was trained";
    const std::string_view wanted = declared.elem == DataType::Float    ? "float32"
                                    : declared.elem == DataType::Double ? "float64"
                                                                        : data_type_name(declared.elem);
    return "convert the array to " + std::string(wanted) + " before it is fed";
  }
  if (!declared.shape) return {};
  const std::size_t rank = dims.size(), wanted = declared.shape->size();
  if (rank + 1 == wanted) return "is the batch dimension missing? A first dimension of 1 makes it a batch of one";
  if (rank == wanted + 1)
    return "the model takes no batch here: feed the items one by one, without the first dimension";
  if (rank != wanted) return "bring the array into the declared shape";
  if (rank >= 3 && fits_moved(dims, *declared.shape, rank - 1, 1))
    return "the channels come last here (NHWC), and the model wants them in dimension 1 (NCHW): transpose the array";
  if (rank >= 3 && fits_moved(dims, *declared.shape, 1, rank - 1))
    return "the channels are in dimension 1 here (NCHW), and the model wants them last (NHWC): transpose the array";
  bool only_first = (*declared.shape)[0].is_constant() && dims[0] != (*declared.shape)[0].constant();
  for (std::size_t d = 1; d < rank; ++d) {
    const DimExpr& e = (*declared.shape)[d];
    only_first = only_first && (!e.is_constant() || e.constant() == dims[d]);
  }
  if (only_first && rank >= 2 && (*declared.shape)[0].constant() > 0)
    return "the model was exported for batches of " + (*declared.shape)[0].to_string() +
           ": feed as many at a time, or export it with a dimension variable for the batch";
  return "the model fixes this size: crop, pad or resize the data to it, or export the model with a dimension variable";
}

std::string misfit_of_items(const std::vector<Value>& items, std::string_view what, const ValueType& declared) {
  if (!declared.element) return {};
  for (std::size_t i = 0; i < items.size(); ++i)
    if (const std::string why = misfit(items[i], *declared.element); !why.empty())
      return std::string(what) + " " + std::to_string(i) + ": " + why;
  return {};
}

}  // namespace

void append_key(std::vector<std::int64_t>& key, const Value& value) { append(key, value, true); }

ValueType type_of(const Value& value, const ValueType& expected) { return type_of(value, expected, true); }

std::string misfit(const Value& value, const ValueType& declared) {
  const auto wanted = [&](std::string_view kind) {
    return std::string(kind) + " is wanted, " + value.describe() + " was fed";
  };
  switch (declared.kind) {
    case Kind::Tensor:
      if (!value.is_tensor()) return wanted("a tensor");
      return misfit_of_tensor(value.tensor().dtype(), value.tensor().dims(), declared);
    case Kind::SparseTensor:
      if (!value.is_sparse()) return wanted("a sparse tensor");
      return misfit_of_tensor(value.sparse().values.dtype(), value.sparse().dims, declared);
    case Kind::Sequence:
      if (!value.is_sequence()) return wanted("a sequence");
      return misfit_of_items(value.sequence().items, "element", declared);
    case Kind::Map:
      if (!value.is_map()) return wanted("a map");
      if (declared.elem != DataType::Undefined && value.map().keys.dtype() != declared.elem)
        return "the keys are " + std::string(data_type_name(value.map().keys.dtype())) + ", the model wants " +
               std::string(data_type_name(declared.elem));
      return misfit_of_items(value.map().values, "value", with_single_values(value.map(), declared));
    case Kind::Optional:
      return value.is_empty() || !declared.element ? std::string() : misfit(value, *declared.element);
    default: return {};
  }
}

std::string misfit_hint(const Value& value, const ValueType& declared) {
  if (misfit(value, declared).empty()) return {};
  const auto of_items = [&](const std::vector<Value>& items) {
    for (const Value& item : items)
      if (std::string hint = misfit_hint(item, *declared.element); !hint.empty()) return hint;
    return std::string("the keys have to be of the type that the model declares");
  };
  switch (declared.kind) {
    case Kind::Tensor:
      if (!value.is_tensor()) return "feed one array";
      return hint_of_tensor(value.tensor().dtype(), value.tensor().dims(), declared);
    case Kind::SparseTensor:
      if (!value.is_sparse()) return "feed a SparseTensor";
      return hint_of_tensor(value.sparse().values.dtype(), value.sparse().dims, declared);
    case Kind::Sequence: return value.is_sequence() ? of_items(value.sequence().items) : "feed a list of values";
    case Kind::Map: return value.is_map() ? of_items(value.map().values) : "feed a dictionary";
    case Kind::Optional: return declared.element ? misfit_hint(value, *declared.element) : std::string();
    default: return {};
  }
}

}  // namespace norn::runtime
