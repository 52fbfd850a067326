// What each IR version added: a file of an earlier version may not use it.
//
// A field that a version did not have was an unknown field to its readers and silently dropped, so a file that uses it
// has another meaning to them. Sequences, maps and opaque types were in the ONNX-ML build from the start: a model that
// imports ai.onnx.ml may use them in any version.
#include <string>

#include "check/rule_checks.h"
#include "opset/domains.h"

namespace norn::checks {
namespace {

std::string only_from(const char* what, int version, const Context& ctx) {
  return std::string(what) + " exists only from IR " + std::to_string(version) + "; the model states IR " +
         std::to_string(ctx.ir_version());
}

std::string raise(int version) { return "set ir_version to " + std::to_string(version) + " or more"; }

// The newest gate a document can break is that of IR 14.
bool nothing_gated(const Context& ctx) { return ctx.ir_version() >= 14; }

void check_metadata_gate(Context& ctx, const Place& place, const ir::Metadata& entries) {
  if (entries.empty()) return;
  ctx.report("ir.gate.metadata-props", place, only_from("metadata_props outside the model message", 10, ctx),
             raise(10));
}

void check_element_type(Context& ctx, const Place& place, std::int32_t number) {
  if (number < 0 || number >= kDataTypeCount) return;
  const auto type = static_cast<DataType>(number);
  const auto gate = [&](Rule rule, int from) {
    if (!ctx.binds(rule)) return;
    ctx.report(rule, place, only_from(std::string("type ").append(data_type_name(type)).c_str(), from, ctx),
               raise(from));
  };
  switch (type) {
    case DataType::BFloat16: return gate("ir.gate.bfloat16", 4);
    case DataType::Float8E4M3FN:
    case DataType::Float8E4M3FNUZ:
    case DataType::Float8E5M2:
    case DataType::Float8E5M2FNUZ: return gate("ir.gate.float8", 9);
    case DataType::Uint4:
    case DataType::Int4: return gate("ir.gate.int4", 10);
    case DataType::Float4E2M1: return gate("ir.gate.float4", 11);
    case DataType::Float8E8M0: return gate("ir.gate.float8e8m0", 12);
    case DataType::Uint2:
    case DataType::Int2: return gate("ir.gate.int2", 13);
    case DataType::Float6E2M3:
    case DataType::Float6E3M2: return gate("ir.gate.float6", 14);
    default: return;
  }
}

// What the model imports counts for its functions too.
bool is_ml_model(Context& ctx) {
  const auto imports_ml = [](const Imports& imports) { return imports.version(opset::kMlDomain) >= 0; };
  return imports_ml(ctx.operators().imports()) || (ctx.model() && imports_ml(ctx.model_imports()));
}

}  // namespace

void check_model_versions(Context& ctx, const Place& place, const ir::Model& model) {
  if (nothing_gated(ctx)) return;
  if (!model.opset_import.empty()) {
    ctx.report("ir.gate.opset-import", place, only_from("opset_import", 3, ctx), raise(3));
  }
  if (!model.training_info.empty()) {
    ctx.report("ir.gate.training", place, only_from("training_info", 7, ctx), raise(7));
  }
  if (!model.functions.empty()) {
    ctx.report("ir.gate.functions", place, only_from("a function of the model", 8, ctx), raise(8));
  }
  if (!model.configuration.empty()) {
    ctx.report("ir.gate.multi-device", place, only_from("a device configuration", 11, ctx), raise(11));
  }
}

void check_graph_versions(Context& ctx, const Place& place, const ir::Graph& graph) {
  if (nothing_gated(ctx)) return;
  if (!graph.quantization_annotation.empty()) {
    ctx.report("ir.gate.quant-annotation", place, only_from("quantization_annotation", 5, ctx), raise(5));
  }
  if (!graph.sparse_initializer.empty()) {
    ctx.report("ir.gate.sparse-constants", place, only_from("sparse_initializer", 6, ctx), raise(6));
  }
  check_metadata_gate(ctx, place, graph.metadata_props);
}

void check_function_versions(Context& ctx, const Place& place, const ir::Function& function) {
  if (nothing_gated(ctx)) return;
  if (!function.attribute_proto.empty()) {
    ctx.report("ir.gate.attribute-proto", place, only_from("a default of a function's attribute", 9, ctx), raise(9));
  }
  if (!function.overload.get().empty()) {
    ctx.report("ir.gate.overload", place, only_from("overload", 10, ctx), raise(10));
  }
  if (!function.value_info.empty()) {
    ctx.report("ir.gate.function-value-info", place, only_from("value_info of a function", 10, ctx), raise(10));
  }
  check_metadata_gate(ctx, place, function.metadata_props);
}

void check_node_versions(Context& ctx, const Place& place, const ir::Node& node) {
  if (ctx.ir_version() >= 11) return;
  if (!node.domain.get().empty() && ctx.ir_version() < 3) {
    ctx.report("ir.gate.node-domain", place, only_from("domain of a node", 3, ctx), raise(3));
  }
  if (!node.overload.get().empty()) {
    ctx.report("ir.gate.overload", place, only_from("overload", 10, ctx), raise(10));
  }
  if (!node.device_configurations.empty()) {
    ctx.report("ir.gate.multi-device", place, only_from("a device configuration", 11, ctx), raise(11));
  }
  check_metadata_gate(ctx, place, node.metadata_props);
}

void check_attribute_versions(Context& ctx, const Place& place, const ir::Attribute& attribute) {
  if (ctx.ir_version() >= 8) return;
  if (attribute.type.has() && ctx.ir_version() < 2) {
    ctx.report("ir.gate.attr-type", place, only_from("type of an attribute", 2, ctx), raise(2));
  }
  if (attribute.sparse_tensor || !attribute.sparse_tensors.empty()) {
    ctx.report("ir.gate.sparse-constants", place, only_from("a sparse tensor as attribute", 6, ctx), raise(6));
  }
  if (attribute.tp || !attribute.type_protos.empty()) {
    ctx.report("ir.gate.type-proto-attr", place, only_from("a type as attribute", 8, ctx), raise(8));
  }
}

void check_value_versions(Context& ctx, const Place& place, const ir::ValueInfo& info) {
  if (nothing_gated(ctx)) return;
  check_metadata_gate(ctx, place, info.metadata_props);
  if (info.type) check_type_versions(ctx, place, *info.type);
}

void check_type_versions(Context& ctx, const Place& place, const ir::Type& type) {
  if (nothing_gated(ctx)) return;
  if (type.tensor_type) return check_element_type(ctx, place, type.tensor_type->elem_type.get());
  const Deeper deeper(ctx, place);
  if (type.sparse_tensor_type) {
    ctx.report("ir.gate.sparse-type", place, only_from("a type of sparse tensors", 8, ctx), raise(8));
    check_element_type(ctx, place, type.sparse_tensor_type->elem_type.get());
  }
  if ((type.sequence_type || type.map_type) && ctx.binds("ir.gate.sequence-map") && !is_ml_model(ctx)) {
    ctx.report("ir.gate.sequence-map", place, only_from("a sequence or map outside ONNX-ML", 6, ctx), raise(6));
  }
  if (type.optional_type) {
    ctx.report("ir.gate.optional-type", place, only_from("an optional type", 8, ctx), raise(8));
    if (type.optional_type->elem_type) check_type_versions(ctx, place, *type.optional_type->elem_type);
  }
  if (type.opaque_type && !is_ml_model(ctx)) {
    ctx.report("ir.gate.opaque-core", place, only_from("an opaque type outside ONNX-ML", 14, ctx), raise(14));
  }
  if (type.sequence_type && type.sequence_type->elem_type) {
    check_type_versions(ctx, place, *type.sequence_type->elem_type);
  }
  if (type.map_type && type.map_type->value_type) check_type_versions(ctx, place, *type.map_type->value_type);
}

void check_tensor_versions(Context& ctx, const Place& place, const ir::Tensor& tensor) {
  if (nothing_gated(ctx)) return;
  check_element_type(ctx, place, tensor.data_type.get());
  check_metadata_gate(ctx, place, tensor.metadata_props);
}

}  // namespace norn::checks
