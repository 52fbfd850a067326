// Interpolation to other sizes. Version 10 maps coordinates in one way; 11 made it an attribute and roi, scales, sizes
// inputs; 18 added axes, antialias and aspect ratio; 19 half_pixel_symmetric. tf_half_pixel_for_nn left with 13.
//
// An empty scales, sizes or roi is one that is not given, in every version. By the text, the extent of a roi multiplies
// scales; onnx's inference and every runtime leave it out, and so does this. A size times a scale is rounded to float
// before its fraction goes, so that 10 times float(0.7) is 7.
#include "ops/tensor/resize/resize.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.h"
#include "ops/common/shapes.h"
#include "opset/infer_context.h"

namespace norn::ops {
inline namespace resize_cc {
namespace {

using namespace opset;

constexpr auto kDiff = Differentiability::Differentiable;
constexpr auto kNonDiff = Differentiability::NonDifferentiable;
constexpr auto kOptional = ParamOption::Optional;

constexpr Param kScales = {.name = "scales", .type = "tensor(float)"};
constexpr Attr kMode = {.name = "mode", .type = ir::AttributeType::String, .def = def_string("nearest")};
constexpr Attr kCoordinateTransformationMode = {
    .name = "coordinate_transformation_mode", .type = ir::AttributeType::String, .def = def_string("half_pixel")};
constexpr Attr kCubicCoeffA = {.name = "cubic_coeff_a", .type = ir::AttributeType::Float, .def = def_float(-0.75f)};
constexpr Attr kExcludeOutside = {.name = "exclude_outside", .type = ir::AttributeType::Int, .def = def_int(0)};
constexpr Attr kExtrapolationValue = {
    .name = "extrapolation_value", .type = ir::AttributeType::Float, .def = def_float(0.0f)};
constexpr Attr kNearestMode = {
    .name = "nearest_mode", .type = ir::AttributeType::String, .def = def_string("round_prefer_floor")};
constexpr Param kInputs10[] = {{.name = "X", .type = "T"}, kScales};
constexpr Param kInputs11[] = {
    {.name = "X", .type = "T1"},
    {.name = "roi", .type = "T2"},
    kScales,
    {.name = "sizes", .type = "tensor(int64)", .option = kOptional},
};
constexpr Param kInputs13[] = {
    {.name = "X", .type = "T1", .diff = kDiff},
    {.name = "roi", .type = "T2", .option = kOptional, .diff = kNonDiff},
    {.name = "scales", .type = "tensor(float)", .option = kOptional, .diff = kNonDiff},
    {.name = "sizes", .type = "tensor(int64)", .option = kOptional, .diff = kNonDiff},
};
constexpr Param kOutputs10[] = {{.name = "Y", .type = "T"}};
constexpr Param kOutputs11[] = {{.name = "Y", .type = "T1"}};
constexpr Param kOutputs13[] = {{.name = "Y", .type = "T1", .diff = kDiff}};
constexpr Attr kAttrs10[] = {kMode};
constexpr Attr kAttrs11[] = {kCoordinateTransformationMode, kCubicCoeffA, kExcludeOutside,
                             kExtrapolationValue,           kMode,        kNearestMode};
constexpr Attr kAttrs18[] = {
    {.name = "antialias", .type = ir::AttributeType::Int, .def = def_int(0)},
    {.name = "axes", .type = ir::AttributeType::Ints},
    kCoordinateTransformationMode,
    kCubicCoeffA,
    kExcludeOutside,
    kExtrapolationValue,
    {.name = "keep_aspect_ratio_policy", .type = ir::AttributeType::String, .def = def_string("stretch")},
    kMode,
    kNearestMode,
};
constexpr TypeConstraint kTypes10[] = {{"T", tensors(types::kAll)}};
constexpr TypeConstraint kTypes11[] = {{"T1", tensors(types::kAll)}, {"T2", tensors(types::kFloat16To64)}};
constexpr TypeConstraint kTypes13[] = {{"T1", tensors(types::kAllBf)}, {"T2", tensors(types::kFloat16To64)}};

constexpr Schema kResize[] = {
    {.since = 10, .inputs = kInputs10, .outputs = kOutputs10, .attrs = kAttrs10, .types = kTypes10},
    {.since = 11, .inputs = kInputs11, .outputs = kOutputs11, .attrs = kAttrs11, .types = kTypes11},
    {.since = 13, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs11, .types = kTypes13},
    {.since = 18, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs18, .types = kTypes13},
    {.since = 19, .inputs = kInputs13, .outputs = kOutputs13, .attrs = kAttrs18, .types = kTypes13},
};

template <class E>
struct Word {
  std::string_view word;
  E value;
  int since = 1, until = kUnbounded;
};
constexpr Word<ResizeMode> kModes[] = {
    {"nearest", ResizeMode::Nearest}, {"linear", ResizeMode::Linear}, {"cubic", ResizeMode::Cubic, 11}};
constexpr Word<Coordinates> kCoordinates[] = {
    {"half_pixel", Coordinates::HalfPixel},
    {"half_pixel_symmetric", Coordinates::HalfPixelSymmetric, 19},
    {"pytorch_half_pixel", Coordinates::PytorchHalfPixel},
    {"align_corners", Coordinates::AlignCorners},
    {"asymmetric", Coordinates::Asymmetric},
    {"tf_half_pixel_for_nn", Coordinates::TfHalfPixelForNn, 1, 11},
    {"tf_crop_and_resize", Coordinates::TfCropAndResize},
};
constexpr Word<NearestMode> kNearestModes[] = {
    {"round_prefer_floor", NearestMode::RoundPreferFloor},
    {"round_prefer_ceil", NearestMode::RoundPreferCeil},
    {"floor", NearestMode::Floor},
    {"ceil", NearestMode::Ceil},
};
constexpr Word<AspectRatio> kPolicies[] = {{"stretch", AspectRatio::Stretch},
                                           {"not_larger", AspectRatio::NotLarger},
                                           {"not_smaller", AspectRatio::NotSmaller}};

template <class E, std::size_t kCount>
E choice(const NodeView& node, std::string_view attribute, const Word<E> (&words)[kCount]) {
  const std::string given = node.attrs().s(attribute);
  const Word<E>* found = nullptr;
  std::string all;
  for (const Word<E>& w : words) {
    if (node.version() < w.since || node.version() > w.until) continue;
    if (given == w.word) found = &w;
    (all += all.empty() ? "" : ", ") += w.word;
  }
  if (!found)
    node.fail("the attribute " + base::quoted(attribute) + " is " + base::quoted(given), "it has to be one of " + all);
  return found->value;
}

// floor(size * scale). Scales that are fractions of small numbers are exact, for symbols too; nothing for others.
std::optional<DimExpr> scaled(const NodeView& node, const DimExpr& size, float scale) {
  const float eighths = scale * 256;
  if (eighths == std::floor(eighths) && eighths < 0x1p24F) {
    return DimExpr::floor_div(size * DimExpr(static_cast<std::int64_t>(eighths)), 256);
  }
  if (!size.is_constant()) return {};
  const float product = std::floor(static_cast<float>(size.constant()) * scale);
  if (!(product < 0x1p62F))
    node.fail("a size of " + size.to_string() + " times " + std::to_string(scale) + " is too large");
  return DimExpr(static_cast<std::int64_t>(product));
}

// The ratio that sizes have in common under a policy other than Stretch.
struct Ratio {
  std::int64_t numerator = 0, denominator = 0;
};
template <class In>
Ratio common_ratio(const NodeView& node, const ResizeParams& p, const Dims& sizes, const In& in) {
  Ratio best;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const Ratio ratio{sizes[i].constant(), in(i).constant()};
    if (ratio.denominator == 0) node.fail("an axis without elements has no aspect ratio to keep");
    const auto left = static_cast<__int128>(ratio.numerator) * best.denominator,
               right = static_cast<__int128>(best.numerator) * ratio.denominator;
    if (best.denominator == 0 || (p.policy == AspectRatio::NotLarger ? left < right : left > right)) best = ratio;
  }
  return best;
}

void require_axis_count(const NodeView& node, const ResizeParams& p, std::string_view what, std::size_t count) {
  if (count != p.axes.size()) {
    node.fail(std::string(what) + " has " + std::to_string(count) + " elements, but there are " +
              std::to_string(p.axes.size()) + " axes to resize");
  }
}

// Inputs other than X are lists in every version.
void require_lists(const NodeView& node) {
  for (const int i : {1, 2, 3}) node.require_rank(i, 1);
}

void infer_resize(InferContext& ctx) {
  require_lists(ctx);
  if (!ctx.has_rank(0)) return ctx.set(0, ctx.elem(0));
  const ResizeParams p = resolve_resize(ctx, ctx.rank(0));
  const auto target = resolve_resize_target(ctx, p);
  Dims out = ctx.shape(0);
  std::vector<ResizedAxis> axes(p.axes.size());
  if (target)
    axes = resized_axes(ctx, p, *target, out);
  else
    ctx.explain("the contents of \"scales\" or \"sizes\" are not known");
  for (std::size_t i = 0; i < axes.size(); ++i) {
    DimExpr& size = out[static_cast<std::size_t>(p.axes[i])];
    size = axes[i].out ? *axes[i].out : ctx.fresh_dim(target ? "rounding depends on sizes that are not known" : "");
  }
  require_elements(ctx, ctx.shape(0), out);
  ctx.set(0, ctx.elem(0), std::move(out));
}

}  // namespace
}  // namespace resize_cc

