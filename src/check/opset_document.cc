// A document is a snapshot: what belongs to version `opset_version` of a domain, each entry since some earlier version.
//
// Two rules of the specification contradict each other: op_type is unique within the domain, yet uniqueness is asked
// of (op_type, since_version). So a repeated pair is an error, one name at two versions a warning: the newest is in
// force. Names are case-sensitive: "add" and "Add" are two operators. An operator's status reads as experimental where
// it is left out. That stable operators never change shows only where two documents, or a document and the built-in
// sets, declare about the same operator.
#include "check/opset_document.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "check/rule_checks.h"
#include "check/text.h"
#include "format/wire.h"
#include "ir/constants.h"
#include "opset/registry.h"

namespace norn::checks {
namespace {

// The id of a rule that exists.
class DocumentRule {
 public:
  consteval DocumentRule(const char* id) : index_(0) {  // NOLINT(google-explicit-constructor)
    while (index_ < std::size(kRuleRows) && kRuleRows[index_].id != id) ++index_;
    if (index_ == std::size(kRuleRows)) throw "no such rule";
  }
  const RuleRow& row() const noexcept { return kRuleRows[index_]; }

 private:
  std::size_t index_;
};

class Findings {
 public:
  explicit Findings(Report& report) : report_(&report) {}

  void error(DocumentRule rule, std::string where, std::string message, std::string hint = {}) {
    const Severity severity = rule.row().level == kMust ? Severity::Error : Severity::Warning;
    add(rule, severity, std::move(where), std::move(message), std::move(hint));
  }
  void warning(DocumentRule rule, std::string where, std::string message, std::string hint = {}) {
    add(rule, Severity::Warning, std::move(where), std::move(message), std::move(hint));
  }

