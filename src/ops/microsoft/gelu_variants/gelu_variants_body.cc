#include "ops/microsoft/domain.h"
#include "ops/microsoft/gelu_variants/gelu_variants.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace microsoft {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

void fast_gelu_body(BodyBuilder& b) {
  b.add(b.has_input(1) ? "x = Add (X, bias)" : "x = Identity (X)");
  b.add("Y = Gelu <approximate = \"tanh\"> (x)");
}

constexpr FunctionBody kBiasGelu[] = {
    {.since = 1, .opset = kBodyOpset, .nodes = "{ sum = Add (A, B) C = Gelu (sum) }"}};
constexpr FunctionBody kFastGelu[] = {{.since = 1, .opset = kBodyOpset, .build = fast_gelu_body}};
constexpr FunctionBody kGelu[] = {{.since = 1, .opset = kBodyOpset, .nodes = "{ Y = Gelu (X) }"}};
constexpr FunctionBody kQuickGelu[] = {
    {.since = 1, .opset = kBodyOpset, .nodes = "{ Y = Swish <alpha: float = @alpha> (X) }"}};

}  // namespace
}  // namespace microsoft

void gelu_variants_bodies(opset::BodyTable& table) {
  table.add(microsoft::BiasGelu, microsoft::kBiasGelu);
  table.add(microsoft::FastGelu, microsoft::kFastGelu);
  table.add(microsoft::Gelu, microsoft::kGelu);
  table.add(microsoft::QuickGelu, microsoft::kQuickGelu);
}

}  // namespace norn::ops
