#include "check/context.h"

#include <algorithm>

#include "check/declarations.h"
#include "check/text.h"
#include "format/notation.h"
#include "infer/model_faults.h"
#include "ir/constants.h"
#include "ir/tensor_data.h"
#include "ir/walk.h"

namespace norn::checks {
namespace {

void append_step(std::string& out, const Place& place) {
  std::string step = place.kind;
  const auto word = [&](const std::string& text) {
    if (!step.empty()) step += ' ';
    step += text;
  };
  if (place.index >= 0) word(std::to_string(place.index));
  if (!place.name.empty()) word(quoted(place.name));
  if (!place.op_type.empty()) word("(" + bare(place.op_type) + ")");
  if (place.type) word(bare(ir::describe_type(*place.type)));
  if (place.tensor) {
    std::string type = "tensor";
    if (const std::int32_t number = place.tensor->data_type.get(); number > 0 && number < kDataTypeCount) {
      type = data_type_name(static_cast<DataType>(number));
    }
    type += '[';
    for (std::size_t i = 0; i < place.tensor->dims.size() && i < 16; ++i) {
      if (i) type += ',';
      type += std::to_string(place.tensor->dims[i]);
    }
    word(type + "]");
  }
  if (step.empty()) return;
  if (!out.empty()) out += " / ";
  out += step;
}

Place value_place(Context& ctx, const Place& node_place, const char* kind, std::size_t i, const std::string& name) {
  Place place = node_place.at(kind, static_cast<std::int64_t>(i), name);
  if (!ctx.graph() || name.empty()) return place;
  const Declarations& known = declarations_of(ctx, ctx.graph());
  if (const auto found = known.find(name); found != known.end()) {
    place.type = found->second.type;
    if (!place.type) place.tensor = found->second.initializer;
  }
  return place;
}

}  // namespace

std::string Place::to_string() const {
  std::vector<const Place*> chain;
  for (const Place* place = this; place; place = place->outer) chain.push_back(place);
  std::string out;
  for (auto it = chain.rbegin(); it != chain.rend(); ++it) append_step(out, **it);
  return out;
}

Context::Context(const CheckOptions& options, std::int64_t ir_version, std::string base_dir, Report& report,
                 const LoadOptions& loaded)
    : options_(&options),
      ir_version_(ir_version < 1 || ir_version > ir::kNewestIrVersion ? ir::kNewestIrVersion : ir_version),
      base_dir_(std::move(base_dir)),
      loaded_(loaded),
      report_(&report) {
  for (const OperatorSet& set : options.operator_sets) operator_sets_.push_back(&set.document());
}

const Imports& Context::model_imports() {
  if (!model_imports_) model_imports_ = &operators_.keep(Imports::of_model(*model_, ir_version_));
  return *model_imports_;
}

Place Context::input(const Place& node_place, const ir::Node& node, std::size_t i) {
  return value_place(*this, node_place, "input", i, node.input[i]);
}
Place Context::output(const Place& node_place, const ir::Node& node, std::size_t i) {
  return value_place(*this, node_place, "output", i, node.output[i]);
}

Severity Context::severity_of(Rule rule) const noexcept {
  const RuleRow& row = rule.row();
  const bool must = row.level == kMust;
  switch (options_->profile) {
    case Profile::Strict: return must ? Severity::Error : Severity::Warning;
    case Profile::Runtime:
      if (row.traits & kRuntime) return Severity::Error;
      return must ? Severity::Warning : Severity::Note;
    case Profile::Spec: break;
  }
  if (must) return row.traits & kLenient ? Severity::Warning : Severity::Error;
  return row.traits & kAdvice ? Severity::Note : Severity::Warning;
}

void Context::report(Rule rule, const Place& place, std::string message, std::string hint) {
  if (binds(rule)) keep(rule, severity_of(rule), place, std::move(message), std::move(hint));
}

void Context::warn(Rule rule, const Place& place, std::string message, std::string hint) {
  if (!binds(rule)) return;
  keep(rule, std::min(severity_of(rule), Severity::Warning), place, std::move(message), std::move(hint));
}

void Context::keep(Rule rule, Severity severity, const Place& place, std::string message, std::string hint) {
  auto& kept = report_->diagnostics;
  if (kept.size() >= options_->max_findings) {
    ++report_->dropped;
    // One error at least is kept, so that Report::ok() is right.
    if (severity != Severity::Error || has_error_) return;
    if (!kept.empty()) kept.pop_back();
  }
  Diagnostic found{rule.id(), severity, place.to_string(), std::move(message), std::move(hint)};
  std::string key = std::to_string(rule.index()) + '\0' + found.where + '\0' + found.message;
  if (!seen_.insert(std::move(key)).second) return;
  has_error_ |= severity == Severity::Error;
  kept.push_back(std::move(found));
}

void Context::spend_nodes(std::uint64_t nodes, const Place& place) {
  nodes_ += nodes;
  if (nodes_ <= options_->limits.max_nodes) return;
  throw Error(ErrorCode::LimitExceeded,
              "the model has more than " + std::to_string(options_->limits.max_nodes) + " nodes (Limits::max_nodes)",
              place.to_string());
}

void Context::add_stored(const ir::Tensor& t) noexcept {
  stored_bytes_ += t.raw_data.get().size() + 4 * t.float_data.size() + 8 * t.double_data.size() + t.int32_data.size() +
                   t.int64_data.size() + t.uint64_data.size() + t.string_data.size();
}

Deeper::Deeper(Context& ctx, const Place& place) : ctx_(&ctx) {
  if (ctx.depth_ >= ctx.options().limits.max_depth) {
    throw infer::as_error(ErrorCode::LimitExceeded, infer::nested_too_deeply(ctx.options().limits.max_depth),
                          place.to_string());
  }
  ++ctx.depth_;
}
Deeper::~Deeper() { --ctx_->depth_; }

bool has_field(const ir::Bytes& unknown, std::uint32_t first, std::uint32_t last) {
  std::size_t at = 0;
  const auto varint = [&](std::uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64 && at < unknown.size(); shift += 7) {
      const auto byte = static_cast<std::uint8_t>(unknown[at++]);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (!(byte & 0x80)) return true;
    }
    return false;
  };
  int groups = 0;
  while (at < unknown.size()) {
    std::uint64_t tag = 0, skip = 0;
    if (!varint(tag)) return false;
    const std::uint64_t number = tag >> 3;
    if (groups == 0 && number >= first && number <= last) return true;
    switch (tag & 7) {
      case 0:
        if (!varint(skip)) return false;
        skip = 0;
        break;
      case 1: skip = 8; break;
      case 2:
        if (!varint(skip)) return false;
        break;
      case 3: ++groups; break;
      case 4: --groups; break;
      case 5: skip = 4; break;
      default: return false;
    }
    if (skip > unknown.size() - at) return false;
    at += skip;
  }
  return false;
}

bool is_c_identifier(std::string_view name) noexcept {
  const auto letter = [](char c) { return format::is_letter(c) || c == '_'; };
  if (name.empty() || !letter(name[0])) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || format::is_digit(c); });
}

bool is_reverse_dns(std::string_view domain) noexcept {
  std::size_t parts = 0, length = 0;
  for (std::size_t i = 0; i <= domain.size(); ++i) {
    if (i == domain.size() || domain[i] == '.') {
      if (length == 0) return false;
      ++parts;
      length = 0;
      continue;
    }
    const char c = domain[i];
    if (!format::is_letter(c) && !format::is_digit(c) && c != '-' && c != '_') return false;
    ++length;
  }
  return parts >= 2;
}

RepeatedKey repeated_key(const ir::Metadata& entries) {
  if (entries.size() < 2) return {};
  NameSet seen;
  for (const auto& entry : entries) {
    if (!seen.insert(entry.key.get())) return {true, entry.key.get()};
  }
  return {};
}

}  // namespace norn::checks
