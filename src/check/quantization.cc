// Quantization annotations: which tensors hold a value's scale and zero point. They change nothing of what is computed.
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "check/declarations.h"
#include "check/rule_checks.h"
#include "check/text.h"

namespace norn::checks {
namespace {

constexpr std::string_view kKeys[] = {"SCALE_TENSOR", "ZERO_POINT_TENSOR"};

// The values of a model in all its graphs, of a function's body, or of a graph on its own, with those nested in them.
class AllValues {
 public:
  void gather(const ir::Graph& graph) {
    left_.push_back(&graph);
    while (!left_.empty()) {
      const ir::Graph& next = *left_.back();
      left_.pop_back();
      for_each_defined(next, [&](std::string_view name) { names_.insert(name); });
      for (const ir::Node& node : next.node) look(node.attribute);
    }
  }
  void gather(const ir::Function& function) {
    for (const ir::Node& node : function.node) {
      names_.insert(node.output.begin(), node.output.end());
      look(node.attribute);
    }
    look(function.attribute_proto);
    for (const ir::Graph* graph : std::exchange(left_, {})) gather(*graph);
  }
  bool contains(std::string_view name) const { return names_.contains(name); }

 private:
  void look(const std::vector<ir::Attribute>& attributes) {
    for (const ir::Attribute& attribute : attributes) {
      if (attribute.g) left_.push_back(&*attribute.g);
      for (const ir::Graph& graph : attribute.graphs) left_.push_back(&graph);
    }
  }

  TextSet names_;
  std::vector<const ir::Graph*> left_;  // to look at
};
struct ValuesState {
  std::unordered_map<const void*, AllValues> of;
};

// Whether a tensor of this name exists: an annotation computes nothing, so that it need not see the tensor.
bool exists(Context& ctx, std::string_view name) {
  if (ctx.graphs().empty()) return false;
  const ir::Function* function = ctx.function();
  const ir::Model* model = function ? nullptr : ctx.model();
  const ir::Graph* graph = ctx.graphs().front();
  const void* key = function ? static_cast<const void*>(function) : model ? static_cast<const void*>(model) : graph;
  const auto [at, is_new] = ctx.state<ValuesState>().of.try_emplace(key);
  AllValues& values = at->second;
  if (!is_new) return values.contains(name);
  if (function) {
    values.gather(*function);
  } else if (!model) {
    values.gather(*graph);
  } else {
    if (model->graph) values.gather(*model->graph);
    for (const ir::TrainingInfo& info : model->training_info) {
      for (const auto* part : {&info.initialization, &info.algorithm}) {
        if (*part) values.gather(**part);
      }
    }
  }
  return values.contains(name);
}

void check_annotation(Context& ctx, const Place& place, const ir::TensorAnnotation& annotation) {
  const std::string& name = annotation.tensor_name;
  if (name.empty() || !ctx.scopes().defined_here(name)) {
    ctx.report("quant.tensor-name", place,
               name.empty() ? "the annotation names no tensor"
                            : "the annotation is for " + quoted(name) + ", which is not a value of this graph",
               "tensor_name is an input, an initializer or a node's output of the graph");
  }
  if (const auto twice = repeated_key(annotation.quant_parameter_tensor_names); twice.found) {
    ctx.report("quant.keys-unique", place, "the annotation gives " + quoted(twice.key) + " more than once",
               "keep one of them");
  }
  for (const auto& entry : annotation.quant_parameter_tensor_names) {
    if (std::find(std::begin(kKeys), std::end(kKeys), entry.key.get()) == std::end(kKeys)) {
      ctx.report("quant.keys-known", place,
                 "the annotation's key " + quoted(entry.key.get()) + " is not one that ONNX defines",
                 "keys are SCALE_TENSOR and ZERO_POINT_TENSOR");
    }
    const std::string& value = entry.value.get();
    if (!value.empty() && (ctx.scopes().visible(value) || exists(ctx, value))) continue;
    ctx.report("quant.values-are-tensors", place,
               "the annotation's " + quoted(entry.key.get()) + " names " + quoted(value) +
                   ", which is not a tensor of the model",
               "name an initializer or another value of the model");
  }
}

}  // namespace

void check_quantization(Context& ctx, const Place& place, const ir::Graph& graph) {
  const auto& all = graph.quantization_annotation;
  if (all.empty()) return;
  NameSet seen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Place at = place.at("quantization annotation", static_cast<std::int64_t>(i), all[i].tensor_name.get());
    check_annotation(ctx, at, all[i]);
    if (!all[i].tensor_name.get().empty() && !seen.insert(all[i].tensor_name.get())) {
      ctx.report("quant.tensor-unique", at, "the tensor " + quoted(all[i].tensor_name.get()) + " is annotated twice",
                 "put scale and zero point into one annotation");
    }
  }
}

}  // namespace norn::checks
