// The checks' public face, and the notations of a report.
//
// SARIF is the OASIS standard 2.1.0 that code-scanning services read; the place within the model has no line, so it
// goes out as a logical location. Names of a model may be any bytes: what is not UTF-8 is replaced in JSON.
#include "norn/check.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "api/document_inference.h"
#include "api/unrunnable.h"
#include "base/text.h"
#include "check/rule_checks.h"
#include "format/wire.h"

namespace norn {
namespace {

using Json = nlohmann::ordered_json;
using base::counted;

constexpr auto public_rules() {
  std::array<RuleInfo, std::size(checks::kRuleRows)> all{};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const checks::RuleRow& row = checks::kRuleRows[i];
    all[i] = {.id = row.id,
              .level = row.level,
              .ir_from = row.ir_from,
              .ir_to = row.ir_to,
              .lenient = (row.traits & checks::kLenient) != 0,
              .text = row.text,
              .not_checked = row.not_checked};
  }
  return all;
}
constexpr auto kPublicRules = public_rules();

std::string dumped(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

// RFC 3986: everything but unreserved characters and '/' is escaped.
std::string uri_of(const std::string& path) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string uri;
  for (char c : path) {
    const auto u = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain)
      uri += c;
    else
      ((uri += '%') += kHex[u >> 4]) += kHex[u & 15];
  }
  return uri;
}

// Before IR 3, where no imports are written, version 1 of the default set is in force.
checks::Imports imports_of(const std::optional<OpsetImports>& given, std::int64_t ir_version) {
  if (!given) return checks::Imports::of_model({}, ir_version);
  checks::Imports imports;
  for (const auto& [domain, version] : *given) imports.add(domain, version);
  if (ir_version < 3 && imports.version("") < 0) imports.add("", 1);
  return imports;
}

}  // namespace

std::span<const RuleInfo> rules() noexcept { return kPublicRules; }

std::string_view severity_name(Severity severity) noexcept {
  switch (severity) {
    case Severity::Note: return "note";
    case Severity::Warning: return "warning";
    default: return "error";
  }
}

Profile profile_from_name(std::string_view name) {
  if (name == "spec") return Profile::Spec;
  if (name == "strict") return Profile::Strict;
  if (name == "runtime") return Profile::Runtime;
  throw Error(ErrorCode::InvalidArgument, "there is no profile \"" + std::string(name) + "\"", {},
              "the profiles are spec, strict and runtime");
}

std::size_t Report::count(Severity severity) const noexcept {
  return static_cast<std::size_t>(std::count_if(diagnostics.begin(), diagnostics.end(),
                                                [&](const Diagnostic& d) { return d.severity == severity; }));
}

std::string Report::to_string(Severity least) const {
  const std::string file = path.empty() ? "" : path + ": ";
  std::string text;
  for (const Diagnostic& d : diagnostics) {
    if (d.severity < least) continue;
    (((text += file) += severity_name(d.severity)) += '[') += d.rule;
    (text += "]: ") += d.message;
    if (!d.where.empty()) (text += "\n  at: ") += d.where;
    if (!d.hint.empty()) (text += "\n  help: ") += d.hint;
    text += '\n';
  }
  text += file;
  if (diagnostics.empty() && dropped == 0) return text + "no findings\n";
  const char* separator = "";
  for (const Severity severity : {Severity::Error, Severity::Warning, Severity::Note}) {
    const std::size_t findings = count(severity);
    (text += separator) += counted(findings, std::string(severity_name(severity)).c_str());
    if (severity < least && findings > 0) text += " (not shown)";
    separator = ", ";
  }
  if (dropped > 0) text += "; " + std::to_string(dropped) + " more not kept";
  return text + "\n";
}

std::string Report::to_json() const {
  Json findings = Json::array();
  for (const Diagnostic& d : diagnostics) {
    findings.push_back({{"rule", d.rule},
                        {"severity", severity_name(d.severity)},
                        {"where", d.where},
                        {"message", d.message},
                        {"hint", d.hint}});
  }
  return dumped({{"path", path},
                 {"ok", ok()},
                 {"errors", count(Severity::Error)},
                 {"warnings", count(Severity::Warning)},
                 {"notes", count(Severity::Note)},
                 {"dropped", dropped},
                 {"diagnostics", std::move(findings)}});
}

