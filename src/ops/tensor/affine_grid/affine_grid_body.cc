// The positions of all points, in homogeneous coordinates [points, D + 1], times each transposed matrix. Computed in
// float, or in double for a double theta.
#include <cstdint>
#include <string>
#include <vector>

#include "ops/tensor/affine_grid/affine_grid.h"
#include "opset/function_body.h"

namespace norn::ops {
inline namespace affine_grid_body_cc {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

struct Grid {
  std::int64_t n;  // dimensions
  bool corners;
  std::string to;    // a Cast
  std::string name;  // what names of values begin with
};

// Nodes that give `name`grid. They stand in a graph of their own where the number of dimensions is not known, so that
// all names differ; lists are added to the body around.
std::string nodes_of(BodyBuilder& b, const Grid& grid) {
  const std::int64_t n = grid.n, flat[] = {-1, 1}, plane[] = {-1, n + 1}, dims[] = {n};
  const std::string& p = grid.name;
  b.ints(p + "flat", flat);
  b.ints(p + "plane", plane);
  b.ints(p + "dims", dims);
  // As many sizes, and one matrix for each image: a Reshape to what is there.
  std::string text = p + "spatial = Reshape (all_spatial, " + p + "dims)\n", columns;
  // Axis d of the image, slowest first; in coordinates it is the last but d.
  for (std::int64_t d = 0; d < n; ++d) {
    const std::string s = std::to_string(d);
    const auto at = [&](const char* what) { return p + what + s; };
    text += at("index_") + " = Constant <value_int = " + s + "> () " + at("count_") + " = Gather (" + p + "spatial, " +
            at("index_") + ") " + at("length_") + " = " + grid.to + "(" + at("count_") + ")\n";
    text += at("numbers_") + " = Range (zero, " + at("length_") + ", one)\n";
    if (grid.corners)
      text += at("steps_") + " = Sub (" + at("length_") + ", one) " + at("parts_") + " = Max (" + at("steps_") +
              ", one) " + at("at_") + " = Identity (" + at("numbers_") + ")\n";
    else
      text +=
          at("parts_") + " = Identity (" + at("length_") + ") " + at("at_") + " = Add (" + at("numbers_") + ", half)\n";
    text += at("twice_") + " = Mul (" + at("at_") + ", two) " + at("of_two_") + " = Div (" + at("twice_") + ", " +
            at("parts_") + ") " + at("line_") + " = Sub (" + at("of_two_") + ", one)\n";
    std::vector<std::int64_t> shape(static_cast<std::size_t>(n), 1);
    shape[static_cast<std::size_t>(d)] = -1;
    b.ints(at("shape_"), shape);
    text += at("stretched_") + " = Reshape (" + at("line_") + ", " + at("shape_") + ") " + at("all_") + " = Expand (" +
            at("stretched_") + ", " + p + "spatial) " + at("column_") + " = Reshape (" + at("all_") + ", " + p +
            "flat)\n";
    columns = at("column_") + ", " + columns;
  }
  text += p + "zeros = Mul (" + p + "column_0, zero) " + p + "ones = Add (" + p + "zeros, one)\n";
  text += p + "points = Concat <axis = 1> (" + columns + p + "ones)\n";
  text += p + "moved = MatMul (" + p + "points, transposed)\n";
  text += p + "grid_shape = Concat <axis = 0> (images, " + p + "spatial, " + p + "dims)\n";
  return text + p + "wide = Reshape <allowzero = 1> (" + p + "moved, " + p + "grid_shape) " + p + "grid = CastLike (" +
         p + "wide, theta)\n";
}

void affine_grid_body(BodyBuilder& b) {
  const auto known = grid_dimensions(b.size_or_unknown(0, 1), b.size_or_unknown(0, 2), b.size_or_unknown(1, 0));
  const DataType type = b.elem(0) == DataType::Double ? DataType::Double : DataType::Float;
  Grid grid;
  grid.to = "Cast <to = " + std::to_string(static_cast<int>(type)) + "> ";
  grid.corners = b.attrs().i("align_corners") != 0;
  const std::int64_t first[] = {0}, one_more[] = {1}, two_more[] = {2}, most[] = {INT64_MAX};
  b.ints("first", first);
  b.ints("one_more", one_more);
  b.ints("two_more", two_more);
  b.ints("most", most);
  b.scalar("zero", type, 0);
  b.scalar("half", type, 0.5);
  b.scalar("one", type, 1);
  b.scalar("two", type, 2);
  b.add("all_spatial = Slice (size, two_more, most) images = Slice (size, first, one_more)");
  b.add("matrices = " + grid.to + "(theta) transposed = Transpose <perm = [0, 2, 1]> (matrices)");
  if (known) {
    grid.n = *known;
    b.add(nodes_of(b, grid));
    return;
  }
  std::string branches[2];
  for (const std::int64_t n : {2, 3}) {
    grid.n = n;
    grid.name = "of_" + std::to_string(n) + "_";
    const std::string nodes = nodes_of(b, grid);
    branches[n - 2] = "by_" + std::to_string(n) + " () => (" + grid.name + "grid) {" + nodes + "}";
  }
  b.add(
      "of_plane = Constant <value = int64[1] {4}> () size_count = Shape (size) is_plane = Equal (size_count, "
      "of_plane)");
  b.add("grid = If (is_plane) <then_branch: graph = " + branches[0] + ", else_branch: graph = " + branches[1] + ">");
}

constexpr FunctionBody kAffineGridBodies[] = {{.since = 20, .opset = 20, .build = affine_grid_body}};

}  // namespace
}  // namespace affine_grid_body_cc

void affine_grid_bodies(opset::BodyTable& table) { table.add(AffineGrid, kAffineGridBodies); }

}  // namespace norn::ops
