#include "kernels/cpu/linear.h"

#include "kernels/cpu/extents.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/physical.h"

namespace norn::kernels {
namespace {

constexpr std::int64_t kBlock = 64;  // rows that are done together

class Linear final : public Kernel {
 public:
  explicit Linear(const LinearConfig& c)
      : c_(c),
        model_(c.model->model),
        blocks_((c.rows + kBlock - 1) / kBlock),
        width_(std::max(model_.scores, model_.rule.targets)) {
    const double row_ns = static_cast<double>(model_.scores * model_.features) * 0.02 + static_cast<double>(width_) * 8;
    tasks_ = piece_count(blocks_, row_ns * kBlock);
    products_ = static_cast<std::size_t>((kBlock * model_.scores + 15) / 16 * 16) * sizeof(float);
    task_bytes_ = products_ + static_cast<std::size_t>((width_ + 7) / 8 * 8) * sizeof(double);
  }
  std::size_t scratch_bytes() const override { return task_bytes_ * static_cast<std::size_t>(tasks_); }

  void run(void* const* operands, void* scratch) const override {
    base::parallel_for(tasks_, [&](std::int64_t task) {
      auto* own = static_cast<std::byte*>(scratch) + task_bytes_ * static_cast<std::size_t>(task);
      for (std::int64_t b = blocks_ * task / tasks_; b < blocks_ * (task + 1) / tasks_; ++b)
        block(operands, b * kBlock, std::min(kBlock, c_.rows - b * kBlock), reinterpret_cast<float*>(own),
              reinterpret_cast<double*>(own + products_));
    });
  }

 private:
  void block(void* const* operands, std::int64_t first, std::int64_t rows, float* products, double* scores) const {
    const std::int64_t k = model_.features, n = model_.scores, width = gemm_table().width;
    const Panels panels{static_cast<const float*>(c_.model->panels.get()), k * width, width};
    gemm_table().multiply(rows, n, k, static_cast<const float*>(operands[0]) + first * k, k, 1, panels, products, n,
                          model_.intercepts.empty() ? nullptr : model_.intercepts.data(), 1.0f);
    for (std::int64_t r = 0; r < rows; ++r) {
      std::copy_n(products + r * n, n, scores);
      model_.rule.finish(scores, first + r, operands[1], operands[2], DataType::Float);
    }
  }

  LinearConfig c_;
  const LinearModel& model_;
  std::int64_t blocks_, width_, tasks_ = 1;
  std::size_t products_, task_bytes_;
};

std::string refuses(const LinearConfig& c) {
  if (c.x != DataType::Float) return "takes float, not " + std::string(data_type_name(c.x));
  if (c.features != c.model->model.features) return "X has another number of columns than the coefficients";
  const Shape x = {c.rows, c.features}, y = {c.rows, c.model->model.rule.targets};
  return extent_refusal({&x, &y});
}
std::unique_ptr<Kernel> make(const LinearConfig& c, PackedConstants&) { return std::make_unique<Linear>(c); }

constexpr Candidate<LinearConfig> kCandidates[] = {{"panels", refuses, make}};

}  // namespace

std::shared_ptr<const PackedLinear> pack_linear(LinearModel model) {
  auto packed = std::make_shared<PackedLinear>();
  const std::int64_t n = model.scores, k = model.features, width = gemm_table().width;
  auto panels = aligned_buffer(static_cast<std::size_t>(packed_floats(k, n)) * sizeof(float));
  pack_panels(model.coefficients.data(), 1, k, k, n, 0, (n + width - 1) / width, static_cast<float*>(panels.get()));
  packed->panels = std::move(panels);
  packed->model = std::move(model);
  packed->model.coefficients = {};
  return packed;
}

std::span<const Candidate<LinearConfig>> linear_candidates() { return kCandidates; }

}  // namespace norn::kernels
