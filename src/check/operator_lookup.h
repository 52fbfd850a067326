// From a node to the operator it binds to, found once for each (domain, op_type, overload) under one list of imports.
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "check/text.h"
#include "ir/model.h"
#include "opset/schema.h"

namespace norn::checks {

// (canonical domain, version) pairs; of a domain that is listed twice, the highest version.
class Imports {
 public:
  Imports() = default;
  explicit Imports(const std::vector<ir::OperatorSetId>& ids);
  // Of a model: before IR 3, where none is written, version 1 of the default set.
  static Imports of_model(const ir::Model& model, std::int64_t ir_version);
  void add(std::string_view domain, std::int64_t version);

  // -1 if the domain is not imported.
  std::int64_t version(std::string_view domain) const noexcept;
  const std::vector<std::pair<std::string, std::int64_t>>& list() const noexcept { return list_; }
  // An IR 3 or later model that imports nothing at all: what its nodes bind to is unknown.
  bool missing() const noexcept { return missing_; }
  friend bool operator==(const Imports&, const Imports&) = default;

 private:
  std::vector<std::pair<std::string, std::int64_t>> list_;  // by domain
  bool missing_ = false;
};

enum class Binding : std::uint8_t {
  Schema,        // an operator Norn knows
  Function,      // a function of the model
  Custom,        // of a domain that no known operator set declares
  Experimental,  // of the early default set, without a meaning
  NotImported,   // the domain is not among the imports
  Unknown,       // of a known domain, which has no such operator at the imported version
};

struct BoundOperator {
  Binding binding = Binding::Unknown;
  const opset::Operator* op = nullptr;  // also for Unknown, if another version has it
  const opset::Schema* schema = nullptr;
  const ir::Function* function = nullptr;
  std::int64_t version = -1;  // imported
  bool requires_attributes = false;
  int min_inputs = 0, max_inputs = 0, min_outputs = 0, max_outputs = 0;
};

class OperatorLookup {
 public:
  // A function that nodes may call; of repeated ids the first counts.
  void add_function(const ir::Function& function);
  const ir::Function* find_function(std::string_view domain, std::string_view name, std::string_view overload) const;

  // Keeps the imports for as long as the lookup lives; equal ones are kept once where they follow each other.
  const Imports& keep(Imports imports);
  // Makes kept imports the ones in force; returns the earlier ones.
  const Imports* use(const Imports& kept) noexcept;
  const Imports& imports() const noexcept { return *imports_; }

  const BoundOperator& bind(const ir::Node& node);

 private:
  struct Key {
    const Imports* imports;
    std::string_view domain, op_type, overload;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  // Short names of the default domain, which most nodes have, by their ends (base::key_of).
  struct Recent {
    const Imports* imports = nullptr;
    std::size_t size = 0;
    std::uint64_t ends[2] = {0, 0};
    const BoundOperator* bound = nullptr;
  };
  const BoundOperator& look_up(const ir::Node& node);
  BoundOperator resolve(const ir::Node& node) const;

  std::deque<Imports> kept_;
  Imports none_;
  const Imports* imports_ = &none_;
  std::unordered_map<std::string, const ir::Function*, SeededHash> functions_;
  std::unordered_map<Key, BoundOperator, KeyHash> bound_;
  Recent recent_[256];
};

}  // namespace norn::checks
