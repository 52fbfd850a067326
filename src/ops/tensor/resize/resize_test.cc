// The formula sums over all places around the input at once, in two dimensions, instead of one axis after the other,
// with the text's equations for coordinates. Values are those of onnx's evaluator.
#include <algorithm>
#include <cmath>
#include <string>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace resize_test_cc {
namespace {

// The equations of version 19, whose `scale` and `output_width` are both known.
double place(std::string_view mode, double x, double scale, double in, double out, double start, double end) {
  if (mode == "half_pixel") return (x + 0.5) / scale - 0.5;
  if (mode == "half_pixel_symmetric") return in / 2 * (1 - out / (scale * in)) + (x + 0.5) / scale - 0.5;
  if (mode == "pytorch_half_pixel") return out > 1 ? (x + 0.5) / scale - 0.5 : 0;
  if (mode == "align_corners") return out > 1 ? x * (in - 1) / (scale * in - 1) : 0;
  if (mode == "asymmetric") return x / scale;
  if (mode == "tf_half_pixel_for_nn") return (x + 0.5) / scale;
  return out > 1 ? start * (in - 1) + x * (end - start) * (in - 1) / (out - 1) : 0.5 * (start + end) * (in - 1);
}

double kernel(Sample& s, double d) {
  d = std::abs(d);
  if (s.word("mode") == "linear") return d < 1 ? 1 - d : 0;
  const double a = s.number("cubic_coeff_a", -0.75);
  if (d < 1) return (a + 2) * std::pow(d, 3) - (a + 3) * std::pow(d, 2) + 1;
  return d < 2 ? a * std::pow(d, 3) - 5 * a * std::pow(d, 2) + 8 * a * d - 4 * a : 0;
}

// Of a matrix; inputs as from version 11 on.
void resized(Sample& s) {
  const auto& x = s.in(0).dims;
  std::vector<std::int64_t> out;
  std::vector<double> scale;
  for (std::size_t d = 0; d < 2; ++d) {
    const auto in = static_cast<double>(x[d]);
    if (s.has(3) && !s.in(3).values.empty()) {
      out.push_back(static_cast<std::int64_t>(s.in(3).values[d]));
      scale.push_back(static_cast<double>(out[d]) / in);
    } else {
      scale.push_back(s.in(2).values[d]);
      out.push_back(static_cast<std::int64_t>(in * scale[d] + 1e-6));
    }
  }
  auto& y = s.out(0, out);
  std::vector<std::int64_t> at(2);
  do {
    double sum = 0, total = 0, p[2], stretch[2];
    bool outside = false;
    for (std::size_t d = 0; d < 2; ++d) {
      const bool crop = s.word("coordinate_transformation_mode") == "tf_crop_and_resize";
      p[d] = place(s.word("coordinate_transformation_mode"), static_cast<double>(at[d]), scale[d],
                   static_cast<double>(x[d]), static_cast<double>(out[d]), crop ? s.in(1).values[d] : 0,
                   crop ? s.in(1).values[d + 2] : 0);
      stretch[d] = s.number("antialias") != 0 ? std::min(1.0, scale[d]) : 1;
      outside |= crop && (p[d] < 0 || p[d] > static_cast<double>(x[d] - 1));
    }
    for (std::int64_t i = -20; i <= 20; ++i) {
      const double down = kernel(s, (static_cast<double>(i) - p[0]) * stretch[0]);
      for (std::int64_t j = -20; down != 0 && j <= 20; ++j) {
        const bool inside = i >= 0 && j >= 0 && i < x[0] && j < x[1];
        if (s.number("exclude_outside") != 0 && !inside) continue;
        const double w = down * kernel(s, (static_cast<double>(j) - p[1]) * stretch[1]);
        total += w;
        sum += w * s.in(0).at({std::clamp<std::int64_t>(i, 0, x[0] - 1), std::clamp<std::int64_t>(j, 0, x[1] - 1)});
      }
    }
    y[position(at, out)] = outside ? s.number("extrapolation_value") : sum / total;
  } while (next(at, out));
}

#define COORDINATES "coordinate_transformation_mode={half_pixel|pytorch_half_pixel|align_corners|asymmetric}"
#define NEW "Resize-11.. coordinate_transformation_mode="
#define NONE "; float[0]; float[0]; int64[2] "

const Cases interpolated(
    "Resize",
    {
        {"Resize-11.. mode={linear|cubic} " COORDINATES,
         "double[4,5] random; float[0]; float[2] {2 3|0.5 1|2.6 0.7}",
         "",
         {.formula = resized, .tolerance = 1e-12, .late = true}},
        {"Resize-11.. mode={linear|cubic} " COORDINATES,
         "double[4,5] random" NONE "{4 5|2 2|7 3|8 15}",
         "",
         {.formula = resized, .tolerance = 1e-12}},
        {"Resize-11.. mode=cubic cubic_coeff_a=-0.5 exclude_outside={0|1} " COORDINATES,
         "double[4,5] random" NONE "{7 3|3 11}",
         "",
         {.formula = resized, .tolerance = 1e-12}},
        {"Resize-11.. mode=linear exclude_outside=1 " COORDINATES,
         "double[4,5] random" NONE "{7 3|3 11}",
         "",
         {.formula = resized, .tolerance = 1e-12}},
        {"Resize-18.. mode={linear|cubic} antialias=1 exclude_outside={0|1} " COORDINATES,
         "double[6,7] random" NONE "{2 3|4 5|9 1}",
         "",
         {.formula = resized, .tolerance = 1e-12}},
        {"Resize-19.. mode={linear|cubic} coordinate_transformation_mode=half_pixel_symmetric",
         "double[4,5] random; float[0]; float[2] {2 3|0.6 1|2.6 0.7}",
         "",
         {.formula = resized, .tolerance = 1e-12, .late = true}},
        {NEW "tf_crop_and_resize mode={linear|cubic} extrapolation_value=10",
         "double[4,5] random; double[4] {0 0 1 1|0.25 0 0.5 0.75|-0.5 0.5 1 1.5|1 1 0 0}; float[0]; int64[2] {4 5|3 "
         "1|6 7}",
         "",
         {.formula = resized, .tolerance = 1e-12}},
        // Fifths as floats: the last place is 0.6 + 4 * 0.6, which is 3.
        {NEW "tf_crop_and_resize mode=linear", "float[4] 1 2 3 4; float[2] 0.2 1.2; float[0]; int64[1] 6",
         "float[6] 1.6 2.2 2.8 3.4 4 0"},
        {"Resize-11 mode=linear coordinate_transformation_mode=tf_half_pixel_for_nn",
         "double[4,5] random; float[0]; float[2] {2 3|0.5 1}",
         "",
         {.formula = resized, .tolerance = 1e-12, .late = true}},
        {"Resize-13.. mode=linear", "float[4,5] random" NONE "{7 3|3 11}", "", {.formula = resized}},

        // Version 10: coordinates as asymmetric.
        {"Resize-10 mode=linear",
         "T[1,4] 1 2 3 4; float[2] 1 2",
         "T[1,8] 1 1.5 2 2.5 3 3.5 4 4",
         {.types = "floats", .late = true}},
        {"Resize-10 mode=linear", "float[1,4] 1 2 3 4; float[2] 1 0.5", "float[1,2] 1 3", {.late = true}},

        // Integers are rounded, halves to even, and stay in their type.
        {NEW "asymmetric mode=linear",
         "T1[3] 1 2 5; float[0]; float[1] 2",
         "T1[6] 1 2 2 4 5 5",
         {.types = "int8 uint8 int32 uint64", .late = true}},
        {NEW "half_pixel mode=cubic",
         "uint8[4] 0 0 255 255; float[0]; float[1] 2",
         "uint8[8] 0 0 0 58 197 255 255 255",
         {.late = true}},
        {NEW "half_pixel mode=cubic", "int64[2] min max; float[0]; float[1] 1", "int64[2] min max", {.late = true}},
        {NEW "half_pixel mode=linear",
         "uint64[2,1] min max; float[0]; float[2] 1 3",
         "uint64[2,3] 0 0 0 max max max",
         {.late = true}},
        {NEW "half_pixel mode=linear", "bool[2] 0 1; float[0]; float[1] 2", "bool[4] 0 0 1 1", {.late = true}},
        {NEW "half_pixel mode=linear",
         "complex64[2] 0,4 4,0; float[0]; float[1] 2",
         "complex64[4] 0,4 1,3 3,1 4,0",
         {.late = true}},
        // What has no weight does not spread.
        {NEW "half_pixel mode={linear|cubic}",
         "double[3] nan inf -inf; float[0]; float[1] 1",
         "double[3] nan inf -inf",
         {.late = true}},
        {NEW "asymmetric mode=linear", "float[2] inf 1; float[0]; float[1] 2", "float[4] inf inf 1 1", {.late = true}},
        {NEW "half_pixel mode=linear", "string[1] a; float[0]; float[1] 2", "", {.error = "interpolated"}},
    });

const Cases copied(
    "ResizeNearest",
    {
        {NEW "asymmetric nearest_mode=floor",
         "T1[2,2] 1 2 3 4; float[0]; float[2] 2 3",
         "T1[4,6] 1 1 1 2 2 2 1 1 1 2 2 2 3 3 3 4 4 4 3 3 3 4 4 4",
         {.types = "floats signed unsigned", .late = true}},
        {"Resize-10", "string[1,2] a b; float[2] 1 2", "string[1,4] a a b b", {.late = true}},
        {"Resize-13..",
         "T1[2] 1 0; float[0]; float[1] 2",
         "T1[4] 1 1 0 0",
         {.types = "bool complex64 string", .late = true}},
        // Places are -0.25, 0.25, ..., 1.75 and 0.5, 2.5.
        {NEW "half_pixel nearest_mode={round_prefer_floor|round_prefer_ceil}",
         "float[4] 1 2 3 4; float[0]; float[1] 2",
         "float[8] 1 1 2 2 3 3 4 4",
         {.late = true}},
        {NEW "half_pixel nearest_mode=round_prefer_floor",
         "float[4] 1 2 3 4; float[0]; float[1] 0.5",
         "float[2] 1 3",
         {.late = true}},
        {NEW "half_pixel nearest_mode=round_prefer_ceil",
         "float[4] 1 2 3 4; float[0]; float[1] 0.5",
         "float[2] 2 4",
         {.late = true}},
        {NEW "half_pixel nearest_mode=ceil",
         "float[4] 1 2 3 4; float[0]; float[1] 2",
         "float[8] 1 2 2 3 3 4 4 4",
         {.late = true}},
        {NEW "half_pixel nearest_mode=floor",
         "float[4] 1 2 3 4; float[0]; float[1] 2",
         "float[8] 1 1 1 2 2 3 3 4",
         {.late = true}},
        {NEW "align_corners", "float[4] 1 2 3 4" NONE, "", {.error = "sizes has 2"}},
        {NEW "align_corners", "float[4] 1 2 3 4; float[0]; float[0]; int64[1] 7", "float[7] 1 1 2 2 3 3 4"},
        {NEW "tf_crop_and_resize extrapolation_value=-1",
         "float[4] 1 2 3 4; float[2] -0.5 1.5; float[0]; int64[1] 5",
         "float[5] -1 1 2 4 -1",
         {.late = true}},
        {NEW "tf_crop_and_resize extrapolation_value=300",
         "uint8[2] 1 2; float[2] nan 0; float[0]; int64[1] 2",
         "uint8[2] 255 255",
         {.late = true}},
        {NEW "tf_crop_and_resize extrapolation_value=300",
         "uint8[2] 1 2; float[2] inf 0; float[0]; int64[1] 2",
         "uint8[2] 255 255",
         {.late = true}},
        {NEW "tf_crop_and_resize extrapolation_value=300",
         "uint8[2] 1 2; float[2] 1e30 0; float[0]; int64[1] 2",
         "uint8[2] 255 1",
         {.late = true}},
        {NEW "tf_crop_and_resize extrapolation_value=300",
         "uint8[2] 1 2; float[2] -1e30 0; float[0]; int64[1] 2",
         "uint8[2] 255 1",
         {.late = true}},
        {NEW "tf_crop_and_resize", "string[2] a b; float[2] 0 2; float[0]; int64[1] 2", "", {.error = "outside"}},
        {NEW "tf_crop_and_resize", "float[2] 1 2; float[0]; float[0]; int64[1] 2", "", {.error = "roi"}},
        {"Resize-11 coordinate_transformation_mode=tf_half_pixel_for_nn nearest_mode=floor",
         "float[4] 1 2 3 4; float[0]; float[1] 2",
         "float[8] 1 1 2 2 3 3 4 4",
         {.late = true}},
        {"Resize-11 coordinate_transformation_mode=tf_half_pixel_for_nn nearest_mode=floor",
         "float[4] 1 2 3 4; float[0]; float[1] 0.5",
         "float[2] 2 4",
         {.late = true}},
        // A third as a float is a little more than one third, and three of them still one whole.
        {NEW "asymmetric nearest_mode=floor",
         "float[9] iota; float[0]; float[1] 0.333333343",
         "float[3] 0 3 6",
         {.late = true}},
        {NEW "asymmetric nearest_mode=floor",
         "float[3] iota; float[0]; float[1] 2.33333325",
         "float[7] 0 0 0 1 1 2 2",
         {.late = true}},
        {NEW "asymmetric nearest_mode=floor",
         "float[10] iota; float[0]; float[1] 0.7",
         "float[7] 0 1 2 4 5 7 8",
         {.late = true}},
        // Version 10 rounds down where an axis grows, up where it shrinks.
        {"Resize-10",
         "float[2,4] 1 2 3 4 5 6 7 8; float[2] 0.6 0.6",
         "float[1,2] 1 3",
         {.late = true, .to = 11, .becomes = "Resize-11"}},
        {"Resize-10", "float[1,4] 1 2 3 4; float[2] 2 0.6", "float[2,2] 1 3 1 3", {.late = true}},
        {"Resize-10", "float[1,3] 1 2 3; float[2] 1 1.5", "float[1,4] 1 1 2 3", {.late = true}},

        {"Resize-18.. axes={1,2|-2,-1}",
         "float[1,2,2] 1 2 3 4; -; float[2] 1 2",
         "float[1,2,4] 1 1 2 2 3 3 4 4",
         {.late = true}},
        {"Resize-18.. axes=1,0", "float[2,1] 1 2; -; -; int64[2] 2 3", "float[3,2] 1 1 1 1 2 2"},
        {"Resize-18.. axes={0,0|2|-3}", "float[2,1] 1 2; -; -; int64[2] 2 3", "", {.error = "ax"}},
        {"Resize-18.. keep_aspect_ratio_policy=not_larger", "float[2,4] iota; -; -; int64[2] 3 3",
         "float[2,3] 0 1 3 4 5 7"},
        {"Resize-18.. keep_aspect_ratio_policy=not_larger", "float[2,4] iota; -; -; int64[2] 6 3",
         "float[2,3] 0 1 3 4 5 7"},
        {"Resize-18.. keep_aspect_ratio_policy=not_larger", "float[2,4] iota; -; -; int64[2] 3 6",
         "float[3,6] 0 0 1 2 2 3 0 0 1 2 2 3 4 4 5 6 6 7"},
        {"Resize-18.. keep_aspect_ratio_policy=not_smaller", "float[1,4] iota; -; -; int64[2] 1 6",
         "float[2,6] 0 0 1 2 2 3 0 0 1 2 2 3"},
        {"Resize-18.. keep_aspect_ratio_policy=not_smaller", "float[0,4]; -; -; int64[2] 1 6", "", {.error = "ratio"}},

        {"Resize-13..", "float[] 5; -; float[0]", "float[] 5"},
        {"Resize-13..", "float[0,2]; -; float[2] 2 2", "float[0,4]", {.late = true}},
        {"Resize-13..", "float[2,2] 1 2 3 4; -; float[2] 0.25 1", "float[0,2]", {.late = true}},
        {"Resize-13..", "float[0,2]; -; -; int64[2] 1 2", "", {.error = "no elements"}},
        {"Resize-13..", "float[2] 1 2; -; float[1] {0|-1|nan|inf}", "", {.error = "positive"}},
        {"Resize-13..", "float[2] 1 2; -; -; int64[1] -1", "", {.error = "-1"}},
        {"Resize-13..", "float[2] 1 2; -; float[1] 1; int64[1] 2", "", {.error = "both"}},
        {"Resize-13..", "float[2] 1 2", "", {.error = "neither"}},
        {"Resize-13..", "float[] 5", "", {.error = "neither"}},
        {"Resize-13..", "float[2] 1 2; -; float[2] 1 1", "", {.error = "scales has 2"}},
        {"Resize-13..", "float[2] 1 2; float[2,1] 0 1; float[1] 1", "", {.error = "rank"}},
        {"Resize-13..", "float[2]; float[2,1]; float[1]", "", {.error = "rank"}},
        {"Resize-13.. coordinate_transformation_mode=tf_half_pixel_for_nn",
         "float[2] 1 2; -; float[1] 1",
         "",
         {.error = "one of"}},
        {"Resize-18 coordinate_transformation_mode=half_pixel_symmetric",
         "float[2] 1 2; -; float[1] 1",
         "",
         {.error = "one of"}},
        {"Resize-19 mode=bilinear", "float[2] 1 2; -; float[1] 1", "", {.error = "one of"}},
        {"Resize-10 mode=cubic", "float[2] 1 2; float[1] 1", "", {.error = "one of"}},

        {"Resize-19", "float[N,C,H,W]; -; float[4] 1 1 2 0.5", "float[N,C,2*H,floor(W/2)]", {.late = true}},
        {"Resize-19", "float[N,3,H,10]; -; float[4] 1 1 1.3 0.7", "float[N,3,?,7]", {.late = true}},
        {"Resize-19", "float[N,3,H,10]; -; -; int64[4] N 3 2*M 5", "float[N,3,2*M,5]"},
        {"Resize-19 axes=2,3", "float[N,3,H,10]; -; -; int64[2]", "float[N,3,?,?]"},
        {"Resize-19 axes=2,3 keep_aspect_ratio_policy=not_larger", "float[N,3,H,10]; -; -; int64[2] 4 5",
         "float[N,3,?,?]"},
        {"Resize-10", "float[N,M]; float[2]", "float[?,?]", {.late = true}},
        {"Resize-19", "float; -; float[2] 1 2", "float", {.late = true}},

        {"Resize-19 coordinate_transformation_mode=asymmetric nearest_mode=floor",
         "float[2] 1 2; float[0]; float[1] 2",
         "float[4] 1 1 2 2",
         {.down_to = 10, .late = true}},
        {"Resize-19 coordinate_transformation_mode=asymmetric",
         "float[2] 1 2; float[0]; float[1] 2",
         "float[4] 1 1 2 2",
         {.down_to = 11, .late = true}},
        {"Resize-19", "float[2] 1 2; -; -; int64[1] 4", "float[4] 1 1 2 2", {.down_to = 11}},
        {"Resize-19 axes=1",
         "float[2,2] 1 2 3 4; -; float[1] 2",
         "float[2,4] 1 1 2 2 3 3 4 4",
         {.down_to = 11, .late = true}},
        {"Resize-19 axes=1", "float[2,1] 1 2; -; -; int64[1] 2", "float[2,2] 1 1 2 2", {.down_to = 18}},
        {"Resize-19 mode=linear antialias=1",
         "float[2] 1 3; -; float[1] 0.5",
         "float[1] 2",
         {.down_to = 18, .late = true}},
        {"Resize-19 coordinate_transformation_mode=half_pixel_symmetric",
         "float[2] 1 2; -; float[1] 2",
         "float[4] 1 1 2 2",
         {.down_to = 19, .late = true}},
        {"Resize-11 coordinate_transformation_mode=tf_half_pixel_for_nn",
         "float[2] 1 2; float[0]; float[1] 1",
         "float[2] 1 2",
         {.late = true, .to = 11, .becomes = "Resize-11"}},
    });

}  // namespace
}  // namespace resize_test_cc
}  // namespace norn::ops::cases
