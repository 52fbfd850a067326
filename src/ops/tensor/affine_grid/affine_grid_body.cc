// The positions of all points, in homogeneous coordinates [points, D + 1], times each transposed matrix. Computed in
// float, or in double for a double theta.
#include "ops/tensor/affine_grid/affine_grid.h"
#include "opset/function_body.h"

namespace norn::ops {
namespace {

using opset::BodyBuilder;
using opset::FunctionBody;

void affine_grid_body(BodyBuilder& b) {
  const std::int64_t n = b.size(0, 1);  // 2 or 3 dimensions
  if (n != 2 && n != 3) b.fail("theta has " + std::to_string(n) + " rows, but has to have 2 or 3");
  const DataType type = b.elem(0) == DataType::Double ? DataType::Double : DataType::Float;
  const std::string to = "Cast <to = " + std::to_string(static_cast<int>(type)) + "> ";
  const bool corners = b.attrs().i("align_corners") != 0;
  const std::int64_t flat[] = {-1, 1}, two_more[] = {2}, plane[] = {-1, n + 1}, end[] = {n + 2}, rest[] = {-1},
                     dims[] = {n};
  b.ints("flat", flat);
  b.ints("two_more", two_more);
  b.ints("plane", plane);
  b.ints("end", end);
  b.ints("rest", rest);
  b.ints("dims", dims);
  b.scalar("zero", type, 0);
  b.scalar("half", type, 0.5);
  b.scalar("one", type, 1);
  b.scalar("two", type, 2);
  b.add("spatial = Slice (size, two_more, end) shape_theta = Shape <start = 0, end = 1> (theta)");
  // Axis d of the image, slowest first; in coordinates it is the last but d.
  std::string columns;
  for (std::int64_t d = 0; d < n; ++d) {
    const std::string s = std::to_string(d);
    b.add("index_" + s + " = Constant <value_int = " + s + "> ()");
    b.add("count_" + s + " = Gather (spatial, index_" + s + ") length_" + s + " = " + to + "(count_" + s + ")");
    b.add("numbers_" + s + " = Range (zero, length_" + s + ", one)");
    if (corners)
      b.add("steps_" + s + " = Sub (length_" + s + ", one) parts_" + s + " = Max (steps_" + s + ", one) at_" + s +
            " = Identity (numbers_" + s + ")");
    else
      b.add("parts_" + s + " = Identity (length_" + s + ") at_" + s + " = Add (numbers_" + s + ", half)");
    b.add("twice_" + s + " = Mul (at_" + s + ", two) of_two_" + s + " = Div (twice_" + s + ", parts_" + s + ") line_" +
          s + " = Sub (of_two_" + s + ", one)");
    std::vector<std::int64_t> shape(static_cast<std::size_t>(n), 1);
    shape[static_cast<std::size_t>(d)] = -1;
    b.ints("shape_" + s, shape);
    b.add("stretched_" + s + " = Reshape (line_" + s + ", shape_" + s + ") all_" + s + " = Expand (stretched_" + s +
          ", spatial) column_" + s + " = Reshape (all_" + s + ", flat)");
    columns = "column_" + s + ", " + columns;
  }
  b.add("zeros = Mul (column_0, zero) ones = Add (zeros, one)");
  b.add("points = Concat <axis = 1> (" + columns + "ones)");
  b.add("matrices = " + to + "(theta) transposed = Transpose <perm = [0, 2, 1]> (matrices)");
  b.add("moved = MatMul (points, transposed)");
  b.add("grid_shape = Concat <axis = 0> (shape_theta, spatial, dims)");
  b.add("wide = Reshape (moved, grid_shape) grid = CastLike (wide, theta)");
}

constexpr FunctionBody kBodies[] = {{.since = 20, .opset = 20, .build = affine_grid_body}};

}  // namespace

void affine_grid_bodies(opset::BodyTable& table) { table.add(AffineGrid, kBodies); }

}  // namespace norn::ops
