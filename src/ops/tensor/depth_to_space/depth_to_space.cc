// Blocks of channels as blocks of the plane, and back. Mode CRD, which came with 11, takes the channel as the outermost
// index; DCR, the only one before, as the innermost.
#include "ops/tensor/depth_to_space/depth_to_space.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;

constexpr Attr kBlocksize = {.name = "blocksize", .type = ir::AttributeType::Int, .required = true};
constexpr Param kInputs1[] = {{.name = "input", .type = "T"}};
constexpr Param kInputs13[] = {{.name = "input", .type = "T", .diff = kDiff}};
constexpr Param kOutputs1[] = {{.name = "output", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs1[] = {kBlocksize};
constexpr Attr kAttrs11[] = {kBlocksize, {.name = "mode", .type = ir::AttributeType::String, .def = def_string("DCR")}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kAll)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kAllBf)}};

constexpr Schema kDepthToSpace[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1},
    {.since = 11, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs11, .types = kTypes1},
    {.since = 13,
     .inputs = kInputs13,
     .outputs = kOutputs13,
     .attrs = kAttrs11,
     .types = kTypes13,
     .same_meaning = true},
    {.since = 28,
     .inputs = kInputs13,
     .outputs = kOutputs13,
     .attrs = kAttrs11,
     .types = kTypes13,
     .determinism = Determinism::Unknown,
     .same_meaning = true},
};

constexpr Schema kSpaceToDepth[] = {
    {.since = 1, .inputs = kInputs1, .outputs = kOutputs1, .attrs = kAttrs1, .types = kTypes1},
    {.since = 13,
     .inputs = kInputs13,
     .outputs = kOutputs13,
     .attrs = kAttrs1,
     .types = kTypes13,
     .same_meaning = true},
    {.since = 28,
     .inputs = kInputs13,
     .outputs = kOutputs13,
     .attrs = kAttrs11,
     .types = kTypes13,
     .determinism = Determinism::Unknown},
};

}  // namespace

constinit const Operator DepthToSpace = {.name = "DepthToSpace", .history = kDepthToSpace};
constinit const Operator SpaceToDepth = {.name = "SpaceToDepth", .history = kSpaceToDepth};

void depth_to_space_schemas(SchemaTable& table) {
  for (const Operator* op : {&DepthToSpace, &SpaceToDepth}) table.add(*op);
}

}  // namespace norn::ops
