#include "infer/operator_faults.h"

#include <algorithm>
#include <utility>

#include "base/nearest.h"
#include "opset/domains.h"
#include "opset/registry.h"

namespace norn::infer {
namespace {

const char* imports(Importer importer) {
  return importer == Importer::Function ? "; the function imports version " : "; the model imports version ";
}

// The way out: a version in which the operator is not deprecated, or another operator.
std::string deprecated_hint(const opset::Operator& op, const opset::Schema& schema) {
  const opset::Schema* earlier = nullptr;
  for (const auto& row : op.history) {
    if (row.since < schema.since)
      earlier = &row;
    else if (row.since > schema.since && !row.deprecated)
      return "from version " + std::to_string(row.since) + " on it is not deprecated: import that";
  }
  std::string replace = "replace the node by the operator that took its place";
  if (!earlier || earlier->deprecated) return replace;
  return "if the model was written for version " + std::to_string(schema.since - 1) +
         " or earlier, correct opset_import; else " + replace;
}

std::string unknown_hint(std::string_view domain, std::string_view name) {
  if (domain.empty() && opset::is_removed_experimental(name))
    return "it was experimental in the first operator set and was withdrawn, and what it computes was never said; "
           "export the model anew";
  const auto similar = opset::similar_names(domain, name);
  std::string elsewhere;
  base::Nearest nearest(domain);
  for (const opset::Operator* op : opset::all_operators()) {
    if (op->domain == domain) continue;
    if (op->name == name) elsewhere += (elsewhere.empty() ? "" : ", ") + domain_name(op->domain);
    nearest.offer(op->domain);
  }
  const bool known_domain = opset::newest_version(domain) > 0;
  if (const std::string question = nearest.question(); !known_domain && !question.empty())
    return question + " the node's domain and opset_import have to name it";
  if (!similar.empty() && base::equal_but_case(similar.front(), name))
    return "write " + base::quoted(similar.front()) + ": the names of operators are case-sensitive";
  if (!elsewhere.empty())
    return "it is an operator of " + elsewhere + ": give the node that domain, and import it in opset_import";
  if (!similar.empty()) {
    std::string hint;
    for (const std::string_view other : similar) hint += (hint.empty() ? "did you mean " : ", ") + base::quoted(other);
    return hint + "?";
  }
  if (domain == opset::kPreviewTrainingDomain && name == "GraphCall")
    return "only release 1.7 had it; since 1.8 the algorithm and the main graph are joined";
  if (!opset::is_complete(domain))
    return std::string(known_domain ? "Norn knows some operators of this domain" : "the domain is not one of ONNX's") +
           ": give the operator-set document that declares the operator with a body "
           "(SessionOptions::operator_sets), or let the model bring it as a local function";
  return "an operator of your own belongs into a domain of your own, or into a function of the model";
}

}  // namespace

std::optional<FaultText> unknown_version(std::string_view domain, std::int64_t version) {
  const int newest = opset::newest_version(domain);
  if (version < 1)
    return FaultText{
        "version " + std::to_string(version) + " of the operator set " + domain_name(domain) +
            " does not exist: versions count from 1",
        newest == 0 ? "import version 1, say"
                    : "import version 1 to " + std::to_string(newest) + ": the one that the exporter was asked for"};
  if (newest == 0 || version <= newest) return {};
  return FaultText{
      "version " + std::to_string(version) + " of the operator set " + domain_name(domain) +
          " is not known; the newest that this Norn knows is " + std::to_string(newest),
      "a newer Norn may know it; or export the model for version " + std::to_string(newest) + " or earlier"};
}

FaultText not_imported(std::string_view domain, Importer importer) {
  const bool function = importer == Importer::Function;
  const std::string newest = std::to_string(std::max(1, opset::newest_version(domain)));
  // Of ONNX's own set there are many versions in use, which differ.
  const std::string version = !domain.empty() ? newest
                                              : std::string("the one that the ") + (function ? "function" : "model") +
                                                    " was written for, at most " + newest;
  return {"the operator set " + domain_name(domain) + " is not imported" + (function ? " by the function" : ""),
          std::string("add it to opset_import") + (function ? " of the function" : "") + ": {domain: " + shown(domain) +
              ", version: " + version + "}"};
}

FaultText not_imported(std::string_view domain, const ir::Node& node, Importer importer) {
  FaultText fault = not_imported(domain, importer);
  const std::string& name = node.op_type.get();
  if (opset::find_operator(domain, name)) return fault;
  std::string hint = unknown_hint(domain, name);
  if (opset::is_complete(domain)) fault.message += ", nor is there an operator " + shown(name) + " in it";
  if (!opset::is_complete(domain) && !hint.starts_with("did you mean")) hint = fault.hint + "; " + hint;
  fault.hint = std::move(hint);
  return fault;
}

FaultText not_in_version(const opset::Operator& op, std::int64_t version, Importer importer) {
  if (version < 1) return *unknown_version(op.domain, version);
  const std::string since = std::to_string(op.history.front().since);
  return {opset::full_name(op) + " exists since version " + since + " of its operator set" + imports(importer) +
              std::to_string(version),
          "if the nodes are of a newer set, correct opset_import; else convert the model to version " + since +
              " or later"};
}

FaultText deprecated(const opset::Operator& op, const opset::Schema& schema, std::int64_t version, Importer importer) {
  return {opset::full_name(op) + " is deprecated since version " + std::to_string(schema.since) + imports(importer) +
              std::to_string(version),
          deprecated_hint(op, schema)};
}

FaultText unknown_operator(std::string_view domain, const ir::Node& node, std::string functions) {
  const std::string& overload = node.overload.get();
  const bool may_be_function = !functions.empty() || !overload.empty();
  std::string message = "there is no operator " + shown(node.op_type.get());
  if (may_be_function && !overload.empty()) message += " with the overload " + shown(overload);
  message += " in " + domain_name(domain);
  if (may_be_function) message += ", and the model has no such function";
  if (functions.empty() && opset::find_operator(domain, node.op_type.get()))
    functions = "leave the overload out, or add the function to the model";
  return {std::move(message), functions.empty() ? unknown_hint(domain, node.op_type.get()) : std::move(functions)};
}

FaultText undeclared_operator(std::string_view domain, const ir::Node& node, std::int64_t version,
                              std::span<const ir::OperatorSet* const> sets) {
  std::string versions;
  bool reaches = false;
  for (const ir::OperatorSet* set : sets) {
    if (ir::canonical_domain(set->domain.get()) != domain) continue;
    versions += (versions.empty() ? "" : ", ") + std::to_string(set->opset_version.get());
    reaches |= set->opset_version.get() >= version;
  }
  return {"the operator set " + domain_name(domain) + " has no operator " + shown(node.op_type.get()) + " in version " +
              std::to_string(version) + ", by the documents of version " + versions,
          reaches ? "name an operator that the document declares: names are case-sensitive"
                  : "load the document of the version that the model imports"};
}

}  // namespace norn::infer
