// Signatures of Cast.
//
// Version 1 names the target type by a string ("FLOAT"), later ones by number. Version 19 brings `saturate` for the
// 8-bit formats, 24 `round_mode` for E8M0. Cast does not take complex types. The tables of versions 19 to 23 send
// infinities to NaN for the FNUZ formats even when saturating; version 24 corrected them to what implementations did
// all along.
#include "ops/tensor/cast/cast.h"

#include <algorithm>

#include "base/text.h"
#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace cast_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInput[] = {{.name = "input", .type = "T1"}};
constexpr Param kOutput[] = {{.name = "output", .type = "T2"}};
constexpr Param kDiffInput[] = {{.name = "input", .type = "T1", .diff = kDiff}};
constexpr Param kDiffOutput[] = {{.name = "output", .type = "T2", .diff = kDiff}};

constexpr Attr kAttrs1[] = {{.name = "to", .type = ir::AttributeType::String, .required = true}};
constexpr Attr kAttrs6[] = {{.name = "to", .type = ir::AttributeType::Int, .required = true}};
constexpr Attr kAttrs19[] = {
    {.name = "saturate", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "to", .type = ir::AttributeType::Int, .required = true},
};
constexpr Attr kAttrs24[] = {
    {.name = "round_mode", .type = ir::AttributeType::String, .def = def_string("up")},
    {.name = "saturate", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "to", .type = ir::AttributeType::Int, .required = true},
};

constexpr std::uint32_t kElems1 = types::kNumeric | types::kBool;
constexpr std::uint32_t kElems9 = kElems1 | types::kString;
constexpr TypeConstraint kTypes1[] = {{"T1", tensors(kElems1)}, {"T2", tensors(kElems1)}};
constexpr TypeConstraint kTypes9[] = {{"T1", tensors(kElems9)}, {"T2", tensors(kElems9)}};
constexpr TypeConstraint kTypes13[] = {
    {"T1", tensors(types::kAllBf & ~types::kComplex)},
    {"T2", tensors(types::kAllBf & ~types::kComplex)},
};
constexpr TypeConstraint kTypes19[] = {
    {"T1", tensors(types::kAllIr9 & ~types::kComplex)},
    {"T2", tensors(types::kAllIr9 & ~types::kComplex)},
};
constexpr TypeConstraint kTypes21[] = {
    {"T1", tensors(types::kAllIr10 & ~types::kComplex)},
    {"T2", tensors(types::kAllIr10 & ~types::kComplex)},
};
constexpr TypeConstraint kTypes23[] = {
    {"T1", tensors(types::kAllIr11 & ~types::kComplex)},
    {"T2", tensors(types::kAllIr11 & ~types::kComplex)},
};
constexpr TypeConstraint kTypes24[] = {
    {"T1", tensors(types::kAllIr12 & ~types::kComplex)},
    {"T2", tensors(types::kAllIr12 & ~types::kComplex)},
};
constexpr TypeConstraint kTypes25[] = {
    {"T1", tensors(types::kAllIr13 & ~types::kComplex)},
    {"T2", tensors(types::kAllIr13 & ~types::kComplex)},
};
constexpr TypeConstraint kTypes28[] = {
    {"T1", tensors(types::kAllIr14 & ~types::kComplex)},
    {"T2", tensors(types::kAllIr14 & ~types::kComplex)},
};

