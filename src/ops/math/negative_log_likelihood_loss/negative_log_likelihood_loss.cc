// The loss of log-probabilities against class numbers. The mean is weighted: it divides by the sum of the targets'
// weights, ignored ones left out.
#include "ops/math/negative_log_likelihood_loss/negative_log_likelihood_loss.h"

namespace norn::ops {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kNonDiff = Differentiability::NonDifferentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr Param kInputs12[] = {
    {.name = "input", .type = "T"},
    {.name = "target", .type = "Tind"},
    {.name = "weight", .type = "T", .option = kOptional},
};
constexpr Param kInputs13[] = {
    {.name = "input", .type = "T", .diff = kDiff},
    {.name = "target", .type = "Tind", .diff = kNonDiff},
    {.name = "weight", .type = "T", .option = kOptional, .diff = kNonDiff},
};
constexpr Param kOutputs12[] = {{.name = "loss", .type = "T"}};
constexpr Param kOutputs13[] = {{.name = "loss", .type = "T", .diff = kDiff}};
constexpr Attr kAttrs[] = {
    {.name = "ignore_index", .type = ir::AttributeType::Int},
    {.name = "reduction", .type = ir::AttributeType::String, .def = def_string("mean")},
};
constexpr TypeConstraint kTypes12[] = {{"T", tensors(types::kFloat16To64)}, {"Tind", tensors(types::kIndex)}};
constexpr TypeConstraint kTypes22[] = {{"T", tensors(types::kFloats)}, {"Tind", tensors(types::kIndex)}};

constexpr Schema kNegativeLogLikelihoodLoss[] = {
    {.since = 12, .inputs = kInputs12, .outputs = kOutputs12, .attrs = kAttrs, .types = kTypes12},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs, .types = kTypes12, .same_meaning = true},
    {.since = 22, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs, .types = kTypes22, .same_meaning = true},
};

}  // namespace

constinit const Operator NegativeLogLikelihoodLoss = {.name = "NegativeLogLikelihoodLoss",
                                                      .history = kNegativeLogLikelihoodLoss};

void negative_log_likelihood_loss_schemas(SchemaTable& table) { table.add(NegativeLogLikelihoodLoss); }

}  // namespace norn::ops
