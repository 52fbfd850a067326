// Support vector machines.
#include "kernels/cpu/svm.h"
#include "ops/traditionalml/svm/svm.h"
#include "ops/traditionalml/svm/svm_probabilities.h"
#include "runtime/select.h"
#include "runtime/select_scores.h"

namespace norn::runtime {
namespace {

kernels::SvmModel svm_model(ops::SvmParams p, bool classifier) {
  kernels::SvmModel model;
  model.form = static_cast<kernels::SvmForm>(p.kernel);
  static_assert(static_cast<int>(ops::SvmKernel::Sigmoid) == static_cast<int>(kernels::SvmForm::Sigmoid) &&
                static_cast<int>(ops::SvmKernel::Rbf) == static_cast<int>(kernels::SvmForm::Rbf));
  model.gamma = p.gamma;
  model.coef0 = p.coef0;
  model.degree = p.degree;
  model.count = p.count;
  model.features = p.features;
  model.transform = transform_of(p.transform);
  model.sign = p.one_class;
  model.exact = [all = std::make_shared<const ops::SvmParams>(p)](std::span<const double> x) {
    return ops::svm_sums(*all, x);
  };
  if (!classifier) {
    model.weights = std::move(p.coefficients);
    model.intercepts = {p.rho[0]};
    model.vectors = std::move(p.vectors);
    return model;
  }
  // The coefficients are rows of all vectors: for the pair (i, j), those of i's vectors are in row j - 1 and those of
  // j's in row i.
  const auto classes = static_cast<std::size_t>(p.labels.size()), count = static_cast<std::size_t>(p.count);
  std::vector<std::size_t> begin(classes + 1, 0);
  for (std::size_t c = 0; c < classes; ++c) begin[c + 1] = begin[c] + static_cast<std::size_t>(p.per_class[c]);
  const std::size_t pairs = classes * (classes - 1) / 2;
  model.sums = static_cast<std::int64_t>(pairs);
  model.weights.assign(count * pairs, 0.0f);
  std::size_t pair = 0;
  for (std::size_t i = 0; i < classes; ++i)
    for (std::size_t j = i + 1; j < classes; ++j, ++pair) {
      for (std::size_t v = begin[i]; v < begin[i + 1]; ++v)
        model.weights[v * pairs + pair] = p.coefficients[(j - 1) * count + v];
      for (std::size_t v = begin[j]; v < begin[j + 1]; ++v)
        model.weights[v * pairs + pair] = p.coefficients[i * count + v];
    }
  if (!p.prob_a.empty()) {
    model.probabilities = ops::svm_probabilities;
    model.probability_work = static_cast<std::int64_t>(ops::svm_probability_work(classes));
    model.prob_a = std::move(p.prob_a);
    model.prob_b = std::move(p.prob_b);
  }
  model.intercepts = std::move(p.rho);
  model.vectors = std::move(p.vectors);
  model.labels = std::move(p.labels.ints);
  model.names = std::move(p.labels.strings);
  return model;
}

}  // namespace

bool select_svm(Selector& s) {
  const bool classifier = s.node().op == &ops::SVMClassifier;
  const SelectedNode node(s);
  kernels::SvmConfig config;
  config.model = std::static_pointer_cast<const kernels::PackedSvm>(
      s.of_attributes("vectors", [&]() -> std::shared_ptr<const void> {
        ops::SvmParams p = classifier ? ops::resolve_svm_classifier(node) : ops::resolve_svm_regressor(node);
        const bool fits = p.count > 0 && !(p.one_class && classifier) &&
                          (!classifier || (p.labels.size() > 1 && !p.per_class.empty()));
        // A model without vectors, which no kernel takes.
        if (!fits) return std::make_shared<kernels::PackedSvm>();
        return kernels::pack_svm(svm_model(std::move(p), classifier));
      }));
  const Shape& x = s.dims(0);
  config.x = s.dtype(0);
  config.rows = x.size() == 2 ? x[0] : 1;
  config.features = x.empty() ? 1 : x.back();
  const auto output = [&](std::size_t i) -> Operand {
    return {i < s.node().outputs.size() ? s.node().outputs[i] : program::kNone};
  };
  return s.choose_outputs(kernels::svm_candidates(), config, {{s.node().inputs[0]}},
                          {classifier ? output(0) : Operand{program::kNone}, output(classifier ? 1 : 0)});
}

}  // namespace norn::runtime
