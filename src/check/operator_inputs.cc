// Rules about what single operators read, as far as the model declares it: the shape of If's condition, and what the
// dimensions of images and filters are denoted as. What is only inferred is not seen here.
//
// Denotations are rare, so a graph is looked through for them once, when a node comes that could read denoted values,
// and a table of what it declares is made for those that have some.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "check/declarations.h"
#include "check/rule_checks.h"
#include "ops/controlflow/if/if.h"
#include "ops/generator/constant/constant.h"
#include "ops/nn/batch_normalization/batch_normalization.h"
#include "ops/nn/conv/conv.h"
#include "ops/nn/conv_integer/conv_integer.h"
#include "ops/nn/conv_transpose/conv_transpose.h"
#include "ops/nn/deform_conv/deform_conv.h"
#include "ops/nn/global_lp_pool/global_lp_pool.h"
#include "ops/nn/global_pool/global_pool.h"
#include "ops/nn/group_normalization/group_normalization.h"
#include "ops/nn/instance_normalization/instance_normalization.h"
#include "ops/nn/lp_pool/lp_pool.h"
#include "ops/nn/lrn/lrn.h"
#include "ops/nn/max_roi_pool/max_roi_pool.h"
#include "ops/nn/max_unpool/max_unpool.h"
#include "ops/nn/pool/pool.h"
#include "ops/nn/qlinear_conv/qlinear_conv.h"
#include "ops/object_detection/roi_align/roi_align.h"
#include "ops/tensor/depth_to_space/depth_to_space.h"

