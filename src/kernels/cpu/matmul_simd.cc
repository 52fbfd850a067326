// Our own product of matrices: B in panels (packed once if it is constant), split by panels and by rows.
#include <algorithm>

#include "base/division.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/matmul_candidates.h"
#include "kernels/cpu/matmul_posts.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/transpose.h"

namespace norn::kernels {
inline namespace matmul_simd_cc {
namespace {

std::int64_t distinct_b(const MatMulShape& s) { return s.b_at.last() / (s.k * s.n) + 1; }

// Matrices that lie one behind the other.
void pack(const MatMulShape& s, const float* b, std::int64_t matrices, float* to) {
  const std::int64_t width = gemm_table().width, panels = (s.n + width - 1) / width, all = matrices * panels,
                     each = packed_floats(s.k, s.n);
  const auto pack_some = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      pack_panels(b + i / panels * s.k * s.n, s.b_row, s.b_column, s.k, s.n, i % panels, i % panels + 1,
                  to + i / panels * each);
  };
  constexpr std::int64_t kWorthTurning = 16;
  if (s.b_row != 1 || s.b_column == 1 || s.k < kWorthTurning || s.n < width)
    return parallel_ranges(all, static_cast<double>(s.k * width) * 0.2, 1, pack_some);
  // Columns lie side by side in memory: whole panels are matrices to be transposed.
  const std::int64_t whole = s.n / width;
  const GridDim grid[] = {{matrices, s.k * s.n, each}, {whole, width * s.b_column, width * s.k}};
  transpose_grid(b, to, grid, 2, width, s.k, s.b_column, width, sizeof(float));
  if (whole < panels)
    for (std::int64_t i = whole; i < all; i += panels) pack_some(i, i + 1);
}

class OwnMatMul final : public Kernel {
 public:
  OwnMatMul(const MatMulConfig& config, PackedConstants& packed)
      : c_(config),
        s_(config),
        table_(gemm_table()),
        posts_(config, c_form(config) == CForm::Row && config.beta == 1.0f, packed) {
    panels_ = (s_.n + table_.width - 1) / table_.width;
    each_ = packed_floats(s_.k, s_.n);
    // Rows of a B that is not constant are read where they lie if its columns fill whole panels.
    direct_ = !c_.b_constant.known() && s_.b_column == 1 && s_.n % table_.width == 0;
    if (c_.b_constant.known()) {
      packed_ = packed_panels(c_, s_, packed);
    } else if (!direct_) {
      matrices_ = distinct_b(s_);
      scratch_ = static_cast<std::size_t>(each_ * matrices_) * sizeof(float);
    }
    // Tasks: a product or several, or a part of one by panels (few rows) or by rows.
    const double products = static_cast<double>(s_.m * s_.n) * static_cast<double>(s_.k);
    // Few rows wait for B to come from memory.
    const double product_ns = std::max(products * 0.012, static_cast<double>(s_.n * s_.k) * 0.1) + 50;
    const double all_ns = product_ns * static_cast<double>(s_.batches);
    const std::int64_t want = product_pieces(all_ns, most_pieces(all_ns, 32));
    tasks_ = want;
    if (want > s_.batches) {
      split_ = (want + s_.batches - 1) / s_.batches;
      by_rows_ = s_.m > panels_ * table_.width;
      split_ = std::max<std::int64_t>(1, std::min(split_, by_rows_ ? s_.m / 12 : panels_));
      tasks_ = s_.batches * split_;
    }
  }

  std::size_t scratch_bytes() const override { return scratch_; }
  bool reads(std::size_t i) const override { return i != 1 || !packed_; }

  void run(void* const* operands, void* scratch) const override {
    const float* b = static_cast<const float*>(operands[1]);
    if (packed_) {
      b = static_cast<const float*>(packed_.get());
    } else if (!direct_) {
      pack(s_, b, matrices_, static_cast<float*>(scratch));
      b = static_cast<const float*>(scratch);
    }
    const float* a = static_cast<const float*>(operands[0]);
    float* out = static_cast<float*>(operands[3 + c_.extra.size()]);
    const float* bias = posts_.c_is_bias() ? static_cast<const float*>(operands[2]) : nullptr;
    const std::int64_t jobs = s_.batches * split_;
    base::parallel_for(tasks_, [&](std::int64_t task) {
      for (auto [j, last_j] = base::part_of(jobs, tasks_, task); j < last_j; ++j) job(a, b, bias, out, j);
    });
    posts_.run(operands, out);
  }

 private:
  void job(const float* a, const float* b, const float* bias, float* out, std::int64_t j) const {
    const auto [batch, part] = base::divide(j, split_);
    Panels panels{b + base::quotient(s_.b_at[batch], s_.k * s_.n) * each_, s_.k * table_.width, table_.width};
    if (direct_) panels = {b + s_.b_at[batch], table_.width, s_.b_row};
    std::int64_t m0 = 0, m1 = s_.m, n0 = 0, n1 = s_.n;
    if (by_rows_) {
      m0 = base::quotient(s_.m * part, split_);
      m1 = base::quotient(s_.m * (part + 1), split_);
    } else {
      const std::int64_t panel = base::quotient(panels_ * part, split_);
      n0 = panel * table_.width;
      n1 = std::min(s_.n, base::quotient(panels_ * (part + 1), split_) * table_.width);
      panels.data += panel * panels.panel_stride;
    }
    table_.multiply(m1 - m0, n1 - n0, s_.k, a + s_.a_at[batch] + m0 * s_.a_row, s_.a_row, s_.a_column, panels,
                    out + (batch * s_.m + m0) * s_.n + n0, s_.n, bias == nullptr ? nullptr : bias + n0, c_.alpha);
  }

  MatMulConfig c_;
  MatMulShape s_;
  const GemmTable& table_;
  MatMulPosts posts_;
  std::int64_t panels_, each_, matrices_ = 0, tasks_ = 1, split_ = 1;
  bool direct_, by_rows_ = false;
  std::shared_ptr<const void> packed_;
  std::size_t scratch_ = 0;
};

}  // namespace
}  // namespace matmul_simd_cc

