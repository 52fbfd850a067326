// Rows of bytes times one constant matrix (panels_int8.h).
#include "base/fork.h"
#include "base/parallel.h"
#include "kernels/cpu/align.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/matmul_candidates.h"
#include "kernels/cpu/panels_int8.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
inline namespace matmul_int8_panels_cc {
namespace {

using Op = Int8Operand;

class PanelMatMulInt8 final : public Kernel {
 public:
  PanelMatMulInt8(const MatMulInt8Config& config, PackedConstants& packed)
      : c_(config),
        depth_(c_.x.back()),
        columns_(c_.out.back()),
        table_(panel_table_for(element_count(c_.x) / depth_, 1, depth_, columns_)),
        w_(laid_out_for(table_, {1, depth_, columns_, 1}), c_.weights, {c_.w_type, c_.w_zero.data, c_.w_zeros, 1},
           depth_ * columns_, "matmul " + std::to_string(columns_), packed,
           [n = columns_](std::int64_t, std::int64_t, std::int64_t k, std::int64_t column) { return k * n + column; }),
        finisher_(c_.output, columns_, depth_),
        loop_(w_.shape(), finisher_, c_.output,
              PanelTiles(element_count(c_.x) / depth_, w_.shape(), table_, bytes_of_row(c_.output, columns_)),
              c_.x_type, table_),
        last_rows_(element_count(c_.x) / depth_, depth_, table_) {
    const auto rows = static_cast<double>(element_count(c_.x) / depth_);
    const double weights = static_cast<double>(depth_) * static_cast<double>(columns_);
    tasks_ = std::min(loop_.units(), int8_pieces(std::max(rows * weights / 400, weights * 0.02), 32));
    last_at_ = align64(finisher_.scratch_bytes());
    own_at_ = last_at_ + align64(last_rows_.bytes());
  }

  std::size_t scratch_bytes() const override { return own_at_ + loop_.task_bytes() * static_cast<std::size_t>(tasks_); }

  void run(void* const* operands, void* scratch) const override {
    char* const base = static_cast<char*>(scratch);
    const std::int32_t own_zero = zero_point(operands[Op::XZero], c_.x_type), x_zero = loop_.counted_zero(own_zero);
    auto kept = pool_.take([] { return std::make_unique<SumFinisher::Kept>(); });
    if (c_.output.tame)
      finisher_.keep(*kept, operands, x_zero, w_.sums());
    else
      kept->run = finisher_.prepare(operands, x_zero, w_.sums(), base);
    const auto* x = static_cast<const std::uint8_t*>(operands[Op::X]);
    auto* const copies = reinterpret_cast<std::uint8_t*>(base + last_at_);
    last_rows_.copy(x, copies);
    const std::int64_t units = loop_.units();
    base::parallel_for(tasks_, [&](std::int64_t t) {
      loop_.run(loop_.bytes_for(own_zero), w_.matrix(), kept->run, units * t / tasks_, units * (t + 1) / tasks_, 0, 0,
                columns_, base + own_at_ + static_cast<std::size_t>(t) * loop_.task_bytes(),
                [&](std::int64_t first, std::int64_t last, const std::uint8_t** to) {
                  for (std::int64_t r = first; r < last; ++r) *to++ = last_rows_.at(x, r, copies);
                });
    });
    pool_.give(std::move(kept));
  }

 private:
  MatMulInt8Config c_;
  std::int64_t depth_, columns_, tasks_ = 1;
  const PanelTable& table_;
  PanelWeights w_;
  SumFinisher finisher_;
  PanelLoop loop_;
  LastRows last_rows_;
  std::size_t last_at_ = 0, own_at_ = 0;
  base::ObjectPool<SumFinisher::Kept> pool_;
};

}  // namespace
}  // namespace matmul_int8_panels_cc

std::string panel_matmul_int8_refuses(const MatMulInt8Config& c) {
  if (std::string why = matmul_int8_config_refusal(c); !why.empty()) return why;
  if (!c.weights.known() || (c.w_zeros > 0 && !c.w_zero.known())) return "the right matrix is not constant";
  if (element_count(c.w) != c.w[c.w.size() - 2] * c.w.back()) return "several right matrices";
  if (c.x.back() < 1) return "an empty product";
  return "";
}

std::unique_ptr<Kernel> make_panel_matmul_int8(const MatMulInt8Config& config, PackedConstants& packed) {
  return std::make_unique<PanelMatMulInt8>(config, packed);
}

}  // namespace norn::kernels
