// One at the first greatest element along an axis, zero elsewhere. Before 13 the input is seen as a matrix, cut at
// `axis`; from 13 on it runs along `axis` alone. Negative axes came with 11.
#include "ops/math/hardmax/hardmax.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Param kInputs1[] = {{.name = "input", .type = "T"}};
constexpr Param kInputs13[] = {{.name = "input", .type = "T", .diff = kDiff}};
constexpr Param kOutputs1[] = {{.name = "output", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs1[] = {{.name = "axis", .type = ir::AttributeType::Int, .def = def_int(1)}};
constexpr Attr kAttrs13[] = {{.name = "axis", .type = ir::AttributeType::Int, .def = def_int(-1)}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kHardmax[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1},
    {.since = 11, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs13, .types = kTypes13},
};

}  // namespace

constinit const Operator Hardmax = {.name = "Hardmax", .history = kHardmax};

void hardmax_schemas(SchemaTable& table) { table.add(Hardmax); }

}  // namespace norn::ops
