#include "infer/cure.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "opset/inference_faults.h"

namespace norn::infer {
namespace {

using opset::DimExpr;
using Inputs = std::span<const opset::InferContext::Input>;

constexpr const char* kThisNode = "correct this node";

class Cure {
 public:
  Cure(const opset::Attrs& attrs, Inputs inputs, const InputNames* names)
      : attrs_(attrs), inputs_(inputs), names_(names) {}

  std::string of(const Error& error) const {
    if (const auto* sizes = dynamic_cast<const opset::SizesDiffer*>(&error)) return of_sizes(*sizes);
    if (const auto* rank = dynamic_cast<const opset::RankDiffers*>(&error)) return of_rank(*rank);
    if (std::string choice = of_choice(); !choice.empty()) return choice;
    return of_attributes();
  }

 private:
  std::string input(std::size_t i) const {
    const std::string name = names_ ? names_->input_name(i) : std::string();
    return name.empty() ? "input " + std::to_string(i) : base::quoted(name);
  }

  struct Axis {
    std::size_t input, axis;
  };
  // Nothing if more than one axis has the size.
  std::optional<Axis> only_axis(const DimExpr& size) const {
    std::optional<Axis> found;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!inputs_[i].type || !inputs_[i].type->has_rank()) continue;
      const opset::Dims& dims = *inputs_[i].type->shape;
      for (std::size_t d = 0; d < dims.size(); ++d) {
        if (!(dims[d] == size)) continue;
        if (found) return {};
        found = {i, d};
      }
    }
    return found;
  }

  std::string of_sizes(const opset::SizesDiffer& sizes) const {
    const std::optional<Axis> first = only_axis(sizes.first()), second = only_axis(sizes.second());
    const auto axis = [&](const Axis& a) { return "axis " + std::to_string(a.axis) + " of " + input(a.input); };
    if (!first && !second) return std::string("let these sizes be equal, or ") + kThisNode;
    if (first && second) return "let " + axis(*first) + " and " + axis(*second) + " be of one size, or " + kThisNode;
    const Axis& known = first ? *first : *second;
    const DimExpr& other = first ? sizes.second() : sizes.first();
    return "let " + axis(known) + " be " + other.to_string() + ", or " + kThisNode;
  }

  std::string of_rank(const opset::RankDiffers& rank) const {
    return "give " + input(static_cast<std::size_t>(rank.input())) + " rank " + std::to_string(rank.wanted()) +
           ", with a Reshape say, or " + kThisNode;
  }

  // An input of integers whose contents are known: axes, lengths, a shape.
  std::string of_choice() const {
    const std::span<const opset::Param> params = attrs_.schema().inputs;
    for (std::size_t i = 1; i < inputs_.size() && i < params.size(); ++i) {
      if (!inputs_[i].value || !inputs_[i].type || !inputs_[i].type->is_tensor()) continue;
      const DataType elem = inputs_[i].type->elem;
      if ((elem != DataType::Int64 && elem != DataType::Int32) || !inputs_[i].value->constant.defined()) continue;
      if (inputs_[0].type && inputs_[0].type->elem == elem && params[i].type == params[0].type) continue;  // data
      return "correct " + input(i) + ", which the node takes as " + std::string(params[i].name) + ", or " + kThisNode +
             " or what else it reads";
    }
    return {};
  }

  std::string of_attributes() const {
    constexpr std::size_t kMost = 4;
    std::string named;
    std::size_t count = 0;
    for (const ir::Attribute& attribute : attrs_.given()) {
      if (attribute.g || ++count > kMost) continue;
      named += (named.empty() ? "" : ", ") + base::quoted(attribute.name.get());
    }
    std::string text = kThisNode;
    if (count > 0 && count <= kMost) text += std::string(" (its attribute") + (count > 1 ? "s " : " ") + named + ")";
    return text + " or the types and shapes of what it reads";
  }

  const opset::Attrs& attrs_;
  Inputs inputs_;
  const InputNames* names_;
};

}  // namespace

std::string cure_of(const Error& error, const opset::Attrs& attrs, Inputs inputs, const InputNames* names) {
  return Cure(attrs, inputs, names).of(error);
}

}  // namespace norn::infer
