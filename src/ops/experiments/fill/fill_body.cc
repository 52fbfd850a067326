#include <string>

#include "ops/experiments/fill/fill.h"
#include "ops/experiments/withdrawn.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace experiments {
inline namespace fill_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

// Gives the value "sizes".
void add_sizes(BodyBuilder& b, const FillParams& p, const std::string& input) {
  if (p.shape == FillParams::Shape::Attribute) return b.ints("sizes", p.sizes);
  b.add(p.shape == FillParams::Shape::OfInput ? "leading = Shape (" + input + ")"
                                              : "leading = Cast <to = 7> (" + input + ")");
  b.ints("extra", p.sizes);
  b.add("sizes = Concat <axis = 0> (leading, extra)");
}

void constant_fill_body(BodyBuilder& b) {
  add_sizes(b, resolve_fill(b), "input");
  const auto [type, value] = resolve_constant_fill_value(b);
  b.add("output = ConstantOfShape <value = " + std::string(data_type_name(type)) + "[1] {" + value + "}> (sizes)");
}

// A computed size of -1 becomes 0, since Reshape would replace it.
void given_tensor_fill_body(BodyBuilder& b) {
  add_sizes(b, resolve_fill(b), "shape");
  const std::int64_t none[] = {0};
  b.ints("none", none);
  b.add(R"(
    wanted = Max (sizes, none)
    given = Constant <value_floats: floats = @values> ()
  )");
  b.add(b.has_input(0) ? "typed = CastLike (given, shape)" : "typed = Identity (given)");
  b.add("X = Reshape <allowzero = 1> (typed, wanted)");
}

constexpr FunctionBody kConstantFillBody[] = {{.since = 1, .opset = kBodyOpset, .build = constant_fill_body}};
constexpr FunctionBody kGivenTensorFillBody[] = {{.since = 1, .opset = kBodyOpset, .build = given_tensor_fill_body}};

}  // namespace
}  // namespace fill_body_cc
}  // namespace experiments

void fill_bodies(opset::BodyTable& table) {
  table.add(experiments::ConstantFill, experiments::kConstantFillBody);
  table.add(experiments::GivenTensorFill, experiments::kGivenTensorFillBody);
}

}  // namespace norn::ops
