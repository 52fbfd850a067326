// The context of every rule: the place in the document, the report, the operator sets in force, the budgets.
//
// A place is a chain of Place objects on the stack, and becomes text only when something is found: checking a sound
// model builds no strings. Areas keep what they need for the whole check (opened files, say) in state<T>().
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "check/operator_lookup.h"
#include "check/rules.h"
#include "check/scopes.h"
#include "check/text.h"
#include "ir/model.h"
#include "ir/operator_set.h"
#include "norn/check.h"

namespace norn::checks {

// One step of a path: kind index "name" (op_type) type. Must not outlive what it names.
struct Place {
  const Place* outer = nullptr;
  const char* kind = "";  // "input", "attribute"; printed as it stands
  std::int64_t index = -1;
  std::string_view name = {};
  std::string_view op_type = {};
  const ir::Type* type = nullptr;
  const ir::Tensor* tensor = nullptr;  // its type and dims are printed

  Place at(const char* what, std::int64_t i = -1, std::string_view called = {}) const {
    return {.outer = this, .kind = what, .index = i, .name = called};
  }
  Place graph(const ir::Graph& g, std::int64_t i = -1) const { return at("graph", i, g.name.get()); }
  Place node(const ir::Node& n, std::size_t i) const {
    return {.outer = this,
            .kind = "node",
            .index = static_cast<std::int64_t>(i),
            .name = n.name.get(),
            .op_type = n.op_type.get()};
  }
  Place attribute(const ir::Attribute& a) const { return {.outer = this, .kind = "attribute", .name = a.name.get()}; }
  Place value(const char* what, std::size_t i, const ir::ValueInfo& v) const {
    return {.outer = this,
            .kind = what,
            .index = static_cast<std::int64_t>(i),
            .name = v.name.get(),
            .type = v.type ? &*v.type : nullptr};
  }
  Place of_tensor(const char* what, std::int64_t i, const ir::Tensor& t) const {
    return {.outer = this, .kind = what, .index = i, .name = t.name.get(), .tensor = &t};
  }

  std::string to_string() const;  // outermost first, " / " between
};

class Context {
 public:
  // `base_dir` is where external data is looked for, "" if the model did not come from a file; what may be opened there
  // is up to `loaded`.
  Context(const CheckOptions& options, std::int64_t ir_version, std::string base_dir, Report& report,
          const LoadOptions& loaded = {});

  const CheckOptions& options() const noexcept { return *options_; }
  // The version whose rules bind: the file's, or the newest one if the file's is absent or unknown.
  std::int64_t ir_version() const noexcept { return ir_version_; }
  const std::string& base_dir() const noexcept { return base_dir_; }
  // How the model was loaded: which external data its caller lets it name.
  const LoadOptions& loaded() const noexcept { return loaded_; }
  // Null while a part of a model is checked on its own.
  const ir::Model* model() const noexcept { return model_; }
  void set_model(const ir::Model& model) noexcept { model_ = &model; }
  // The model's, while there is one.
  const Imports& model_imports();
  // Documents that declare operators beyond the built-in ones: those of the options, and those added.
  const std::vector<const ir::OperatorSet*>& operator_sets() const noexcept { return operator_sets_; }
  void add_operator_set(const ir::OperatorSet& set) { operator_sets_.push_back(&set); }

  // Where the walk is: the graphs around it, outermost first (null for a function's own nodes), and the function.
  const ir::Graph* graph() const noexcept { return graphs_.empty() ? nullptr : graphs_.back(); }
  const std::vector<const ir::Graph*>& graphs() const noexcept { return graphs_; }
  const ir::Function* function() const noexcept { return function_; }
  void enter_graph(const ir::Graph* graph) { graphs_.push_back(graph); }
  void leave_graph() noexcept { graphs_.pop_back(); }
  const ir::Function* enter_function(const ir::Function* function) noexcept {
    return std::exchange(function_, function);
  }
  // The place of a node's input or output, with the type that the innermost graph declares for it.
  Place input(const Place& node_place, const ir::Node& node, std::size_t i);
  Place output(const Place& node_place, const ir::Node& node, std::size_t i);

