#include "ops/math/softmax_cross_entropy_loss/softmax_cross_entropy_loss.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace softmax_cross_entropy_loss_body_cc {
namespace {

using opset::FunctionBody;

constexpr FunctionBody kSoftmaxCrossEntropyLossBodies[] = {{.since = 12, .opset = 22, .nodes = R"({
  log_prob = LogSoftmax <axis = 1> (scores)
  output = NegativeLogLikelihoodLoss <ignore_index: int = @ignore_index, reduction: string = @reduction>
      (log_prob, labels, weights)
})"}};

}  // namespace
}  // namespace softmax_cross_entropy_loss_body_cc

void softmax_cross_entropy_loss_bodies(opset::BodyTable& table) {
  table.add(SoftmaxCrossEntropyLoss, kSoftmaxCrossEntropyLossBodies);
}

}  // namespace norn::ops
