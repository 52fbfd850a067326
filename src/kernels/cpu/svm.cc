// Blocks of rows: their products with (or distances from) all vectors, the kernel's function of these, and the product
// of that with the weights. Trap: the weights of a pair of classes are 0 for the vectors of others, and 0 times what is
// beyond f32 is NaN.
#include "kernels/cpu/svm.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "base/division.h"
#include "kernels/cpu/cast.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/physical.h"
#include "kernels/cpu/row_dots.h"
#include "kernels/cpu/steps.h"
#include "kernels/cpu/typed.h"

namespace norn::kernels {
inline namespace svm_cc {
namespace {

constexpr std::int64_t kBlock = 32;   // rows that are done together
constexpr std::int64_t kFewSums = 3;  // which are products of rows: a panel would be mostly empty

class Svm final : public Kernel {
 public:
  explicit Svm(const SvmConfig& c)
      : c_(c),
        model_(c.model->model),
        to_float_(c.x == DataType::Float ? nullptr : cast_loop(c.x, DataType::Float)),
        to_double_(cast_loop(c.x, DataType::Double)),
        blocks_((c.rows + kBlock - 1) / kBlock),
        classes_(class_count()) {
    const double row_ns = static_cast<double>(model_.count * (model_.features + 20)) * 0.05 + 100;
    tasks_ = piece_count(blocks_, row_ns * kBlock);
    const auto up = [](std::int64_t floats) {
      return (floats + 15) / 16 * 16 * static_cast<std::int64_t>(sizeof(float));
    };
    sums_at_ = up(kBlock * model_.count);
    scores_at_ = sums_at_ + up(kBlock * model_.sums);
    probabilities_at_ = scores_at_ + up(2 * (model_.sums + 1) + 2 * classes_);
    floats_at_ =
        probabilities_at_ + (model_.probabilities != nullptr ? up(2 * (classes_ + model_.probability_work)) : 0);
    task_bytes_ = floats_at_ + (to_float_ ? up(kBlock * model_.features) : 0);
  }
  std::size_t scratch_bytes() const override { return static_cast<std::size_t>(task_bytes_ * tasks_); }

  void run(void* const* operands, void* scratch) const override {
    base::parallel_for(tasks_, [&](std::int64_t task) {
      auto* own = static_cast<std::byte*>(scratch) + task_bytes_ * task;
      for (auto [b, last_b] = base::part_of(blocks_, tasks_, task); b < last_b; ++b)
        block(operands, b * kBlock, std::min(kBlock, c_.rows - b * kBlock), own);
    });
  }

 private:
  std::int64_t class_count() const {
    return static_cast<std::int64_t>(std::max(model_.labels.size(), model_.names.size()));
  }

  void block(void* const* operands, std::int64_t first, std::int64_t rows, std::byte* own) const {
    auto* values = reinterpret_cast<float*>(own);
    auto* sums = reinterpret_cast<float*>(own + sums_at_);
    const float* x = static_cast<const float*>(operands[0]) + first * model_.features;
    if (to_float_) {
      const auto size = static_cast<std::int64_t>(element_size(c_.x));
      auto* floats = reinterpret_cast<float*>(own + floats_at_);
      to_float_(static_cast<const std::byte*>(operands[0]) + first * model_.features * size, floats,
                rows * model_.features);
      x = floats;
    }
    const std::int64_t count = model_.count, width = gemm_table().width;
    const float* of_kernels = values;
    if (!c_.model->vectors) {
      of_kernels = x;
    } else if (model_.form == SvmForm::Rbf) {
      const auto* columns = static_cast<const float*>(c_.model->vectors.get());
      for (std::int64_t r = 0; r < rows; ++r)
        distance_loop()(x + r * model_.features, columns, model_.features, count, values + r * count);
    } else {
      const Panels vectors{static_cast<const float*>(c_.model->vectors.get()), model_.features * width, width};
      gemm_table().multiply(rows, count, model_.features, x, model_.features, 1, vectors, values, count, nullptr, 1.0f);
    }
    function_of(values, rows * count);
    const auto* weights = static_cast<const float*>(c_.model->weights.get());
    if (model_.sums <= kFewSums) {
      for (std::int64_t s = 0; s < model_.sums; ++s) {
        dots_of_(of_kernels, count, rows, count, weights + s * count, sums + s, model_.sums);
        for (std::int64_t r = 0; r < rows; ++r)
          sums[r * model_.sums + s] += model_.intercepts[static_cast<std::size_t>(s)];
      }
    } else {
      gemm_table().multiply(rows, model_.sums, count, of_kernels, count, 1, {weights, count * width, width}, sums,
                            model_.sums, model_.intercepts.data(), 1.0f);
    }
    // A sum with a term that is not finite is not finite, whatever the weight.
    for (std::int64_t r = 0; r < rows; ++r) {
      float* const begin = sums + r * model_.sums;
      const auto finite = [](float v) { return std::isfinite(v); };
      if (!std::all_of(begin, begin + model_.sums, finite)) sum_exactly(operands, first + r, begin);
    }
    const Work work{reinterpret_cast<double*>(own + scores_at_), reinterpret_cast<double*>(own + probabilities_at_)};
    for (std::int64_t r = 0; r < rows; ++r) finish(sums + r * model_.sums, work, operands, first + r);
  }

  void sum_exactly(void* const* operands, std::int64_t row, float* sums) const {
    std::vector<double> x(static_cast<std::size_t>(model_.features));
    const auto size = static_cast<std::int64_t>(element_size(c_.x));
    const auto* const from = static_cast<const std::byte*>(operands[0]) + row * model_.features * size;
    if (to_double_)
      to_double_(from, x.data(), model_.features);
    else
      std::memcpy(x.data(), from, x.size() * sizeof(double));
    const std::vector<double> exact = model_.exact(x);
    for (std::size_t s = 0; s < exact.size(); ++s) sums[s] = static_cast<float>(exact[s]);
  }

  void function_of(float* values, std::int64_t n) const {
    const StepTableF32& steps = step_table_f32();
    const auto scaled = [&](float by, float plus) {
      for (std::int64_t i = 0; i < n; ++i) values[i] = values[i] * by + plus;
    };
    switch (model_.form) {
      case SvmForm::Linear: return;
      case SvmForm::Rbf: scaled(-model_.gamma, 0); return steps(ElementOp::Exp)(values, nullptr, values, n, 0, 0);
      case SvmForm::Sigmoid:
        scaled(model_.gamma, model_.coef0);
        return steps(ElementOp::Tanh)(values, nullptr, values, n, 0, 0);
      case SvmForm::Poly: break;
    }
    scaled(model_.gamma, model_.coef0);
    if (model_.degree == 2) {
      for (std::int64_t i = 0; i < n; ++i) values[i] *= values[i];
    } else if (model_.degree == 3) {
      for (std::int64_t i = 0; i < n; ++i) values[i] *= values[i] * values[i];
    } else if (model_.degree != 1) {
      for (std::int64_t i = 0; i < n; ++i)
        values[i] = static_cast<float>(std::pow(static_cast<double>(values[i]), static_cast<double>(model_.degree)));
    }
  }

  struct Work {
    double *scores, *probabilities;
  };
  void finish(const float* sums, const Work& work, void* const* operands, std::int64_t row) const {
    double* scores = work.scores;
    std::int64_t n = model_.sums;
    if (classes_ > 0) {
      if (operands[1] != nullptr) {
        auto* votes = reinterpret_cast<std::int64_t*>(scores + model_.sums + 1);
        std::fill_n(votes, classes_, 0);
        std::int64_t pair = 0;
        for (std::int64_t i = 0; i < classes_; ++i)
          for (std::int64_t j = i + 1; j < classes_; ++j, ++pair) ++votes[sums[pair] > 0 ? i : j];
        const auto best = static_cast<std::size_t>(std::max_element(votes, votes + classes_) - votes);
        if (!model_.names.empty())
          static_cast<std::string*>(operands[1])[row] = model_.names[best];
        else
          static_cast<std::int64_t*>(operands[1])[row] = model_.labels[best];
      }
      if (operands[2] == nullptr) return;
      std::copy_n(sums, n, scores + (n == 1 ? 1 : 0));
      if (model_.probabilities != nullptr) {
        const double* of_pairs = scores + (n == 1 ? 1 : 0);
        scores = work.probabilities;
        model_.probabilities({of_pairs, static_cast<std::size_t>(n)}, model_.prob_a, model_.prob_b,
                             {scores, static_cast<std::size_t>(classes_)}, scores + classes_);
        n = classes_;
      } else if (n == 1) {
        scores[0] = -scores[1];
        n = 2;
      }
    } else {
      scores[0] = sums[0];
      if (model_.sign) scores[0] = scores[0] > 0 ? 1 : -1;
    }
    if (model_.transform && !model_.sign) model_.transform({scores, static_cast<std::size_t>(n)});
    float* out = static_cast<float*>(operands[2]) + row * n;
    for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<float>(scores[i]);
  }

  SvmConfig c_;
  const SvmModel& model_;
  CastLoop to_float_, to_double_;  // null: X has that type
  RowDots<float> dots_of_;
  std::int64_t blocks_, classes_, tasks_ = 1, sums_at_ = 0, scores_at_ = 0, probabilities_at_ = 0, floats_at_ = 0,
                                  task_bytes_ = 0;
};

std::string refuses(const SvmConfig& c) {
  if (c.x == DataType::Bool || (c.x != DataType::Float && !cast_loop(c.x, DataType::Float)) ||
      (c.x != DataType::Double && !cast_loop(c.x, DataType::Double)))
    return "takes numbers, not " + std::string(data_type_name(c.x));
  const SvmModel& m = c.model->model;
  if (c.features != m.features) return "X has another number of columns than the vectors";
  if (m.count < 1 || m.features < 1) return "a model without vectors";
  const Shape x = {c.rows, c.features}, y = {c.rows, m.sums + 1}, work = {kBlock, m.count + m.sums};
  return extent_refusal({&x, &y, &work});
}
std::unique_ptr<Kernel> make(const SvmConfig& c, PackedConstants&) { return std::make_unique<Svm>(c); }

constexpr Candidate<SvmConfig> kSvmCandidates[] = {{"panels", refuses, make}};

std::shared_ptr<const void> panels_of(const float* b, std::int64_t b_row, std::int64_t b_column, std::int64_t k,
                                      std::int64_t n) {
  const std::int64_t width = gemm_table().width;
  auto packed = aligned_buffer(static_cast<std::size_t>(packed_floats(k, n)) * sizeof(float));
  pack_panels(b, b_row, b_column, k, n, 0, (n + width - 1) / width, static_cast<float*>(packed.get()));
  return packed;
}

// The weighted sum of products with vectors is a product with the weighted sum of the vectors, unless that is beyond
// floats.
void sum_vectors(SvmModel& model) {
  const std::int64_t features = model.features, sums = model.sums;
  std::vector<double> totals(static_cast<std::size_t>(features * sums));
  for (std::int64_t v = 0; v < model.count; ++v)
    for (std::int64_t f = 0; f < features; ++f)
      for (std::int64_t s = 0; s < sums; ++s)
        totals[static_cast<std::size_t>(f * sums + s)] +=
            static_cast<double>(model.vectors[static_cast<std::size_t>(v * features + f)]) *
            static_cast<double>(model.weights[static_cast<std::size_t>(v * sums + s)]);
  for (const double total : totals)
    if (!(std::fabs(total) <= static_cast<double>(std::numeric_limits<float>::max()))) return;
  model.weights.assign(totals.begin(), totals.end());
  model.count = features;
  model.vectors.clear();
}

}  // namespace
}  // namespace svm_cc

std::shared_ptr<const PackedSvm> pack_svm(SvmModel model) {
  auto packed = std::make_shared<PackedSvm>();
  if (model.form == SvmForm::Linear) sum_vectors(model);
  const std::int64_t n = model.count, k = model.features;
  if (model.form == SvmForm::Rbf) {
    auto columns = aligned_buffer(static_cast<std::size_t>(n * k) * sizeof(float));
    for (std::int64_t v = 0; v < n; ++v)
      for (std::int64_t f = 0; f < k; ++f)
        static_cast<float*>(columns.get())[f * n + v] = model.vectors[static_cast<std::size_t>(v * k + f)];
    packed->vectors = std::move(columns);
  } else if (!model.vectors.empty()) {
    packed->vectors = panels_of(model.vectors.data(), 1, k, k, n);
  }
  if (model.sums <= kFewSums) {
    auto rows = aligned_buffer(static_cast<std::size_t>(n * model.sums) * sizeof(float));
    for (std::int64_t s = 0; s < model.sums; ++s)
      for (std::int64_t v = 0; v < n; ++v)
        static_cast<float*>(rows.get())[s * n + v] = model.weights[static_cast<std::size_t>(v * model.sums + s)];
    packed->weights = std::move(rows);
  } else {
    packed->weights = panels_of(model.weights.data(), model.sums, 1, n, model.sums);
  }
  packed->model = std::move(model);
  packed->model.vectors = {};
  packed->model.weights = {};
  return packed;
}

std::span<const Candidate<SvmConfig>> svm_candidates() { return kSvmCandidates; }

}  // namespace norn::kernels
