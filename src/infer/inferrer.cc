// Trap: inference of a node with graphs infers other nodes before it is done, during which the owner of the facts may
// move them. Such a node works on copies of its inputs.
#include "infer/inferrer.h"

#include <algorithm>
#include <utility>

#include "infer/body_faults.h"
#include "ir/walk.h"

namespace norn::infer {

using opset::DimExpr;
using opset::Fact;
using opset::InferContext;

void Inferrer::node(const NodeView& view, Mode mode, Surroundings* around) {
  const NodeView* view_before = std::exchange(view_, &view);
  Surroundings* around_before = std::exchange(around_, around);
  std::vector<InferContext::Input> inputs = std::move(inputs_);
  std::vector<InferContext::Output> outputs = std::move(outputs_);
  const auto leave = [&] {
    view_ = view_before;
    around_ = around_before;
    inputs_ = std::move(inputs);
    outputs_ = std::move(outputs);
  };
  why_.clear();
  inputs.clear();
  for (ValueId id : view.inputs) inputs.push_back(id == kNoValue ? InferContext::Input{} : facts_.get(id));
  std::vector<Fact> copies;
  if (around && !facts_.stable()) {
    copies.reserve(inputs.size());
    for (InferContext::Input& in : inputs) {
      if (!in.type) continue;
      const Fact& copy = copies.emplace_back(*in.type, in.value ? *in.value : opset::KnownValue{});
      in = {&copy.type, &copy.value};
    }
  }
  outputs.clear();
  outputs.resize(view.outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].wanted = view.outputs[i] != kNoValue;
  try {
    infer_node(*view.op, view.attrs, inputs, outputs, *this, evaluator_, mode, this);
  } catch (...) {
    leave();
    throw;
  }
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].wanted) facts_.set(view.outputs[i], std::move(outputs[i]));
  leave();
}

// Why a size of the node is not known; `made` keeps a text without another owner.
Facts::Unknown Inferrer::reason(std::string_view why, std::string& made) const {
  if (mode_ == Mode::Static) return {{}, view_->place};
  if (why.empty()) why = why_;
  if (!why.empty()) return {why, view_->place};
  if (const Facts::Unknown input = open_input(); !input.why.empty()) return input;
  made = opset::full_name(*view_->op) + " determines this size only when it runs";
  return {made, view_->place};
}

DimExpr Inferrer::fresh_dim(std::string_view why) {
  std::string made;
  const Facts::Unknown unknown = reason(why, made);
  return symbols_.fresh(unknown.why, unknown.where);
}

DimExpr Inferrer::fresh_int(std::string_view why) {
  std::string made;
  const bool unsaid = why.empty() && why_.empty();
  const Facts::Unknown unknown = reason(unsaid ? "the contents of an input are not known" : why, made);
  return symbols_.fresh_int(unknown.why, unknown.where);
}

// Of the first input whose shape is not known.
Facts::Unknown Inferrer::open_input() const {
  for (const ValueId id : view_->inputs) {
    if (id == kNoValue) continue;
    const opset::ValueType* type = facts_.get(id).type;
    if (type && is_open(*type)) return facts_.unknown(id);
  }
  return {};
}

void Inferrer::equal(const DimExpr& a, const DimExpr& b, std::string_view what) {
  if (around_ && around_->take_equality(a, b, what)) return;
  symbols_.equal(a, b, view_->place);
}

namespace {

[[noreturn]] void refuse_body(FaultText fault, const std::string& where) {
  NodeError error(Fault::Signature, std::move(fault.message), std::move(fault.hint));
  error.within(where);
  throw error;
}

}  // namespace

void Inferrer::check_counts(std::string_view attribute) const {
  const std::span<const ir::Attribute> attributes = view_->attrs.given();
  const auto at = std::find_if(attributes.begin(), attributes.end(),
                               [&](const ir::Attribute& a) { return a.name.get() == attribute && a.g; });
  if (at == attributes.end()) return;
  for (BodyFault& fault : body_faults(*view_->op, view_->attrs.schema().since, view_->inputs.size(),
                                      view_->outputs.size(), attributes, *at->g)) {
    if (fault.of != BodyFault::Of::Unread)
      refuse_body(std::move(fault.text),
                  "attribute \"" + std::string(attribute) + "\" / " + ir::describe_graph(*at->g));
  }
}

std::vector<Fact> Inferrer::infer_subgraph(std::string_view attribute, std::span<const Fact> formals) {
  if (!around_) throw Error(ErrorCode::Internal, "a node with graphs is inferred without what is around it");
  check_counts(attribute);
  std::string why = std::move(why_);
  std::vector<Fact> found = around_->infer_subgraph(attribute, formals);
  why_ = std::move(why);
  // Operators index what their graphs give. Of a program the attributes have no graphs.
  auto fault = output_fault(*view_->op, view_->attrs.schema().since, view_->inputs.size(), view_->outputs.size(),
                            view_->attrs.given(), found.size());
  if (fault && fault->of != BodyFault::Of::Unread)
    refuse_body(std::move(fault->text), "attribute \"" + std::string(attribute) + "\"");
  return found;
}

}  // namespace norn::infer
