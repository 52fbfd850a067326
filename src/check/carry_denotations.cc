// Nodes are visited in the order of the document, which is that of the data in a sound one. Trap: only declared
// values have a place for the word, so that it is lost behind a value whose shape is not known.
#include "check/carry_denotations.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/walk.h"
#include "ops/math/softmax/softmax.h"
#include "ops/nn/batch_normalization/batch_normalization.h"
#include "ops/nn/conv/conv.h"
#include "ops/nn/conv_integer/conv_integer.h"
#include "ops/nn/conv_transpose/conv_transpose.h"
#include "ops/nn/dropout/dropout.h"
#include "ops/nn/global_lp_pool/global_lp_pool.h"
#include "ops/nn/global_pool/global_pool.h"
#include "ops/nn/group_normalization/group_normalization.h"
#include "ops/nn/instance_normalization/instance_normalization.h"
#include "ops/nn/lp_pool/lp_pool.h"
#include "ops/nn/lrn/lrn.h"
#include "ops/nn/pool/pool.h"
#include "ops/nn/qlinear_conv/qlinear_conv.h"
#include "ops/tensor/cast/cast.h"
#include "ops/tensor/identity/identity.h"
#include "ops/tensor/transpose/transpose.h"
#include "opset/registry.h"

namespace norn::checks {
namespace {

// One for each dimension; "" says nothing.
using Words = std::vector<std::string>;

ir::TypeTensor* shaped(ir::ValueInfo& info) {
  return info.type && info.type->tensor_type && info.type->tensor_type->shape ? &*info.type->tensor_type : nullptr;
}

bool denotes(const std::vector<ir::ValueInfo>& values) {
  return std::any_of(values.begin(), values.end(), [](const ir::ValueInfo& info) {
    if (!info.type || !info.type->tensor_type || !info.type->tensor_type->shape) return false;
    const auto& dims = info.type->tensor_type->shape->dim;
    return std::any_of(dims.begin(), dims.end(), [](const ir::Dimension& d) { return !d.denotation.get().empty(); });
  });
}

// How many of the first input's leading dimensions the first output has; those of all, however many.
struct Kept {
  const opset::Operator* op;
  std::size_t dims;
};
constexpr std::size_t kAll = static_cast<std::size_t>(-1);
constexpr Kept kKept[] = {
    {&ops::AveragePool, 2},
    {&ops::BatchNormalization, kAll},
    {&ops::Cast, kAll},
    {&ops::Conv, 1},
    {&ops::ConvInteger, 1},
    {&ops::ConvTranspose, 1},
    {&ops::Dropout, kAll},
    {&ops::GlobalAveragePool, 2},
    {&ops::GlobalLpPool, 2},
    {&ops::GlobalMaxPool, 2},
    {&ops::GroupNormalization, kAll},
    {&ops::Hardmax, kAll},
    {&ops::Identity, kAll},
    {&ops::InstanceNormalization, kAll},
    {&ops::LRN, kAll},
    {&ops::LogSoftmax, kAll},
    {&ops::LpPool, 2},
    {&ops::MaxPool, 2},
    {&ops::QLinearConv, 1},
    {&ops::Softmax, kAll},
};

Words permuted(const ir::Node& node, const Words& words) {
  Words out(words.rbegin(), words.rend());
  for (const ir::Attribute& a : node.attribute) {
    if (a.name.get() != "perm") continue;
    if (a.ints.size() != words.size()) return {};
    for (std::size_t d = 0; d < words.size(); ++d) {
      const std::int64_t from = a.ints[d];
      if (from < 0 || from >= static_cast<std::int64_t>(words.size())) return {};
      out[d] = words[static_cast<std::size_t>(from)];
    }
  }
  return out;
}

class Carrier {
 public:
  // Values of graphs around are read, too.
  void graph(ir::Graph& graph) {
    std::vector<std::pair<std::string_view, ir::TypeTensor*>> hidden;
    for (auto* list : {&graph.value_info, &graph.output, &graph.input})
      for (ir::ValueInfo& info : *list) {
        ir::TypeTensor*& known = types_[info.name.get()];
        hidden.emplace_back(info.name.get(), known);
        known = shaped(info);
      }
    for (ir::Node& node : graph.node) {
      for (ir::Attribute& a : node.attribute)
        if (a.g) this->graph(*a.g);
      carry(node);
    }
    for (auto at = hidden.rbegin(); at != hidden.rend(); ++at) types_[at->first] = at->second;
  }

 private:
  ir::TypeTensor* type_of(std::string_view name) const {
    const auto at = types_.find(name);
    return at == types_.end() ? nullptr : at->second;
  }
  // Nothing if it denotes no dimension, or its rank is not known.
  Words words_of(std::string_view name) const {
    Words words;
    bool any = false;
    if (const ir::TypeTensor* type = type_of(name))
      for (const ir::Dimension& d : type->shape->dim) {
        words.push_back(d.denotation.get());
        any = any || !words.back().empty();
      }
    return any ? words : Words{};
  }

  // Of inputs that are broadcast together: what those say that say anything, if they say the same.
  Words joined(const ir::Node& node, std::size_t rank) const {
    Words all(rank);
    std::vector<bool> differ(rank, false);
    for (const std::string& input : node.input) {
      const Words words = words_of(input);
      if (words.size() > rank) return {};
      for (std::size_t d = 0; d < words.size(); ++d) {
        std::string& word = all[rank - words.size() + d];
        if (words[d].empty() || words[d] == word) continue;
        if (!word.empty()) differ[rank - words.size() + d] = true;
        word = words[d];
      }
    }
    for (std::size_t d = 0; d < rank; ++d)
      if (differ[d]) all[d].clear();
    return all;
  }

  void carry(const ir::Node& node) {
    if (node.input.empty() || node.output.empty()) return;
    ir::TypeTensor* out = type_of(node.output[0]);
    const opset::Operator* op = opset::find_operator(node.domain.get(), node.op_type.get());
    if (!out || !op) return;
    Words words;
    if (op == &ops::Transpose) {
      words = permuted(node, words_of(node.input[0]));
    } else if (op->elementwise) {
      words = joined(node, out->shape->dim.size());
    } else {
      const auto at = std::find_if(std::begin(kKept), std::end(kKept), [&](const Kept& k) { return k.op == op; });
      if (at == std::end(kKept)) return;
      words = words_of(node.input[0]);
      for (std::size_t d = at->dims; d < words.size(); ++d) words[d].clear();
    }
    auto& dims = out->shape->dim;
    if (words.size() != dims.size()) return;
    for (std::size_t d = 0; d < dims.size(); ++d)
      if (!words[d].empty() && dims[d].denotation.get().empty()) dims[d].denotation = words[d];
  }

  std::unordered_map<std::string_view, ir::TypeTensor*> types_;  // null: not shaped
};

}  // namespace

bool denotes_dimensions(const ir::Model& model) {
  bool any = false;
  if (model.graph)
    ir::for_each_graph(*model.graph, [&](const ir::Graph& g, const std::string&) {
      any = any || denotes(g.input) || denotes(g.value_info) || denotes(g.output);
    });
  return any;
}

void carry_denotations(ir::Model& model) {
  if (model.graph) Carrier().graph(*model.graph);
}

}  // namespace norn::checks
