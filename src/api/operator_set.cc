// Operator-set documents: files, the built-in sets as documents, the page for a terminal.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "api/is_model.h"
#include "base/mapped_file.h"
#include "base/text.h"
#include "check/opset_document.h"
#include "format/identify.h"
#include "format/json.h"
#include "format/prototext.h"
#include "format/wire.h"
#include "ir/constants.h"
#include "ir/operator_set.h"
#include "norn/model.h"
#include "norn/opset.h"
#include "opset/registry.h"

namespace norn {
namespace {

[[noreturn]] void refuse(std::string what, std::string hint) {
  throw Error(ErrorCode::InvalidProtobuf, "not an operator-set document: " + std::move(what), {}, std::move(hint));
}

[[noreturn]] void refuse_text() {
  throw Error(ErrorCode::InvalidArgument, "ONNX's text syntax has no form for operator sets", {},
              "use the binary format, JSON or protobuf's text format");
}

ir::OperatorSet read(const ir::Bytes& bytes, Format format) {
  if (bytes.empty()) refuse("it is empty", {});
  if (format == Format::Json) return format::from_json<ir::OperatorSet>(ir::as_text(bytes));
  if (format == Format::ProtoText) return format::from_prototext<ir::OperatorSet>(ir::as_text(bytes));
  if (format == Format::OnnxText) refuse_text();
  ir::OperatorSet set;
  try {
    set = format::read_message<ir::OperatorSet>(bytes);
  } catch (const Error& e) {
    if (e.code() != ErrorCode::InvalidProtobuf) throw;
    if (const auto mistake = format::identify(bytes.span())) refuse("this is " + mistake->what, mistake->hint);
    throw Error(e.code(), "not an operator-set document: " + e.message(), e.where(), e.hint());
  }
  if (!set.magic.has() && is_model(bytes)) refuse("this is a model", "give the document that its operators come from");
  if (!set.magic.has() && !set.opset_version.has() && set.operators.empty() && set.functions.empty()) {
    refuse("none of its fields belongs to OperatorSetProto",
           "a model starts with its IR version, a set with ONNXOPSET");
  }
  return set;
}

ir::OperatorSet read_file(const std::string& path) {
  const base::FileBytes file = base::read_file(path, {});
  try {
    return read(ir::Bytes(file.bytes.data(), file.bytes.size(), file.owner), format_of(path));
  } catch (Error& e) {
    throw e.within(path);
  }
}

// Throws the first error as InvalidGraph.
void require_sound(const ir::OperatorSet& set, const std::string& path) {
  Report report;
  checks::check_opset_document(set, report);
  const auto fault = std::find_if(report.diagnostics.begin(), report.diagnostics.end(),
                                  [](const Diagnostic& d) { return d.severity == Severity::Error; });
  if (fault == report.diagnostics.end()) return;
  if (fault->rule == "opsetdoc.magic") {
    throw Error(ErrorCode::InvalidProtobuf, "not an operator-set document: " + fault->message + " (opsetdoc.magic)",
                path);
  }
  const std::string where = path.empty() || fault->where.empty() ? path + fault->where : path + " / " + fault->where;
  throw Error(ErrorCode::InvalidGraph, fault->message + " (" + std::string(fault->rule) + ")", where, fault->hint);
}

std::string_view status_name(const ir::Operator& op) {
  return op.status == ir::kStatusStable ? "stable" : op.status == ir::kStatusExperimental ? "experimental" : "?";
}

}  // namespace

std::int64_t newest_opset_version(const std::string& domain) { return opset::newest_version(domain); }

OperatorSet::OperatorSet(std::shared_ptr<const ir::OperatorSet> document) : document_(std::move(document)) {
  if (!document_) throw Error(ErrorCode::InvalidArgument, "an operator set needs a document");
}

OperatorSet OperatorSet::load(const std::string& path) {
  auto set = std::make_shared<const ir::OperatorSet>(read_file(path));
  require_sound(*set, path);
  return OperatorSet(std::move(set));
}

OperatorSet OperatorSet::parse(std::span<const std::byte> bytes, Format format) {
  auto set = std::make_shared<const ir::OperatorSet>(
      read(ir::Bytes(std::vector<std::byte>(bytes.begin(), bytes.end())), format));
  require_sound(*set, {});
  return OperatorSet(std::move(set));
}

OperatorSet OperatorSet::built_in(const std::string& domain, std::int64_t version) {
  const int newest = opset::newest_version(domain);
  if (newest == 0 || version < 1 || version > newest) {
    throw Error(ErrorCode::InvalidArgument, newest == 0
                                                ? "the domain \"" + domain + "\" is not built in"
                                                : "there is no version " + std::to_string(version) +
                                                      " of the operator set " + (domain.empty() ? "ai.onnx" : domain) +
                                                      "; versions go from 1 to " + std::to_string(newest));
  }
  auto set = std::make_shared<ir::OperatorSet>();
  set->magic = ir::kOperatorSetMagic;
  set->ir_version = ir::kNewestIrVersion;
  const std::string_view canonical = ir::canonical_domain(domain);
  if (!canonical.empty()) set->domain = std::string(canonical);
  set->opset_version = version;
  for (const opset::Operator* op : opset::all_operators()) {
    if (op->domain != canonical || !op->standard) continue;
    const opset::Schema* row = opset::schema_at(*op, static_cast<int>(version));
    if (!row || row->deprecated) continue;
    ir::Operator& entry = set->operators.emplace_back();
    entry.op_type = std::string(op->name);
    entry.since_version = row->since;
    entry.status = row->support == opset::Support::Experimental ? ir::kStatusExperimental : ir::kStatusStable;
  }
  std::sort(set->operators.begin(), set->operators.end(),
            [](const ir::Operator& a, const ir::Operator& b) { return a.op_type.get() < b.op_type.get(); });
  return OperatorSet(std::move(set));
}

void OperatorSet::save(const std::string& path, Format format) const {
  if (format == Format::Auto) format = format_of(path);
  if (format == Format::Binary) {
    const format::Pieces pieces = format::write_pieces(*document_);
    return base::write_file_atomically(path, pieces.spans);
  }
  try {
    const std::vector<std::byte> bytes = serialize(format);
    const std::array pieces = {std::span<const std::byte>(bytes)};
    base::write_file_atomically(path, pieces);
  } catch (Error& e) {
    if (e.where().empty()) e.within(path);
    throw;
  }
}

std::vector<std::byte> OperatorSet::serialize(Format format) const {
  if (format == Format::Auto || format == Format::Binary) return format::write_message(*document_);
  if (format == Format::OnnxText) refuse_text();
  const std::string text = format == Format::Json ? format::to_json(*document_) : format::to_prototext(*document_);
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

const std::string& OperatorSet::domain() const noexcept { return document_->domain.get(); }
std::int64_t OperatorSet::version() const noexcept { return document_->opset_version; }

std::vector<std::string> OperatorSet::operators() const {
  std::set<std::string> names;
  for (const ir::Operator& op : document_->operators) names.insert(op.op_type.get());
  for (const ir::Function& f : document_->functions) names.insert(f.name.get());
  return {names.begin(), names.end()};
}

std::string OperatorSet::to_string() const {
  struct Line {
    std::string name;
    std::int64_t since;
    std::string what;
  };
  std::vector<Line> lines;
  for (const ir::Operator& op : document_->operators) {
    lines.push_back({op.op_type.get(), op.since_version, std::string(status_name(op))});
  }
  for (const ir::Function& f : document_->functions) {
    lines.push_back(
        {f.name.get(), ir::since_version(f, *document_), "body of " + base::counted(f.node.size(), "node")});
  }
  std::stable_sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) { return a.name < b.name; });
  std::size_t width = 0;
  for (const Line& line : lines) width = std::max(width, line.name.size());

