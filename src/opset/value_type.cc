// Document types to inference types and back. A negative dim_value and an empty dim_param both mean "unknown" in files
// that exist, and a dim_param that starts with '?' must not meet our own fresh variables: all become fresh.
#include "opset/value_type.h"

#include <algorithm>

#include "norn/error.h"

namespace norn::opset {
namespace {

// A name that could be taken for an expression ("2*N") stands in quotes inside, so that it is equal to itself alone.
bool is_plain(std::string_view name) {
  return name.find_first_of("+-*/(), '") == std::string_view::npos && (name.front() < '0' || name.front() > '9');
}
std::string quoted(std::string_view name) {
  if (is_plain(name)) return std::string(name);
  return (std::string("'") += name) + "'";
}

std::optional<Dims> dims_from(const ir::TypeTensor& type, const std::function<DimExpr()>& fresh) {
  if (!type.shape) return {};
  Dims dims;
  dims.reserve(type.shape->dim.size());
  for (const ir::Dimension& d : type.shape->dim) {
    if (d.dim_value.has() && d.dim_value.get() >= 0)
      dims.emplace_back(d.dim_value.get());
    else if (d.dim_param.has() && !d.dim_param->empty() && d.dim_param->front() != '?')
      dims.push_back(DimExpr::variable(quoted(d.dim_param.get())));
    else
      dims.push_back(fresh());
  }
  return dims;
}

DataType elem_from(std::int32_t number) {
  return number > 0 && number < kDataTypeCount ? static_cast<DataType>(number) : DataType::Undefined;
}

ValueType element_from(const ir::Box<ir::Type>& type, const std::function<DimExpr()>& fresh) {
  return type ? from_ir(*type, fresh) : ValueType{};
}

std::string spelt(const DimExpr& d) {
  if (has_fresh(d)) return {};
  return d.variable_name().empty() ? d.to_string() : std::string(document_name(d));
}

ir::TypeTensor tensor_to_ir(const ValueType& type, const DimSpelling& spelling) {
  ir::TypeTensor t;
  t.elem_type = static_cast<std::int32_t>(type.elem);
  if (!type.shape) return t;
  t.shape.mut().dim.reserve(type.shape->size());
  for (const DimExpr& d : *type.shape) {
    ir::Dimension dim;
    if (d.is_constant()) {
      dim.dim_value = d.constant();
    } else if (std::string name = spelling ? spelling(d) : spelt(d); !name.empty()) {
      dim.dim_param = std::move(name);
    }
    t.shape->dim.push_back(std::move(dim));
  }
  return t;
}

}  // namespace

bool has_fresh(const DimExpr& e) {
  if (e.is_constant()) return false;
  if (const std::string_view name = e.variable_name(); !name.empty()) return name.front() == '?';
  std::vector<std::string> names;
  e.collect_variables(names);
  return std::any_of(names.begin(), names.end(), [](const std::string& n) { return n.starts_with('?'); });
}

bool has_signed(const DimExpr& e) {
  if (e.is_constant()) return false;
  std::vector<std::string> names;
  e.collect_variables(names);
  return std::any_of(names.begin(), names.end(), [](const std::string& n) { return DimExpr::is_signed_variable(n); });
}

std::string_view document_name(const DimExpr& variable) {
  const std::string_view name = variable.variable_name();
  return name.size() > 2 && name.front() == '\'' && name.back() == '\'' ? name.substr(1, name.size() - 2) : name;
}

ValueType ValueType::sequence(ValueType of) {
  return {.kind = Kind::Sequence, .element = std::make_shared<const ValueType>(std::move(of))};
}
ValueType ValueType::optional(ValueType of) {
  return {.kind = Kind::Optional, .element = std::make_shared<const ValueType>(std::move(of))};
}

bool ValueType::is_static() const noexcept {
  return kind == Kind::Tensor && shape &&
         std::all_of(shape->begin(), shape->end(), [](const DimExpr& d) { return d.is_constant(); });
}

std::string ValueType::to_string() const {
  const auto inner = [this] { return element ? element->to_string() : std::string("?"); };
  const auto dims = [this] { return shape ? opset::to_string(*shape) : std::string(); };
  const std::string name_of_elem = elem == DataType::Undefined ? "?" : std::string(data_type_name(elem));
  switch (kind) {
    case Kind::Tensor: return name_of_elem + dims();
    case Kind::SparseTensor: return "sparse " + name_of_elem + dims();
    case Kind::Sequence: return "seq(" + inner() + ")";
    case Kind::Optional: return "optional(" + inner() + ")";
    case Kind::Map: return "map(" + name_of_elem + ", " + inner() + ")";
    case Kind::Opaque: return "opaque(" + *name + ")";
    default: return "?";
  }
}

std::string ValueType::type_string() const {
  const auto inner = [this] { return element ? element->type_string() : std::string("?"); };
  const std::string name_of_elem = elem == DataType::Undefined ? "?" : std::string(data_type_name(elem));
  switch (kind) {
    case Kind::Tensor: return "tensor(" + name_of_elem + ")";
    case Kind::SparseTensor: return "sparse_tensor(" + name_of_elem + ")";
    case Kind::Sequence: return "seq(" + inner() + ")";
    case Kind::Optional: return "optional(" + inner() + ")";
    case Kind::Map:
      if (element && element->is_tensor()) {
        return "map(" + name_of_elem + ", " + std::string(data_type_name(element->elem)) + ")";
      }
      return "map(" + name_of_elem + ", " + inner() + ")";
    case Kind::Opaque: return "opaque(" + *name + ")";
    default: return "?";
  }
}

ValueType from_ir(const ir::Type& type, const std::function<DimExpr()>& fresh) {
  ValueType v;
  if (type.tensor_type) {
    v = {.kind = ValueType::Kind::Tensor,
         .elem = elem_from(type.tensor_type->elem_type),
         .shape = dims_from(*type.tensor_type, fresh)};
  } else if (type.sparse_tensor_type) {
    v = {.kind = ValueType::Kind::SparseTensor,
         .elem = elem_from(type.sparse_tensor_type->elem_type),
         .shape = dims_from(*type.sparse_tensor_type, fresh)};
  } else if (type.sequence_type) {
    v = ValueType::sequence(element_from(type.sequence_type->elem_type, fresh));
  } else if (type.optional_type) {
    v = ValueType::optional(element_from(type.optional_type->elem_type, fresh));
  } else if (type.map_type) {
    v = {.kind = ValueType::Kind::Map, .elem = elem_from(type.map_type->key_type)};
    v.element = std::make_shared<const ValueType>(element_from(type.map_type->value_type, fresh));
  } else if (type.opaque_type) {
    v.kind = ValueType::Kind::Opaque;
    v.name = std::make_shared<const std::string>(type.opaque_type->domain.get() + "." + type.opaque_type->name.get());
  }
  return v;
}

ir::Type to_ir(const ValueType& type, const DimSpelling& spelling) {
  ir::Type t;
  const auto inner = [&] { return ir::Box<ir::Type>(type.element ? to_ir(*type.element, spelling) : ir::Type{}); };
  switch (type.kind) {
    case ValueType::Kind::Tensor: t.tensor_type = ir::Box<ir::TypeTensor>(tensor_to_ir(type, spelling)); break;
    case ValueType::Kind::SparseTensor:
      t.sparse_tensor_type = ir::Box<ir::TypeTensor>(tensor_to_ir(type, spelling));
      break;
    case ValueType::Kind::Sequence: t.sequence_type.mut().elem_type = inner(); break;
    case ValueType::Kind::Optional: t.optional_type.mut().elem_type = inner(); break;
    case ValueType::Kind::Map:
      t.map_type.mut().key_type = static_cast<std::int32_t>(type.elem);
      t.map_type->value_type = inner();
      break;
    case ValueType::Kind::Opaque: {
      const auto dot = type.name->rfind('.');
      t.opaque_type.mut();
      if (dot == std::string::npos) {
        t.opaque_type->name = *type.name;
      } else {
        if (dot > 0) t.opaque_type->domain = type.name->substr(0, dot);
        t.opaque_type->name = type.name->substr(dot + 1);
      }
      break;
    }
    case ValueType::Kind::Unknown: break;
  }
  return t;
}

}  // namespace norn::opset
