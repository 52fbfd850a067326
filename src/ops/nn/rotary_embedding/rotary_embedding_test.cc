// As a product of complex numbers.
#include <complex>

#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace rotary_embedding_test_cc {
namespace {

void turned(Sample& s) {
  const Numbers& x = s.in(0);
  const bool by_head = x.dims.size() == 4, near = s.number("interleaved") != 0;
  const auto heads = by_head ? x.dims[1] : static_cast<std::int64_t>(s.number("num_heads"));
  const std::int64_t tokens = by_head ? x.dims[2] : x.dims[1], size = by_head ? x.dims[3] : x.dims[2] / heads;
  auto rotated = static_cast<std::int64_t>(s.number("rotary_embedding_dim"));
  if (rotated == 0) rotated = size;
  auto& y = s.out(0, x.dims);
  y = x.values;
  for (std::int64_t b = 0; b < x.dims[0]; ++b)
    for (std::int64_t t = 0; t < tokens; ++t)
      for (std::int64_t h = 0; h < heads; ++h)
        for (std::int64_t i = 0; i < rotated / 2; ++i) {
          const std::int64_t row = s.has(3) ? static_cast<std::int64_t>(s.in(3).at({b, t})) : b * tokens + t;
          const auto at = static_cast<std::size_t>(row * (rotated / 2) + i);
          const std::complex<double> by(s.in(1).values[at], s.in(2).values[at]);
          const std::int64_t head = by_head ? (b * heads + h) * tokens + t : (b * tokens + t) * heads + h;
          const std::int64_t one = head * size + (near ? 2 * i : i), other = near ? one + 1 : one + rotated / 2;
          const std::complex<double> v = by * std::complex<double>(x.values[one], x.values[other]);
          y[one] = v.real();
          y[other] = v.imag();
        }
}

const Cases cases(
    "RotaryEmbedding",
    {
        {"RotaryEmbedding interleaved={0|1}",
         "float[2,3,4,10] random; float[7,5] random 2; float[7,5] random 3; int64[2,4] uniform 0 6",
         "",
         {.formula = turned}},
        {"RotaryEmbedding interleaved={0|1} num_heads=3",
         "float[2,4,30] random; float[2,4,5] random 2; float[2,4,5] random 3",
         "",
         {.formula = turned}},
        {"RotaryEmbedding interleaved={0|1} rotary_embedding_dim=4",
         "T[1,2,3,6] random; T[3,2] random 2; T[3,2] random 3; int64[1,3] 2 0 1",
         "",
         {.formula = turned, .types = "float"}},
        {"RotaryEmbedding interleaved={0|1} num_heads=2",
         "float[1,3,128] random; float[9,32] random 2; float[9,32] random 3; int64[1,3] 2 8 1",
         "",
         {.formula = turned}},
        // A right angle.
        {"RotaryEmbedding", "T[1,1,1,2] 3 5; T[1,1,1] 0; T[1,1,1] 1", "T[1,1,1,2] -5 3"},
        {"RotaryEmbedding", "float[1,1,1,2] 3 5; float[4,1] 0 0 0 0; float[4,1] 1 1 1 1; int64[1,1] -1",
         "float[1,1,1,2] -5 3"},
        {"RotaryEmbedding", "float[0,2,3,4]; float[5,2] random; float[5,2] random; int64[0,3]", "float[0,2,3,4]"},
        {"RotaryEmbedding",
         "float[1,1,1,2] 3 5; float[4,1] 0 0 0 0; float[4,1] 1 1 1 1; int64[1,1] 4",
         "",
         {.error = "*"}},
        {"RotaryEmbedding",
         "float[1,1,1,2] 3 5; float[4,2] random; float[4,2] random; int64[1,1] 0",
         "",
         {.error = "*"}},
        {"RotaryEmbedding",
         "float[1,1,2] 3 5; float[4,1] random; float[4,1] random; int64[1,1] 0",
         "",
         {.error = "num_heads"}},
        {"RotaryEmbedding rotary_embedding_dim=3",
         "float[B,H,S,4]; float[P,1]; float[P,1]; int64[B,S]",
         "",
         {.error = "cannot be turned"}},
        {"RotaryEmbedding rotary_embedding_dim=6",
         "float[B,H,S,4]; float[P,3]; float[P,3]; int64[B,S]",
         "",
         {.error = "cannot be turned"}},
        {"RotaryEmbedding num_heads=3",
         "float[B,S,8]; float[P,1]; float[P,1]; int64[B,S]",
         "",
         {.error = "does not split into 3 heads"}},
        {"RotaryEmbedding-23", "float[B,H,S,64]; float[P,32]; float[P,32]; int64[B,S]", "float[B,H,S,64]"},
    });

}  // namespace
}  // namespace rotary_embedding_test_cc
}  // namespace norn::ops::cases
