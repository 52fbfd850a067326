// Signatures of Identity. Tensors up to version 13, sequences too since 14, optionals since 16; everything that is
// known of the input is known of the output.
#include "ops/tensor/identity/identity.h"

#include <utility>

#include "opset/infer_context.h"

namespace norn::ops {
inline namespace identity_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInput1[] = {{.name = "input", .type = "T"}};
constexpr Param kOutput1[] = {{.name = "output", .type = "T"}};
constexpr Param kInput13[] = {{.name = "input", .type = "T", .diff = kDiff}};
constexpr Param kOutput13[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Param kInput14[] = {{.name = "input", .type = "V", .diff = kDiff}};
constexpr Param kOutput14[] = {{.name = "output", .type = "V", .diff = kDiff}};

constexpr TypeSet with_containers(std::uint32_t elements) {
  return tensors(elements) | sequences(types::kAll) | optionals(types::kAll) | optional_sequences(types::kAll);
}
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kAll)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kAllBf)}};
constexpr TypeConstraint kTypes14[] = {{"V", tensors(types::kAllBf) | sequences(types::kAll)}};
constexpr TypeConstraint kTypes16[] = {{"V", with_containers(types::kAllBf)}};
constexpr TypeConstraint kTypes19[] = {{"V", with_containers(types::kAllIr9)}};
constexpr TypeConstraint kTypes21[] = {{"V", with_containers(types::kAllIr10)}};
constexpr TypeConstraint kTypes23[] = {{"V", with_containers(types::kAllIr11)}};
constexpr TypeConstraint kTypes24[] = {{"V", with_containers(types::kAllIr12)}};
constexpr TypeConstraint kTypes25[] = {{"V", with_containers(types::kAllIr13)}};

// Version 14 renames the type variable as well, which means nothing to a node.
constexpr Schema kIdentity[] = {
    {.since = 1, .inputs = kInput1, .outputs = kOutput1, .types = kTypes1},
    {.since = 13, .inputs = kInput13, .outputs = kOutput13, .types = kTypes13, .same_meaning = true},
    {.since = 14, .inputs = kInput14, .outputs = kOutput14, .types = kTypes14, .same_meaning = true},
    {.since = 16, .inputs = kInput14, .outputs = kOutput14, .types = kTypes16, .same_meaning = true},
    {.since = 19, .inputs = kInput14, .outputs = kOutput14, .types = kTypes19, .same_meaning = true},
    {.since = 21, .inputs = kInput14, .outputs = kOutput14, .types = kTypes21, .same_meaning = true},
    {.since = 23, .inputs = kInput14, .outputs = kOutput14, .types = kTypes23, .same_meaning = true},
    {.since = 24, .inputs = kInput14, .outputs = kOutput14, .types = kTypes24, .same_meaning = true},
    {.since = 25, .inputs = kInput14, .outputs = kOutput14, .types = kTypes25, .same_meaning = true},
};

void infer_identity(InferContext& ctx) {
  ctx.set(0, ctx.input(0));
  if (const norn::Tensor* value = ctx.constant(0))
    ctx.set_constant(0, *value);
  else if (const Dims* ints = ctx.ints(0))
    ctx.set_ints(0, *ints);
  else if (auto fractions = ctx.fractions(0))
    ctx.set_fractions(0, *std::move(fractions));
}

}  // namespace
}  // namespace identity_cc

constinit const Operator Identity = {
    .name = "Identity", .history = kIdentity, .infer = infer_identity, .moves = Movement::First};

void identity_schemas(opset::SchemaTable& table) { table.add(Identity); }

}  // namespace norn::ops