namespace norn::checks {
namespace {

struct Denoting {
  std::unordered_map<const void*, bool> known;  // of a graph or a function
};

bool is_denoted(const ir::Type& type) {
  if (!type.tensor_type || !type.tensor_type->shape) return false;
  const auto& dims = type.tensor_type->shape->dim;
  return std::any_of(dims.begin(), dims.end(), [](const ir::Dimension& d) { return !d.denotation.get().empty(); });
}

// Whether the graph, or with none the function, denotes a dimension of any value.
bool denotes(Context& ctx, const ir::Graph* graph) {
  const void* key = graph ? static_cast<const void*>(graph) : ctx.function();
  const auto [at, is_new] = ctx.state<Denoting>().known.try_emplace(key, false);
  if (!is_new) return at->second;
  const auto any = [](const std::vector<ir::ValueInfo>& values) {
    return std::any_of(values.begin(), values.end(),
                       [](const ir::ValueInfo& info) { return info.type && is_denoted(*info.type); });
  };
  at->second =
      graph ? any(graph->input) || any(graph->output) || any(graph->value_info) : any(ctx.function()->value_info);
  return at->second;
}

// The dims of a constant that a Constant node gives; none if it gives none, or what it gives is not in the node.
std::optional<std::vector<std::int64_t>> constant_dims(Context& ctx, const ir::Node& node) {
  if (ctx.operators().bind(node).op != &ops::Constant) return std::nullopt;
  for (const ir::Attribute& a : node.attribute) {
    if (a.t) return a.t->dims;
    if (a.sparse_tensor) return a.sparse_tensor->dims;
    const std::size_t length = a.ints.size() + a.floats.size() + a.strings.size();
    if (length > 0) return std::vector{static_cast<std::int64_t>(length)};
  }
  return std::nullopt;
}

// The dims of a value as far as its graph declares them; unknown ones are -1.
std::vector<std::int64_t> known_dims(Context& ctx, std::string_view name) {
  const Definition definition = ctx.scopes().find(name);
  if (definition.as == Defined::Nowhere) return {};
  const ir::Graph* graph = graph_of(ctx, definition);
  if (definition.as == Defined::NodeOutput) {
    const auto& nodes = graph ? graph->node : ctx.function()->node;
    if (auto dims = constant_dims(ctx, nodes[static_cast<std::size_t>(definition.node)])) return *std::move(dims);
  }
  const Declarations& here = declarations_of(ctx, graph);
  const auto found = here.find(name);
  if (found == here.end()) return {};
  const Declaration& declaration = found->second;
  if (definition.as == Defined::Initializer) {
    if (declaration.initializer) return declaration.initializer->dims;
    if (declaration.sparse_initializer) return declaration.sparse_initializer->dims;
  }
  std::vector<std::int64_t> dims;
  if (!declaration.type || !declaration.type->tensor_type || !declaration.type->tensor_type->shape) return dims;
  for (const ir::Dimension& dim : declaration.type->tensor_type->shape->dim) {
    dims.push_back(dim.dim_value.has() ? dim.dim_value.get() : -1);
  }
  return dims;
}

// "bool[2,?]"
std::string condition_text(const std::vector<std::int64_t>& dims) {
  std::string text = "bool[";
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (i > 0) text += ',';
    text += dims[i] < 0 ? std::string("?") : std::to_string(dims[i]);
  }
  return text += ']';
}

void check_condition(Context& ctx, const Place& place, const ir::Node& node) {
  if (node.input.empty() || node.input[0].empty()) return;
  const std::vector<std::int64_t> dims = known_dims(ctx, node.input[0]);
  for (const std::int64_t dim : dims) {
    if (dim == 1 || dim < 0) continue;
    ctx.report("exec.if.scalar-cond", ctx.input(place, node, 0), ops::not_one_condition(condition_text(dims)),
               ops::kOneConditionHint);
    ctx.found_before_inference(node);
    return;
  }
}

// The type that a value's graph declares for it, if that denotes a dimension; null otherwise.
const ir::Type* denoted(Context& ctx, std::string_view name) {
  const auto& graphs = ctx.graphs();
  const bool any = std::any_of(graphs.begin(), graphs.end(), [&](const ir::Graph* graph) {
    return (graph || ctx.function()) && denotes(ctx, graph);
  });
  if (!any) return nullptr;
  const Definition definition = ctx.scopes().find(name);
  if (definition.as == Defined::Nowhere) return nullptr;
  const ir::Graph* graph = graph_of(ctx, definition);
  if (!denotes(ctx, graph)) return nullptr;
  const Declarations& here = declarations_of(ctx, graph);
  const auto found = here.find(name);
  return found != here.end() && found->second.type && is_denoted(*found->second.type) ? found->second.type : nullptr;
}

// What the leading dimensions of an input mean; those that follow are all `rest`.
struct Meaning {
  const opset::Operator* op;
  std::size_t input;
  std::string_view first, second, rest;
};
constexpr std::string_view kBatch = "DATA_BATCH", kChannel = "DATA_CHANNEL", kFeature = "DATA_FEATURE",
                           kTime = "DATA_TIME", kOut = "FILTER_OUT_CHANNEL", kIn = "FILTER_IN_CHANNEL",
                           kSpatial = "FILTER_SPATIAL";
constexpr Meaning kMeanings[] = {
    {&ops::AveragePool, 0, kBatch, kChannel, kFeature},
    {&ops::BatchNormalization, 0, kBatch, kChannel, kFeature},
    {&ops::Conv, 0, kBatch, kChannel, kFeature},
    {&ops::Conv, 1, kOut, kIn, kSpatial},
    {&ops::ConvInteger, 0, kBatch, kChannel, kFeature},
    {&ops::ConvInteger, 1, kOut, kIn, kSpatial},
    {&ops::ConvTranspose, 0, kBatch, kChannel, kFeature},
    {&ops::ConvTranspose, 1, kIn, kOut, kSpatial},
    {&ops::DeformConv, 0, kBatch, kChannel, kFeature},
    {&ops::DeformConv, 1, kOut, kIn, kSpatial},
    {&ops::DepthToSpace, 0, kBatch, kChannel, kFeature},
    {&ops::GlobalAveragePool, 0, kBatch, kChannel, kFeature},
    {&ops::GlobalLpPool, 0, kBatch, kChannel, kFeature},
    {&ops::GlobalMaxPool, 0, kBatch, kChannel, kFeature},
    {&ops::GroupNormalization, 0, kBatch, kChannel, kFeature},
    {&ops::InstanceNormalization, 0, kBatch, kChannel, kFeature},
    {&ops::LRN, 0, kBatch, kChannel, kFeature},
    {&ops::LpPool, 0, kBatch, kChannel, kFeature},
    {&ops::MaxPool, 0, kBatch, kChannel, kFeature},
    {&ops::MaxRoiPool, 0, kBatch, kChannel, kFeature},
    {&ops::MaxUnpool, 0, kBatch, kChannel, kFeature},
    {&ops::QLinearConv, 0, kBatch, kChannel, kFeature},
    {&ops::QLinearConv, 3, kOut, kIn, kSpatial},
    {&ops::RoiAlign, 0, kBatch, kChannel, kFeature},
    {&ops::SpaceToDepth, 0, kBatch, kChannel, kFeature},
};

// A signal's one axis is as much of time as of features.
bool agrees(std::string_view word, std::string_view wanted) {
  return word == wanted || (wanted == kFeature && word == kTime);
}
bool is_standard(std::string_view word) {
  for (std::string_view known : {kBatch, kChannel, kFeature, kTime, kOut, kIn, kSpatial}) {
    if (word == known) return true;
  }
  return false;
}

void check_denoted(Context& ctx, const Place& place, const ir::Node& node, const Meaning& meaning) {
  const ir::Type* type = denoted(ctx, node.input[meaning.input]);
  if (!type) return;
  const auto& dims = type->tensor_type->shape->dim;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const std::string& word = dims[d].denotation.get();
    const std::string_view wanted = d == 0 ? meaning.first : d == 1 ? meaning.second : meaning.rest;
    if (!is_standard(word) || agrees(word, wanted)) continue;
    ctx.report("denotation.dim.verify", ctx.input(place, node, meaning.input),
               "dimension " + std::to_string(d) + " is denoted " + word + ", where " + node.op_type.get() + " takes " +
                   std::string(wanted),
               "put a Transpose before the node, or correct the denotation");
    return;
  }
}

}  // namespace

void check_operator_inputs(Context& ctx, const Place& place, const ir::Node& node, const BoundOperator& bound) {
  if (bound.binding != Binding::Schema || !bound.op->domain.empty()) return;
  if (bound.op->control_flow == opset::ControlFlow::If) return check_condition(ctx, place, node);
  for (const Meaning& m : kMeanings) {
    if (m.op != bound.op || m.input >= node.input.size() || node.input[m.input].empty()) continue;
    check_denoted(ctx, place, node, m);
  }
}

}  // namespace norn::checks
