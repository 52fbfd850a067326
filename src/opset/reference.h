// Reference kernels: scalar, obviously right, for every type the schema allows.
//
// They are what an operator means when it runs: the last candidate for every node, the evaluator that inference and
// constant folding use, and the truth that fast kernels are tested against. They know nothing of plans or threads.
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "norn/value.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::opset {

// Memory for an output; Tensor's constructor by default.
using MakeTensor = std::function<Tensor(DataType, const Shape&)>;

class ReferenceContext final : public NodeView {
 public:
  int input_count() const noexcept { return static_cast<int>(inputs_.size()); }
  bool has_input(int i) const noexcept override { return i < input_count() && inputs_[i] != nullptr; }
  const Tensor* constant(int i) const noexcept override;
  // Throws if the input is given and is not a tensor of int32 or int64 of rank 0 or 1.
  std::optional<Dims> known_ints(int i) const override;
  std::optional<Dims> known_shape(int i) const override;
  // Throws if the input is omitted or not a tensor.
  const Tensor& input(int i) const;
  const Value& value(int i) const;

  int output_count() const noexcept { return static_cast<int>(outputs_.size()); }
  bool wants_output(int i) const noexcept { return i < output_count() && outputs_[i].wanted; }
  // The output's memory, to be filled. Where the planner has placed the output, its type and shape are compared with
  // these; otherwise it is allocated. Must not be called for an unwanted output.
  Tensor& output(int i, DataType dtype, const Shape& dims);
  void set_output(int i, Value value);

  ErrorCode fault_code() const noexcept override { return ErrorCode::RuntimeError; }

  // --- for the runner of kernels ---
  struct Output {
    Value value;  // placed: a tensor of the planned shape over planned memory
    bool placed = false;
    bool wanted = true;
  };
  // `make`, which may be null, must outlive this.
  ReferenceContext(const Attrs& attrs, std::span<const Value* const> inputs, std::span<Output> outputs,
                   const MakeTensor* make = nullptr)
      : NodeView(attrs), inputs_(inputs), outputs_(outputs), make_(make) {}

 private:
  std::span<const Value* const> inputs_;
  std::span<Output> outputs_;
  const MakeTensor* make_;
};

using ReferenceFn = void (*)(ReferenceContext&);

// Filled by each slice's `<slice>_references`. A kernel serves the newest version of its operator and every older one
// that means the same; an old version that no version step can lift has a kernel of its own.
class ReferenceTable {
 public:
  // `run` serves nodes whose schema has since_version in [from, to].
  virtual void add(const Operator&, ReferenceFn run, int from = 1, int to = kUnbounded) = 0;

 protected:
  ~ReferenceTable() = default;
};

// The kernel for an operator at a schema version; null if the operator has none (control flow has none).
ReferenceFn find_reference(const Operator&, int since) noexcept;

// Whether anything runs the operator: a reference kernel of any version, a function body, or the runtime itself, as
// control flow. Of the others only the signature is known.
bool is_runnable(const Operator&) noexcept;

// Runs the reference kernel of one node on given inputs (null where omitted) and returns its outputs.
// Throws norn::Error; NotImplemented if the operator has no reference kernel.
std::vector<Value> evaluate(const Operator&, const Attrs&, std::span<const Value* const> inputs, int output_count);
// The same with memory that `make` gives.
std::vector<Value> evaluate(const Operator&, const Attrs&, std::span<const Value* const> inputs, int output_count,
                            const MakeTensor& make);

}  // namespace norn::opset
