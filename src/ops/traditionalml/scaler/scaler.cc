// (x - offset) * scale, for all columns or each. The output is float, whatever the input.
#include "ops/traditionalml/scaler/scaler.h"

#include <optional>
#include <string>
#include <string_view>

#include "opset/infer_context.h"

namespace norn::ops {
inline namespace scaler_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "X", .type = "T"}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "tensor(float)"}};
constexpr Attr kAttrs[] = {
    {.name = "offset", .type = ir::AttributeType::Floats},
    {.name = "scale", .type = ir::AttributeType::Floats},
};
constexpr TypeConstraint kTypes[] = {{"T", tensors(types::kIndex | elems(DataType::Double, DataType::Float))}};

constexpr Schema kScaler[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .attrs = kAttrs, .types = kTypes},
};

void infer_scaler(InferContext& ctx) {
  ctx.set(0, DataType::Float);
  if (!ctx.has_rank(0)) {
    resolve_scaler(ctx, {});
    return;
  }
  const Dims& dims = ctx.shape(0);
  const bool known = dims.empty() || dims.back().is_constant();
  resolve_scaler(ctx, known ? std::optional(dims.empty() ? 1 : dims.back().constant()) : std::nullopt);
  ctx.set(0, DataType::Float, dims);
}

}  // namespace
}  // namespace scaler_cc

ScalerParams resolve_scaler(const NodeView& node, std::optional<std::int64_t> features) {
  const ScalerParams p{node.attrs().floats("offset"), node.attrs().floats("scale")};
  if (p.offset.size() != p.scale.size())
    node.fail("offset has " + std::to_string(p.offset.size()) + " elements, but scale " +
              std::to_string(p.scale.size()));
  if (p.offset.empty()) node.fail("offset and scale are empty");
  if (p.offset.size() != 1 && features && static_cast<std::int64_t>(p.offset.size()) != *features)
    node.fail("offset has " + std::to_string(p.offset.size()) + " elements for " + std::to_string(*features) +
              " features");
  return p;
}

constinit const Operator Scaler = {.domain = "ai.onnx.ml", .name = "Scaler", .history = kScaler, .infer = infer_scaler};

void scaler_schemas(SchemaTable& table) { table.add(Scaler); }

}  // namespace norn::ops
