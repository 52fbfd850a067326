#include "kernels/cpu/linear.h"

#include <algorithm>

#include "base/division.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/steps.h"

namespace norn::kernels {
inline namespace linear_cc {
namespace {

constexpr std::int64_t kBlock = 64;  // rows that are done together
// Panels are for many scores; these are summed as they lie.
constexpr std::int64_t kFewScores = 4, kManyFeatures = 32;

class Linear final : public Kernel {
 public:
  explicit Linear(const LinearConfig& c)
      : c_(c),
        model_(c.model->model),
        blocks_((c.rows + kBlock - 1) / kBlock),
        width_(std::max(model_.scores, model_.rule.targets)),
        to_float_(c.x == DataType::Float ? nullptr : cast_loop(c.x, DataType::Float)) {
    together_ = model_.rule.shared_target < 0 && model_.scores == model_.rule.targets &&
                model_.transform != RowTransform::Other && model_.scores > 0 &&
                (model_.scores > 1 || (model_.rule.labels.empty() && model_.rule.names.empty()));
    const double row_ns = static_cast<double>(model_.scores * model_.features) * 0.02 + static_cast<double>(width_) * 8;
    tasks_ = piece_count(blocks_, row_ns * kBlock);
    products_ = static_cast<std::size_t>((kBlock * model_.scores + 15) / 16 * 16) * sizeof(float);
    scores_ = static_cast<std::size_t>((width_ + 7) / 8 * 8) * sizeof(double);
    task_bytes_ = products_ + scores_;
    if (to_float_) task_bytes_ += static_cast<std::size_t>(kBlock * model_.features) * sizeof(float);
  }
  std::size_t scratch_bytes() const override { return task_bytes_ * static_cast<std::size_t>(tasks_); }

  void run(void* const* operands, void* scratch) const override {
    base::parallel_for(tasks_, [&](std::int64_t task) {
      auto* own = static_cast<std::byte*>(scratch) + task_bytes_ * static_cast<std::size_t>(task);
      for (auto [b, last_b] = base::part_of(blocks_, tasks_, task); b < last_b; ++b)
        block(operands, b * kBlock, std::min(kBlock, c_.rows - b * kBlock), own);
    });
  }

 private:
  void block(void* const* operands, std::int64_t first, std::int64_t rows, std::byte* own) const {
    const std::int64_t k = model_.features, n = model_.scores, width = gemm_table().width;
    auto* products = reinterpret_cast<float*>(own);
    auto* scores = reinterpret_cast<double*>(own + products_);
    const float* x = static_cast<const float*>(operands[0]) + first * k;
    if (to_float_) {
      auto* floats = reinterpret_cast<float*>(own + products_ + scores_);
      const auto size = static_cast<std::int64_t>(element_size(c_.x));
      to_float_(static_cast<const std::byte*>(operands[0]) + first * k * size, floats, rows * k);
      x = floats;
    }
    const float* bias = model_.intercepts.empty() ? nullptr : model_.intercepts.data();
    if (!model_.coefficients.empty()) {
      dot_rows()(x, rows, k, model_.coefficients.data(), n, bias, products);
    } else {
      const Panels panels{static_cast<const float*>(c_.model->panels.get()), k * width, width};
      gemm_table().multiply(rows, n, k, x, k, 1, panels, products, n, bias, 1.0f);
    }
    if (together_) return finish_rows(operands, first, rows, products);
    for (std::int64_t r = 0; r < rows; ++r) {
      std::copy_n(products + r * n, n, scores);
      model_.rule.finish(scores, first + r, operands[1], operands[2], DataType::Float);
    }
  }

  // Scores that are all given out, as they are or transformed together.
  void finish_rows(void* const* operands, std::int64_t first, std::int64_t rows, float* products) const {
    const std::int64_t n = model_.scores;
    for (std::int64_t r = 0; operands[1] != nullptr && r < rows; ++r) {
      const float* scores = products + r * n;
      const auto best = static_cast<std::size_t>(std::max_element(scores, scores + n) - scores);
      if (!model_.rule.names.empty())
        static_cast<std::string*>(operands[1])[first + r] = model_.rule.names[best];
      else
        static_cast<std::int64_t*>(operands[1])[first + r] = model_.rule.labels[best];
    }
    if (operands[2] == nullptr) return;
    float* out = static_cast<float*>(operands[2]) + first * n;
    if (model_.transform == RowTransform::Softmax)
      row_table().softmax(products, out, rows, n, false);
    else if (model_.transform == RowTransform::Logistic)
      step_table_f32()(ElementOp::Sigmoid)(products, nullptr, out, rows * n, 0, 0);
    else
      std::copy_n(products, rows * n, out);
  }

  LinearConfig c_;
  const LinearModel& model_;
  bool together_ = false;
  std::int64_t blocks_, width_, tasks_ = 1;
  CastLoop to_float_;
  std::size_t products_, scores_, task_bytes_;
};

std::string refuses(const LinearConfig& c) {
  if (c.x != DataType::Float && (c.x == DataType::Bool || !cast_loop(c.x, DataType::Float)))
    return "takes numbers, not " + std::string(data_type_name(c.x));
  if (c.features != c.model->model.features) return "X has another number of columns than the coefficients";
  const Shape x = {c.rows, c.features}, y = {c.rows, c.model->model.rule.targets};
  return extent_refusal({&x, &y});
}
std::unique_ptr<Kernel> make(const LinearConfig& c, PackedConstants&) { return std::make_unique<Linear>(c); }

constexpr Candidate<LinearConfig> kLinearCandidates[] = {{"panels", refuses, make}};

}  // namespace
}  // namespace linear_cc

std::shared_ptr<const PackedLinear> pack_linear(LinearModel model) {
  auto packed = std::make_shared<PackedLinear>();
  const std::int64_t n = model.scores, k = model.features, width = gemm_table().width;
  auto panels = aligned_buffer(static_cast<std::size_t>(packed_floats(k, n)) * sizeof(float));
  pack_panels(model.coefficients.data(), 1, k, k, n, 0, (n + width - 1) / width, static_cast<float*>(panels.get()));
  packed->panels = std::move(panels);
  packed->model = std::move(model);
  if (n > kFewScores || k < kManyFeatures) packed->model.coefficients = {};
  return packed;
}

std::span<const Candidate<LinearConfig>> linear_candidates() { return kLinearCandidates; }

}  // namespace norn::kernels