void require_elements(const NodeView& node, const Dims& in, const Dims& out) {
  const auto is_none = [](const DimExpr& d) { return d == DimExpr(0); };
  const auto is_some = [](const DimExpr& d) { return d.is_constant() && d.constant() > 0; };
  if (std::any_of(in.begin(), in.end(), is_none) && std::all_of(out.begin(), out.end(), is_some))
    node.fail("the input " + to_string(in) + " has no elements to make " + to_string(out) + " from");
}

ResizeParams resolve_resize(const NodeView& node, std::int64_t rank) {
  const Attrs& attrs = node.attrs();
  ResizeParams p{.mode = choice(node, "mode", kModes)};
  if (node.version() >= 11) {
    p.coordinates = choice(node, "coordinate_transformation_mode", kCoordinates);
    p.nearest = choice(node, "nearest_mode", kNearestModes);
    p.cubic_a = attrs.f("cubic_coeff_a");
    p.exclude_outside = attrs.flag("exclude_outside");
    p.extrapolation = attrs.f("extrapolation_value");
  }
  if (node.version() >= 18) {
    p.antialias = attrs.flag("antialias");
    p.policy = choice(node, "keep_aspect_ratio_policy", kPolicies);
    if (const auto axes = attrs.find_ints("axes"); axes && !axes->empty()) {
      p.axes = node.normalize_axes(*axes, rank);
      return p;
    }
  }
  for (std::int64_t d = 0; d < rank; ++d) p.axes.push_back(d);
  return p;
}

