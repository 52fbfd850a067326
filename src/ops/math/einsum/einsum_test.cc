// Einsum against sums written out for single equations.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace einsum_test_cc {
namespace {

// "bij,bjk,kl->lbi"
void chain(Sample& s) {
  const auto &x = s.in(0).dims, &y = s.in(1).dims, &z = s.in(2).dims;
  auto& out = s.out(0, {z[1], x[0], x[1]});
  for (std::int64_t b = 0; b < x[0]; ++b)
    for (std::int64_t i = 0; i < x[1]; ++i)
      for (std::int64_t l = 0; l < z[1]; ++l)
        for (std::int64_t k = 0; k < y[2]; ++k)
          for (std::int64_t j = 0; j < x[2]; ++j)
            out[(l * x[0] + b) * x[1] + i] += s.in(0).at({b, i, j}) * s.in(1).at({b, j, k}) * s.in(2).at({k, l});
}

// "...ij,...jk->...ik" of one dimension that is stretched.
void products(Sample& s) {
  const auto &x = s.in(0).dims, &y = s.in(1).dims;
  const std::int64_t batch = x[0] == 1 ? y[0] : x[0];
  auto& out = s.out(0, {batch, x[1], y[2]});
  for (std::int64_t b = 0; b < batch; ++b)
    for (std::int64_t i = 0; i < x[1]; ++i)
      for (std::int64_t k = 0; k < y[2]; ++k)
        for (std::int64_t j = 0; j < x[2]; ++j)
          out[(b * x[1] + i) * y[2] + k] +=
              s.in(0).at({x[0] == 1 ? 0 : b, i, j}) * s.in(1).at({y[0] == 1 ? 0 : b, j, k});
}

// "bij,ij,j->bij", where i and j may be stretched in the second and the third.
void scaled(Sample& s) {
  const auto &x = s.in(0).dims, &y = s.in(1).dims, &z = s.in(2).dims;
  auto& out = s.out(0, {x[0], x[1], x[2]});
  for (std::int64_t b = 0; b < x[0]; ++b)
    for (std::int64_t i = 0; i < x[1]; ++i)
      for (std::int64_t j = 0; j < x[2]; ++j)
        out[(b * x[1] + i) * x[2] + j] =
            s.in(0).at({b, i, j}) * s.in(1).at({y[0] == 1 ? 0 : i, j}) * s.in(2).at({z[0] == 1 ? 0 : j});
}

const Cases cases("Einsum",
                  {
                      {"Einsum equation=bij,bjk,kl->lbi",
                       "T[2,3,4] random; T[2,4,2] random; T[2,3] random",
                       "",
                       {.formula = chain, .types = "float double int32 int64"}},
                      {"Einsum equation={bij,ij,j->bij|...ij,ij,j->...ij}",
                       "T[{2|1|0},3,21] uniform 0 6; T[{3|1},21] uniform 0 4; T[{21|1}] uniform 0 5",
                       "",
                       {.formula = scaled, .types = "float double int32 int64 uint8 int16"}},
                      {"Einsum equation={...ij,...jk->...ik|...ij,...jk}",
                       "double[{1|3},2,4] random; double[{1|3},4,2] random",
                       "double",
                       {.formula = products}},
                      {"Einsum equation={ij->ji|\" i j -> j i \"}", "T[2,3] 1 2 3 4 5 6", "T[3,2] 1 4 2 5 3 6"},
                      {"Einsum equation={ii->i|ii...->i...}", "T[2,2] 1 2 3 4", "T[2] 1 4"},
                      {"Einsum equation={ii|ii->}", "T[2,2] 1 2 3 4", "T[] 5"},
                      {"Einsum equation=iij->j", "float[2,2,2] 1 2 3 4 5 6 7 8", "float[2] 8 10"},
                      {"Einsum equation={i,i|i,i->}", "T[3] 1 2 3; T[3] 4 5 6", "T[] 32"},
                      {"Einsum equation={i,j|i,j->ij}", "int32[2] 1 2; int32[3] 1 2 3", "int32[2,3] 1 2 3 2 4 6"},
                      {"Einsum equation=i,j->", "int32[2] 1 2; int32[3] 1 2 3", "int32[] 18"},
                      // Letters that appear once in ASCII order: capitals come first.
                      {"Einsum equation=bA", "float[2,3] 1 2 3 4 5 6", "float[3,2] 1 4 2 5 3 6"},
                      {"Einsum equation=i...j", "float[1,2,2] 1 2 3 4", "float[2,1,2] 1 2 3 4"},
                      {"Einsum equation=i...->...", "float[2,2] 1 2 3 4", "float[2] 4 6"},
                      {"Einsum equation=i...->...", "float[2] 1 2", "float[] 3"},
                      {"Einsum equation={,->|,}", "T[] 3; T[] 4", "T[] 12"},
                      {"Einsum equation={\"\"|->}", "float[] 3", "float[] 3"},
                      {"Einsum equation=i,->i", "float[2] 1 2; float[] 4", "float[2] 4 8"},
                      {"Einsum equation=i,i,i->i", "float[2] 1 2; float[2] 3 4; float[1] 2", "float[2] 6 16"},
                      {"Einsum equation=ij,jk->ik", "float[2,1] 1 2; float[3,2] 1 2 3 4 5 6", "float[2,2] 9 12 18 24"},
                      {"Einsum equation=ij,jk->ik", "float[2,0]; float[0,3]", "float[2,3] 0 0 0 0 0 0"},
                      {"Einsum equation=ij->i", "float[0,3]", "float[0]"},
                      {"Einsum equation=i,i", "uint8[2] 16 16; uint8[2] 16 1", "uint8[] 16"},
                      {"Einsum equation=i,i", "int64[2] max 1; int64[2] 1 1", "int64[] min"},
                      // 2^11 + 1 + 1 in half precision, rounded once.
                      {"Einsum equation=i->", "float16[3] 2048 1 1", "float16[] 2050"},

                      {"Einsum equation={ij|i,j|i...->i|i->ii|i->j|i->i...|i->->i|i->i,i|i;|.i|....i|......i|1}",
                       "float[2] 1 2",
                       "",
                       {.error = "*"}},
                      {"Einsum equation=...,...->...", "float[2,3] random; float[3] random", "", {.error = "ellipsis"}},
                      {"Einsum equation=i,i->", "float[2] 1 2; float[3] 1 2 3", "", {.error = "sizes"}},
                      {"Einsum equation=ii->i", "float[1,3] 1 2 3", "", {.error = "*"}},
                      {"Einsum equation=i->i", "float[2] 1 2; float[2] 1 2", "", {.error = "inputs"}},

                      {"Einsum equation=bij,bjk->bik", "float[B,I,J]; float[B,J,K]", "float[B,I,K]"},
                      {"Einsum equation=ij,jk->ik", "float[2,N]; float[M,3]", "float[2,3]"},
                      {"Einsum equation=...i,...i->...i", "float[A,4]; float[B,4]", "float[?,4]"},
                      {"Einsum equation=ij,jk->ik", "float; float[M,3]", "float[?,3]"},
                      {"Einsum equation=...j->...", "float", "float"},
                      {"Einsum equation=i,j->ij", "float; float", "float[?,?]"},
                      {"Einsum-28 equation=i->", "float[2] 1 2", "float[] 3", {.down_to = 12}},
                  });

}  // namespace
}  // namespace einsum_test_cc
}  // namespace norn::ops::cases
