// Windows for spectral analysis. periodic = 1 divides by the size, 0 by the size less one. The size is a scalar, for
// which a tensor of one element is taken, as by Range, which the bodies count with.
#include "ops/math/window_function/window_function.h"

#include "ops/common/shapes.h"

namespace norn::ops {
inline namespace window_function_cc {
namespace {

using namespace opset;

constexpr auto kNonDiff = Differentiability::NonDifferentiable;

constexpr Param kInputs[] = {{.name = "size", .type = "T1", .diff = kNonDiff}};
constexpr Param kOutputs[] = {{.name = "output", .type = "T2", .diff = kNonDiff}};
constexpr Attr kAttrs[] = {
    {.name = "output_datatype", .type = ir::AttributeType::Int, .def = def_int(1)},
    {.name = "periodic", .type = ir::AttributeType::Int, .def = def_int(1)},
};
constexpr TypeConstraint kTypes[] = {{"T1", tensors(types::kIndex)}, {"T2", tensors(types::kNumericBf)}};

constexpr Schema kRows[] = {
    {.since = 17, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_window(InferContext& ctx) {
  const DataType type = *type_attribute(ctx, "output_datatype", "T2");
  require_single(ctx, 0);
  const auto size = one_int(ctx, 0);
  if (size && size->is_constant() && size->constant() < 0)
    ctx.fail("size is " + size->to_string() + ", but a window has 0 or more elements");
  ctx.set(0, type, {size ? *size : ctx.fresh_dim("the contents of size are not known")});
}

}  // namespace
}  // namespace window_function_cc

constinit const Operator BlackmanWindow = {.name = "BlackmanWindow", .history = kRows, .infer = infer_window};
constinit const Operator HammingWindow = {.name = "HammingWindow", .history = kRows, .infer = infer_window};
constinit const Operator HannWindow = {.name = "HannWindow", .history = kRows, .infer = infer_window};

void window_function_schemas(SchemaTable& table) {
  for (const Operator* op : {&BlackmanWindow, &HammingWindow, &HannWindow}) table.add(*op);
}

}  // namespace norn::ops
