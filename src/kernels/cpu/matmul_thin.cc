// A few rows times matrices that are read where they lie: those that grow with each call, as a step of decoding meets
// them, and constants so large that a second copy is not worth the little time that large pages save. There is nothing
// to pack and nothing to prepare.
#include <algorithm>

#include "base/division.h"
#include "base/parallel.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/matmul_candidates.h"
#include "kernels/cpu/matmul_posts.h"
#include "kernels/cpu/thin.h"

namespace norn::kernels {
inline namespace matmul_thin_cc {
namespace {

// A lone column is contiguous however it lies.
bool by_columns(const MatMulShape& s) { return s.b_row == 1 && s.a_column == 1 && (s.b_column != 1 || s.n == 1); }

constexpr std::int64_t kFarElements = std::int64_t{1} << 19;   // of a matrix beyond a core's own caches
constexpr std::int64_t kHugeElements = std::int64_t{1} << 23;  // beyond all caches

class ThinMatMul final : public Kernel {
 public:
  ThinMatMul(const MatMulConfig& config, PackedConstants& packed)
      : c_(config),
        s_(config),
        by_columns_(by_columns(s_)),
        posts_(config, c_form(config) == CForm::Row && config.beta == 1.0f, packed) {
    // A product or several to a task, or a part of one: by columns or, where B's rows lie behind each other, by rows,
    // whose sums are added up at the end; each part then reads one stretch of memory. B's elements come from memory.
    const double product_ns = static_cast<double>(s_.n * s_.k) * 0.1 + 50;
    const std::int64_t want = product_pieces(product_ns * static_cast<double>(s_.batches));
    if (!by_columns_ && s_.batches == 1 && s_.k >= 64 && s_.n * s_.k >= kFarElements) {
      row_parts_ = std::clamp<std::int64_t>(want, 1, 4);
      sums_ = (s_.m * s_.n + 15) / 16 * 16;
      return;
    }
    if (want > s_.batches)
      split_ = std::max<std::int64_t>(1, std::min((want + s_.batches - 1) / s_.batches, s_.n / kColumns));
    tasks_ = std::min(want, s_.batches * split_);
  }

  std::size_t scratch_bytes() const override {
    return static_cast<std::size_t>((row_parts_ - 1) * sums_) * sizeof(float);
  }

  void run(void* const* operands, void* scratch) const override {
    const float* a = static_cast<const float*>(operands[0]);
    const float* b = static_cast<const float*>(operands[1]);
    float* out = static_cast<float*>(operands[3 + c_.extra.size()]);
    const float* bias = posts_.c_is_bias() ? static_cast<const float*>(operands[2]) : nullptr;
    if (row_parts_ > 1) return by_row_parts(operands, a, b, bias, out, static_cast<float*>(scratch));
    const std::int64_t jobs = s_.batches * split_;
    base::parallel_for(tasks_, [&](std::int64_t task) {
      for (auto [j, last_j] = base::part_of(jobs, tasks_, task); j < last_j; ++j) job(a, b, bias, out, j);
    });
    posts_.run(operands, out);
  }

 private:
  static constexpr std::int64_t kColumns = 64;  // parts begin at multiples of it
  // Sums of all but the first part lie in scratch memory until they are added to the first.
  void by_row_parts(void* const* operands, const float* a, const float* b, const float* bias, float* out,
                    float* scratch) const {
    base::parallel_for(row_parts_, [&](std::int64_t part) {
      const auto [first, end] = base::part_of(s_.k, row_parts_, part);
      thin_table().by_rows(s_.m, s_.n, end - first, a + s_.a_at[0] + first * s_.a_column, s_.a_row, s_.a_column,
                           b + s_.b_at[0] + first * s_.b_row, s_.b_row, part == 0 ? out : scratch + (part - 1) * sums_,
                           s_.n, part == 0 ? bias : nullptr, c_.alpha);
    });
    for (std::int64_t part = 1; part < row_parts_; ++part) {
      const float* sums = scratch + (part - 1) * sums_;
      for (std::int64_t i = 0; i < s_.m * s_.n; ++i) out[i] += sums[i];
    }
    posts_.run(operands, out);
  }

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
  std::int64_t row_parts_ = 1, sums_ = 0;  // of B's rows, and floats of their sums
};

}  // namespace
}  // namespace matmul_thin_cc

std::string thin_matmul_refuses(const MatMulConfig& c) {
  if (std::string why = matmul_config_refusal(c); !why.empty()) return why;
  if (c.in_place_extra >= 0) return "adds nothing in place";
  const MatMulShape s(c);
  if (s.m > kThinRows) return "more than " + std::to_string(kThinRows) + " rows";
  if (c.b_constant.known() && s.n * s.k < kHugeElements) return "leaves all but huge constants to what packs them";
  if (s.b_column != 1 && !by_columns(s)) return "neither rows nor columns are contiguous";
  return MatMulPosts::refuses(c);
}

std::unique_ptr<Kernel> make_thin_matmul(const MatMulConfig& config, PackedConstants& packed) {
  return std::make_unique<ThinMatMul>(config, packed);
}

}  // namespace norn::kernels
