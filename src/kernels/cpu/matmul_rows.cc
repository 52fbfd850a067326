// A matrix whose rows lie dense times one column: each row is read once. As memory gives them, rows are not worth
// packing anything for.
#include "kernels/cpu/matmul_candidates.h"
#include "kernels/cpu/row_dots.h"

namespace norn::kernels {
inline namespace matmul_rows_cc {
namespace {

class MatMulRows final : public Kernel {
 public:
  explicit MatMulRows(const MatMulConfig& c) : shape_(c) {}

  void run(void* const* operands, void*) const override {
    const float *a = static_cast<const float*>(operands[0]), *b = static_cast<const float*>(operands[1]);
    float* out = static_cast<float*>(operands[3]);
    const std::int64_t m = shape_.m, k = shape_.k;
    parallel_ranges(shape_.batches * m, 5 + 0.1 * static_cast<double>(k), 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t at = begin, rows = 0; at < end; at += rows) {
        rows = std::min(end - at, m - at % m);
        const std::int64_t batch = at / m;
        multiply_(a + shape_.a_at[batch] + at % m * k, k, rows, k, b + shape_.b_at[batch], out + at, 1);
      }
    });
  }

 private:
  MatMulShape shape_;
  RowDots<float> multiply_;
};

}  // namespace
}  // namespace matmul_rows_cc

std::string rows_matmul_refuses(const MatMulConfig& c) {
  if (std::string why = matmul_config_refusal(c); !why.empty()) return why;
  const MatMulShape s(c);
  if (s.n != 1 || s.m < 8 || s.k < 5) return "is for many rows times one column";
  if (s.a_column != 1 || s.a_row != s.k || s.b_row != 1) return "reads dense rows and a dense column";
  if (c.alpha != 1 || c.has_c || !c.post.empty()) return "gives the product alone";
  return "";
}
std::unique_ptr<Kernel> make_rows_matmul(const MatMulConfig& c, PackedConstants&) {
  return std::make_unique<MatMulRows>(c);
}

}  // namespace norn::kernels
