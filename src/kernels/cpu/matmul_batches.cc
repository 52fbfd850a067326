// Batches of small matrices, by our own tiles: oneDNN takes a microsecond for each beside its sums.
//
// B is read where it lies, beyond the ends of its rows: what is read there is not used. Copied are matrices whose
// columns lie as rows do, and the last ones, behind which there is not enough.
#include <algorithm>

#include "base/division.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/matmul_candidates.h"
#include "kernels/cpu/matmul_posts.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/transpose_loops.h"

namespace norn::kernels {
inline namespace matmul_batches_cc {
namespace {

constexpr std::int64_t kSmall = 180 * 1024;  // multiplications of a product, of which larger ones gain nothing
constexpr std::int64_t kLine = 16;           // floats

class BatchMatMul final : public Kernel {
 public:
  BatchMatMul(const MatMulConfig& config, PackedConstants& packed)
      : c_(config),
        s_(config),
        table_(gemm_table()),
        turning_(transpose_loops(sizeof(float))),
        posts_(config, c_form(config) == CForm::Row && config.beta == 1.0f, packed),
        copy_row_(round_up(s_.n, kLine)),
        reach_(round_up(s_.n, table_.width)),
        b_end_(s_.b_at.last() + (s_.k - 1) * s_.b_row + s_.n) {
    const double product_ns = 20 + 0.02 * static_cast<double>(s_.m * s_.n * s_.k);
    const double all_ns = product_ns * static_cast<double>(s_.batches);
    pieces_ = std::min(s_.batches, product_pieces(all_ns, most_pieces(all_ns, 32)));
  }

  std::size_t scratch_bytes() const override {
    return static_cast<std::size_t>(pieces_ * copy_floats()) * sizeof(float);
  }

  void run(void* const* operands, void* scratch) const override {
    const float *a = static_cast<const float*>(operands[0]), *b = static_cast<const float*>(operands[1]);
    const float* bias = posts_.c_is_bias() ? static_cast<const float*>(operands[2]) : nullptr;
    float* out = static_cast<float*>(operands[3 + c_.extra.size()]);
    base::parallel_for(pieces_, [&](std::int64_t piece) {
      float* const copy = static_cast<float*>(scratch) + piece * copy_floats();
      for (auto [j, last] = base::part_of(s_.batches, pieces_, piece); j < last; ++j)
        table_.multiply(s_.m, s_.n, s_.k, a + s_.a_at[j], s_.a_row, s_.a_column, readable(b, s_.b_at[j], copy),
                        out + j * s_.m * s_.n, s_.n, bias, c_.alpha);
    });
    posts_.run(operands, out);
  }

 private:
  std::int64_t copy_floats() const { return round_up((s_.k - 1) * copy_row_ + reach_, kLine); }

  // The matrix at b[at], or a copy of it.
  Panels readable(const float* b, std::int64_t at, float* copy) const {
    if (s_.b_column == 1 && at + (s_.k - 1) * s_.b_row + reach_ <= b_end_) return {b + at, table_.width, s_.b_row};
    b += at;
    if (s_.b_row == 1) {
      turning_.block(b, s_.b_column, copy, copy_row_, s_.n, s_.k);
    } else {
      for (std::int64_t l = 0; l < s_.k; ++l)
        for (std::int64_t j = 0; j < s_.n; ++j) copy[l * copy_row_ + j] = b[l * s_.b_row + j * s_.b_column];
    }
    for (std::int64_t l = 0; l < s_.k; ++l)
      std::fill(copy + l * copy_row_ + s_.n, copy + (l + 1 < s_.k ? (l + 1) * copy_row_ : copy_floats()), 0.0f);
    return {copy, table_.width, copy_row_};
  }

  MatMulConfig c_;
  MatMulShape s_;
  const GemmTable& table_;
  TransposeLoops turning_;
  MatMulPosts posts_;
  std::int64_t copy_row_;  // floats of a row of a copy
  std::int64_t reach_;     // and from the beginning of a row of B to the end of what tiles read
  std::int64_t b_end_;     // of what there is of B
  std::int64_t pieces_ = 1;
};

}  // namespace
}  // namespace matmul_batches_cc

std::string batch_matmul_refuses(const MatMulConfig& c) {
  if (std::string why = matmul_config_refusal(c); !why.empty()) return why;
  if (c.in_place_extra >= 0) return "adds nothing in place";
  const MatMulShape s(c);
  if (s.batches == 1) return "is for more than one product";
  if (!bounded_product({s.m, s.n, s.k}, kSmall)) return "not small";
  return MatMulPosts::refuses(c);
}
std::unique_ptr<Kernel> make_batch_matmul(const MatMulConfig& config, PackedConstants& packed) {
  return std::make_unique<BatchMatMul>(config, packed);
}

}  // namespace norn::kernels
