// Version steps: what it takes to move one node from one version of its operator to the next, up or down.
//
// Where a node means the same in both versions no step is written: the schema row says so (same_meaning). A step may
// change attributes, turn attributes into constant inputs and back, and put other nodes before or after. Where the node
// cannot be expressed in the other version, it says why (cannot()).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "norn/value.h"
#include "opset/attrs.h"
#include "opset/schema.h"
#include "opset/value_type.h"

namespace norn::transform {

class NodeEdit {
 public:
  // --- the node as it is ---
  opset::Attrs attrs() const;  // under the schema the step starts from
  int input_count() const;
  int output_count() const;
  bool has_input(int i) const;
  bool wants_output(int i) const;
  const opset::ValueType& input_type(int i) const;  // kind Unknown if not inferred
  const opset::ValueType& output_type(int i) const;
  std::optional<std::int64_t> input_rank(int i) const;
  // The input's contents if it is a constant, else null.
  const norn::Tensor* input_constant(int i) const;

  // --- changes ---
  void remove_attr(std::string_view name);
  void set_attr(std::string_view name, std::int64_t value);
  void set_attr(std::string_view name, float value);
  void set_attr(std::string_view name, std::string value);
  void set_attr(std::string_view name, std::vector<std::int64_t> values);
  void set_attr(std::string_view name, std::vector<float> values);
  void set_attr(std::string_view name, std::vector<std::string> values);
  void set_attr(std::string_view name, const norn::Tensor& value);
  // Makes input i a constant, appending omitted inputs up to it.
  void set_input(int i, const norn::Tensor& constant);
  void set_input_ints(int i, const std::vector<std::int64_t>& values);  // int64, rank 1
  // Puts a constant before input i; it and later inputs move down.
  void insert_input(int i, const norn::Tensor& constant);
  // Removes input i; later inputs move up. drop_input of the last shortens the list.
  void drop_input(int i);
  void drop_output(int i);

  // Puts a node between: the input's value goes through `op` (with `attrs` and further constant inputs) first; or
  // output o of this node goes through `op` last, so that consumers see what `op` gives.
  void wrap_input(int i, const opset::Operator& op, int version, std::vector<ir::Attribute> attrs,
                  std::vector<norn::Tensor> constants = {});
  void wrap_output(int o, const opset::Operator& op, int version, std::vector<ir::Attribute> attrs,
                   std::vector<norn::Tensor> constants = {});
  // Puts a node in front of this one and gives the name of what it makes. `inputs` are names of values: what this node
  // reads, and results of nodes in front. The name begins as `called`, or as the operator's: messages show it.
  std::string put_in_front(const opset::Operator& op, int version, std::vector<ir::Attribute> attrs,
                           std::vector<std::string> inputs, std::string_view called = {});
  const std::string& input_name(int i) const;
  void replace_input(int i, std::string name);
  // Replaces the node by a node of another operator at `version`.
  void become(const opset::Operator& op, int version);

  // Throws norn::Error (NotImplemented): this node has no equivalent in the other version.
  [[noreturn]] void cannot(std::string why, std::string hint = {}) const;

  struct State;
  explicit NodeEdit(State& state) : s_(&state) {}

 private:
  State* s_;
};

ir::Attribute make_attr(std::string_view name, std::int64_t value);
ir::Attribute make_attr(std::string_view name, float value);
ir::Attribute make_attr(std::string_view name, std::string value);
ir::Attribute make_attr(std::string_view name, std::vector<std::int64_t> values);
ir::Attribute make_attr(std::string_view name, std::vector<std::string> values);

using StepFn = void (*)(NodeEdit&);

// Filled by each slice's `<slice>_steps`.
class StepTable {
 public:
  // `from` and `to` are neighbouring rows' since versions; up when from < to.
  virtual void add(const opset::Operator&, int from, int to, StepFn step) = 0;
  // Both ways between two neighbouring rows.
  void add(const opset::Operator& op, int lower, int higher, StepFn up, StepFn down) {
    add(op, lower, higher, up);
    add(op, higher, lower, down);
  }
  // Version `since` has no exact step up: nodes of it keep it, and a reference kernel serves it.
  virtual void keeps(const opset::Operator&, int since, std::string_view why) = 0;

 protected:
  ~StepTable() = default;
};

}  // namespace norn::transform