  // Whether the rule binds files of this IR version. report() asks that itself; ask first where finding out is
  // expensive.
  bool binds(Rule rule) const noexcept { return rule.binds(ir_version_); }
  void report(Rule rule, const Place& place, std::string message, std::string hint = {});
  void report(Rule rule, const Place& place, infer::FaultText fault) {
    report(rule, place, std::move(fault.message), std::move(fault.hint));
  }
  // For a case of the rule that is open to interpretation: a warning at most, whatever the profile.
  void warn(Rule rule, const Place& place, std::string message, std::string hint = {});

  // Notes that a fault of the node which inference sees, too (infer::Fault::Rule), is reported.
  void found_before_inference(const ir::Node& node) { found_before_inference_.insert(&node); }
  bool was_found(const void* node) const { return found_before_inference_.contains(node); }

  // Value names that the present point of the document sees.
  Scopes& scopes() noexcept { return scopes_; }
  const Scopes& scopes() const noexcept { return scopes_; }
  OperatorLookup& operators() noexcept { return operators_; }

  // Counts towards Limits::max_nodes; throws norn::Error (LimitExceeded).
  void spend_nodes(std::uint64_t nodes, const Place& place);

  // Bytes of tensors within the message.
  void add_stored(const ir::Tensor& tensor) noexcept;
  std::uint64_t stored_bytes() const noexcept { return stored_bytes_; }

  // Storage of an area for the length of one check, default-constructed on first use.
  template <class T>
  T& state() {
    static constexpr char kKey = 0;
    for (auto& [key, value] : states_) {
      if (key == &kKey) return *static_cast<T*>(value.get());
    }
    states_.emplace_back(&kKey, std::make_shared<T>());
    return *static_cast<T*>(states_.back().second.get());
  }

 private:
  friend class Deeper;
  Severity severity_of(Rule rule) const noexcept;
  void keep(Rule rule, Severity severity, const Place& place, std::string message, std::string hint);

  const CheckOptions* options_;
  std::int64_t ir_version_;
  std::string base_dir_;
  LoadOptions loaded_;
  Report* report_;
  const ir::Model* model_ = nullptr;
  const Imports* model_imports_ = nullptr;
  std::vector<const ir::OperatorSet*> operator_sets_;
  std::vector<const ir::Graph*> graphs_;
  const ir::Function* function_ = nullptr;
  Scopes scopes_;
  OperatorLookup operators_;
  std::uint64_t nodes_ = 0, stored_bytes_ = 0;
  int depth_ = 0;
  bool has_error_ = false;
  std::unordered_set<std::string, SeededHash> seen_;
  std::unordered_set<const void*> found_before_inference_;
  std::vector<std::pair<const void*, std::shared_ptr<void>>> states_;
};

// One level deeper into nested messages for the lifetime of the object; beyond Limits::max_depth throws norn::Error
// (LimitExceeded). Graphs in attributes and types in types count.
class Deeper {
 public:
  Deeper(Context& ctx, const Place& place);
  ~Deeper();
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  Context* ctx_;
};

// Whether the bytes of unknown fields hold one with this number.
bool has_field(const ir::Bytes& unknown, std::uint32_t first, std::uint32_t last);
inline bool has_field(const ir::Bytes& unknown, std::uint32_t number) { return has_field(unknown, number, number); }

bool is_c_identifier(std::string_view name) noexcept;
// "com.example.package": at least two parts of letters, digits, '-' and '_'.
bool is_reverse_dns(std::string_view domain) noexcept;
// The first key that stands twice; "" with `found` false if none does.
struct RepeatedKey {
  bool found = false;
  std::string_view key;
};
RepeatedKey repeated_key(const ir::Metadata& entries);

}  // namespace norn::checks