  std::string page = "operator set " + (domain().empty() ? "ai.onnx" : domain()) + " version " +
                     std::to_string(version()) + " (IR " + std::to_string(document_->ir_version.get()) + ")\n";
  if (!document_->doc_string.get().empty()) page += document_->doc_string.get() + "\n";
  page += base::counted(document_->operators.size(), "operator") + ", " +
          base::counted(document_->functions.size(), "function") + "\n";
  for (const Line& line : lines) {
    const std::string since = std::to_string(line.since);
    page += "  " + line.name + std::string(width - line.name.size() + 2, ' ') + "since " + since +
            std::string(since.size() < 4 ? 4 - since.size() : 1, ' ') + line.what + "\n";
  }
  return page;
}

std::string OperatorSet::to_json() const {
  using Json = nlohmann::ordered_json;
  Json operators = Json::array(), functions = Json::array();
  for (const ir::Operator& op : document_->operators) {
    operators.push_back(
        {{"name", op.op_type.get()}, {"since_version", op.since_version.get()}, {"status", status_name(op)}});
  }
  for (const ir::Function& f : document_->functions) {
    functions.push_back(
        {{"name", f.name.get()}, {"since_version", ir::since_version(f, *document_)}, {"nodes", f.node.size()}});
  }
  const Json page = {{"domain", domain()},
                     {"version", version()},
                     {"ir_version", document_->ir_version.get()},
                     {"doc_string", document_->doc_string.get()},
                     {"operators", std::move(operators)},
                     {"functions", std::move(functions)}};
  return page.dump(2, ' ', false, Json::error_handler_t::replace);
}

Report check_operator_set(const std::string& path) {
  Report report;
  report.path = path;
  checks::check_opset_document(read_file(path), report);
  return report;
}

Report check_operator_set(std::span<const std::byte> bytes, Format format) {
  Report report;
  checks::check_opset_document(read(ir::Bytes(std::vector<std::byte>(bytes.begin(), bytes.end())), format), report);
  return report;
}

Report check_operator_set(const OperatorSet& set) {
  Report report;
  checks::check_opset_document(set.document(), report);
  return report;
}

Report check_operator_sets(std::span<const OperatorSet> sets) {
  std::vector<const ir::OperatorSet*> documents;
  for (const OperatorSet& set : sets) documents.push_back(&set.document());
  Report report;
  checks::check_opset_documents(documents, report);
  return report;
}

}  // namespace norn
