// Reshape: the same elements under other dimensions.
//
// Traps: a 0 in the target copies the input's dimension at that place unless allowzero says otherwise, and the size
// that -1 stands for is found after what was copied has been divided out on both sides, so that an empty batch keeps
// the rest of its shape ([0,4] to [0,-1] is [0,4], where dividing 0 by 0 has no result). A symbolic size in the
// target is taken for a size, never for a -1.
#include "ops/tensor/reshape/reshape.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "ops/common/shapes.h"
#include "opset/infer_context.h"
#include "opset/inference_faults.h"

namespace norn::ops {

using namespace opset;

inline namespace reshape_cc {
namespace {

constexpr const char* kFixedTarget =
    "the target shape has sizes of what the model was exported for: feed those sizes, or export it so that what varies "
    "is 0 or -1 there";

template <std::uint32_t kElements>
constexpr TypeConstraint kT[] = {{"T", tensors(kElements)}};

constexpr Param kInputs1[] = {{.name = "data", .type = "T"}};
constexpr Param kInputs5[] = {{.name = "data", .type = "T"}, {.name = "shape", .type = "tensor(int64)"}};
constexpr Param kInputs13[] = {
    {.name = "data", .type = "T", .diff = Differentiability::Differentiable},
    {.name = "shape", .type = "tensor(int64)", .diff = Differentiability::NonDifferentiable},
};
constexpr Param kOutputs1[] = {{.name = "reshaped", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "reshaped", .type = "T", .diff = Differentiability::Differentiable}};
constexpr Attr kAttrs1[] = {
    {.name = "consumed_inputs", .type = ir::AttributeType::Ints},
    {.name = "shape", .type = ir::AttributeType::Ints},
};
constexpr Attr kAttrs14[] = {{.name = "allowzero", .type = ir::AttributeType::Int, .def = def_int(0)}};

constexpr Schema row(int since, std::span<const TypeConstraint> types) {
  return {.since = since,
          .inputs = kInputs13,
          .outputs = kOutputs13,
          .attrs = kAttrs14,
          .types = types,
          .same_meaning = since != 14};
}
constexpr Schema kReshape[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kT<types::kFloat16To64>},
    {.since = 5, .inputs = kInputs5, .outputs = kOutputs1, .types = kT<types::kAll>},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .types = kT<types::kAllBf>, .same_meaning = true},
    row(14, kT<types::kAllBf>),
    row(19, kT<types::kAllIr9>),
    row(21, kT<types::kAllIr10>),
    row(23, kT<types::kAllIr11>),
    row(24, kT<types::kAllIr12>),
    row(25, kT<types::kAllIr13>),
};

bool is(const DimExpr& d, std::int64_t value) { return d.is_constant() && d.constant() == value; }

// The product of `numerator` over that of `denominator`, common factors divided out first.
DimExpr quotient(const NodeView& node, const Dims& in, Dims numerator, Dims denominator, const Dims& target) {
  for (auto d = denominator.begin(); d != denominator.end();) {
    auto n = d->is_constant() ? numerator.end() : std::find(numerator.begin(), numerator.end(), *d);
    if (n == numerator.end()) {
      ++d;
    } else {
      numerator.erase(n);
      d = denominator.erase(d);
    }
  }
  std::int64_t above = 1, below = 1;  // the constant factors
  const auto take_constants = [](Dims& dims, std::int64_t& factor) {
    DimExpr constants = 1;
    for (const DimExpr& d : dims) {
      if (d.is_constant()) constants = constants * d;
    }
    erase_if(dims, [](const DimExpr& d) { return d.is_constant(); });
    factor = constants.constant();
  };
  if (std::any_of(numerator.begin(), numerator.end(), [](const DimExpr& d) { return is(d, 0); })) numerator = {0};
  take_constants(numerator, above);
  take_constants(denominator, below);
  if (below == 0)
    node.fail("the size for -1 is not determined: the other sizes of " + to_string(target) + " give 0 elements");
  const std::int64_t common = std::gcd(above, below);
  above /= common;
  below /= common;
  DimExpr n = DimExpr(above) * product(numerator);
  const DimExpr d = DimExpr(below) * product(denominator);
  if (is(d, 1) || is(n, 0)) return n;
  if (n.is_constant() && d.is_constant()) {
    node.fail("cannot reshape " + to_string(in) + " to " + to_string(target) + ": the size that is left would be " +
                  n.to_string() + "/" + d.to_string(),
              kFixedTarget);
  }
  return DimExpr::floor_div(n, d);
}

// The place of the only unknown element, if all others are numbers above 0: its size is what the others leave, as for
// -1.
std::optional<std::size_t> lone_open(const Dims& target) {
  std::optional<std::size_t> open;
  for (std::size_t i = 0; i < target.size(); ++i) {
    if (has_signed(target[i])) {
      if (open) return {};
      open = i;
    } else if (!target[i].is_constant() || target[i].constant() <= 0) {
      return {};
    }
  }
  return open;
}

std::optional<Dims> known_target(const NodeView& node) {
  if (node.version() >= 5) return node.known_ints(1);
  return to_dims(node.attrs().find_ints("shape").value_or(std::vector<std::int64_t>{}));
}

void infer_reshape(InferContext& ctx) {
  if (ctx.version() >= 5) ctx.require_rank(1, 1);
  const DataType elem = ctx.elem(0);
  Dims dims;
  if (const auto sizes = resolve_reshape(ctx, ctx.has_rank(0) ? &ctx.shape(0) : nullptr)) {
    for (const auto& size : *sizes) dims.push_back(size ? *size : ctx.fresh_dim());
  } else {
    const DimExpr* length = ctx.has_rank(1) ? ctx.shape(1).data() : nullptr;
    if (!length || !length->is_constant() || length->constant() > kMostDims) {
      if (length) ctx.explain("neither the contents of shape nor its length are known");
      ctx.set(0, elem);
      return;
    }
    if (length->constant() == 1 && ctx.has_rank(0)) {
      dims.push_back(product(ctx.shape(0)));  // whatever the one number is
    } else {
      dims = *ctx.fresh_dims(*length, "the contents of shape are not known");
    }
  }
  const bool vector = dims.size() <= 1;
  ctx.set(0, elem, std::move(dims));
  if (const Dims* ints = ctx.ints(0); ints && vector) ctx.set_ints(0, *ints);
}

}  // namespace
}  // namespace reshape_cc

