// Which attributes a node has in the end. Inside of a function an attribute may be a reference to the caller's.
#include "infer/attributes.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/nearest.h"
#include "base/text.h"
#include "infer/model_faults.h"
#include "infer/signature.h"
#include "ir/constants.h"
#include "norn/error.h"
#include "opset/attrs.h"

namespace norn::infer {
namespace {

std::string function_key(std::string_view domain, std::string_view name, std::string_view overload) {
  std::string key(domain);
  (key += '\0') += name;
  (key += '\0') += overload;
  return key;
}

bool is_reference(const ir::Attribute& attr) { return attr.ref_attr_name.has() && !attr.ref_attr_name.get().empty(); }

[[noreturn]] void fail(FaultText fault, const std::string& name = {}) {
  throw Error(ErrorCode::InvalidGraph, std::move(fault.message), name.empty() ? "" : "attribute " + base::quoted(name),
              std::move(fault.hint));
}

}  // namespace

Imports imports_of(const std::vector<ir::OperatorSetId>& entries, std::int64_t ir_version) {
  Imports imports;
  for (const ir::OperatorSetId& e : entries) {
    const std::int64_t version = std::max<std::int64_t>(e.version.get(), std::numeric_limits<std::int32_t>::min());
    const auto [at, is_first] = imports.emplace(ir::canonical_domain(e.domain.get()), version);
    if (!is_first) at->second = std::max(at->second, version);
  }
  if (ir_version < 3 && imports.empty()) imports[""] = 1;
  return imports;
}

Call begin_call(const ir::Function& function, const ir::Node& node, const Call* caller) {
  Call call;
  call.parent = caller;
  call.function = &function;
  for (const Call* c = caller; c; c = c->parent) {
    ++call.depth;
    if (c->function == &function) {
      std::vector<const ir::Function*> way;
      for (const Call* called = caller; called != c->parent; called = called->parent) way.push_back(called->function);
      std::reverse(way.begin(), way.end());
      fail(recursive_functions(way));
    }
  }
  if (call.depth > kMaxCallDepth)
    throw Error(ErrorCode::LimitExceeded,
                "functions call each other more than " + std::to_string(kMaxCallDepth) + " deep");
  if (node.input.size() > function.input.size()) fail(too_many_arguments(true, node.input.size(), function));
  if (node.output.size() > function.output.size()) fail(too_many_arguments(false, node.output.size(), function));
  for (const ir::Attribute& attr : function.attribute_proto) call.attributes[attr.name] = &attr;
  return call;
}

FunctionTable::FunctionTable(std::span<const ir::Function> functions) {
  for (const ir::Function& f : functions)
    functions_.emplace(function_key(ir::canonical_domain(f.domain.get()), f.name.get(), f.overload.get()), &f);
}

const ir::Function* FunctionTable::find(std::string_view domain, const ir::Node& node) const {
  if (functions_.empty()) return nullptr;
  const auto it = functions_.find(function_key(domain, node.op_type.get(), node.overload.get()));
  return it == functions_.end() ? nullptr : it->second;
}

std::string FunctionTable::similar(std::string_view domain, const ir::Node& node) const {
  const std::string& name = node.op_type.get();
  base::Nearest nearest(name);
  std::vector<std::string> overloads, names;
  for (const auto& [key, f] : functions_) {
    if (ir::canonical_domain(f->domain.get()) != domain) continue;
    nearest.offer(f->name.get());
    if (f->name != name)
      names.push_back(base::quoted(f->name.get()));
    else
      overloads.push_back(f->overload.get().empty() ? "one without an overload" : base::quoted(f->overload.get()));
  }
  const auto listed = [](std::vector<std::string>& list) {
    constexpr std::size_t kMost = 10;
    std::sort(list.begin(), list.end());
    std::string text;
    for (std::size_t i = 0; i < list.size() && i < kMost; ++i) text += (i ? ", " : "") + list[i];
    return list.size() > kMost ? text + ", ..." : text;
  };
  if (!overloads.empty()) return "the model's functions of this name have the overloads: " + listed(overloads);
  if (std::string question = nearest.question(); !question.empty()) return question;
  return names.empty() ? "" : "the model's functions of this domain are " + listed(names);
}

norn::Tensor contents_of(const ir::Tensor& tensor, std::int64_t ir_version, const ir::ExternalReader& external) {
  const bool elsewhere = tensor.data_location == ir::kDataLocationExternal;
  if (!elsewhere || ir::is_external(tensor, ir_version)) return ir::to_value(tensor, external);
  ir::Tensor here = tensor;
  here.data_location.clear();
  return ir::to_value(here);
}

bool has_graph(std::span<const ir::Attribute> attributes) {
  return std::any_of(attributes.begin(), attributes.end(), [](const ir::Attribute& a) { return a.g.has(); });
}

bool needs_resolving(const ir::Node& node) {
  return std::any_of(node.attribute.begin(), node.attribute.end(), [](const ir::Attribute& a) {
    return is_reference(a) || !a.type.has() || (a.t && a.t->data_location == ir::kDataLocationExternal);
  });
}

std::vector<ir::Attribute> resolve_attributes(const ir::Node& node, const Call* call, std::int64_t ir_version,
                                              const ir::ExternalReader& external) {
  std::vector<ir::Attribute> attrs;
  attrs.reserve(node.attribute.size());
  for (const ir::Attribute& attr : node.attribute) {
    if (!is_reference(attr)) {
      attrs.push_back(attr);
      // Kernels and inference see attributes' bytes only.
      ir::Attribute& own = attrs.back();
      if (own.t && own.t->data_location == ir::kDataLocationExternal)
        own.t = ir::from_value(contents_of(*own.t, ir_version, external), own.t->name);
      continue;
    }
    if (!call) fail(reference_outside_function(attr), attr.name);
    const auto value = call->attributes.find(attr.ref_attr_name.get());
    if (value == call->attributes.end()) continue;
    attrs.push_back(*value->second);
    attrs.back().name = attr.name;
  }
  return attrs;
}

void complete_untyped(std::vector<ir::Attribute>& attrs, const opset::Schema& schema) {
  using enum ir::AttributeType;
  for (ir::Attribute& attr : attrs) {
    if (attr.type.has()) continue;
    if (attr.kind() != Undefined) {
      attr.type = static_cast<std::int32_t>(attr.kind());
      continue;
    }
    const std::string& name = attr.name.get();
    if (name.starts_with("__")) continue;  // an implementation's own, no operator's
    const opset::Attr* row = opset::find_attr(schema, name);
    if (!row) continue;
    const bool list = row->type == Floats || row->type == Ints || row->type == Strings || row->type == Tensors ||
                      row->type == Graphs || row->type == SparseTensors || row->type == TypeProtos;
    if (!list) fail(attribute_without_value(attr), name);
    attr.type = static_cast<std::int32_t>(row->type);
  }
}

void check_attributes(std::span<const ir::Attribute> attrs, const opset::Operator& op, const opset::Schema& schema) {
  for (const ir::Attribute& attr : attrs) {
    const std::string& name = attr.name.get();
    if (name.starts_with("__")) continue;  // an implementation's own, no operator's
    const opset::Attr* row = opset::find_attr(schema, name);
    if (!row) fail(unknown_attribute(name, op, schema), name);
    if (attr.kind() != row->type) fail(attribute_of_other_type(attr, *row, op, schema), name);
    if (opset::lacks_value(attr)) fail(attribute_without_value(attr), name);
  }
  for (const opset::Attr& row : schema.attrs)
    // consumed_inputs was an in-place hint of opset 1 that writers often left out even where it was required.
    if (row.required && row.name != "consumed_inputs" &&
        std::none_of(attrs.begin(), attrs.end(), [&](const ir::Attribute& a) { return a.name.get() == row.name; }))
      fail(missing_attribute(row, op, schema));
}

}  // namespace norn::infer
