#include "ops/experiments/affine/affine.h"
#include "ops/experiments/withdrawn.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace experiments {
inline namespace affine_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

void scalar(BodyBuilder& b, const char* attribute) { b.scalar(attribute, b.elem(0), b.attrs().f(attribute)); }

void affine_body(BodyBuilder& b) {
  scalar(b, "alpha");
  scalar(b, "beta");
  b.add("product = Mul (alpha, X) Y = Add (product, beta)");
}

void parametric_softplus_body(BodyBuilder& b) {
  scalar(b, "alpha");
  scalar(b, "beta");
  b.add("product = Mul (beta, X) value = Softplus (product) Y = Mul (alpha, value)");
}

void scaled_tanh_body(BodyBuilder& b) {
  scalar(b, "alpha");
  scalar(b, "beta");
  b.add("product = Mul (beta, input) value = Tanh (product) output = Mul (alpha, value)");
}

void scale_body(BodyBuilder& b) {
  scalar(b, "scale");
  b.add("output = Mul (scale, input)");
}

// Where sizes are only known when running, Reshape refuses an input that is not of rank 4, or a bias whose number is
// not that of the channels.
void image_scaler_body(BodyBuilder& b) {
  scalar(b, "scale");
  const auto bias = b.attrs().find_floats("bias");
  if (!bias) return b.add("output = Mul (scale, input)");
  const std::int64_t four[] = {4}, ones[] = {1, 1}, first[] = {1}, behind[] = {2};
  b.ints("four", four);
  b.ints("ones", ones);
  b.ints("first", first);
  b.ints("behind", behind);
  b.add(R"(
    values = Constant <value_floats: floats = @bias> ()
    typed = CastLike (values, input)
    shape = Shape (input)
    sizes = Reshape (shape, four)
    channels = Slice (sizes, first, behind)
    by_channel = Concat <axis = 0> (channels, ones)
    summand = Reshape <allowzero = 1> (typed, by_channel)
    product = Mul (scale, input)
    output = Add (product, summand)
  )");
}

constexpr FunctionBody kAffineBody[] = {{.since = 1, .opset = kBodyOpset, .build = affine_body}};
constexpr FunctionBody kImageScalerBody[] = {{.since = 1, .opset = kBodyOpset, .build = image_scaler_body}};
constexpr FunctionBody kParametricSoftplusBody[] = {
    {.since = 1, .opset = kBodyOpset, .build = parametric_softplus_body}};
constexpr FunctionBody kScaleBody[] = {{.since = 1, .opset = kBodyOpset, .build = scale_body}};
constexpr FunctionBody kScaledTanhBody[] = {{.since = 1, .opset = kBodyOpset, .build = scaled_tanh_body}};

}  // namespace
}  // namespace affine_body_cc
}  // namespace experiments

void affine_bodies(opset::BodyTable& table) {
  table.add(experiments::Affine, experiments::kAffineBody);
  table.add(experiments::ImageScaler, experiments::kImageScalerBody);
  table.add(experiments::ParametricSoftplus, experiments::kParametricSoftplusBody);
  table.add(experiments::Scale, experiments::kScaleBody);
  table.add(experiments::ScaledTanh, experiments::kScaledTanhBody);
}

}  // namespace norn::ops
