// The transforms of scores, for kernels. Internal to kernel choice.
#pragma once
#include <span>

#include "ops/common/scores.h"

namespace norn::runtime {

namespace scores {
template <ops::PostTransform transform>
void apply(std::span<double> row) {
  ops::transform_scores(transform, row);
}
}  // namespace scores

inline auto transform_of(ops::PostTransform transform) -> void (*)(std::span<double>) {
  switch (transform) {
    case ops::PostTransform::Softmax: return scores::apply<ops::PostTransform::Softmax>;
    case ops::PostTransform::Logistic: return scores::apply<ops::PostTransform::Logistic>;
    case ops::PostTransform::SoftmaxZero: return scores::apply<ops::PostTransform::SoftmaxZero>;
    case ops::PostTransform::Probit: return scores::apply<ops::PostTransform::Probit>;
    default: return nullptr;
  }
}

}  // namespace norn::runtime
