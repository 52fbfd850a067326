// The loss of scores against class numbers. LogSoftmax and NegativeLogLikelihoodLoss in one; the log-probabilities are
// an optional second output.
#include "ops/math/softmax_cross_entropy_loss/softmax_cross_entropy_loss.h"

#include "ops/math/negative_log_likelihood_loss/negative_log_likelihood_loss.h"

namespace norn::ops {
inline namespace softmax_cross_entropy_loss_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kNonDiff = Differentiability::NonDifferentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr Param kInputs12[] = {
    {.name = "scores", .type = "T"},
    {.name = "labels", .type = "Tind"},
    {.name = "weights", .type = "T", .option = kOptional},
};
constexpr Param kInputs13[] = {
    {.name = "scores", .type = "T", .diff = kDiff},
    {.name = "labels", .type = "Tind", .diff = kNonDiff},
    {.name = "weights", .type = "T", .option = kOptional, .diff = kNonDiff},
};
constexpr Param kOutputs12[] = {
    {.name = "output", .type = "T"},
    {.name = "log_prob", .type = "T", .option = kOptional},
};
constexpr Param kOutputs13[] = {
    {.name = "output", .type = "T", .diff = kDiff},
    {.name = "log_prob", .type = "T", .option = kOptional, .diff = kDiff},
};
constexpr Attr kAttrs[] = {
    {.name = "ignore_index", .type = ir::AttributeType::Int},
    {.name = "reduction", .type = ir::AttributeType::String, .def = def_string("mean")},
};
constexpr TypeConstraint kTypes12[] = {{"T", tensors(types::kFloat16To64)}, {"Tind", tensors(types::kIndex)}};
constexpr TypeConstraint kTypes13[] = {{"T", tensors(types::kFloats)}, {"Tind", tensors(types::kIndex)}};

constexpr Schema kSoftmaxCrossEntropyLoss[] = {
    {.since = 12, .inputs = kInputs12, .outputs = kOutputs12, .attrs = kAttrs, .types = kTypes12},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs, .types = kTypes13, .same_meaning = true},
};

void infer_softmax_cross_entropy_loss(InferContext& ctx) {
  infer_class_loss(ctx);
  ctx.set(1, ctx.input(0));
}

}  // namespace
}  // namespace softmax_cross_entropy_loss_cc

constinit const Operator SoftmaxCrossEntropyLoss = {
    .name = "SoftmaxCrossEntropyLoss", .history = kSoftmaxCrossEntropyLoss, .infer = infer_softmax_cross_entropy_loss};

void softmax_cross_entropy_loss_schemas(SchemaTable& table) { table.add(SoftmaxCrossEntropyLoss); }

}  // namespace norn::ops
