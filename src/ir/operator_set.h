// Operator-set documents: OperatorSetProto and OperatorProto of onnx-operators.proto, as values.
//
// The schema of an operator entry holds a name, a version, a status and a text, and no signature. A function entry is
// an operator with its body. Conventions are those of ir/model.h.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/field.h"
#include "ir/model.h"

namespace norn::ir {

// OperatorStatus
inline constexpr std::int32_t kStatusExperimental = 0, kStatusStable = 1;

struct Operator {
  Field<std::string> op_type;
  Field<std::int64_t> since_version;
  Field<std::int32_t> status;  // reads as experimental while unset
  Field<std::string> doc_string;
  Rare<Bytes> unknown;
};

inline constexpr const char* kOperatorSetMagic = "ONNXOPSET";

struct OperatorSet {
  Field<std::string> magic;
  Field<std::int64_t> ir_version;
  Field<std::string> ir_version_prerelease;
  Field<std::string> ir_build_metadata;
  Field<std::string> domain;
  Field<std::int64_t> opset_version;
  Field<std::string> doc_string;
  std::vector<Operator> operators;  // `operator` in the schema
  std::vector<Function> functions;
  Rare<Bytes> unknown;
};

// Since which version of its set a function means what it does. Functions had a since_version of their own, field 2,
// while sets were all that held them (up to IR 7); that field was withdrawn, so that a newer function is only known to
// belong to the version of the set that brings it.
std::int64_t since_version(const Function& function, const OperatorSet& set);

// What sets declare about an operator where version `version` of a domain is imported.
struct DeclaredOperator {
  bool known_domain = false;  // one of the sets is of this domain, and of at least this version
  const OperatorSet* declared_in = nullptr;
  const Function* body = nullptr;  // null for an operator entry
};
// A set also declares the versions before it: an entry holds from its since_version up to the set's version. Of several
// entries the newest that holds is in force.
DeclaredOperator find_declared(std::span<const OperatorSet* const> sets, std::string_view domain,
                               std::string_view op_type, std::string_view overload, std::int64_t version);

}  // namespace norn::ir
