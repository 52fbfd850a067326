// What a node says beside its inputs: attributes, which inside of a function may refer to the caller's, against what
// the operator's version declares.
#include <algorithm>

#include "ir/constants.h"
#include "ir/tensor_data.h"
#include "norn/error.h"
#include "opset/registry.h"
#include "program/lowerer.h"

namespace norn::program {

norn::Tensor Lowerer::contents_of(const ir::Tensor& tensor) const {
  const bool elsewhere = tensor.data_location == ir::kDataLocationExternal;
  if (!elsewhere || ir::is_external(tensor, model_.ir_version)) return ir::to_value(tensor, options_.external);
  ir::Tensor here = tensor;
  here.data_location.clear();
  return ir::to_value(here);
}

std::vector<ir::Attribute> Lowerer::resolve_attributes(const ir::Node& node, const Call* call) const {
  std::vector<ir::Attribute> attrs;
  attrs.reserve(node.attribute.size());
  for (const ir::Attribute& attr : node.attribute) {
    if (!attr.ref_attr_name.has() || attr.ref_attr_name.get().empty()) {
      attrs.push_back(attr);
      // Kernels and inference see attributes' bytes only.
      ir::Attribute& own = attrs.back();
      if (own.t && own.t->data_location == ir::kDataLocationExternal)
        own.t = ir::from_value(contents_of(*own.t), own.t->name);
      continue;
    }
    if (!call)
      throw Error(ErrorCode::InvalidGraph,
                  "attribute \"" + attr.name.get() + "\" refers to a function's attribute, outside of a function");
    const auto value = call->attributes.find(attr.ref_attr_name.get());
    if (value == call->attributes.end()) continue;
    attrs.push_back(*value->second);
    attrs.back().name = attr.name;
  }
  return attrs;
}

namespace {

[[noreturn]] void fail_unknown(const std::string& name, const opset::Operator& op, const opset::Schema& schema) {
  std::string names;
  for (const opset::Attr& a : schema.attrs) names += (names.empty() ? "" : ", ") + std::string(a.name);
  std::string hint = names.empty() ? "it has none" : "it has " + names;
  for (const opset::Schema& other : op.history) {
    if (opset::find_attr(other, name)) hint += "; version " + std::to_string(other.since) + " has \"" + name + "\"";
    const bool is_input =
        std::any_of(other.inputs.begin(), other.inputs.end(), [&](const opset::Param& p) { return p.name == name; });
    if (is_input && other.since <= schema.since)
      hint += "; since opset " + std::to_string(other.since) + " \"" + name + "\" is an input";
  }
  throw Error(ErrorCode::InvalidGraph,
              opset::full_name(op) + " version " + std::to_string(schema.since) + " has no attribute \"" + name + "\"",
              "attribute \"" + name + "\"", hint);
}

}  // namespace

void complete_untyped(std::vector<ir::Attribute>& attrs, const opset::Schema& schema) {
  using enum ir::AttributeType;
  for (ir::Attribute& attr : attrs) {
    if (attr.type.has() || attr.kind() != Undefined) continue;
    const std::string& name = attr.name.get();
    if (name.starts_with("__")) continue;  // an implementation's own, no operator's
    const opset::Attr* row = opset::find_attr(schema, name);
    if (!row) continue;
    const bool list = row->type == Floats || row->type == Ints || row->type == Strings || row->type == Tensors ||
                      row->type == Graphs || row->type == SparseTensors || row->type == TypeProtos;
    if (!list)
      throw Error(ErrorCode::InvalidGraph, "attribute \"" + name + "\" has no value", "attribute \"" + name + "\"");
    attr.type = static_cast<std::int32_t>(row->type);
  }
}

void check_attributes(const std::vector<ir::Attribute>& attrs, const opset::Operator& op, const opset::Schema& schema) {
  for (const ir::Attribute& attr : attrs) {
    const std::string& name = attr.name.get();
    if (name.starts_with("__")) continue;  // an implementation's own, no operator's
    const opset::Attr* row = opset::find_attr(schema, name);
    if (!row) fail_unknown(name, op, schema);
    if (attr.kind() != row->type)
      throw Error(ErrorCode::InvalidGraph,
                  "attribute \"" + name + "\" is " + std::string(ir::attribute_type_name(attr.kind())) + ", but " +
                      opset::full_name(op) + " version " + std::to_string(schema.since) + " wants " +
                      std::string(ir::attribute_type_name(row->type)),
                  "attribute \"" + name + "\"");
    if (opset::lacks_value(attr))
      throw Error(ErrorCode::InvalidGraph,
                  "attribute \"" + name + "\" has no value, though its type is " +
                      std::string(ir::attribute_type_name(attr.kind())),
                  "attribute \"" + name + "\"");
  }
  for (const opset::Attr& row : schema.attrs)
    // consumed_inputs was an in-place hint of opset 1 that writers often left out even where it was required.
    if (row.required && row.name != "consumed_inputs" &&
        std::none_of(attrs.begin(), attrs.end(), [&](const ir::Attribute& a) { return a.name.get() == row.name; }))
      throw Error(ErrorCode::InvalidGraph, "the required attribute \"" + std::string(row.name) + "\" (" +
                                               std::string(ir::attribute_type_name(row.type)) + ") is missing");
}

}  // namespace norn::program
