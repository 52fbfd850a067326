#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace col2im_test_cc {
namespace {

// Of two dimensions: every element of the image asks every block whether it lies in it.
void image(Sample& s) {
  const auto& x = s.in(0).dims;
  const auto &image = s.in(1).values, &block = s.in(2).values;
  const auto step = s.ints("strides", {1, 1}), hole = s.ints("dilations", {1, 1}), pads = s.ints("pads", {0, 0, 0, 0});
  const auto rows = static_cast<std::int64_t>(image[0]), columns = static_cast<std::int64_t>(image[1]),
             p = static_cast<std::int64_t>(block[0]), q = static_cast<std::int64_t>(block[1]);
  const std::int64_t across = (columns + pads[1] + pads[3] - hole[1] * (q - 1) - 1) / step[1] + 1;
  const std::vector<std::int64_t> out = {x[0], x[1] / (p * q), rows, columns};
  auto& y = s.out(0, out);
  std::vector<std::int64_t> at(4);
  do {
    double sum = 0;
    for (std::int64_t column = 0; column < x[2]; ++column)
      for (std::int64_t k = 0; k < p * q; ++k) {
        const std::int64_t a = column / across * step[0] + k / q * hole[0] - pads[0],
                           b = column % across * step[1] + k % q * hole[1] - pads[1];
        if (a == at[2] && b == at[3]) sum += s.in(0).at({at[0], at[1] * p * q + k, column});
      }
    y[position(at, out)] = sum;
  } while (next(at, out));
}

const Cases cases("Col2Im",
                  {
                      {"Col2Im",
                       "T[1,4,2] 1 2 3 4 5 6 7 8; int64[2] 2 3; int64[2] 2 2",
                       "T[1,1,2,3] 1 5 4 5 13 8",
                       {.types = "floats signed unsigned complex64"}},
                      {"Col2Im strides=1,2 pads=1,0,0,1 dilations=1,2",
                       "double[2,8,12] random; int64[2] 4 6; int64[2] 2 2",
                       "",
                       {.formula = image}},
                      {"Col2Im", "double[2,8,12] random; int64[2] 4 5; int64[2] 2 2", "", {.formula = image}},
                      {"Col2Im", "double[2,8,15] random; int64[2] 4 6; int64[2] 2 2", "", {.formula = image}},
                      {"Col2Im", "double[2,8,9] random; int64[2] 4 6; int64[2] 2 4", "", {.formula = image}},
                      {"Col2Im strides=2,1 pads=1,0,0,1 dilations=1,2",
                       "double[2,8,8] random; int64[2] 3 5; int64[2] 2 2",
                       "",
                       {.formula = image}},
                      {"Col2Im", "bool[1,2,2] 1 1 1 0; int64[1] 3; int64[1] 2", "bool[1,1,3] 1 1 0"},
                      {"Col2Im", "uint8[1,2,2] 200 201 100 3; int64[1] 3; int64[1] 2", "uint8[1,1,3] 200 45 3"},
                      {"Col2Im", "string[1,2,2] a b c d; int64[1] 3; int64[1] 2", "", {.error = "strings"}},
                      {"Col2Im", "float[0,2,2]; int64[1] 3; int64[1] 2", "float[0,1,3]"},
                      {"Col2Im", "float[1,0,2]; int64[1] 3; int64[1] 2", "float[1,0,3]"},
                      {"Col2Im", "float[2,2,1,1] 1 2 3 4; int64[1] 3; int64[1] 2", "", {.error = "rank"}},
                      {"Col2Im", "float[1,3,2] iota; int64[1] 3; int64[1] 2", "", {.error = "rows"}},
                      {"Col2Im", "float[1,2,3] iota; int64[1] 3; int64[1] 2", "", {.error = "columns"}},
                      {"Col2Im", "float[1,2,2] iota; int64[1] 3; int64[1] {0|-2}", "", {.error = "block_shape"}},
                      {"Col2Im", "float[1,2,2] iota; int64[1] -3; int64[1] 2", "", {.error = "image_shape"}},
                      {"Col2Im", "float[1,2,2] iota; int64[1] 3; int64[2] 2 1", "", {.error = "*"}},
                      {"Col2Im", "float[1,2,2] iota; int64[1] 1; int64[1] 9223372036854775807", "", {.error = "*"}},
                      {"Col2Im", "float[1,2,2] iota; int64[2] 4611686018427387904 4; int64[2] 1 1", "", {.error = "*"}},
                      {"Col2Im strides=1,1", "float[1,2,2] iota; int64[1] 3; int64[1] 2", "", {.error = "strides"}},
                      {"Col2Im", "float[N,4*C,L]; int64[2] H W; int64[2] 2 2", "float[N,C,H,W]"},
                      {"Col2Im", "float[N,M,L]; int64[2]; int64[2]", "float[N,?,?,?]"},
                      {"Col2Im", "float; int64[2] 5 6; int64[2]", "float[?,?,5,6]"},
                      {"Col2Im", "float; int64; int64", "float"},
                      // A rank that no memory would hold.
                      {"Col2Im", "float[1,1,8]; int64[9223372036854775807]; int64[9223372036854775807]", "float"},
                  });

}  // namespace
}  // namespace col2im_test_cc
}  // namespace norn::ops::cases
