// A few rows times matrices that are not constant, as a step of decoding meets them, whose sizes grow with each call:
// there is nothing to pack and nothing to prepare.
#include <algorithm>

#include "base/parallel.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/matmul_candidates.h"
#include "kernels/cpu/matmul_posts.h"
#include "kernels/cpu/thin.h"

namespace norn::kernels {
namespace {

// A lone column is contiguous however it lies.
bool by_columns(const MatMulShape& s) { return s.b_row == 1 && s.a_column == 1 && (s.b_column != 1 || s.n == 1); }

class ThinMatMul final : public Kernel {
 public:
  ThinMatMul(const MatMulConfig& config, PackedConstants& packed)
      : c_(config),
        s_(config),
        by_columns_(by_columns(s_)),
        posts_(config, c_form(config) == CForm::Row && config.beta == 1.0f, packed) {
    // A product or several to a task, or a part of one by columns. B's elements come from memory.
    const double product_ns = static_cast<double>(s_.n * s_.k) * 0.1 + 50;
    const std::int64_t want = piece_count(1 << 20, product_ns * static_cast<double>(s_.batches) / (1 << 20), 32);
    if (want > s_.batches)
      split_ = std::max<std::int64_t>(1, std::min((want + s_.batches - 1) / s_.batches, s_.n / kColumns));
    tasks_ = std::min(want, s_.batches * split_);
  }

  void run(void* const* operands, void*) const override {
    const float* a = static_cast<const float*>(operands[0]);
    const float* b = static_cast<const float*>(operands[1]);
    float* out = static_cast<float*>(operands[3 + c_.extra.size()]);
    const float* bias = posts_.c_is_bias() ? static_cast<const float*>(operands[2]) : nullptr;
    const std::int64_t jobs = s_.batches * split_;
    base::parallel_for(tasks_, [&](std::int64_t task) {
      for (std::int64_t j = jobs * task / tasks_; j < jobs * (task + 1) / tasks_; ++j) job(a, b, bias, out, j);
    });
    posts_.run(operands, out);
  }

 private:
  static constexpr std::int64_t kColumns = 64;  // parts begin at multiples of it

  void job(const float* a, const float* b, const float* bias, float* out, std::int64_t j) const {
    const std::int64_t batch = j / split_, part = j % split_, blocks = (s_.n + kColumns - 1) / kColumns;
    const std::int64_t first = blocks * part / split_ * kColumns;
    const std::int64_t columns = std::min(s_.n, blocks * (part + 1) / split_ * kColumns) - first;
    a += s_.a_at[batch];
    b += s_.b_at[batch] + first * s_.b_column;
    out += batch * s_.m * s_.n + first;
    if (bias != nullptr) bias += first;
    if (by_columns_)
      thin_table().by_columns(s_.m, columns, s_.k, a, s_.a_row, b, s_.b_column, out, s_.n, bias, c_.alpha);
    else
      thin_table().by_rows(s_.m, columns, s_.k, a, s_.a_row, s_.a_column, b, s_.b_row, out, s_.n, bias, c_.alpha);
  }

  MatMulConfig c_;
  MatMulShape s_;
  bool by_columns_;
  MatMulPosts posts_;
  std::int64_t tasks_ = 1, split_ = 1;
};

}  // namespace

std::string thin_matmul_refuses(const MatMulConfig& c) {
  if (std::string why = matmul_config_refusal(c); !why.empty()) return why;
  if (c.in_place_extra >= 0) return "adds nothing in place";
  const MatMulShape s(c);
  if (s.m > kThinRows) return "more than " + std::to_string(kThinRows) + " rows";
  if (c.b_constant.known()) return "leaves constants to what packs them";
  if (s.b_column != 1 && !by_columns(s)) return "neither rows nor columns are contiguous";
  return MatMulPosts::refuses(c);
}

std::unique_ptr<Kernel> make_thin_matmul(const MatMulConfig& config, PackedConstants& packed) {
  return std::make_unique<ThinMatMul>(config, packed);
}

}  // namespace norn::kernels
