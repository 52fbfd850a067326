// Pad: along one axis every mode is known by what NumPy's pad repeats; more axes are one after another.
#include <string>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace pad_test_cc {
namespace {

// Where element i of an axis comes from, by walking into the axis step by step; -1: the constant.
std::int64_t source(std::int64_t i, std::int64_t size, std::string_view mode) {
  if (i >= 0 && i < size) return i;
  if (mode == "constant") return -1;
  if (mode == "edge") return i < 0 ? 0 : size - 1;
  if (mode == "wrap") return i < 0 ? source(i + size, size, mode) : source(i - size, size, mode);
  if (size == 1) return 0;
  return i < 0 ? source(-i, size, mode) : source(2 * (size - 1) - i, size, mode);
}
// Two axes; pads for both of them, or for the last with the value of input 2.
void pad(Sample& s) {
  const auto& d = s.in(0).dims;
  const auto& p = s.in(1).values;
  const bool both = p.size() == 4;
  const auto begin = [&](std::size_t axis) { return static_cast<std::int64_t>(both ? p[axis] : axis ? p[0] : 0); };
  const auto from = [&](std::int64_t i, std::size_t axis, std::int64_t last, std::string_view how) {
    // Negative padding crops first; what is left is repeated.
    const std::int64_t first = begin(axis) < 0 ? -begin(axis) : 0, size = d[axis] - first + (last < 0 ? last : 0);
    const std::int64_t at = source(i - (begin(axis) > 0 ? begin(axis) : 0), size, how);
    return at < 0 ? at : at + first;
  };
  const auto end = [&](std::size_t axis) { return static_cast<std::int64_t>(both ? p[axis + 2] : axis ? p[1] : 0); };
  const std::string mode(s.word("mode"));
  const std::vector<std::int64_t> dims = {d[0] + begin(0) + end(0), d[1] + begin(1) + end(1)};
  auto& y = s.out(0, dims);
  for (std::int64_t i = 0; i < dims[0]; ++i)
    for (std::int64_t j = 0; j < dims[1]; ++j) {
      const std::int64_t a = from(i, 0, end(0), mode), b = from(j, 1, end(1), mode);
      y[i * dims[1] + j] = a < 0 || b < 0 ? (s.has(2) ? Sample::element(2, 0) : -1) : Sample::element(0, a * d[1] + b);
    }
}

const Cases cases(
    "Pad",
    {
        {"Pad-13.. mode=constant", "float[3] 1 2 3; int64[2] 2 1", "float[6] 0 0 1 2 3 0"},
        {"Pad-11.. mode=edge", "float[3] 1 2 3; int64[2] 2 1", "float[6] 1 1 1 2 3 3"},
        {"Pad-11.. mode=reflect", "float[3] 1 2 3; int64[2] 2 1", "float[6] 3 2 1 2 3 2"},
        {"Pad-25 mode=reflect", "float[3] 1 2 3; int64[2] 5 4", "float[12] 2 1 2 3 2 1 2 3 2 1 2 3"},
        {"Pad-19.. mode=wrap", "float[3] 1 2 3; int64[2] 4 2", "float[9] 3 1 2 3 1 2 3 1 2"},
        {"Pad-25 mode=constant", "float[3] 1 2 3; int64[2] -1 1", "float[3] 2 3 0"},
        {"Pad-25 mode=constant", "float[3] 1 2 3; int64[2] -1 -1", "float[1] 2"},
        {"Pad-25 mode=constant", "float[3] 1 2 3; int64[2] -3 0", "float[0]"},
        {"Pad-25 mode=constant", "float[3] 1 2 3; int64[2] -4 2", "float[1] 0"},
        {"Pad-25 mode=edge", "float[3] 1 2 3; int64[2] -1 2", "float[4] 2 3 3 3"},
        {"Pad-25 mode=reflect", "float[3] 1 2 3; int64[2] 1 -1", "float[3] 2 1 2"},
        {"Pad-25 mode=wrap", "float[3] 1 2 3; int64[2] 1 -1", "float[3] 2 1 2"},
        {"Pad-25 mode=reflect", "float[3] 1 2 3; int64[2] 2 -2", "float[3] 1 1 1"},
        {"Pad-25 mode=constant", "float[3] 1 2 3; int64[2] -3 -1", "", {.error = "*"}},
        {"Pad-25 mode=edge", "float[3] 1 2 3; int64[2] -3 1", "", {.error = "*"}},
        {"Pad-25 mode=constant", "float[3] 1 2 3; int64[2] max max", "", {.error = "*"}},
        {"Pad-25 mode=mirror", "float[3] 1 2 3; int64[2] 1 1", "", {.error = "*"}},
        {"Pad-25 mode=edge", "float[0]; int64[2] 1 0", "", {.error = "*"}},
        {"Pad-25", "float[0]; int64[2] 1 0", "float[1] 0"},

        {"Pad-18..", "T[2,3] odd; int64[2] {1 2|-1 2|0 0}; T[] random; Tind[1] {-1|1}", "", {.picks = pad}},
        {"Pad-13..", "T[2,3] odd; int64[4] {0 1 2 3|1 -1 0 0}", "", {.picks = pad}},
        {"Pad-25", "string[1] a; int64[2] 1 1", "string[3] \"\" a \"\""},
        {"Pad-19 mode={constant|reflect|edge|wrap}",
         "double[3,4] iota; int64[4] {2 -1 1 3|0 2 0 2|1 1 1 1}",
         "",
         {.picks = pad}},
        {"Pad-19", "double[3,4] iota; int64[2] 1 1; -; int64[1] 2", "", {.error = "*"}},
        {"Pad-19", "double[3,4] iota; int64[2] 1 1", "", {.error = "*"}},
        {"Pad-19", "double[3,4] iota; int64[4] 1 1 1 1; -; int64[2] 0 -2", "", {.error = "*"}},

        {"Pad-18", "float[N,C]; int64[4] 0 1 2 3", "float[N+2,C+4]"},
        {"Pad-18", "float[N,C]; int64[2] K 0; -; int64[1] 1", "float[N,C+K]"},
        {"Pad-18", "float[N,C]; int64[2]; -; int64[1] 0", "float[?,C]"},
        {"Pad-18", "float; int64[6]", "float[?,?,?]"},
        {"Pad-18", "float; int64", "float"},
        {"Pad-18", "float[N]; int64[3] 0 1 2", "", {.error = "*"}},
        {"Pad-18", "float[9223372036854775807]; int64[2] {1 -1|-1 1}", "float[9223372036854775807]"},
        {"Pad-18", "float[2]; int64[2] -2 -1", "", {.error = "*"}},
        {"Pad-18", "float[N]; int64[2] {0 4611686018427387904|-4611686018427387904 0}", "", {.error = "too large"}},
        {"Pad-18 mode=wrap", "float[2]; int64[2] 1 1", "", {.error = "*"}},

        {"Pad-1 paddings=1,0 value=1.5", "T[2] 0 1", "T[3] 1.5 0 1", {.types = "float double float16"}},
        {"Pad-13", "T[2] 0 1; int64[2] 1 0; T[] 1.5", "T[3] 1.5 0 1", {.types = "float double float16", .down_to = 1}},
        {"Pad-2 pads=0,-1,0,1 mode=edge", "float[2,2] iota", "float[2,2] 1 1 3 3"},
        {"Pad-2 pads=0,-1,0,1 mode=edge", "float[A,B]", "float[A,B]"},
        {"Pad-18", "float[2,2] 0 1 2 3; int64[2] 1 2; -; int64[1] -1", "float[2,5] 0 0 1 0 0 0 2 3 0 0", {.to = 11}},
        {"Pad-18", "float[2,2]; int64[2]; -; int64[1] -1", "", {.error = "*", .to = 13}},
        {"Pad-19 mode=wrap", "float[2,2]; int64[4] 1 2 1 1", "", {.error = "*", .to = 18}},
        {"Pad-11", "float[2,2]; int64[4] 0 -1 0 0", "", {.error = "*", .to = 1}},
        {"Pad-11", "float[2,2]; int64[4]", "", {.error = "*", .to = 2}},
        {"Pad-11", "double[1]; int64[2] 0 1; double[] 0.1", "", {.error = "*", .to = 2}},
    });

}  // namespace
}  // namespace pad_test_cc
}  // namespace norn::ops::cases
