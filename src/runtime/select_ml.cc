// Models of ai.onnx.ml other than trees: linear models, tables of labels, columns picked out.
#include <algorithm>
#include <unordered_map>

#include "kernels/cpu/columns.h"
#include "kernels/cpu/linear.h"
#include "kernels/cpu/lookup.h"
#include "kernels/cpu/scale.h"
#include "ops/common/elements.h"
#include "ops/traditionalml/array_feature_extractor/array_feature_extractor.h"
#include "ops/traditionalml/imputer/imputer.h"
#include "ops/traditionalml/label_encoder/label_encoder.h"
#include "ops/traditionalml/linear/linear.h"
#include "ops/traditionalml/normalizer/normalizer.h"
#include "ops/traditionalml/one_hot_encoder/one_hot_encoder.h"
#include "ops/traditionalml/scaler/scaler.h"
#include "runtime/select.h"
#include "runtime/select_scores.h"

namespace norn::runtime {
namespace {

program::ValueId output(const Selector& s, std::size_t i) {
  return i < s.node().outputs.size() ? s.node().outputs[i] : program::kNone;
}

// Of equal keys only the one that counts stays.
template <class K>
std::vector<std::int64_t> counting(std::vector<K>& keys, bool first_counts) {
  std::unordered_map<K, std::size_t> places;
  std::vector<std::int64_t> kept;
  std::vector<K> unique;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto [at, is_new] = places.try_emplace(keys[i], unique.size());
    if (is_new) {
      unique.push_back(keys[i]);
      kept.push_back(static_cast<std::int64_t>(i));
    } else if (!first_counts) {
      kept[at->second] = static_cast<std::int64_t>(i);
    }
  }
  keys = std::move(unique);
  return kept;
}

kernels::LookupTable table_of(const ops::LabelPairs& pairs, DataType x) {
  kernels::LookupTable table;
  table.x = pairs.keys.dtype() == x ? x : DataType::Undefined;  // which no kernel takes
  table.bitwise = pairs.bitwise;
  std::vector<std::int64_t> kept;
  if (x == DataType::String) {
    table.names = ops::load_all<std::string>(pairs.keys);
    kept = counting(table.names, pairs.first_counts);
  } else {
    table.keys = ops::comparable_keys(pairs.keys, pairs.bitwise);
    kept = counting(table.keys, pairs.first_counts);
  }
  table.values = Tensor(pairs.values.dtype(), {static_cast<std::int64_t>(kept.size())});
  for (std::size_t i = 0; i < kept.size(); ++i)
    ops::copy_elements(table.values, static_cast<std::int64_t>(i), pairs.values, kept[i], 1);
  table.otherwise = pairs.otherwise;
  return table;
}

}  // namespace

bool select_linear(Selector& s) {
  const bool classifier = s.node().op == &ops::LinearClassifier;
  kernels::LinearConfig config;
  config.x = s.dtype(0);
  const Shape& x = s.dims(0);
  config.rows = x.size() == 2 ? x[0] : 1;
  config.features = x.back();
  config.model = std::static_pointer_cast<const kernels::PackedLinear>(s.of_attributes("linear", [&] {
    const SelectedNode node(s);
    ops::LinearParams p = classifier ? ops::resolve_linear_classifier(node) : ops::resolve_linear_regressor(node);
    kernels::LinearModel model;
    model.scores = p.scores;
    model.features = p.features;
    model.coefficients = std::move(p.coefficients);
    model.intercepts = std::move(p.intercepts);
    model.rule.targets = classifier ? p.labels.size() : p.scores;
    model.rule.labels = std::move(p.labels.ints);
    model.rule.names = std::move(p.labels.strings);
    model.rule.shared_target = p.scores < model.rule.targets ? 0 : -1;
    model.rule.zero_counts = true;
    model.rule.transform = transform_of(p.transform);
    model.transform = p.transform == ops::PostTransform::None       ? kernels::RowTransform::None
                      : p.transform == ops::PostTransform::Softmax  ? kernels::RowTransform::Softmax
                      : p.transform == ops::PostTransform::Logistic ? kernels::RowTransform::Logistic
                                                                    : kernels::RowTransform::Other;
    return kernels::pack_linear(std::move(model));
  }));
  return s.choose_outputs(kernels::linear_candidates(), config, {{s.node().inputs[0]}},
                          {{classifier ? output(s, 0) : program::kNone}, {output(s, classifier ? 1 : 0)}});
}

