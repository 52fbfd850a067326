// GlobalAveragePool and GlobalMaxPool: each channel's plane becomes one element; the rank stays.
#include "ops/nn/global_pool/global_pool.h"

#include "ops/common/pooling.h"

namespace norn::ops {
inline namespace global_pool_cc {
namespace {

using namespace opset;

constexpr Param kInputs[] = {{.name = "X", .type = "T", .diff = Differentiability::Differentiable}};
constexpr Param kOutputs[] = {{.name = "Y", .type = "T", .diff = Differentiability::Differentiable}};
constexpr TypeConstraint kTypes1[] = {{"T", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes22[] = {{"T", tensors(types::kFloats)}};

constexpr Schema kRows[] = {
    {.since = 1, .inputs = kInputs, .outputs = kOutputs, .types = kTypes1},
    {.since = 22, .inputs = kInputs, .outputs = kOutputs, .types = kTypes22, .same_meaning = true},
};

}  // namespace
}  // namespace global_pool_cc

constinit const Operator GlobalAveragePool = {
    .name = "GlobalAveragePool", .history = kRows, .infer = infer_global_pool};
constinit const Operator GlobalMaxPool = {.name = "GlobalMaxPool", .history = kRows, .infer = infer_global_pool};

void global_pool_schemas(SchemaTable& table) {
  table.add(GlobalAveragePool);
  table.add(GlobalMaxPool);
}

}  // namespace norn::ops