std::shared_ptr<const void> packed_panels(const MatMulConfig& c, const MatMulShape& s, PackedConstants& packed) {
  return packed.get(c.b_constant, 0, "simd matmul " + to_string(c.b) + (c.trans_b ? "t" : ""), [&] {
    const std::int64_t matrices = distinct_b(s);
    auto buffer = aligned_buffer(static_cast<std::size_t>(packed_floats(s.k, s.n) * matrices) * sizeof(float));
    pack(s, static_cast<const float*>(c.b_constant.data), matrices, static_cast<float*>(buffer.get()));
    return buffer;
  });
}

std::string simd_matmul_refuses(const MatMulConfig& c) {
  if (std::string why = matmul_config_refusal(c); !why.empty()) return why;
  if (c.in_place_extra >= 0) return "adds nothing in place";
  if (!c.b_strides.empty() && MatMulShape(c).batches > 1) return "packs matrices that lie one behind the other";
  return MatMulPosts::refuses(c);
}

std::string simd_small_matmul_refuses(const MatMulConfig& c) {
  if (std::string why = simd_matmul_refuses(c); !why.empty()) return why;
  const MatMulShape s(c);
  if (s.m <= 4 && c.b_constant.known() && s.batches == 1) return "";
  if (!bounded_product({s.m, s.n, s.k}, 64 * 1024) || s.batches > 1) return "not small";
  return "";
}

std::unique_ptr<Kernel> make_simd_matmul(const MatMulConfig& config, PackedConstants& packed) {
  return std::make_unique<OwnMatMul>(config, packed);
}

}  // namespace norn::kernels
