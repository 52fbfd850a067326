// Losses against sums over every place, and sizes that do not fit together, which nodes of the body would let pass.
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace negative_log_likelihood_loss_test_cc {
namespace {

// Of [N, C, D] against [N, D], and weights [C].
void loss(Sample& s) {
  const Numbers &x = s.in(0), &target = s.in(1);
  const auto n = x.dims[0], places = x.dims.size() > 2 ? x.dims[2] : 1;
  const double ignored = s.number("ignore_index", -1);
  const bool none = s.word("reduction") == "none";
  std::vector<double>& y = s.out(0, none ? target.dims : std::vector<std::int64_t>{});
  double sum = 0, shares = 0;
  for (std::int64_t k = 0; k < n * places; ++k) {
    const double chosen = target.values[static_cast<std::size_t>(k)];
    if (chosen == ignored) continue;
    const auto at = (k / places * x.dims[1] + static_cast<std::int64_t>(chosen)) * places + k % places;
    const double share = s.has(2) ? s.in(2).values[static_cast<std::size_t>(chosen)] : 1;
    const double each = -x.values[static_cast<std::size_t>(at)] * share;
    if (none) y[static_cast<std::size_t>(k)] = each;
    sum += each;
    shares += share;
  }
  if (!none) y[0] = s.word("reduction") == "mean" ? sum / shares : sum;
}

const Cases losses(
    "NegativeLogLikelihoodLoss",
    {
        {"NegativeLogLikelihoodLoss reduction={none|sum|mean}",
         "float[3,5] random; int64[3] 4 0 2",
         "",
         {.formula = loss}},
        {"NegativeLogLikelihoodLoss reduction={none|sum|mean} ignore_index=1",
         "double[2,3,4] random; int32[2,4] 0 1 2 2 1 0 0 1; double[3] 1 2 0.5",
         "",
         {.formula = loss}},
        // A number that int32 would wrap to 1 is not one of the classes.
        {"NegativeLogLikelihoodLoss reduction={none|mean} ignore_index=4294967297",
         "float[2,3] random; int32[2] 1 2",
         "",
         {.formula = loss}},
        {"NegativeLogLikelihoodLoss reduction=none", "float[0,5,2] random; int64[0,2]", "float[0,2]"},
        {"NegativeLogLikelihoodLoss reduction=none", "float[N,5,H]; int64[N,H]", "float[N,H]"},
        {"NegativeLogLikelihoodLoss reduction=none", "float[N,5,?]; int64[N,3]", "float[N,3]"},
        {"NegativeLogLikelihoodLoss reduction={sum|mean}", "float; int64", "float[]"},
        {"NegativeLogLikelihoodLoss", "float[3,5] random; int64[2] 1 2", "", {.error = "axis 0 of the input"}},
        {"NegativeLogLikelihoodLoss", "float[1,5] random; int64[0]", "", {.error = "axis 0 of the input"}},
        {"NegativeLogLikelihoodLoss", "float[3,5,0] random; int64[0,0]", "", {.error = "axis 0 of the input"}},
        {"NegativeLogLikelihoodLoss", "float[3,5,4] random; int64[3,3] fill 1", "", {.error = "axis 2 of the input"}},
        {"NegativeLogLikelihoodLoss", "float[3,5] random; int64[3] 0 1 2; float[7] random", "", {.error = "classes"}},
        {"NegativeLogLikelihoodLoss", "float[3,5] random; int64[3] 0 1 2; float[1,5] random", "", {.error = "rank"}},
        {"NegativeLogLikelihoodLoss", "float[3,5] random; int64[3,1] 0 1 2", "", {.error = "save the class axis"}},
        {"NegativeLogLikelihoodLoss", "float[5] random; int64[] 1", "", {.error = "batch"}},
        {"NegativeLogLikelihoodLoss reduction=max", "float[3,5] random; int64[3] 0 1 2", "", {.error = "reduction"}},
        {"NegativeLogLikelihoodLoss", "float[3,5] random; int64[3] 0 5 2", "", {.error = "*"}},
    });

const Cases entropies(
    "SoftmaxCrossEntropyLoss",
    {
        {"SoftmaxCrossEntropyLoss reduction=none", "float[N,5,H]; int64[N,H]", "float[N,H]; float[N,5,H]"},
        {"SoftmaxCrossEntropyLoss reduction=sum", "float[2,2] 0 0 0 0; int64[2] 1 0", "float[] 1.3862944; -"},
        {"SoftmaxCrossEntropyLoss", "float[3,5] random; int64[2] 1 2", "", {.error = "axis 0 of the input"}},
        {"SoftmaxCrossEntropyLoss", "float[3,5] random; int64[3] 0 1 2; float[4] random", "", {.error = "classes"}},
    });

}  // namespace
}  // namespace negative_log_likelihood_loss_test_cc
}  // namespace norn::ops::cases