constexpr Schema kCast[] = {
    {.since = 1, .inputs = kInput, .outputs = kOutput, .attrs = kAttrs1, .types = kTypes1},
    {.since = 6, .inputs = kInput, .outputs = kOutput, .attrs = kAttrs6, .types = kTypes1},
    {.since = 9, .inputs = kInput, .outputs = kOutput, .attrs = kAttrs6, .types = kTypes9, .same_meaning = true},
    {.since = 13,
     .inputs = kDiffInput,
     .outputs = kDiffOutput,
     .attrs = kAttrs6,
     .types = kTypes13,
     .same_meaning = true},
    {.since = 19, .inputs = kDiffInput, .outputs = kDiffOutput, .attrs = kAttrs19, .types = kTypes19},
    {.since = 21,
     .inputs = kDiffInput,
     .outputs = kDiffOutput,
     .attrs = kAttrs19,
     .types = kTypes21,
     .same_meaning = true},
    {.since = 23,
     .inputs = kDiffInput,
     .outputs = kDiffOutput,
     .attrs = kAttrs19,
     .types = kTypes23,
     .same_meaning = true},
    {.since = 24, .inputs = kDiffInput, .outputs = kDiffOutput, .attrs = kAttrs24, .types = kTypes24},
    {.since = 25,
     .inputs = kDiffInput,
     .outputs = kDiffOutput,
     .attrs = kAttrs24,
     .types = kTypes25,
     .same_meaning = true},
    {.since = 28,
     .inputs = kDiffInput,
     .outputs = kDiffOutput,
     .attrs = kAttrs24,
     .types = kTypes28,
     .same_meaning = true},
};

void infer_cast(InferContext& ctx) {
  const DataType to = resolve_cast(ctx).to;
  if (ctx.has_rank(0))
    ctx.set(0, to, ctx.shape(0));
  else
    ctx.set(0, to);
  cast_contents(ctx, to);
}

std::optional<Dims> whole_parts(const Fractions& values) {
  Dims ints;
  for (const Fraction& f : values) {
    if (f.denominator != 1 && !known_at_least(f.numerator, 0)) return {};
    ints.push_back(DimExpr::floor_div(f.numerator, f.denominator));
  }
  return ints;
}

}  // namespace
}  // namespace cast_cc

// The engine drops integers that a narrow type cannot hold.
void cast_contents(InferContext& ctx, DataType to) {
  const bool index = to == DataType::Int64 || to == DataType::Int32;
  const bool floating = to == DataType::Float || to == DataType::Double;
  try {
    if (floating && ctx.constant(0)) return;  // which is evaluated
    if (const Dims* ints = ctx.ints(0)) {
      if (index) return ctx.set_ints(0, *ints);
      if (!floating) return;
      Fractions values;
      for (const DimExpr& e : *ints) values.push_back({DimExpr::rounded(e, significand_bits(to))});
      return ctx.set_fractions(0, std::move(values));
    }
    if (!index && !floating) return;
    auto values = ctx.fractions(0);
    if (!values) return;
    if (index) {
      if (auto ints = whole_parts(*values)) ctx.set_ints(0, *std::move(ints));
      return;
    }
    for (Fraction& f : *values) f.numerator = DimExpr::rounded(f.numerator, significand_bits(to));
    ctx.set_fractions(0, *std::move(values));
  } catch (const Error&) {
    return;  // beyond 64 bits
  }
}

constinit const Operator Cast = {.name = "Cast", .history = kCast, .infer = infer_cast};

DataType cast_target(const Attrs& attrs) {
  if (attrs.schema().since >= 6) {
    const std::int64_t to = attrs.i("to");
    if (to > 0 && to < kDataTypeCount) return static_cast<DataType>(to);
    throw Error(ErrorCode::InvalidGraph, "to is " + std::to_string(to) + ", which is not an element type");
  }
  const std::string given = attrs.s("to");
  std::string name = given;
  std::transform(name.begin(), name.end(), name.begin(), base::lower);
  const DataType type = data_type_from_name(name);
  if (type != DataType::Undefined) return type;
  throw Error(ErrorCode::InvalidGraph, "to is " + base::quoted(given) + ", which is not an element type");
}

CastParams resolve_cast(const NodeView& node) {
  const Attrs& attrs = node.attrs();
  CastParams p{.to = cast_target(attrs)};
  if (attrs.declares("saturate")) p.saturate = attrs.flag("saturate");
  if (!attrs.declares("round_mode")) return p;
  const std::string mode = attrs.s("round_mode");
  if (mode != "up" && mode != "down" && mode != "nearest")
    node.fail("round_mode is " + base::quoted(mode) + ", but has to be up, down or nearest");
  p.rounding = mode == "up" ? E8M0Rounding::Up : mode == "down" ? E8M0Rounding::Down : E8M0Rounding::Nearest;
  return p;
}

void cast_schemas(opset::SchemaTable& table) { table.add(Cast); }

}  // namespace norn::ops