std::optional<std::vector<std::optional<DimExpr>>> resolve_reshape(const NodeView& node, const Dims* in) {
  const auto target = known_target(node);
  if (!target) return {};
  const bool allowzero = node.version() >= 14 && node.attrs().flag("allowzero");
  std::vector<std::optional<DimExpr>> sizes;
  Dims denominator;
  std::vector<bool> copied(in ? in->size() : 0, false);
  std::optional<std::size_t> inferred;  // where the -1 stands
  const std::optional<std::size_t> open = lone_open(*target);
  bool zero = false, undecided = false;
  for (std::size_t i = 0; i < target->size(); ++i) {
    const DimExpr& t = (*target)[i];
    if (has_signed(t) && open != i) {  // a size, or -1, or 0 for one that is copied
      undecided = true;
      sizes.emplace_back();
    } else if (is(t, -1) || open == i) {
      if (inferred) node.fail("the shape " + to_string(*target) + " has more than one -1");
      inferred = i;
      sizes.emplace_back();
    } else if (is(t, 0) && !allowzero) {
      if (!in) {
        sizes.emplace_back();
        continue;
      }
      if (i >= in->size()) {
        node.fail("the shape " + to_string(*target) + " copies dimension " + std::to_string(i) +
                  " of an input of shape " + to_string(*in));
      }
      sizes.emplace_back((*in)[i]);
      copied[i] = true;
    } else if (t.is_constant() && t.constant() < 0) {
      throw SizeBelowMinusOne(node.fault_code(), "the shape " + to_string(*target) + " has a size below -1",
                              t.constant());
    } else {
      zero = zero || is(t, 0);
      sizes.emplace_back(t);
      denominator.push_back(t);
    }
  }
  if (inferred && zero) {
    node.fail("with allowzero the shape " + to_string(*target) + " cannot have both 0 and -1");
  }
  if (!in || undecided) return sizes;
  if (inferred) {
    Dims rest;
    for (std::size_t i = 0; i < in->size(); ++i) {
      if (!copied[i]) rest.push_back((*in)[i]);
    }
    sizes[*inferred] = quotient(node, *in, std::move(rest), std::move(denominator), *target);
    return sizes;
  }
  Dims dims;
  for (const auto& size : sizes) dims.push_back(*size);
  const DimExpr before = product(*in), after = product(dims);
  if (before.is_constant() && after.is_constant() && before.constant() != after.constant()) {
    node.fail("cannot reshape " + to_string(*in) + " to " + to_string(*target) + ": " + before.to_string() +
                  " elements are not " + after.to_string(),
              kFixedTarget);
  }
  return sizes;
}

constinit const Operator Reshape = {
    .name = "Reshape", .history = kReshape, .infer = infer_reshape, .moves = Movement::First};

void reshape_schemas(SchemaTable& table) { table.add(Reshape); }

}  // namespace norn::ops