 private:
  void add(DocumentRule rule, Severity severity, std::string where, std::string message, std::string hint) {
    report_->diagnostics.push_back({rule.row().id, severity, std::move(where), std::move(message), std::move(hint)});
  }
  Report* report_;
};

std::string id_of(const ir::OperatorSet& set) {
  return domain_text(ir::canonical_domain(set.domain.get())) + " version " + std::to_string(set.opset_version.get());
}
std::string place(const char* kind, std::size_t index, std::string_view name) {
  return std::string(kind) + " " + std::to_string(index) + " " + quoted(name);
}

using Name = std::pair<std::string_view, std::string_view>;  // with the overload

// Every operator and function of a set.
struct Entry {
  std::string_view name, overload;
  std::int64_t since;
  const ir::Operator* op;  // or
  const ir::Function* function;
  std::string where;
};
std::vector<Entry> entries_of(const ir::OperatorSet& set) {
  std::vector<Entry> all;
  all.reserve(set.operators.size() + set.functions.size());
  for (std::size_t i = 0; i < set.operators.size(); ++i) {
    const ir::Operator& op = set.operators[i];
    all.push_back({op.op_type.get(), {}, op.since_version, &op, nullptr, place("operator", i, op.op_type.get())});
  }
  for (std::size_t i = 0; i < set.functions.size(); ++i) {
    const ir::Function& f = set.functions[i];
    all.push_back(
        {f.name.get(), f.overload.get(), ir::since_version(f, set), nullptr, &f, place("function", i, f.name.get())});
  }
  return all;
}

bool is_stable(const Entry& entry) { return entry.op && entry.op->status == ir::kStatusStable; }

void check_frame(const ir::OperatorSet& set, Findings& found) {
  if (set.magic.get() != ir::kOperatorSetMagic) {
    found.error("opsetdoc.magic", {},
                set.magic.has() ? "magic is " + quoted(set.magic.get()) + ", not \"ONNXOPSET\"" : "magic is missing");
  }
  const std::int64_t ir_version = set.ir_version;
  if (ir_version < 3 || ir_version > ir::kNewestIrVersion) {
    found.error("opsetdoc.ir-version", {},
                !set.ir_version.has() ? "ir_version is missing"
                                      : "ir_version is " + std::to_string(ir_version) +
                                            "; operator sets came with version 3, and the newest known is " +
                                            std::to_string(ir::kNewestIrVersion));
  }
  if (set.opset_version.get() < 1) {
    found.error("opsetdoc.since-bound", {},
                !set.opset_version.has()
                    ? "opset_version is missing, so no operator can be at most as old as the set"
                    : "opset_version is " + std::to_string(set.opset_version.get()) + "; versions count from 1");
  }
  const std::string& domain = set.domain;
  if (!domain.empty() && opset::newest_version(domain) == 0 && !is_reverse_dns(domain)) {
    found.error("opsetdoc.domain.reverse-dns", {},
                "the domain " + quoted(domain) + " is not of the form com.example.ops",
                "a name that its owner's internet domain begins cannot be taken by another owner");
  }
}

// A document about a built-in domain is compared with the built-in set.
void check_against_built_in(const ir::OperatorSet& set, const std::vector<Entry>& entries, Findings& found) {
  const std::string_view domain = ir::canonical_domain(set.domain.get());
  const int newest = opset::newest_version(domain);
  if (newest == 0 || set.opset_version.get() > newest) return;
  for (const Entry& e : entries) {
    if (e.name.empty() || e.since < 1) continue;
    const opset::Operator* op = opset::find_operator(domain, e.name);
    if (!op) {
      if (!opset::is_complete(domain)) continue;
      if (!set.domain.has()) {
        found.error("opsetdoc.domain.required", e.where,
                    "a set without a domain is ONNX's default set, which has no operator " + quoted(e.name),
                    "state the domain of the set");
      } else {
        found.error(
            "opsetdoc.domain.unique", e.where,
            "the domain " + domain_text(domain) + " is ONNX's, which has no operator " + quoted(e.name) + " there");
      }
      continue;
    }
    if (e.function || e.since > set.opset_version.get()) continue;
    const opset::Schema* row = opset::schema_at(*op, static_cast<int>(e.since));
    if (row && row->since == e.since) continue;
    found.error("opsetdoc.operator.since-first", e.where,
                "no version of " + opset::full_name(*op) + " came with version " + std::to_string(e.since));
  }
}

void check_entry(const ir::OperatorSet& set, const Entry& e, Findings& found) {
  if (e.name.empty()) {
    found.error("opsetdoc.operator.type-present", e.where, e.op ? "op_type is missing" : "name is missing");
  }
  if (e.op && e.since < 1) {
    found.error("opsetdoc.operator.since-present", e.where,
                e.op->since_version.has() ? "since_version is " + std::to_string(e.since) + "; versions count from 1"
                                          : "since_version is missing");
  } else if (e.since > set.opset_version.get() && set.opset_version.get() >= 1) {
    found.error("opsetdoc.since-bound", e.where,
                "since_version " + std::to_string(e.since) + " is later than the set's version " +
                    std::to_string(set.opset_version.get()));
  }
  if (e.op && e.op->status.get() != ir::kStatusExperimental && e.op->status.get() != ir::kStatusStable) {
    found.error("opsetdoc.operator.status", e.where,
                "status is " + std::to_string(e.op->status.get()) + "; 0 is EXPERIMENTAL, 1 is STABLE");
  }
  if (e.function && e.function->domain.has() &&
      ir::canonical_domain(e.function->domain.get()) != ir::canonical_domain(set.domain.get())) {
    found.warning("opsetdoc.separate", e.where,
                  "the function says that its domain is " + quoted(e.function->domain.get()) +
                      "; here it is an operator of " + domain_text(ir::canonical_domain(set.domain.get())));
  }
}

void check_unique(const std::vector<Entry>& entries, Findings& found) {
  std::map<Name, const Entry*> first;
  std::map<std::pair<Name, std::int64_t>, const Entry*> versions;
  for (const Entry& e : entries) {
    if (e.name.empty()) continue;
    const auto [same, is_first] = first.try_emplace({e.name, e.overload}, &e);
    const auto [twin, is_new] = versions.try_emplace({same->first, e.since}, &e);
    if (!is_new) {
      found.error(
          "opsetdoc.operator.unique", e.where,
          quoted(e.name) + " of version " + std::to_string(e.since) + " is there already, as " + twin->second->where);
    } else if (!is_first) {
      found.warning("opsetdoc.operator.unique-type", e.where,
                    quoted(e.name) + " is there already, as " + same->second->where + " of version " +
                        std::to_string(same->second->since),
                    "a set is a snapshot: the newest version of an operator is the one in force");
    }
  }
}

// Bodies obey the rules about a model's functions. That a set's function has no domain of its own, or the number of a
// version in a field since withdrawn, is not a fault there. Where a name has several versions, the import of the caller
// determines which one is called: such calls are not followed. Advice, such as on documentation, is for models.
void check_bodies(const ir::OperatorSet& set, Report& report) {
  std::vector<ir::Function> functions = set.functions;
  std::map<Name, int> versions;
  for (ir::Function& f : functions) {
    f.domain = set.domain.get();
    f.unknown = {};
    ++versions[{f.name.get(), f.overload.get()}];
  }
  const CheckOptions options;
  Report bodies;
  Context ctx(options, set.ir_version.get(), {}, bodies);
  ctx.add_operator_set(set);
  for (const ir::Function& f : functions) {
    if (versions[{f.name.get(), f.overload.get()}] == 1) ctx.operators().add_function(f);
  }
  const Place top;
  check_function_cycles(ctx, top, functions);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const ir::Function& f = functions[i];
    if (f.name.get().empty()) continue;  // reported already
    check_function(ctx, top.at("function", static_cast<std::int64_t>(i), f.name.get()), f);
  }
  std::copy_if(bodies.diagnostics.begin(), bodies.diagnostics.end(), std::back_inserter(report.diagnostics),
               [](const Diagnostic& found) { return found.severity != Severity::Note; });
  report.dropped += bodies.dropped;
}

// Two versions of one domain, `a` the older.
void check_history(const ir::OperatorSet& a, const ir::OperatorSet& b, Findings& found) {
  const std::vector<Entry> before = entries_of(a), after = entries_of(b);
  std::map<std::pair<Name, std::int64_t>, const Entry*> old;
  for (const Entry& e : before) old[{{e.name, e.overload}, e.since}] = &e;
  const std::string where = "operator set " + id_of(b) + " / ";
  for (const Entry& e : after) {
    if (e.name.empty() || e.since > a.opset_version.get()) continue;  // new since
    const auto same = old.find({{e.name, e.overload}, e.since});
    const Entry* twin = same == old.end() ? nullptr : same->second;
    if (!twin) {
      found.error("opsetdoc.operator.since-first", where + e.where,
                  "it claims to be there since version " + std::to_string(e.since) + ", but the set " + id_of(a) +
                      " does not have it so");
      continue;
    }
    if (is_stable(*twin) && e.op && !is_stable(e)) {
      found.error("opsetdoc.operator.stable-frozen", where + e.where,
                  "it was stable in the set " + id_of(a) + " and is not any more");
    }
    if (e.function && twin->function && format::write_message(*e.function) != format::write_message(*twin->function)) {
      found.error("opsetdoc.operator.stable-frozen", where + e.where,
                  "its function is another one than in the set " + id_of(a) + ", without a new version");
    }
  }
}

}  // namespace

void check_opset_document(const ir::OperatorSet& set, Report& report) {
  Findings found(report);
  const std::vector<Entry> entries = entries_of(set);
  check_frame(set, found);
  for (const Entry& e : entries) check_entry(set, e, found);
  check_unique(entries, found);
  check_against_built_in(set, entries, found);
  if (!set.functions.empty()) check_bodies(set, report);
}

void check_opset_documents(std::span<const ir::OperatorSet* const> sets, Report& report) {
  Findings found(report);
  for (std::size_t i = 0; i < sets.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const ir::OperatorSet *a = sets[j], *b = sets[i];
      if (ir::canonical_domain(a->domain.get()) != ir::canonical_domain(b->domain.get())) continue;
      if (a->opset_version.get() > b->opset_version.get()) std::swap(a, b);
      if (a->opset_version.get() < b->opset_version.get()) {
        check_history(*a, *b, found);
      } else if (format::write_message(*a) != format::write_message(*b)) {
        found.error("opsetdoc.domain.unique", "operator set " + id_of(*b),
                    "two documents are about this domain and version, and they differ",
                    "give only the one that the model was made for");
      }
    }
  }
}

}  // namespace norn::checks
