// How a slice gives the body of an operator whose nodes depend on the node: its attributes, its inputs' types, and
// which optional inputs and outputs it has.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/model.h"
#include "opset/attrs.h"
#include "opset/node_view.h"
#include "opset/schema.h"
#include "opset/value_type.h"

namespace norn::opset {

// What a body is for: a node's operator version, attributes and types.
struct BodyContext {
  Attrs attrs;
  std::span<const ValueType* const> inputs;             // null where omitted
  std::vector<bool> outputs;                            // those that are wanted
  std::span<const norn::Tensor* const> constants = {};  // contents of inputs that are constants, where they are known
};

class BodyBuilder final : public NodeView {
 public:
  explicit BodyBuilder(const BodyContext& node) : NodeView(node.attrs), node_(node) {}

  int input_count() const noexcept { return static_cast<int>(node_.inputs.size()); }
  int output_count() const noexcept { return static_cast<int>(node_.outputs.size()); }
  bool has_input(int i) const noexcept override { return i < input_count() && node_.inputs[i] != nullptr; }
  // Of inputs that constant() gives.
  std::optional<Dims> known_ints(int i) const override;
  std::optional<Dims> known_shape(int i) const override { return type(i).shape; }
  bool wants_output(int i) const noexcept { return i < output_count() && node_.outputs[i]; }
  // Throw norn::Error (NotImplemented) if the input's element type, rank or size is not known: there is no body then.
  DataType elem(int i) const;
  int rank(int i) const;
  std::int64_t size(int i, int dimension) const;
  // -1 if it is not known.
  std::int64_t size_or_unknown(int i, int dimension) const noexcept;
  // Kind Unknown where the input is omitted.
  const ValueType& type(int i) const noexcept;
  // If the input is a constant and the body is made to run. What a body makes of its contents is the same as what its
  // nodes make of them otherwise.
  const norn::Tensor* constant(int i) const noexcept override;

  // Nodes in ONNX's text syntax, one or several.
  void add(std::string_view nodes);
  // A constant node `name`: a scalar, or a list, of the type.
  void scalar(std::string_view name, DataType type, double value);
  void ints(std::string_view name, std::span<const std::int64_t> values);
  void constant(std::string_view name, ir::Tensor contents);
  // A node that text has no form for, as one with a graph that the caller gives.
  void add(ir::Node node);

  // Throws norn::Error (NotImplemented): the operator allows it, but no body is known for it.
  [[noreturn]] void unsupported(std::string message, std::string hint = {}) const;
  ErrorCode fault_code() const noexcept override { return ErrorCode::InvalidGraph; }

  // --- for the maker of the function: the nodes as added, each either text or a node ---
  struct Part {
    std::string text;
    std::vector<ir::Node> nodes;
  };
  std::vector<Part> take_parts() { return std::move(parts_); }

 private:
  const BodyContext& node_;
  std::vector<Part> parts_;
};

// Filled by each slice's `<slice>_bodies` of x_body.cc.
class BodyTable {
 public:
  virtual void add(const Operator&, std::span<const FunctionBody>) = 0;

 protected:
  ~BodyTable() = default;
};

}  // namespace norn::opset
