// The operators of this slice, for other rooms to name.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "norn/value.h"
#include "opset/node_view.h"
#include "opset/reference.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Resize;

enum class ResizeMode : std::uint8_t { Nearest, Linear, Cubic };
enum class Coordinates : std::uint8_t {
  HalfPixel,
  HalfPixelSymmetric,
  PytorchHalfPixel,
  AlignCorners,
  Asymmetric,
  TfHalfPixelForNn,
  TfCropAndResize
};
// FloorOrCeil, before version 11: ceil where an axis shrinks.
enum class NearestMode : std::uint8_t { RoundPreferFloor, RoundPreferCeil, Floor, Ceil, FloorOrCeil };
enum class AspectRatio : std::uint8_t { Stretch, NotLarger, NotSmaller };

struct ResizeParams {
  ResizeMode mode = ResizeMode::Nearest;
  Coordinates coordinates = Coordinates::Asymmetric;
  NearestMode nearest = NearestMode::FloorOrCeil;
  AspectRatio policy = AspectRatio::Stretch;
  double cubic_a = -0.75, extrapolation = 0;
  bool exclude_outside = false, antialias = false;
  std::vector<std::int64_t> axes;  // that scales, sizes and roi are for, counted from the front
};
ResizeParams resolve_resize(const opset::NodeView& node, std::int64_t rank);

// Throws if elements are to be made of none, as far as sizes are known.
void require_elements(const opset::NodeView& node, const opset::Dims& in, const opset::Dims& out);

// Factors and sizes, for each of the axes; what is empty is not given.
struct ResizeTarget {
  std::vector<float> scales;
  opset::Dims sizes;
  std::vector<double> roi;  // of tf_crop_and_resize: a start for each of the axes and then an end for each
};
// What the inputs say; nothing if that is not known.
std::optional<ResizeTarget> resolve_resize_target(const opset::NodeView& node, const ResizeParams& params);
struct ResizedAxis {
  std::optional<opset::DimExpr> out;      // nothing if it is not known
  double numerator = 0, denominator = 1;  // the scale, where `out` is a constant
};
// One for each of the axes. Throws if the target does not fit the input.
std::vector<ResizedAxis> resized_axes(const opset::NodeView& node, const ResizeParams& params,
                                      const ResizeTarget& target, const opset::Dims& x);

struct ResizeTap {
  std::int64_t index;
  double weight;
};
// One axis of the input, and what of it makes up each coordinate of the output.
struct AxisTaps {
  std::int64_t axis, in, out;
  double scale;
  std::vector<ResizeTap> taps{};  // those of coordinate o are [begin[o], begin[o + 1])
  std::vector<std::size_t> begin{0};
  std::vector<bool> outside{};  // coordinates that get the extrapolation value; empty if none
  bool identity = true;
};
// One for each of the axes; x has elements, and so has the output. Throws if the target does not fit.
std::vector<AxisTaps> resize_taps(const opset::NodeView& node, const ResizeParams& params, const ResizeTarget& target,
                                  const Shape& x);

// Output 0 = input 0, resized.
void resize(opset::ReferenceContext& ctx, const ResizeParams& params, const ResizeTarget& target);

}  // namespace norn::ops
