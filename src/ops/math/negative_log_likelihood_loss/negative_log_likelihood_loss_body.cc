// Ignored targets are taken for class 0 while the loss is picked, and count 0 afterwards, whatever was picked.
#include <cstdint>

#include "ops/common/body_guard.h"
#include "ops/math/negative_log_likelihood_loss/negative_log_likelihood_loss.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace negative_log_likelihood_loss_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

void negative_log_likelihood_loss_body(BodyBuilder& b) {
  const auto given = b.attrs().find_i("ignore_index");
  const std::int64_t number = given.value_or(0);
  // A number that targets of 32 bits do not have is none of them.
  const bool ignored = given && ((number >= INT32_MIN && number <= INT32_MAX) || b.elem(1) != DataType::Int32);
  const LossReduction reduction = resolve_loss_reduction(b);
  const std::int64_t channel[] = {1};
  b.ints("channel", channel);
  const bool weighted = b.has_input(2), compared = b.type(0).has_rank() && b.type(1).has_rank();
  if (compared) {
    b.add("classes = Identity (target)");
  } else {
    b.add(R"(
      batch_size = Shape <start = 0, end = 1> (input)
      places = Shape <start = 2> (input)
      input_without_classes = Concat <axis = 0> (batch_size, places)
      target_shape = Shape (target)
      are_equal = Equal (target_shape, input_without_classes)
    )");
    add_guard(b, "target", "input_without_classes", "are_equal", "a_target_of_the_shape_of_input_without_its_classes");
    b.add("classes = Identity (a_target_of_the_shape_of_input_without_its_classes)");
  }
  if (weighted)
    b.add(compared ? "weights = Identity (weight)"
                   : "class_count = Shape <start = 1, end = 2> (input) weights = Reshape (weight, class_count)");
  if (ignored) {
    const DataType index = b.elem(1);
    b.scalar("first_class", index, 0);
    b.add("ignore_wide = Constant <value_int = " + std::to_string(number) + "> ()");
    b.add("ignore = CastLike (ignore_wide, target) is_ignored = Equal (classes, ignore)");
    b.add("class = Where (is_ignored, first_class, classes)");
    b.scalar("zero", b.elem(0), 0);
  } else {
    b.add("class = Identity (classes)");
  }
  b.add(R"(
    class_column = Unsqueeze (class, channel)
    picked_column = GatherElements <axis = 1> (input, class_column)
    picked = Squeeze (picked_column, channel)
    unweighted = Neg (picked)
  )");
  if (weighted) b.add("class_weight = Gather (weights, class) weighted = Mul (unweighted, class_weight)");
  const std::string each = weighted ? "weighted" : "unweighted";
  std::string share = weighted ? "class_weight" : "";
  if (ignored) {
    b.add("each = Where (is_ignored, zero, " + each + ")");
    if (!weighted) b.scalar("one", b.elem(0), 1);
    b.add("share = Where (is_ignored, zero, " + (weighted ? share : "one") + ")");
    share = "share";
  } else {
    b.add("each = Identity (" + each + ")");
  }
  if (reduction == LossReduction::None)
    b.add("loss = Identity (each)");
  else if (reduction == LossReduction::Sum)
    b.add("loss = ReduceSum <keepdims = 0> (each)");
  else if (share.empty())
    b.add("loss = ReduceMean <keepdims = 0> (each)");
  else
    b.add("total = ReduceSum <keepdims = 0> (each) shares = ReduceSum <keepdims = 0> (" + share +
          ") loss = Div (total, shares)");
}

constexpr FunctionBody kNegativeLogLikelihoodLossBodies[] = {
    {.since = 12, .opset = 18, .build = negative_log_likelihood_loss_body}};

}  // namespace
}  // namespace negative_log_likelihood_loss_body_cc

void negative_log_likelihood_loss_bodies(opset::BodyTable& table) {
  table.add(NegativeLogLikelihoodLoss, kNegativeLogLikelihoodLossBodies);
}

}  // namespace norn::ops
