// Quantization annotations: which tensors hold a value's scale and zero point. They change nothing of what is computed.
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "check/areas.h"
#include "check/text.h"

namespace norn::checks {
namespace {

constexpr std::string_view kKeys[] = {"SCALE_TENSOR", "ZERO_POINT_TENSOR"};

void check_annotation(Context& ctx, const Place& place, const ir::TensorAnnotation& annotation) {
  const std::string& name = annotation.tensor_name;
  if (name.empty() || !ctx.scopes().defined_here(name)) {
    ctx.report("quant.tensor-name", place,
               name.empty() ? "the annotation names no tensor"
                            : "the annotation is for " + quoted(name) + ", which is no value of this graph",
               "tensor_name is an input, an initializer or a node's output of the graph");
  }
  if (const auto twice = repeated_key(annotation.quant_parameter_tensor_names); twice.found) {
    ctx.report("quant.keys-unique", place, "the annotation gives " + quoted(twice.key) + " more than once",
               "keep one of them");
  }
  for (const auto& entry : annotation.quant_parameter_tensor_names) {
    if (std::find(std::begin(kKeys), std::end(kKeys), entry.key.get()) == std::end(kKeys)) {
      ctx.report("quant.keys-known", place,
                 "the annotation's key " + quoted(entry.key.get()) + " is none that ONNX defines",
                 "keys are SCALE_TENSOR and ZERO_POINT_TENSOR");
    }
    if (entry.value.get().empty() || !ctx.scopes().visible(entry.value.get())) {
      ctx.report("quant.values-are-tensors", place,
                 "the annotation's " + quoted(entry.key.get()) + " names " + quoted(entry.value.get()) +
                     ", which is no tensor here",
                 "name an initializer or another value of the model");
    }
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
