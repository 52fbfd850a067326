// The operators Norn knows: their signatures through all versions, for tools and for tests against other sources.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "norn/export.h"
#include "norn/model.h"

namespace norn {

// A JSON list with an object for each version of each operator: domain ("" is ai.onnx), name, since, inputs and outputs
// (name, type, option, min_arity, homogeneous, diff), attributes (name, type, required, default), types (name, allowed:
// type strings, sorted), min_inputs, max_inputs, min_outputs, max_outputs (2147483647: unbounded), determinism,
// support ("COMMON", "EXPERIMENTAL"), deprecated, runnable (this Norn runs the operator, and does not just know it),
// function (this version has a function body), same_meaning (a node of the version before means the same in this one).
NORN_API std::string schemas_json();

// The newest version of a built-in operator set; 0 for a domain that is not built in. "" and "ai.onnx" are the same.
NORN_API std::int64_t newest_opset_version(const std::string& domain = {});

namespace ir {
struct OperatorSet;
}
struct Report;  // norn/check.h

// An operator-set document (OperatorSetProto). The notation is that of models and follows from the extension: JSON for
// .json, protobuf's text format for .textproto, binary for everything else.
//
//   norn::SessionOptions options;
//   options.operator_sets.push_back(norn::OperatorSet::load("acme_ops.onnxopset"));
//   norn::Session session(norn::Model::load("model.onnx"), options);
//
// A loaded set makes its operators known to checks and sessions that are given it; operators whose documents bring a
// function body run. Immutable and thread-safe; copies share the document.
class NORN_API OperatorSet {
 public:
  // Throws norn::Error: InvalidProtobuf for what is not an operator-set document, InvalidGraph with the first broken
  // rule's id for one that breaks what the specification says they MUST be.
  static OperatorSet load(const std::string& path);
  // Not for Format::OnnxText, which has no form for operator sets; Auto is the binary format.
  static OperatorSet parse(std::span<const std::byte> bytes, Format format = Format::Binary);
  // The set `domain` at `version` as Norn knows it, without the operators that are deprecated there. Throws norn::Error
  // (InvalidArgument) if there is none.
  static OperatorSet built_in(const std::string& domain, std::int64_t version);
  // Throws norn::Error (Io; NotImplemented for what a notation cannot hold).
  void save(const std::string& path, Format format = Format::Auto) const;
  std::vector<std::byte> serialize(Format format = Format::Binary) const;

  const std::string& domain() const noexcept;  // "" is ai.onnx
  std::int64_t version() const noexcept;
  // Names of the operators, functions included, each once, sorted.
  std::vector<std::string> operators() const;
  std::string to_string() const;  // a page for a terminal
  std::string to_json() const;    // what the page says

  const ir::OperatorSet& document() const noexcept { return *document_; }
  // The document is not checked.
  explicit OperatorSet(std::shared_ptr<const ir::OperatorSet> document);

 private:
  std::shared_ptr<const ir::OperatorSet> document_;
};

// Every finding about a document, which may break any of the rules (opsetdoc.*). Throws norn::Error for what cannot be
// read as one.
NORN_API Report check_operator_set(const std::string& path);
NORN_API Report check_operator_set(std::span<const std::byte> bytes, Format format = Format::Binary);
NORN_API Report check_operator_set(const OperatorSet& set);
// What does not fit between sets that are used together: two that claim one (domain, version), operators that changed
// although they are stable, built-in domains described otherwise than by ONNX.
NORN_API Report check_operator_sets(std::span<const OperatorSet> sets);

}  // namespace norn