std::string Report::to_sarif() const {
  // Only rules that were broken, in the order of their first finding.
  std::vector<std::string_view> ids;
  Json driver_rules = Json::array(), results = Json::array();
  for (const Diagnostic& d : diagnostics) {
    auto at = std::find(ids.begin(), ids.end(), d.rule);
    const auto index = static_cast<std::size_t>(at - ids.begin());
    if (at == ids.end()) {
      ids.push_back(d.rule);
      const auto known = rules();
      const auto rule = std::find_if(known.begin(), known.end(), [&](const RuleInfo& r) { return r.id == d.rule; });
      Json entry = {{"id", d.rule}};
      if (rule != known.end()) entry["shortDescription"] = {{"text", rule->text}};
      driver_rules.push_back(std::move(entry));
    }
    Json location = Json::object();
    if (!path.empty()) location["physicalLocation"] = {{"artifactLocation", {{"uri", uri_of(path)}}}};
    if (!d.where.empty()) {
      Json logical = Json::array();
      logical.push_back({{"fullyQualifiedName", d.where}});
      location["logicalLocations"] = std::move(logical);
    }
    Json result = {{"ruleId", d.rule},
                   {"ruleIndex", index},
                   {"level", severity_name(d.severity)},
                   {"message", {{"text", d.hint.empty() ? d.message : d.message + " (" + d.hint + ")"}}}};
    if (!location.empty()) {
      Json locations = Json::array();
      locations.push_back(std::move(location));
      result["locations"] = std::move(locations);
    }
    results.push_back(std::move(result));
  }
  Json run = {{"tool", {{"driver", {{"name", "norn"}, {"rules", std::move(driver_rules)}}}}},
              {"results", std::move(results)},
              {"properties", {{"dropped", dropped}}}};
  Json runs = Json::array();
  runs.push_back(std::move(run));
  return dumped(
      {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}, {"runs", std::move(runs)}});
}

Report check(const Model& model, const CheckOptions& options) {
  Report report;
  report.path = model.path();
  const ir::Model& document = model.document();
  checks::Context ctx(options, document.ir_version.get(), model.base_dir(), report, model.load_options());
  checks::check_model(ctx, {}, document);
  if (options.infer)
    checks::check_inference(ctx, document, document_options(model, options.operator_sets, options.limits));
  if (options.profile == Profile::Runtime) {
    for_each_unrunnable(model, options.operator_sets, options.limits, [&](UnrunnableNode&& node) {
      ctx.report("norn.operator.runnable", {.kind = node.where.c_str()}, std::move(node.message), std::move(node.hint));
    });
  }
  return report;
}

Report check_part(PartKind kind, std::span<const std::byte> bytes, std::int64_t ir_version,
                  const std::optional<OpsetImports>& opset_imports, const CheckOptions& options) {
  Report report;
  checks::Context ctx(options, ir_version, {}, report);
  ctx.operators().use(ctx.operators().keep(imports_of(opset_imports, ctx.ir_version())));
  ctx.scopes().set_open(kind != PartKind::Graph && kind != PartKind::Function);
  const auto read = [&]<class T>(const T&) {
    return format::read_message<T>(ir::Bytes(std::vector<std::byte>(bytes.begin(), bytes.end())), options.limits);
  };
  const checks::Place top;
  switch (kind) {
    case PartKind::Graph: {
      const auto graph = read(ir::Graph{});
      checks::check_graph(ctx, top.graph(graph), graph, checks::GraphRole::Part);
      break;
    }
    case PartKind::Node: {
      const std::vector<ir::Node> nodes = {read(ir::Node{})};
      const ir::Node& node = nodes[0];
      checks::NodeValues values(ctx, nodes);
      checks::check_node(ctx, {.kind = "node", .name = node.name.get(), .op_type = node.op_type.get()}, node, 0,
                         values.of(0));
      break;
    }
    case PartKind::Attribute: {
      const auto attribute = read(ir::Attribute{});
      checks::check_attribute(ctx, top.attribute(attribute), attribute, nullptr);
      break;
    }
    case PartKind::Tensor: {
      const auto tensor = read(ir::Tensor{});
      const auto at = top.of_tensor("tensor", -1, tensor);
      checks::check_tensor(ctx, at, tensor, checks::TensorUse::Part);
      checks::check_tensor_versions(ctx, at, tensor);
      break;
    }
    case PartKind::SparseTensor: {
      const auto tensor = read(ir::SparseTensor{});
      checks::check_sparse_tensor(ctx, top.at("sparse_tensor"), tensor, checks::SparseUse::Part);
      break;
    }
    case PartKind::ValueInfo: {
      const auto info = read(ir::ValueInfo{});
      checks::Place at = top.at("value", -1, info.name.get());
      if (info.type) at.type = &*info.type;
      checks::check_value_info(ctx, at, info, checks::ValueUse::Part);
      checks::check_value_versions(ctx, at, info);
      break;
    }
    case PartKind::Function: {
      const auto function = read(ir::Function{});
      checks::check_function(ctx, top.at("function", -1, function.name.get()), function);
      break;
    }
  }
  return report;
}

}  // namespace norn
