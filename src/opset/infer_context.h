// What an operator's inference function sees of its node, and how it answers.
//
// One function per operator computes output types, symbolic shapes and known values, for the version the node binds to.
// It is used by the checker on documents, by lowering, and by the planner on shapes that became known while running;
// so it must accept anything from "nothing known" to "everything constant", and throw only on a contradiction.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "opset/node_view.h"
#include "opset/value_type.h"

namespace norn::opset {

// More dimensions than any tensor has; a damaged file may claim any number.
inline constexpr std::int64_t kMostDims = 64;

class InferContext final : public NodeView {
 public:
  int input_count() const noexcept { return static_cast<int>(inputs_.size()); }
  int output_count() const noexcept { return static_cast<int>(outputs_.size()); }
  bool has_input(int i) const noexcept override { return i < input_count() && inputs_[i].type != nullptr; }
  bool wants_output(int i) const noexcept { return i < output_count() && outputs_[i].wanted; }

  // The input's type; kind Unknown if it is omitted or nothing is known.
  const ValueType& input(int i) const noexcept;
  DataType elem(int i) const noexcept { return input(i).elem; }
  bool has_rank(int i) const noexcept { return input(i).has_rank(); }
  int rank(int i) const noexcept { return static_cast<int>(input(i).shape->size()); }
  // Requires has_rank(i).
  const Dims& shape(int i) const noexcept { return *input(i).shape; }
  const norn::Tensor* constant(int i) const noexcept override;
  // The input's integers (rank 0 or 1), as expressions, if known, else null.
  const Dims* ints(int i) const noexcept;
  std::optional<Dims> known_ints(int i) const override;
  std::optional<Dims> known_shape(int i) const override { return input(i).shape; }

  // Answers. Outputs that are not set stay Unknown. Indexes beyond output_count() are ignored.
  void set(int output, ValueType type);
  void set(int output, DataType elem, Dims shape) { set(output, ValueType::tensor(elem, std::move(shape))); }
  void set(int output, DataType elem) { set(output, ValueType::tensor(elem)); }
  // Contents of an integer output of rank 0 or 1, and of any output that is a constant.
  void set_ints(int output, Dims ints);
  void set_fractions(int output, Fractions values);
  void set_constant(int output, norn::Tensor value);

  // A size that is not known before running, and why: "the number of elements that are not zero". Without a reason,
  // that of explain() counts, or a general one.
  DimExpr fresh_dim(std::string_view why = {});
  // As many sizes, for a rank that is known and plausible; else nothing.
  std::optional<Dims> fresh_dims(const DimExpr& rank, std::string_view why = {});
  // An integer of either sign that is not known before running: an element of a vector whose others are known.
  DimExpr fresh_int(std::string_view why = {});
  // The input's integers, with fresh ones for all elements if only their number is known and small. Nothing for a value
  // of another kind.
  std::optional<Dims> partly_known_ints(int i);
  // The elements of a float or double input (rank 0 or 1), if known: as expressions, or a constant's.
  std::optional<Fractions> fractions(int i) const;
  // Why the shape of outputs stays unknown, or sizes of it: "the contents of input 1 \"shape\" are not known".
  void explain(std::string_view why);
  DimExpr unify(const DimExpr& a, const DimExpr& b, std::string_view what) const override;
  void require_rank(int i, std::int64_t rank) const override;

  // The engine adds the node and the input types to what is thrown.
  ErrorCode fault_code() const noexcept override { return ErrorCode::InvalidGraph; }

  // What is known of a graph attribute's outputs when its formal inputs are given these facts (none for If). May be
  // called for the same graph again, with other formals: the last call is what holds. There are as many outputs as the
  // node needs: a graph of fewer is refused before.
  std::vector<Fact> infer_subgraph(std::string_view attribute, std::span<const Fact> formals);

  // --- for the engine ---
  struct Input {
    const ValueType* type = nullptr;  // null if omitted
    const KnownValue* value = nullptr;
  };
  struct Output {
    ValueType type;
    KnownValue value;
    bool wanted = true;
  };
  class Engine {
   public:
    virtual DimExpr fresh_dim(std::string_view why) = 0;
    virtual DimExpr fresh_int(std::string_view why) = 0;
    virtual void explain(std::string_view why) { (void)why; }
    // `what` names the two in messages. Throws norn::Error (InvalidGraph) if they cannot be equal.
    virtual void equal(const DimExpr& a, const DimExpr& b, std::string_view what) = 0;
    virtual std::vector<Fact> infer_subgraph(std::string_view attribute, std::span<const Fact> formals) = 0;

   protected:
    ~Engine() = default;
  };
  InferContext(const Attrs& attrs, std::span<const Input> inputs, std::span<Output> outputs, Engine& engine)
      : NodeView(attrs), inputs_(inputs), outputs_(outputs), engine_(&engine) {}

 private:
  std::span<const Input> inputs_;
  std::span<Output> outputs_;
  Engine* engine_;
};

}  // namespace norn::opset
