#include "ops/microsoft/domain.h"
#include "ops/microsoft/gelu_variants/gelu_variants.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace microsoft {
inline namespace gelu_variants_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

// `sum` of `x` and `bias`. Of an x of unknown rank nothing compared the last axis.
void with_bias(BodyBuilder& b, const std::string& x, const std::string& bias) {
  if (b.type(0).has_rank()) return b.add("sum = Add (" + x + ", " + bias + ")");
  b.add("last_axis = Shape <start = -1> (" + x + ") fitting_bias = Reshape (" + bias + ", last_axis) sum = Add (" + x +
        ", fitting_bias)");
}

void bias_gelu_body(BodyBuilder& b) {
  with_bias(b, "A", "B");
  b.add("C = Gelu (sum)");
}

void fast_gelu_body(BodyBuilder& b) {
  if (b.has_input(1))
    with_bias(b, "X", "bias");
  else
    b.add("sum = Identity (X)");
  b.add("Y = Gelu <approximate = \"tanh\"> (sum)");
}

constexpr FunctionBody kBiasGelu[] = {{.since = 1, .opset = kBodyOpset, .build = bias_gelu_body}};
constexpr FunctionBody kFastGelu[] = {{.since = 1, .opset = kBodyOpset, .build = fast_gelu_body}};
constexpr FunctionBody kGelu[] = {{.since = 1, .opset = kBodyOpset, .nodes = "{ Y = Gelu (X) }"}};
constexpr FunctionBody kQuickGelu[] = {
    {.since = 1, .opset = kBodyOpset, .nodes = "{ Y = Swish <alpha: float = @alpha> (X) }"}};

}  // namespace
}  // namespace gelu_variants_body_cc
}  // namespace microsoft

void gelu_variants_bodies(opset::BodyTable& table) {
  table.add(microsoft::BiasGelu, microsoft::kBiasGelu);
  table.add(microsoft::FastGelu, microsoft::kFastGelu);
  table.add(microsoft::Gelu, microsoft::kGelu);
  table.add(microsoft::QuickGelu, microsoft::kQuickGelu);
}

}  // namespace norn::ops
