// The one driver of inference: it takes a node's facts from their owner, calls the operator's function, and gives the
// results back. Documents (document.h), lowering, version steps and plans differ only in where facts lie, in what a
// subgraph is, and in how much is to be checked.
//
// Not thread-safe; one object for one walk.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "infer/infer_node.h"
#include "infer/symbols.h"
#include "opset/infer_context.h"

namespace norn::infer {

using ValueId = std::uint32_t;
inline constexpr ValueId kNoValue = 0xffffffffu;  // an omitted optional

// Whether nothing is known of it, or of a tensor not even the rank.
inline bool is_open(const opset::ValueType& type) { return !type.known() || (type.is_tensor() && !type.has_rank()); }

// What is known of values, by number.
class Facts {
 public:
  virtual opset::InferContext::Input get(ValueId id) const = 0;
  virtual void set(ValueId id, opset::InferContext::Output&& found) = 0;
  // Why the type or the shape of a value is not known, and where that began; empty if that was not recorded.
  struct Unknown {
    std::string_view why;
    PlaceId where = kNowhere;
  };
  virtual Unknown unknown(ValueId) const { return {}; }
  // Whether what get() refers to stays where it is while values are added.
  virtual bool stable() const noexcept { return false; }
  // What the model calls the value; "" if that is not known. For messages.
  virtual std::string name(ValueId) const { return {}; }

 protected:
  ~Facts() = default;
};

// Facts in a list, numbered as they come: for one node by itself, or a few in a row.
class FactList final : public Facts {
 public:
  ValueId add(opset::Fact fact = {}) {
    facts_.push_back(std::move(fact));
    return static_cast<ValueId>(facts_.size() - 1);
  }
  opset::Fact& operator[](ValueId id) { return facts_[id]; }
  opset::InferContext::Input get(ValueId id) const override { return {&facts_[id].type, &facts_[id].value}; }
  void set(ValueId id, opset::InferContext::Output&& found) override {
    facts_[id] = {std::move(found.type), std::move(found.value)};
  }

 private:
  std::vector<opset::Fact> facts_;
};

// What a node may ask of its surroundings.
class Surroundings {
 public:
  // What is known of the outputs of a graph in an attribute, given its formal inputs. The last call of a node for an
  // attribute is what holds.
  virtual std::vector<opset::Fact> infer_subgraph(std::string_view attribute, std::span<const opset::Fact> formals) = 0;
  // True if the sizes were taken note of elsewhere; otherwise the Symbols record that they are equal.
  virtual bool take_equality(const opset::DimExpr&, const opset::DimExpr&, std::string_view what) {
    (void)what;
    return false;
  }

 protected:
  ~Surroundings() = default;
};

struct NodeView {
  const opset::Operator* op = nullptr;
  opset::Attrs attrs;
  std::span<const ValueId> inputs, outputs;  // kNoValue where omitted
  PlaceId place = kNowhere;
};

class Inferrer final : private opset::InferContext::Engine, private InputNames {
 public:
  // `evaluator` may be null: then contents are known only where slices compute them symbolically.
  Inferrer(Facts& facts, Symbols& symbols, Evaluator evaluator, Mode mode)
      : facts_(facts), symbols_(symbols), evaluator_(evaluator), mode_(mode) {}

  // Sets the facts of the node's outputs. Throws norn::Error (InvalidGraph) and then has set none; the caller adds the
  // place. Without `around` a node must not have graphs. `around` may call node() again.
  void node(const NodeView& view, Surroundings* around = nullptr) { node(view, mode_, around); }
  void node(const NodeView& view, Mode mode, Surroundings* around = nullptr);
  // Why the operator's function left something of the last node's outputs unknown; "" if it did not say.
  const std::string& why() const noexcept { return why_; }

 private:
  opset::DimExpr fresh_dim(std::string_view why) override;
  opset::DimExpr fresh_int(std::string_view why) override;
  Facts::Unknown reason(std::string_view why, std::string& made) const;
  Facts::Unknown open_input() const;
  // Throws NodeError for a graph in the attribute that does not have the inputs and outputs that the node needs.
  void check_counts(std::string_view attribute) const;
  void explain(std::string_view why) override { why_ = why; }
  void equal(const opset::DimExpr& a, const opset::DimExpr& b, std::string_view what) override;
  std::vector<opset::Fact> infer_subgraph(std::string_view attribute, std::span<const opset::Fact> formals) override;
  std::string input_name(std::size_t i) const override {
    return view_ && i < view_->inputs.size() && view_->inputs[i] != kNoValue ? facts_.name(view_->inputs[i]) : "";
  }

  Facts& facts_;
  Symbols& symbols_;
  Evaluator evaluator_;
  Mode mode_;
  const NodeView* view_ = nullptr;  // the node that is being inferred, and what is around it
  Surroundings* around_ = nullptr;
  std::string why_;
  std::vector<opset::InferContext::Input> inputs_;  // kept for their memory
  std::vector<opset::InferContext::Output> outputs_;
};

}  // namespace norn::infer
