// What a node names: a function whose body stands in its place, or an operator that this build runs; else why neither.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "infer/attributes.h"
#include "infer/operator_faults.h"
#include "ir/model.h"
#include "ir/operator_set.h"
#include "norn/error.h"
#include "norn/limits.h"
#include "opset/schema.h"

namespace norn::program {

enum class Obstacle : std::uint8_t { UnknownOperator, NoKernel, Deprecated, NotInVersion, NotImported };

// Why a node cannot be run. The error says it in words and has no place.
struct CannotRun {
  Obstacle obstacle;
  Error error;
};

struct Binding {
  const ir::Function* function = nullptr;  // null: the operator, at the version in force
  const opset::Operator* op = nullptr;
  const opset::Schema* schema = nullptr;
  std::optional<CannotRun> cannot;  // nothing of the above, then
};

// The model's own functions go before operators of the same name, loaded operator sets come after what can be run
// already. `standard`: the node is in the body of one of ONNX's operators, where names mean ONNX's operators only.
Binding bind_node(const ir::Node& node, const infer::Imports& imports, const infer::FunctionTable& functions,
                  std::span<const ir::OperatorSet* const> operator_sets, bool standard,
                  infer::Importer importer = infer::Importer::Model);

// Whether the operator's function body stands in place of its nodes of this version.
bool runs_as_body(const opset::Operator& op, const opset::Schema& schema);

struct Unrunnable {
  std::string where;
  const ir::Node& node;
  std::int64_t version;  // that is in force; 0 if none is
  const CannotRun& why;
};
// Calls f for every node that lowering would refuse for its operator: in all graphs, and in the bodies of functions
// that are called, once for each function. Takes the document as it stands, without types: the function body of an
// operator is left out if it depends on them.
void for_each_unrunnable(const ir::Model& model, std::span<const ir::OperatorSet* const> operator_sets,
                         const Limits& limits, const std::function<void(const Unrunnable&)>& f);

}  // namespace norn::program
