// Inference of one node: type check against the schema, the slice's own function, then evaluation of known contents.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "norn/error.h"
#include "opset/infer_context.h"

namespace norn::infer {

// Computes a node's outputs from constant inputs; the reference library supplies one. Without it contents stay unknown.
using Evaluator = std::vector<Value> (*)(const opset::Operator&, const opset::Attrs&,
                                         std::span<const Value* const> inputs, int output_count);

// Constants of more elements than this are not carried through inference; a pass folds them.
inline constexpr std::int64_t kSmall = 1024;

enum class Mode : std::uint8_t {
  Check,    // a document that may be wrong: types are checked against the schema and declarations
  Trusted,  // a document that is to run: what it declares is taken where inference says nothing
  Static,   // a plan: sizes are known and types were checked before, so that only the operator's function is asked
};

// What is wrong with a node, so that the checker can choose the rule to report it under.
enum class Fault : std::uint8_t {
  Signature,     // number of inputs or outputs, a required one missing, attributes
  InputType,     // a type that the operator does not take
  Conversion,    // an optional where its element is taken, or the other way round
  TypeVariable,  // two inputs of one type variable differ
  OutputType,    // what the operator gives is not what its schema says
  LeftOut,       // a required input, because the call of the function around the node leaves it out
  Rule,          // what a rule of the checker reports from declarations alone
  Meaning,       // shapes, attributes or contents contradict what the operator does
};
class NodeError : public Error {
 public:
  NodeError(Fault fault, std::string message, std::string hint = {})
      : Error(ErrorCode::InvalidGraph, std::move(message), {}, std::move(hint)), fault_(fault) {}
  Fault fault() const noexcept { return fault_; }

 private:
  Fault fault_;
};

// What the model calls the inputs of a node; "" for one whose name is not known. For messages.
class InputNames {
 public:
  virtual std::string input_name(std::size_t i) const = 0;

 protected:
  ~InputNames() = default;
};

// Fills `outputs`. Checks number and types of inputs against the schema (type variables bound consistently) unless
// `mode` is Static, calls the operator's function and, if it left an output's contents unknown although every input is
// a small constant, evaluates. Output types that the function left unknown but the schema determines (a bound type
// variable) are filled in, without a shape. Throws norn::Error (InvalidGraph; NodeError for violations of the schema),
// with input types; the caller adds the node.
void infer_node(const opset::Operator& op, const opset::Attrs& attrs,
                std::span<const opset::InferContext::Input> inputs, std::span<opset::InferContext::Output> outputs,
                opset::InferContext::Engine& engine, Evaluator evaluator = nullptr, Mode mode = Mode::Check,
                const InputNames* names = nullptr);

// `inputs ("x" float[2], none)`: as messages show them. Names that are not known are left out.
std::string describe_inputs(std::span<const opset::InferContext::Input> inputs, const InputNames* names = nullptr);

// Adds the second form of contents: integers of rank 0 or 1 as expressions.
void complete_value(opset::KnownValue& value);

}  // namespace norn::infer
