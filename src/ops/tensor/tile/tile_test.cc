// Tile against indices modulo the input's sizes.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace tile_test_cc {
namespace {

void tile(Sample& s) {
  const auto& d = s.in(0).dims;
  std::vector<std::int64_t> dims = d;
  for (std::size_t i = 0; i < d.size(); ++i) dims[i] *= static_cast<std::int64_t>(s.in(1).values[i]);
  auto& y = s.out(0, dims);
  if (y.empty()) return;
  std::vector<std::int64_t> at(d.size());
  do {
    std::vector<std::int64_t> from = at;
    for (std::size_t i = 0; i < d.size(); ++i) from[i] %= d[i];
    y[position(at, dims)] = Sample::element(0, position(from, d));
  } while (next(at, dims));
}

const Cases cases(
    "Tile", {
                {"Tile-6..", "T[2,1,3] odd; int64[3] {1 1 1|2 3 1|1 1 2|3 2 2|0 1 1|2 1 0}", "", {.picks = tile}},
                {"Tile-6..", "T[4] odd; int64[1] 3", "", {.picks = tile}},
                {"Tile-6..", "{T[0,2]|T[2,0]}; int64[2] 3 2", "", {.picks = tile}},
                {"Tile-6..", "float[] 7; int64[0]", "float[] 7"},
                {"Tile-6..", "int32[2,2] 1 2 3 4; int64[2] 1 2", "int32[2,4] 1 2 1 2 3 4 3 4"},
                {"Tile-6..", "int32[2,2] 1 2 3 4; int64[2] 2 1", "int32[4,2] 1 2 3 4 1 2 3 4", {.down_to = 6}},
                {"Tile-13", "float[2,2] 1 2 3 4; int64[2] 2 1", "float[4,2] 1 2 3 4 1 2 3 4", {.down_to = 1}},
                {"Tile-13", "float[1,2] 1 2; int64[2] 2 2", "float[2,4] 1 2 1 2 1 2 1 2", {.down_to = 6}},
                {"Tile-6..", "float[2] 1 2; int64[1] {-1|min|max|4611686018427387904}", "", {.error = "*"}},
                {"Tile-6..", "float[2] 1 2; int64[{0|2}] fill 1", "", {.error = "repeats"}},
                {"Tile-6..", "float[2] 1 2; int64[] 2", "", {.error = "rank"}},
                {"Tile-6..", "float[2]; int64[2]", "", {.error = "repeats"}},
                {"Tile-6..", "float[N]; int64[1] -2", "", {.error = "negative"}},

                {"Tile-1", "float[2,2] 1 2 3 4; float[] 2; float[] 1", "float[2,4] 1 2 1 2 3 4 3 4", {.late = true}},
                {"Tile-1", "T[2,2] 1 2 3 4; T[1] 2; T[1] 0", "T[4,2] 1 2 3 4 1 2 3 4", {.late = true}},
                {"Tile-1", "float[2] 1 2; float[] {1.5|-1|nan|inf|1e30}; float[] 0", "", {.error = "*"}},
                {"Tile-1", "float[2] 1 2; float[] 2; float[] {1|-1|0.5}", "", {.error = "*"}},
                {"Tile-1", "float[2] 1 2; float[2] 2 2; float[] 0", "", {.error = "*"}},
                {"Tile-1", "float[N,2]; float; float", "float[?,?]"},

                {"Tile-6..", "float[N,2]; int64[2] 3 M", "float[3*N,2*M]"},
                {"Tile-6..", "float[N,2]; int64[2]", "float[?,?]"},
                {"Tile-6..", "float; int64[2]", "float[?,?]"},
                {"Tile-6..", "float; {int64[K]|int64[1000000]}", "float"},
                {"Tile-6..", "int64[2] N 3; int64[1] 2", "int64[4] N 3 N 3"},
                {"Tile-6..", "int64[1] N; int64[1] M", "int64[M] unknown"},

                {"Tile-1", "float[2,N]; float[]; float[]", "", {.to = 13, .becomes = "Tile-1"}},
                {"Tile-13", "float[N]; int64[1]", "", {.error = "*", .to = 1}},
                {"Tile-13", "float[2,2]; int64[2] 3000 1", "", {.error = "*", .to = 1}},
            });

}  // namespace
}  // namespace tile_test_cc
}  // namespace norn::ops::cases
