#include "ops/common/scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.h"

namespace norn::ops {

using opset::DimExpr;
using opset::NodeView;

Rows rows_of(const NodeView& node, const norn::Shape& dims) {
  if (dims.size() != 1 && dims.size() != 2)
    node.fail("the input must be a matrix or a vector, not of shape " + norn::to_string(dims));
  return dims.size() == 1 ? Rows{1, dims[0]} : Rows{dims[0], dims[1]};
}

DimExpr row_count(const opset::InferContext& ctx) {
  const opset::Dims& dims = ctx.shape(0);
  if (dims.size() != 1 && dims.size() != 2)
    ctx.fail("the input must be a matrix or a vector, not " + ctx.input(0).to_string());
  return dims.size() == 1 ? DimExpr(1) : dims[0];
}

void Labels::write(Tensor& tensor, std::int64_t at, std::int64_t index) const {
  const auto i = static_cast<std::size_t>(index);
  if (of_strings)
    tensor.as_mutable<std::string>()[at] = index < 0 ? std::string() : strings[i];
  else
    tensor.as_mutable<std::int64_t>()[at] = index < 0 ? 0 : ints[i];
}

Labels resolve_labels(const NodeView& node, std::string_view ints, std::string_view strings) {
  const opset::Attrs& attrs = node.attrs();
  // An empty list counts as none: converters write both lists.
  Labels labels{.ints = attrs.find_ints(ints).value_or(std::vector<std::int64_t>{}),
                .strings = attrs.find_strings(strings).value_or(std::vector<std::string>{})};
  labels.of_strings = !labels.strings.empty();
  if (labels.of_strings == !labels.ints.empty())
    node.fail("exactly one of the attributes " + std::string(ints) + " and " + std::string(strings) +
              " must have elements");
  return labels;
}

PostTransform resolve_post_transform(const NodeView& node) {
  const std::string name = node.attrs().s("post_transform");
  constexpr std::string_view kNames[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
  const auto* at = std::find(std::begin(kNames), std::end(kNames), name);
  if (at == std::end(kNames))
    node.fail("post_transform must be NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO or PROBIT, not " + base::quoted(name));
  return static_cast<PostTransform>(at - kNames);
}

// The bisection of erfc, which is monotone, to the last bit of double.
double probit(double p) {
  if (!(p >= 0 && p <= 1)) return std::numeric_limits<double>::quiet_NaN();
  if (p == 0 || p == 1)
    return p == 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  if (p > 0.5) return -probit(1 - p);
  double low = -39, high = 0;
  for (;;) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < p ? low : high) = middle;
  }
}

// SOFTMAX_ZERO leaves what is about zero nearly so, and takes the others' share only.
void transform_scores(PostTransform transform, std::span<double> scores) {
  if (transform == PostTransform::None || scores.empty()) return;
  if (transform == PostTransform::Logistic || transform == PostTransform::Probit) {
    for (double& s : scores) s = transform == PostTransform::Probit ? probit(s) : 1 / (1 + std::exp(-s));
    return;
  }
  const double most = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double& s : scores) {
    const bool zero = transform == PostTransform::SoftmaxZero && std::fabs(s) <= 1e-7;
    s = zero ? s * std::exp(-most) : std::exp(s - most);
    sum += s;
  }
  for (double& s : scores) s = sum == 0 ? 0.5 : s / sum;
}

}  // namespace norn::ops