std::optional<ResizeTarget> resolve_resize_target(const NodeView& node, const ResizeParams& p) {
  require_lists(node);
  const bool old = node.version() < 11;  // without roi and sizes
  const int scales_at = old ? 1 : 2;
  // The number of elements, if it is known; an input that is left out has none.
  const auto count_of = [&](int i) -> std::optional<std::size_t> {
    if (!node.has_input(i)) return 0;
    const auto dims = node.known_shape(i);
    if (!dims || !dims->front().is_constant()) return {};
    return static_cast<std::size_t>(dims->front().constant());
  };
  ResizeTarget target;
  if (p.coordinates == Coordinates::TfCropAndResize) {
    const std::string range = "a start and an end for each of " + std::to_string(p.axes.size()) + " axes";
    const auto count = count_of(1);
    if (count == 0) {
      node.fail("roi is missing, but coordinate_transformation_mode is tf_crop_and_resize",
                "give the node the input roi, " + range + ", or another coordinate_transformation_mode");
    }
    if (count && *count != 2 * p.axes.size())
      node.fail("roi has " + std::to_string(*count) + " elements, but tf_crop_and_resize needs " + range);
    const norn::Tensor* const roi = node.constant(1);
    for (std::int64_t i = 0; roi && i < roi->size(); ++i) target.roi.push_back(number_at(*roi, i));
  }
  bool known = true;
  if (const auto count = count_of(scales_at); count != 0) {
    if (count) require_axis_count(node, p, "scales", *count);
    const norn::Tensor* const scales = node.constant(scales_at);
    known = scales != nullptr;
    for (std::int64_t i = 0; scales && i < scales->size(); ++i)
      target.scales.push_back(static_cast<float>(number_at(*scales, i)));
  }
  if (const auto count = old ? 0 : count_of(3); count != 0) {
    if (count) require_axis_count(node, p, "sizes", *count);
    const auto sizes = node.known_ints(3);
    known = known && sizes;
    if (sizes) target.sizes = *sizes;
  }
  if (!known && target.scales.empty() && target.sizes.empty()) return {};
  return target;
}

