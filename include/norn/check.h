// Is a model valid ONNX? All findings in one pass, each with the rule it breaks, the place, and what would help.
//
//   norn::Report report = norn::check(norn::Model::load("model.onnx"));
//   if (!report.ok()) std::cerr << report.to_string();
//
// Rules bind by the file's IR version, as they were written then. Thread-safe: functions here keep no state. Large
// graphs are checked by several threads, the calling one and at most three of the process's pool; the findings do not
// depend on their number. In a child after fork() the calling thread checks alone.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "norn/error.h"
#include "norn/export.h"
#include "norn/limits.h"
#include "norn/model.h"
#include "norn/opset.h"

namespace norn {

enum class Severity : std::uint8_t { Note, Warning, Error };
NORN_API std::string_view severity_name(Severity severity) noexcept;  // "note", "warning", "error"

struct Diagnostic {
  std::string_view rule;  // "graph.nodes.sorted"; static storage
  Severity severity = Severity::Error;
  std::string where;    // graph "main" / node 12 "conv1" (Conv) / input 1 "W" float[64,3,7,7]
  std::string message;  // what is wrong and why
  std::string hint;     // what would help; may be empty
};

// The findings about one model: graph by graph, what is about a graph as a whole last.
struct NORN_API Report {
  std::string path;  // of the model; "" if it did not come from a file
  std::vector<Diagnostic> diagnostics;
  // Findings beyond CheckOptions::max_findings that were counted but not kept.
  std::size_t dropped = 0;

  bool ok() const noexcept { return count(Severity::Error) == 0; }
  std::size_t count(Severity severity) const noexcept;
  // Lines for a terminal. Findings below `least` are only counted.
  std::string to_string(Severity least = Severity::Note) const;
  std::string to_json() const;
  std::string to_sarif() const;  // SARIF 2.1.0, as code-scanning services read it
};

// What the findings' severities follow.
enum class Profile : std::uint8_t {
  Spec,     // MUST is an error, SHOULD a warning; a MUST that common real models break is a warning, and advice on
            // documentation a note
  Strict,   // every MUST is an error
  Runtime,  // errors are what keeps a runtime from running the model; every node that this build of Norn cannot run is
            // one
};

// "spec", "strict", "runtime". Throws norn::Error (InvalidArgument) for another name.
NORN_API Profile profile_from_name(std::string_view name);

struct CheckOptions {
  Profile profile = Profile::Spec;
  Limits limits;
  // Read external data files whole and compare them with their SHA-1 where the model gives one.
  bool checksums = false;
  // An operator of a domain that no known operator set declares is an error (else it is accepted).
  bool check_custom_domain = false;
  // Documents that declare operators beyond the built-in ones. Where one declares a domain at the imported version,
  // an operator that it does not declare is an error.
  std::vector<OperatorSet> operator_sets;
  // Do not ask that functions and the model agree on the operators that both use.
  bool skip_opset_compatibility_check = false;
  // Infer types and shapes of the whole model and compare declarations and nodes with them (norn/infer.h).
  bool infer = true;
  std::size_t max_findings = 10'000;
};

// A fault of the model is a finding. Throws norn::Error for what keeps the check from being made: Io, and LimitExceeded
// for a model beyond options.limits, as for one whose functions call each other so that replacing the calls by bodies
// gives more than Limits::max_expanded_nodes nodes.
NORN_API Report check(const Model& model, const CheckOptions& options = {});

enum class PartKind : std::uint8_t { Graph, Node, Attribute, Tensor, SparseTensor, ValueInfo, Function };
// (domain, version) pairs.
using OpsetImports = std::vector<std::pair<std::string, std::int64_t>>;
// Checks the bytes of one message on its own. `opset_imports` are those in force; without them nothing is said about
// which operators its nodes may name, while a list that lacks a domain, even an empty one, is a finding for its nodes.
NORN_API Report check_part(PartKind kind, std::span<const std::byte> bytes, std::int64_t ir_version,
                           const std::optional<OpsetImports>& opset_imports, const CheckOptions& options = {});

// Checks a data file's content: a TensorProto, SparseTensorProto, SequenceProto, MapProto or OptionalProto
// (norn/data.h), or an .npy or .npz file; without `kind`, data_kind() decides. Throws norn::Error (InvalidProtobuf) for
// bytes that are not such a message. No rule binds .npy and .npz: those that can be read have no findings, others
// throw.
enum class DataKind;
NORN_API Report check_data(std::span<const std::byte> bytes, std::optional<DataKind> kind = {},
                           const CheckOptions& options = {});
// Checks a data file. External data is looked for beside it.
NORN_API Report check_data(const std::string& path, std::optional<DataKind> kind = {},
                           const CheckOptions& options = {});

// A rule of the specification, or of Norn's own (`norn check --list-rules`).
struct RuleInfo {
  std::string_view id, level;   // level: "MUST", "SHOULD", "NORN" for what this build of Norn asks of a model to run it
  int ir_from = 1, ir_to = 14;  // IR versions it binds
  bool lenient = false;         // a MUST that common real models break: a warning unless strict
  std::string_view text;
  std::string_view not_checked;  // why check() never reports it, and who does; "" for a rule that check() enforces
};
// Every rule that binds a file, in the specification's order; Norn's own come last.
NORN_API std::span<const RuleInfo> rules() noexcept;

}  // namespace norn
