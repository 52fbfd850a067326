// An operator's signature through all its versions, as constexpr rows.
//
// A row is one since_version. Rows that differ only in types share their parameter and attribute arrays. The facts are
// ONNX's; a test compares each of them with the installed onnx package.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ir/constants.h"
#include "norn/types.h"

namespace norn::opset {

class InferContext;

enum class ParamOption : std::uint8_t { Single, Optional, Variadic };
enum class Differentiability : std::uint8_t { Unknown, Differentiable, NonDifferentiable };

// Kinds of types a type variable may take. Element types are bits by DataType number, for each container.
struct TypeSet {
  std::uint32_t tensor = 0, sequence = 0, optional = 0, optional_sequence = 0;
  std::uint16_t maps = 0;  // MapBit

  constexpr TypeSet operator|(const TypeSet& o) const {
    return {tensor | o.tensor, sequence | o.sequence, optional | o.optional, optional_sequence | o.optional_sequence,
            static_cast<std::uint16_t>(maps | o.maps)};
  }
  constexpr bool allows_tensor(DataType t) const { return (tensor >> static_cast<unsigned>(t)) & 1u; }
  friend constexpr bool operator==(const TypeSet&, const TypeSet&) = default;
};

// The maps and sequences of maps that ai.onnx.ml and SequenceConstruct's relatives allow.
enum MapBit : std::uint16_t {
  kMapInt64String = 1,
  kMapInt64Float = 2,
  kMapInt64Double = 4,
  kMapStringInt64 = 8,
  kMapStringFloat = 16,
  kMapStringDouble = 32,
  kSeqMapStringFloat = 64,
  kSeqMapInt64Float = 128,
};

// Bits of element types: elems(DataType::Float, DataType::Double).
template <class... T>
constexpr std::uint32_t elems(T... types) {
  return ((std::uint32_t{1} << static_cast<unsigned>(types)) | ... | 0u);
}
constexpr TypeSet tensors(std::uint32_t elements) { return {.tensor = elements}; }
constexpr TypeSet sequences(std::uint32_t elements) { return {.sequence = elements}; }
constexpr TypeSet optionals(std::uint32_t elements) { return {.optional = elements}; }
constexpr TypeSet optional_sequences(std::uint32_t elements) { return {.optional_sequence = elements}; }
constexpr TypeSet maps(std::uint16_t bits) { return {.maps = bits}; }

// The sets of element types that most operators use.
namespace types {
inline constexpr std::uint32_t kFloat16To64 = elems(DataType::Float16, DataType::Float, DataType::Double);
inline constexpr std::uint32_t kFloats = kFloat16To64 | elems(DataType::BFloat16);
inline constexpr std::uint32_t kSigned = elems(DataType::Int8, DataType::Int16, DataType::Int32, DataType::Int64);
inline constexpr std::uint32_t kUnsigned = elems(DataType::Uint8, DataType::Uint16, DataType::Uint32, DataType::Uint64);
inline constexpr std::uint32_t kInts = kSigned | kUnsigned;
inline constexpr std::uint32_t kWideInts = elems(DataType::Int32, DataType::Int64, DataType::Uint32, DataType::Uint64);
inline constexpr std::uint32_t kIndex = elems(DataType::Int32, DataType::Int64);
inline constexpr std::uint32_t kNumeric = kInts | kFloat16To64;  // without bfloat16, as up to opset 12
inline constexpr std::uint32_t kNumericBf = kNumeric | elems(DataType::BFloat16);
inline constexpr std::uint32_t kComplex = elems(DataType::Complex64, DataType::Complex128);
inline constexpr std::uint32_t kBool = elems(DataType::Bool);
inline constexpr std::uint32_t kString = elems(DataType::String);
// Every element type of IR 3 ("all tensor types" of the early operator sets), and what later IR versions added.
inline constexpr std::uint32_t kAll = kNumeric | kComplex | kBool | kString;
inline constexpr std::uint32_t kAllBf = kAll | elems(DataType::BFloat16);
inline constexpr std::uint32_t kFloat8 =
    elems(DataType::Float8E4M3FN, DataType::Float8E4M3FNUZ, DataType::Float8E5M2, DataType::Float8E5M2FNUZ);
inline constexpr std::uint32_t kInt4 = elems(DataType::Uint4, DataType::Int4);
inline constexpr std::uint32_t kInt2 = elems(DataType::Uint2, DataType::Int2);
inline constexpr std::uint32_t kAllIr9 = kAllBf | kFloat8;
inline constexpr std::uint32_t kAllIr10 = kAllIr9 | kInt4;
inline constexpr std::uint32_t kAllIr11 = kAllIr10 | elems(DataType::Float4E2M1);
inline constexpr std::uint32_t kAllIr12 = kAllIr11 | elems(DataType::Float8E8M0);
inline constexpr std::uint32_t kAllIr13 = kAllIr12 | kInt2;
inline constexpr std::uint32_t kAllIr14 = kAllIr13 | elems(DataType::Float6E2M3, DataType::Float6E3M2);
}  // namespace types

struct Param {
  std::string_view name;
  std::string_view type;  // a type variable of the row, or a literal: "tensor(int64)"
  ParamOption option = ParamOption::Single;
  int min_arity = 1;        // of a variadic parameter
  bool homogeneous = true;  // a variadic parameter's values share one type
  Differentiability diff = Differentiability::Unknown;
};

// The value an attribute has when a node leaves it out.
struct Default {
  enum class Kind : std::uint8_t { None, Int, Float, String, Ints, Floats, Strings, Tensor } kind = Kind::None;
  std::int64_t i = 0;
  float f = 0;
  std::string_view s;
  std::span<const std::int64_t> ints;
  std::span<const float> floats;
  std::span<const std::string_view> strings;
  // A one-element tensor of shape [1] (ConstantOfShape's, LabelEncoder's, TreeEnsemble's defaults); its value is in i,
  // f or s.
  DataType tensor_type = DataType::Undefined;
};
constexpr Default def_int(std::int64_t v) { return {.kind = Default::Kind::Int, .i = v}; }
constexpr Default def_float(float v) { return {.kind = Default::Kind::Float, .f = v}; }
constexpr Default def_string(std::string_view v) { return {.kind = Default::Kind::String, .s = v}; }
constexpr Default def_ints(std::span<const std::int64_t> v) { return {.kind = Default::Kind::Ints, .ints = v}; }
constexpr Default def_floats(std::span<const float> v) { return {.kind = Default::Kind::Floats, .floats = v}; }
constexpr Default def_strings(std::span<const std::string_view> v) {
  return {.kind = Default::Kind::Strings, .strings = v};
}

struct Attr {
  std::string_view name;
  ir::AttributeType type;
  bool required = false;
  Default def = {};
};

struct TypeConstraint {
  std::string_view name;
  TypeSet set;
};

enum class Determinism : std::uint8_t { Unknown, NonDeterministic, Deterministic };
enum class Support : std::uint8_t { Common, Experimental };

// One version of an operator.
struct Schema {
  int since = 1;
  std::span<const Param> inputs, outputs;
  std::span<const Attr> attrs;
  std::span<const TypeConstraint> types;
  Determinism determinism = Determinism::Deterministic;
  Support support = Support::Common;
  bool deprecated = false;
  // What a node of the version before says means the same in this one (which may allow more types), so it steps up
  // without being touched.
  bool same_meaning = false;
};

inline constexpr int kUnbounded = 0x7fffffff;
int min_inputs(const Schema&) noexcept;
int max_inputs(const Schema&) noexcept;  // kUnbounded if the last is variadic
int min_outputs(const Schema&) noexcept;
int max_outputs(const Schema&) noexcept;
const Attr* find_attr(const Schema&, std::string_view name) noexcept;
const TypeConstraint* find_type(const Schema&, std::string_view variable) noexcept;

// Computes types, symbolic shapes and known values of a node's outputs, for any version of the operator.
// Throws norn::Error (InvalidGraph) when the inputs contradict the operator. Null: only types that the schema
// determines are known.
using InferFn = void (*)(InferContext&);

// Operators that run their graphs instead of a kernel.
enum class ControlFlow : std::uint8_t { None, If, Loop, Scan, SequenceMap };

// What operators do that only move elements: every element of an output is
enum class Movement : std::uint8_t {
  None,   // computed, or tells something of the inputs, as Shape does
  First,  // one of input 0, whatever other inputs choose
  Mixed,  // one of any input of the output's type, or a constant such as the zeros of Pad, but for sums (`reduction`)
};

// What an operator computes, in terms of other operators, from one of its versions on. The nodes stand between braces
// in ONNX's text syntax, "{ Y = Max (X, zero) }"; inputs, outputs and attributes have the names that the schema gives
// them (the members of a variadic one: name_0, name_1, ...), and attributes that a node leaves out have the schema's
// defaults. Where nodes depend on attributes, types or on which inputs are there, `build` writes them: function_body.h.
class BodyBuilder;
struct FunctionBody {
  int since = 1;
  int opset = 0;  // the version of ONNX's operator set that the nodes are of; 0: what the caller imports
  std::string_view nodes = {};
  void (*build)(BodyBuilder&) = nullptr;
};

// An operator: its identity is its address, so other rooms name it as ops::Conv, checked by the linker.
//
// What is known of it stands in its object. What a layer adds that cannot be linked into every build (reference
// kernels, version steps, long bodies) is a table of that layer, generated from the slices' files of
// one part; a fact that is data becomes a field here, with a default, so that objects name only what they have.
struct Operator {
  std::string_view domain = {};  // "" is ai.onnx
  std::string_view name;
  std::span<const Schema> history;  // ascending since
  InferFn infer = nullptr;
  std::span<const FunctionBody> bodies = {};  // ascending since; those of x_body.cc are in a table: bodies_of()
  ControlFlow control_flow = ControlFlow::None;
  // Each element of the only output is a function of the elements of the inputs at its place, to which they broadcast.
  // Bounds, as Clip has, are single values.
  bool elementwise = false;
  Movement moves = Movement::None;
  // False for an operator that exporters put into a domain of ONNX's, but which ONNX does not have, and for those that
  // its first sets had for trial and withdrew.
  bool standard = true;
};

// Newest row with since <= version; null if the operator is younger than `version`.
const Schema* schema_at(const Operator&, int opset_version) noexcept;
// "Conv", "ai.onnx.ml.Scaler"
std::string full_name(const Operator&);

// Filled by each slice's `<slice>_schemas`.
class SchemaTable {
 public:
  virtual void add(const Operator&) = 0;

 protected:
  ~SchemaTable() = default;
};

}  // namespace norn::opset