std::vector<ResizedAxis> resized_axes(const NodeView& node, const ResizeParams& p, const ResizeTarget& target,
                                      const Dims& x) {
  const auto in = [&](std::size_t i) -> const DimExpr& { return x[static_cast<std::size_t>(p.axes[i])]; };
  std::vector<ResizedAxis> result;
  if (!target.scales.empty()) {
    if (!target.sizes.empty()) node.fail("both scales and sizes are given", "leave one of them out");
    require_axis_count(node, p, "scales", target.scales.size());
    for (std::size_t i = 0; i < p.axes.size(); ++i) {
      const float scale = target.scales[i];
      if (!(scale > 0) || std::isinf(scale)) {
        node.fail("scales contains " + std::to_string(scale) + ", but has to be positive and finite");
      }
      result.push_back({.out = scaled(node, in(i), scale), .numerator = scale});
    }
    return result;
  }
  const bool none = node.version() >= 13 && !node.has_input(2) && !node.has_input(3);
  if (none || (target.sizes.empty() && !p.axes.empty()))
    node.fail("neither scales nor sizes are given", "give one of them");
  require_axis_count(node, p, "sizes", target.sizes.size());
  bool known = true;
  for (std::size_t i = 0; i < p.axes.size(); ++i) {
    const DimExpr& size = target.sizes[i];
    if (size.is_constant() && size.constant() < 0) node.fail("sizes contains " + size.to_string());
    known = known && size.is_constant() && in(i).is_constant();
  }
  std::optional<Ratio> ratio;
  if (known && p.policy != AspectRatio::Stretch) ratio = common_ratio(node, p, target.sizes, in);
  for (std::size_t i = 0; i < p.axes.size(); ++i) {
    if (p.policy == AspectRatio::Stretch) {
      result.push_back({.out = target.sizes[i]});
      if (!known) continue;
      result.back().numerator = static_cast<double>(target.sizes[i].constant());
      result.back().denominator = static_cast<double>(in(i).constant());
    } else if (ratio) {
      // Rounded to the nearest, halves up.
      const auto twice = static_cast<__int128>(2) * ratio->denominator;
      const auto size = (2 * static_cast<__int128>(ratio->numerator) * in(i).constant() + ratio->denominator) / twice;
      if (size > INT64_MAX) node.fail("a size that keeps the aspect ratio does not fit into 64 bits");
      result.push_back({.out = static_cast<std::int64_t>(size),
                        .numerator = static_cast<double>(ratio->numerator),
                        .denominator = static_cast<double>(ratio->denominator)});
    } else {
      result.emplace_back();
    }
  }
  return result;
}

constinit const Operator Resize = {.name = "Resize", .history = kResize, .infer = infer_resize};

void resize_schemas(SchemaTable& table) { table.add(Resize); }

}  // namespace norn::ops
