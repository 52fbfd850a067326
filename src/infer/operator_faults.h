// Messages about the operator that a node names and the imports that it is looked up by, shared by lowering and the
// checker.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "infer/fault_text.h"
#include "ir/model.h"
#include "ir/operator_set.h"
#include "opset/schema.h"

namespace norn::infer {

// Whose opset_import holds for the node.
enum class Importer : std::uint8_t { Model, Function };

// Nothing if the version is one of the domain's, or if the domain is not built in.
std::optional<FaultText> unknown_version(std::string_view domain, std::int64_t version);
FaultText not_imported(std::string_view domain, Importer importer);
// The same of a node whose operator is not known in the domain either, so that an import alone would not help.
FaultText not_imported(std::string_view domain, const ir::Node& node, Importer importer);
// The operator exists, but not in this version of its set.
FaultText not_in_version(const opset::Operator& op, std::int64_t version, Importer importer);
// `schema` is the row in force, which is deprecated.
FaultText deprecated(const opset::Operator& op, const opset::Schema& schema, std::int64_t version, Importer importer);
// No operator of the domain has this name. `functions` says which functions of the model the node may stand for; "" if
// the model has none.
FaultText unknown_operator(std::string_view domain, const ir::Node& node, std::string functions = {});
// Documents of sets of the domain are given, and none declares the operator for this version.
FaultText undeclared_operator(std::string_view domain, const ir::Node& node, std::int64_t version,
                              std::span<const ir::OperatorSet* const> sets);

}  // namespace norn::infer