bool select_scaler(Selector& s) {
  kernels::ScaleConfig config;
  const Shape& x = s.dims(0);
  config.x = s.dtype(0);
  config.columns = x.empty() ? 1 : x.back();
  config.rows = x.empty() ? 1 : element_count(Shape(x.begin(), x.end() - 1));
  constexpr std::int64_t kMostColumns = 1 << 24;  // of parameters that may be given as one
  if (config.columns > kMostColumns) {
    s.refuse("columns", "more columns than " + std::to_string(kMostColumns));
    return false;
  }
  config.by = std::static_pointer_cast<const kernels::ColumnScales>(
      s.of_attributes("scales of " + std::to_string(config.columns), [&] {
        ops::ScalerParams p = ops::resolve_scaler(SelectedNode(s), config.columns);
        auto by =
            std::make_shared<kernels::ColumnScales>(kernels::ColumnScales{std::move(p.offset), std::move(p.scale)});
        for (std::vector<float>* list : {&by->offset, &by->scale})
          if (list->size() == 1) list->assign(static_cast<std::size_t>(config.columns), list->front());
        return by;
      }));
  return s.choose(kernels::scale_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]},
                  config.x == DataType::Float);
}

bool select_normalizer(Selector& s) {
  kernels::RowNormConfig config;
  const Shape& x = s.dims(0);
  config.norm = static_cast<kernels::RowNorm>(ops::resolve_normalizer(SelectedNode(s)));
  static_assert(static_cast<int>(ops::RowNorm::L2) == static_cast<int>(kernels::RowNorm::L2));
  config.x = s.dtype(0);
  config.rows = x.size() == 2 ? x[0] : 1;
  config.columns = x.back();
  return s.choose(kernels::row_norm_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]},
                  config.x == DataType::Float);
}

bool select_one_hot_encoder(Selector& s) {
  const DataType x = s.dtype(0);
  kernels::OneHotConfig config;
  config.size = element_count(s.dims(0));
  config.width = s.out_dims().back();
  config.zeros = ops::resolve_one_hot_encoder(SelectedNode(s), x).zeros;
  config.table = std::static_pointer_cast<const kernels::PackedLookup>(
      s.of_attributes("categories of " + std::string(data_type_name(x)), [&] {
        ops::Labels categories = ops::resolve_one_hot_encoder(SelectedNode(s), x).categories;
        kernels::LookupTable table;
        table.x = categories.of_strings == (x == DataType::String) ? x : DataType::Undefined;  // which no kernel takes
        table.names = std::move(categories.strings);
        table.keys = std::move(categories.ints);
        const auto kept = categories.of_strings ? counting(table.names, false) : counting(table.keys, false);
        table.values = Tensor(DataType::Int64, {static_cast<std::int64_t>(kept.size())});
        std::copy(kept.begin(), kept.end(), table.values.as_mutable<std::int64_t>());
        return kernels::pack_lookup(std::move(table));
      }));
  return s.choose(kernels::one_hot_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]});
}

bool select_label_encoder(Selector& s) {
  kernels::LookupConfig config;
  const DataType x = s.dtype(0);
  config.size = element_count(s.dims(0));
  config.table = std::static_pointer_cast<const kernels::PackedLookup>(s.of_attributes(
      "labels of " + std::string(data_type_name(x)),
      [&] { return kernels::pack_lookup(table_of(ops::resolve_label_encoder(SelectedNode(s), x), x)); }));
  return s.choose(kernels::lookup_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]});
}

bool select_array_feature_extractor(Selector& s) {
  if (s.out_dtype() == DataType::String || s.dtype(1) != DataType::Int64 || s.dims(0).empty()) {
    s.refuse("columns", "picks elements of fixed size by int64");
    return false;
  }
  const Shape& x = s.dims(0);
  const kernels::PickConfig config{element_count(Shape(x.begin(), x.end() - 1)), x.back(), element_count(s.dims(1)),
                                   element_size(s.out_dtype())};
  return s.choose(kernels::pick_candidates(), config, {{s.node().inputs[0]}, {s.node().inputs[1]}},
                  {s.node().outputs[0]});
}

bool select_imputer(Selector& s) {
  kernels::ImputeConfig config;
  const Shape& x = s.dims(0);
  config.type = s.dtype(0);
  config.columns = x.empty() ? 1 : x.back();
  config.rows = x.empty() ? 1 : element_count(Shape(x.begin(), x.end() - 1));
  config.by = std::static_pointer_cast<const kernels::Imputed>(
      s.of_attributes("imputed values of " + std::string(data_type_name(config.type)), [&] {
        ops::ImputerParams p = ops::resolve_imputer(SelectedNode(s), config.type, {});
        return std::make_shared<kernels::Imputed>(
            kernels::Imputed{std::move(p.floats), std::move(p.ints), p.replaced_float, p.replaced_int});
      }));
  return s.choose(kernels::impute_candidates(), config, {{s.node().inputs[0]}}, {s.node().outputs[0]}, true);
}

}  // namespace norn::runtime
