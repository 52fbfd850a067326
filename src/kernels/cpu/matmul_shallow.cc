// Products by way of so few elements that writing the result takes as long as computing it: tiles of sums that stay in
// registers until they are written, row after row. B is copied into panels: where it is read as it lies, its rows and
// those of the result may lie at equal places of pages, and what is read then waits for what was just written.
#include "kernels/cpu/contraction.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/matmul_candidates.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace matmul_shallow_cc {
namespace {

constexpr double kShallowWriteNs = 0.05, kShallowProductNs = 0.008;
constexpr std::int64_t kShallowBlock = 96;
constexpr std::int64_t kShallowDepth = 64, kShallowRows = 48, kShallowColumns = 64, kWholeLine = 16;

class ShallowMatMul final : public Kernel {
 public:
  ShallowMatMul(const MatMulConfig& config, PackedConstants& packed)
      : s_(config), loops_(product_loops<float>()), panels_((s_.n + loops_.width - 1) / loops_.width) {
    if (!config.b_constant.known()) return;
    std::string recipe = "shallow matmul " + to_string(config.b);
    for (const std::int64_t size : {s_.b_row, s_.b_column, loops_.width})
      recipe.append(1, ' ').append(std::to_string(size));
    constant_ = packed.get(config.b_constant, 0, recipe, [&] {
      auto buffer = aligned_buffer(panel_bytes());
      pack(static_cast<const float*>(config.b_constant.data), static_cast<float*>(buffer.get()));
      return buffer;
    });
  }

  std::size_t scratch_bytes() const override { return constant_ ? 0 : panel_bytes(); }
  bool reads(std::size_t i) const override { return i != 1 || !constant_; }

  void run(void* const* operands, void* scratch) const override {
    const auto* a = static_cast<const float*>(operands[0]);
    auto* out = static_cast<float*>(operands[3]);
    if (!constant_) pack(static_cast<const float*>(operands[1]), static_cast<float*>(scratch));
    const auto* panels = static_cast<const float*>(constant_ ? constant_.get() : scratch);
    const double row_ns = static_cast<double>(s_.n) * (kShallowWriteNs + kShallowProductNs * static_cast<double>(s_.k));
    parallel_ranges(s_.m, row_ns, kShallowBlock, [&](std::int64_t begin, std::int64_t end) {
      loops_.multiply(end - begin, s_.n, s_.k, a + s_.a_at[0] + begin * s_.a_row, s_.a_row, s_.a_column, panels,
                      s_.k * loops_.width, loops_.width, out + begin * s_.n, s_.n, false);
    });
  }

 private:
  std::size_t panel_bytes() const { return static_cast<std::size_t>(panels_ * loops_.width * s_.k) * sizeof(float); }
  void pack(const float* b, float* to) const {
    const double panel_ns = 0.3 * static_cast<double>(loops_.width * s_.k);
    parallel_ranges(panels_, panel_ns, 1, [&](std::int64_t first, std::int64_t last) {
      pack_product_panels(b + s_.b_at[0], s_.b_row, s_.b_column, s_.k, s_.n, loops_.width, first, last, to);
    });
  }

  MatMulShape s_;
  ProductLoops<float> loops_;
  std::int64_t panels_;
  std::shared_ptr<const void> constant_;
};

}  // namespace
}  // namespace matmul_shallow_cc

std::string shallow_matmul_refuses(const MatMulConfig& c) {
  if (std::string why = matmul_config_refusal(c); !why.empty()) return why;
  const MatMulShape s(c);
  if (s.k > kShallowDepth || s.m < kShallowRows || s.n < kShallowColumns)
    return "is for products by way of few elements";
  if (s.n % kWholeLine != 0 && !has_slow_third_cache()) return "rows that are not whole lines of memory";
  if (s.batches > 1 || c.alpha != 1 || c.has_c || !c.post.empty() || c.in_place_extra >= 0)
    return "computes one product alone";
  return "";
}
std::unique_ptr<Kernel> make_shallow_matmul(const MatMulConfig& config, PackedConstants& packed) {
  return std::make_unique<ShallowMatMul>(config, packed);
}

}  // namespace norn::kernels
