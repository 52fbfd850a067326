// The loss of log-probabilities against class numbers. The mean is weighted: it divides by the sum of the targets'
// weights, ignored ones left out.
#include "ops/math/negative_log_likelihood_loss/negative_log_likelihood_loss.h"

#include <string>
#include <utility>

namespace norn::ops {
inline namespace negative_log_likelihood_loss_cc {
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
}  // namespace negative_log_likelihood_loss_cc

LossReduction resolve_loss_reduction(const NodeView& node) {
  const std::string reduction = node.attrs().s("reduction");
  if (reduction == "none") return LossReduction::None;
  if (reduction == "sum") return LossReduction::Sum;
  if (reduction == "mean") return LossReduction::Mean;
  node.fail("reduction is \"" + reduction + "\", but has to be none, sum or mean");
}

void infer_class_loss(InferContext& ctx) {
  const LossReduction reduction = resolve_loss_reduction(ctx);
  ctx.require_rank(2, 1);
  const bool scored = ctx.has_rank(0), targeted = ctx.has_rank(1);
  if (scored && ctx.rank(0) < 2)
    ctx.fail("the input has rank " + std::to_string(ctx.rank(0)) + ", but needs a batch and a class axis");
  if (targeted && ctx.rank(1) < 1) ctx.fail("the class numbers are a scalar, but need a batch axis");
  if (scored && targeted && ctx.rank(1) != ctx.rank(0) - 1)
    ctx.fail("the class numbers have rank " + std::to_string(ctx.rank(1)) +
             ", but have to have all axes of the input (" + std::to_string(ctx.rank(0)) + ") save the class axis, 1");
  Dims each;
  if (scored) {
    each = ctx.shape(0);
    each.erase(each.begin() + 1);
    for (std::size_t k = 0; targeted && k < each.size(); ++k)
      each[k] = ctx.unify(each[k], ctx.shape(1)[k],
                          "axis " + std::to_string(k == 0 ? 0 : k + 1) + " of the input and axis " + std::to_string(k) +
                              " of the class numbers");
    if (ctx.has_input(2) && ctx.has_rank(2))
      ctx.unify(ctx.shape(0)[1], ctx.shape(2)[0], "the classes of the input and of the weight");
  } else if (targeted) {
    each = ctx.shape(1);
  }
  if (reduction != LossReduction::None)
    ctx.set(0, ctx.elem(0), {});
  else if (scored || targeted)
    ctx.set(0, ctx.elem(0), std::move(each));
  else
    ctx.set(0, ctx.elem(0));
}

constinit const Operator NegativeLogLikelihoodLoss = {
    .name = "NegativeLogLikelihoodLoss", .history = kNegativeLogLikelihoodLoss, .infer = infer_class_loss};

void negative_log_likelihood_loss_schemas(SchemaTable& table) { table.add(NegativeLogLikelihoodLoss); }

}  // namespace norn::ops
