// A node's attributes as its operator sees them: references to the caller's replaced, tensors brought in from their
// files, and checked against what the operator's version declares.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/model.h"
#include "ir/tensor_data.h"
#include "opset/schema.h"

namespace norn::infer {

// Opset versions in force, by canonical domain.
using Imports = std::map<std::string, std::int64_t, std::less<>>;
// The highest version where a domain is imported twice; version 1 of the default set where IR 1 and 2 import none.
Imports imports_of(const std::vector<ir::OperatorSetId>& entries, std::int64_t ir_version);

// A call of a function, and those it is in: attribute values for the references of its body.
struct Call {
  const Call* parent = nullptr;
  const ir::Function* function = nullptr;
  std::unordered_map<std::string, const ir::Attribute*> attributes;
  int depth = 1;
};
inline constexpr int kMaxCallDepth = 100;
// Throws norn::Error for a recursive call, and for one with more inputs or outputs than the function has. The
// attributes are the function's defaults; the call's own are added by the caller.
Call begin_call(const ir::Function& function, const ir::Node& node, const Call* caller);

// The model's own functions.
class FunctionTable {
 public:
  explicit FunctionTable(std::span<const ir::Function> functions);
  bool empty() const noexcept { return functions_.empty(); }
  // Null if the model has none of that name; `domain` is canonical.
  const ir::Function* find(std::string_view domain, const ir::Node& node) const;
  // Of a node that find() finds nothing for: the functions of its domain that it may stand for, as a hint; or "".
  std::string similar(std::string_view domain, const ir::Node& node) const;

 private:
  std::unordered_map<std::string, const ir::Function*> functions_;
};

// A tensor of the document as a value; before IR 4 the field that says it lies elsewhere is unknown.
norn::Tensor contents_of(const ir::Tensor& tensor, std::int64_t ir_version, const ir::ExternalReader& external);

// Whether one of them is a graph.
bool has_graph(std::span<const ir::Attribute> attributes);
// Whether resolve_attributes and complete_untyped would change anything.
bool needs_resolving(const ir::Node& node);
// The node's attributes with references replaced by what the call gives, and tensors brought in from their files. What
// the call leaves out is left out: the operator's own default applies. `call` is null outside of functions.
std::vector<ir::Attribute> resolve_attributes(const ir::Node& node, const Call* call, std::int64_t ir_version,
                                              const ir::ExternalReader& external);

// IR 1 writes no types: an attribute with a value gets the value's type. An empty list leaves nothing but the
// attribute's name: one without type and value becomes a list where the version declares one, and is refused elsewhere.
void complete_untyped(std::vector<ir::Attribute>& attrs, const opset::Schema& schema);

// Throws norn::Error for an attribute that the version does not have, has with another type, or requires and lacks.
void check_attributes(std::span<const ir::Attribute> attrs, const opset::Operator& op, const opset::Schema& schema);

}  // namespace norn::infer
