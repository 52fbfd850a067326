// Blocks of columns summed back into an image. It undoes im2col but for overlaps, which are added. Any number of
// spatial dimensions.
#include "ops/nn/col2im/col2im.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs[] = {
    {.name = "input", .type = "T", .diff = kDiff},
    {.name = "image_shape", .type = "tensor(int64)", .diff = kNonDiff},
    {.name = "block_shape", .type = "tensor(int64)", .diff = kNonDiff},
};
constexpr Param kOutputs[] = {{.name = "output", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {
    {.name = "dilations", .type = ir::AttributeType::Ints},
    {.name = "pads", .type = ir::AttributeType::Ints},
    {.name = "strides", .type = ir::AttributeType::Ints},
};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kAllBf)}};

constexpr Schema kCol2Im[] = {
    {.since = 18, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

}  // namespace

constinit const Operator Col2Im = {.name = "Col2Im", .history = kCol2Im};

void col2im_schemas(SchemaTable& table) { table.add(Col2Im); }

}  // namespace norn::ops
