// The body draws in the input's type: a number that is rounded to 1 is not below a probability of 1, as it is in the
// reference kernel.
#include "ops/generator/bernoulli/bernoulli.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace bernoulli_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

void bernoulli_body(BodyBuilder& b) {
  const DataType type = b.elem(0);
  const auto to = b.attrs().find_i("dtype").value_or(static_cast<std::int64_t>(type));
  b.add("drawn = RandomUniformLike <high = 1.0, low = 0.0, seed: float = @seed> (input)");
  b.add("is_one = Less (drawn, input) output = Cast <to = " + std::to_string(to) + "> (is_one)");
}

constexpr FunctionBody kBernoulliBodies[] = {
    {.since = 15, .opset = 15, .build = bernoulli_body},
    {.since = 22, .opset = 22, .build = bernoulli_body},
};

}  // namespace
}  // namespace bernoulli_body_cc

void bernoulli_bodies(opset::BodyTable& table) { table.add(Bernoulli, kBernoulliBodies); }

}  // namespace norn::ops
