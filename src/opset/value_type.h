// What is known statically about a value: its type, its symbolic shape and, for small tensors, its contents.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/model.h"
#include "norn/value.h"
#include "opset/dim_expr.h"

namespace norn::opset {

struct ValueType {
  enum class Kind : std::uint8_t { Unknown, Tensor, SparseTensor, Sequence, Optional, Map, Opaque };
  Kind kind = Kind::Unknown;
  DataType elem = DataType::Undefined;       // of a tensor; the key type of a map
  std::optional<Dims> shape;                 // of a tensor; nothing if the rank is unknown
  std::shared_ptr<const ValueType> element;  // of a sequence or optional; the value type of a map
  std::shared_ptr<const std::string> name;   // of an opaque type: "domain.name"

  static ValueType tensor(DataType elem) { return {.kind = Kind::Tensor, .elem = elem}; }
  static ValueType tensor(DataType elem, Dims shape) {
    return {.kind = Kind::Tensor, .elem = elem, .shape = std::move(shape)};
  }
  static ValueType sequence(ValueType of);
  static ValueType optional(ValueType of);

  bool known() const noexcept { return kind != Kind::Unknown; }
  bool is_tensor() const noexcept { return kind == Kind::Tensor; }
  bool has_rank() const noexcept { return shape.has_value(); }
  // True for a tensor whose dimensions are all constants.
  bool is_static() const noexcept;
  std::string to_string() const;    // "float[N,3]", "seq(int64[])"
  std::string type_string() const;  // "tensor(float)", as type sets spell it
};

// Whether a fresh ('?') variable stands in the expression.
bool has_fresh(const DimExpr& e);
// Whether a variable stands in the expression that may be any integer.
bool has_signed(const DimExpr& e);
// The dim_param that the expression, a variable, came from: what could be taken for an expression is quoted inside.
std::string_view document_name(const DimExpr& variable);

// From a document's type; dimension variables keep their names, unnamed unknown dimensions get fresh variables
// through `fresh`.
ValueType from_ir(const ir::Type& type, const std::function<DimExpr()>& fresh);
// How a document spells an expression that is not a constant; "" leaves the dimension unknown. By default expressions
// are spelt as to_string() does, and fresh variables are left unknown.
using DimSpelling = std::function<std::string(const DimExpr&)>;
ir::Type to_ir(const ValueType& type, const DimSpelling& spelling = {});

// A number of a floating type, exactly: the numerator over a power of two.
struct Fraction {
  DimExpr numerator;
  std::int64_t denominator = 1;
};
using Fractions = std::vector<Fraction>;

// Contents known before running: a constant, or integers (rank 0 or 1) as expressions.
struct KnownValue {
  norn::Tensor constant;  // defined() if the contents are a constant
  ir::Box<Dims> ints;     // of an int64 or int32 tensor of rank 0 or 1 and few elements; also set for constants
  ir::Box<Fractions> fractions = {};  // of a float or double tensor alike, where sizes are computed in floating types
  bool known() const noexcept { return constant.defined() || ints.has(); }
};

// All of it: what inference knows of one value.
struct Fact {
  ValueType type;
  KnownValue value;
};

}  // namespace norn::opset
