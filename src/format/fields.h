// The one list of fields of every message: number and name in the schema, and the member that holds it.
//
// Readers and writers of every notation are generated from these rows. What a row does not say follows from the
// member's type: Field is an optional scalar, string or bytes; Box a sub-message; vector a repeated field, written
// without packing; SharedArray a repeated number, written packed. Rows are in the order of the numbers, which is the
// order protobuf writes in. Traps of the numbering: AttributeProto's tp is 14 though its type TYPE_PROTO is 13 (13 is
// doc_string), and node's domain is 7 though it came before doc_string in the schema.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include "format/data_messages.h"
#include "ir/model.h"
#include "ir/operator_set.h"

namespace norn::format {

enum class Trait : std::uint8_t {
  None,
  OneOf,  // at most one of the message's OneOf fields is set
  Bytes,  // a std::string that the schema calls bytes
  AttributeType,
  DataLocation,
  OperatorStatus,  // an integer that the schema calls by this enumeration
};

template <class M, class T>
struct FieldRow {
  std::uint32_t number;
  const char* name;
  T M::* member;
  Trait trait;
};

template <class M, class T>
constexpr FieldRow<M, T> row(std::uint32_t number, const char* name, T M::* member, Trait trait = Trait::None) {
  return {number, name, member, trait};
}

// What a std::tuple of rows would be, at a small part of what that costs every file that sees this one.
template <std::size_t I, class R>
struct RowAt {
  R row;
};
template <class Indices, class... R>
struct RowsAt;
template <std::size_t... I, class... R>
struct RowsAt<std::index_sequence<I...>, R...> : RowAt<I, R>... {};
template <class... R>
struct Rows : RowsAt<std::index_sequence_for<R...>, R...> {
  static constexpr std::size_t size = sizeof...(R);
};
template <class... R>
constexpr Rows<R...> rows(R... r) {
  return {{{r}...}};
}
template <std::size_t I, class R>
constexpr const R& row_at(const RowAt<I, R>& at) {
  return at.row;
}

template <class M>
struct Message;

template <>
struct Message<ir::StringStringEntry> {
  using M = ir::StringStringEntry;
  static constexpr const char* name = "StringStringEntryProto";
  static constexpr auto fields = rows(row(1, "key", &M::key), row(2, "value", &M::value));
};

template <>
struct Message<ir::Segment> {
  using M = ir::Segment;
  static constexpr const char* name = "TensorProto.Segment";
  static constexpr auto fields = rows(row(1, "begin", &M::begin), row(2, "end", &M::end));
};

template <>
struct Message<ir::Tensor> {
  using M = ir::Tensor;
  static constexpr const char* name = "TensorProto";
  static constexpr auto fields = rows(
      row(1, "dims", &M::dims), row(2, "data_type", &M::data_type), row(3, "segment", &M::segment),
      row(4, "float_data", &M::float_data), row(5, "int32_data", &M::int32_data),
      row(6, "string_data", &M::string_data), row(7, "int64_data", &M::int64_data), row(8, "name", &M::name),
      row(9, "raw_data", &M::raw_data), row(10, "double_data", &M::double_data),
      row(11, "uint64_data", &M::uint64_data), row(12, "doc_string", &M::doc_string),
      row(13, "external_data", &M::external_data), row(14, "data_location", &M::data_location, Trait::DataLocation),
      row(16, "metadata_props", &M::metadata_props));
};

template <>
struct Message<ir::SparseTensor> {
  using M = ir::SparseTensor;
  static constexpr const char* name = "SparseTensorProto";
  static constexpr auto fields =
      rows(row(1, "values", &M::values), row(2, "indices", &M::indices), row(3, "dims", &M::dims));
};

template <>
struct Message<ir::Dimension> {
  using M = ir::Dimension;
  static constexpr const char* name = "TensorShapeProto.Dimension";
  static constexpr auto fields =
      rows(row(1, "dim_value", &M::dim_value, Trait::OneOf), row(2, "dim_param", &M::dim_param, Trait::OneOf),
           row(3, "denotation", &M::denotation));
};

template <>
struct Message<ir::TensorShape> {
  using M = ir::TensorShape;
  static constexpr const char* name = "TensorShapeProto";
  static constexpr auto fields = rows(row(1, "dim", &M::dim));
};

template <>
struct Message<ir::TypeTensor> {
  using M = ir::TypeTensor;
  static constexpr const char* name = "TypeProto.Tensor";
  static constexpr auto fields = rows(row(1, "elem_type", &M::elem_type), row(2, "shape", &M::shape));
};

template <>
struct Message<ir::TypeSequence> {
  using M = ir::TypeSequence;
  static constexpr const char* name = "TypeProto.Sequence";
  static constexpr auto fields = rows(row(1, "elem_type", &M::elem_type));
};

template <>
struct Message<ir::TypeMap> {
  using M = ir::TypeMap;
  static constexpr const char* name = "TypeProto.Map";
  static constexpr auto fields = rows(row(1, "key_type", &M::key_type), row(2, "value_type", &M::value_type));
};

template <>
struct Message<ir::TypeOptional> {
  using M = ir::TypeOptional;
  static constexpr const char* name = "TypeProto.Optional";
  static constexpr auto fields = rows(row(1, "elem_type", &M::elem_type));
};

template <>
struct Message<ir::TypeOpaque> {
  using M = ir::TypeOpaque;
  static constexpr const char* name = "TypeProto.Opaque";
  static constexpr auto fields = rows(row(1, "domain", &M::domain), row(2, "name", &M::name));
};

template <>
struct Message<ir::Type> {
  using M = ir::Type;
  static constexpr const char* name = "TypeProto";
  static constexpr auto fields =
      rows(row(1, "tensor_type", &M::tensor_type, Trait::OneOf),
           row(4, "sequence_type", &M::sequence_type, Trait::OneOf), row(5, "map_type", &M::map_type, Trait::OneOf),
           row(6, "denotation", &M::denotation), row(7, "opaque_type", &M::opaque_type, Trait::OneOf),
           row(8, "sparse_tensor_type", &M::sparse_tensor_type, Trait::OneOf),
           row(9, "optional_type", &M::optional_type, Trait::OneOf));
};

template <>
struct Message<ir::ValueInfo> {
  using M = ir::ValueInfo;
  static constexpr const char* name = "ValueInfoProto";
  static constexpr auto fields =
      rows(row(1, "name", &M::name), row(2, "type", &M::type), row(3, "doc_string", &M::doc_string),
           row(4, "metadata_props", &M::metadata_props));
};

template <>
struct Message<ir::Attribute> {
  using M = ir::Attribute;
  static constexpr const char* name = "AttributeProto";
  static constexpr auto fields =
      rows(row(1, "name", &M::name), row(2, "f", &M::f), row(3, "i", &M::i), row(4, "s", &M::s, Trait::Bytes),
           row(5, "t", &M::t), row(6, "g", &M::g), row(7, "floats", &M::floats), row(8, "ints", &M::ints),
           row(9, "strings", &M::strings, Trait::Bytes), row(10, "tensors", &M::tensors), row(11, "graphs", &M::graphs),
           row(13, "doc_string", &M::doc_string), row(14, "tp", &M::tp), row(15, "type_protos", &M::type_protos),
           row(20, "type", &M::type, Trait::AttributeType), row(21, "ref_attr_name", &M::ref_attr_name),
           row(22, "sparse_tensor", &M::sparse_tensor), row(23, "sparse_tensors", &M::sparse_tensors));
};

template <>
struct Message<ir::IntIntListEntry> {
  using M = ir::IntIntListEntry;
  static constexpr const char* name = "IntIntListEntryProto";
  static constexpr auto fields = rows(row(1, "key", &M::key), row(2, "value", &M::value));
};

template <>
struct Message<ir::SimpleShardedDim> {
  using M = ir::SimpleShardedDim;
  static constexpr const char* name = "SimpleShardedDimProto";
  static constexpr auto fields =
      rows(row(1, "dim_value", &M::dim_value, Trait::OneOf), row(2, "dim_param", &M::dim_param, Trait::OneOf),
           row(3, "num_shards", &M::num_shards));
};

template <>
struct Message<ir::ShardedDim> {
  using M = ir::ShardedDim;
  static constexpr const char* name = "ShardedDimProto";
  static constexpr auto fields = rows(row(1, "axis", &M::axis), row(2, "simple_sharding", &M::simple_sharding));
};

template <>
struct Message<ir::ShardingSpec> {
  using M = ir::ShardingSpec;
  static constexpr const char* name = "ShardingSpecProto";
  static constexpr auto fields =
      rows(row(1, "tensor_name", &M::tensor_name), row(2, "device", &M::device),
           row(3, "index_to_device_group_map", &M::index_to_device_group_map), row(4, "sharded_dim", &M::sharded_dim));
};

template <>
struct Message<ir::NodeDeviceConfiguration> {
  using M = ir::NodeDeviceConfiguration;
  static constexpr const char* name = "NodeDeviceConfigurationProto";
  static constexpr auto fields =
      rows(row(1, "configuration_id", &M::configuration_id), row(2, "sharding_spec", &M::sharding_spec),
           row(3, "pipeline_stage", &M::pipeline_stage));
};

template <>
struct Message<ir::Node> {
  using M = ir::Node;
  static constexpr const char* name = "NodeProto";
  static constexpr auto fields =
      rows(row(1, "input", &M::input), row(2, "output", &M::output), row(3, "name", &M::name),
           row(4, "op_type", &M::op_type), row(5, "attribute", &M::attribute), row(6, "doc_string", &M::doc_string),
           row(7, "domain", &M::domain), row(8, "overload", &M::overload), row(9, "metadata_props", &M::metadata_props),
           row(10, "device_configurations", &M::device_configurations));
};

template <>
struct Message<ir::TensorAnnotation> {
  using M = ir::TensorAnnotation;
  static constexpr const char* name = "TensorAnnotation";
  static constexpr auto fields = rows(row(1, "tensor_name", &M::tensor_name),
                                      row(2, "quant_parameter_tensor_names", &M::quant_parameter_tensor_names));
};

template <>
struct Message<ir::Graph> {
  using M = ir::Graph;
  static constexpr const char* name = "GraphProto";
  static constexpr auto fields =
      rows(row(1, "node", &M::node), row(2, "name", &M::name), row(5, "initializer", &M::initializer),
           row(10, "doc_string", &M::doc_string), row(11, "input", &M::input), row(12, "output", &M::output),
           row(13, "value_info", &M::value_info), row(14, "quantization_annotation", &M::quantization_annotation),
           row(15, "sparse_initializer", &M::sparse_initializer), row(16, "metadata_props", &M::metadata_props));
};

template <>
struct Message<ir::OperatorSetId> {
  using M = ir::OperatorSetId;
  static constexpr const char* name = "OperatorSetIdProto";
  static constexpr auto fields = rows(row(1, "domain", &M::domain), row(2, "version", &M::version));
};

template <>
struct Message<ir::Function> {
  using M = ir::Function;
  static constexpr const char* name = "FunctionProto";
  static constexpr auto fields =
      rows(row(1, "name", &M::name), row(4, "input", &M::input), row(5, "output", &M::output),
           row(6, "attribute", &M::attribute), row(7, "node", &M::node), row(8, "doc_string", &M::doc_string),
           row(9, "opset_import", &M::opset_import), row(10, "domain", &M::domain),
           row(11, "attribute_proto", &M::attribute_proto), row(12, "value_info", &M::value_info),
           row(13, "overload", &M::overload), row(14, "metadata_props", &M::metadata_props));
};

template <>
struct Message<ir::TrainingInfo> {
  using M = ir::TrainingInfo;
  static constexpr const char* name = "TrainingInfoProto";
  static constexpr auto fields =
      rows(row(1, "initialization", &M::initialization), row(2, "algorithm", &M::algorithm),
           row(3, "initialization_binding", &M::initialization_binding), row(4, "update_binding", &M::update_binding));
};

template <>
struct Message<ir::DeviceConfiguration> {
  using M = ir::DeviceConfiguration;
  static constexpr const char* name = "DeviceConfigurationProto";
  static constexpr auto fields =
      rows(row(1, "name", &M::name), row(2, "num_devices", &M::num_devices), row(3, "device", &M::device));
};

template <>
struct Message<ir::Model> {
  using M = ir::Model;
  static constexpr const char* name = "ModelProto";
  static constexpr auto fields =
      rows(row(1, "ir_version", &M::ir_version), row(2, "producer_name", &M::producer_name),
           row(3, "producer_version", &M::producer_version), row(4, "domain", &M::domain),
           row(5, "model_version", &M::model_version), row(6, "doc_string", &M::doc_string), row(7, "graph", &M::graph),
           row(8, "opset_import", &M::opset_import), row(14, "metadata_props", &M::metadata_props),
           row(20, "training_info", &M::training_info), row(25, "functions", &M::functions),
           row(26, "configuration", &M::configuration));
};

template <>
struct Message<ir::Operator> {
  using M = ir::Operator;
  static constexpr const char* name = "OperatorProto";
  static constexpr auto fields =
      rows(row(1, "op_type", &M::op_type), row(2, "since_version", &M::since_version),
           row(3, "status", &M::status, Trait::OperatorStatus), row(10, "doc_string", &M::doc_string));
};

template <>
struct Message<ir::OperatorSet> {
  using M = ir::OperatorSet;
  static constexpr const char* name = "OperatorSetProto";
  static constexpr auto fields =
      rows(row(1, "magic", &M::magic), row(2, "ir_version", &M::ir_version),
           row(3, "ir_version_prerelease", &M::ir_version_prerelease), row(4, "domain", &M::domain),
           row(5, "opset_version", &M::opset_version), row(6, "doc_string", &M::doc_string),
           row(7, "ir_build_metadata", &M::ir_build_metadata), row(8, "operator", &M::operators),
           row(9, "functions", &M::functions));
};

template <>
struct Message<SequenceData> {
  using M = SequenceData;
  static constexpr const char* name = "SequenceProto";
  static constexpr auto fields =
      rows(row(1, "name", &M::name), row(2, "elem_type", &M::elem_type), row(3, "tensor_values", &M::tensor_values),
           row(4, "sparse_tensor_values", &M::sparse_tensor_values), row(5, "sequence_values", &M::sequence_values),
           row(6, "map_values", &M::map_values), row(7, "optional_values", &M::optional_values));
};

template <>
struct Message<MapData> {
  using M = MapData;
  static constexpr const char* name = "MapProto";
  static constexpr auto fields =
      rows(row(1, "name", &M::name), row(2, "key_type", &M::key_type), row(3, "keys", &M::keys),
           row(4, "string_keys", &M::string_keys), row(5, "values", &M::values));
};

template <>
struct Message<OptionalData> {
  using M = OptionalData;
  static constexpr const char* name = "OptionalProto";
  static constexpr auto fields =
      rows(row(1, "name", &M::name), row(2, "elem_type", &M::elem_type), row(3, "tensor_value", &M::tensor_value),
           row(4, "sparse_tensor_value", &M::sparse_tensor_value), row(5, "sequence_value", &M::sequence_value),
           row(6, "map_value", &M::map_value), row(7, "optional_value", &M::optional_value));
};

// The numbers of a message's rows, from 0.
template <class M>
constexpr auto row_indices() {
  return std::make_index_sequence<decltype(Message<M>::fields)::size>();
}

// Calls f(row) for each field of a message, in the order of the numbers.
template <class M, class F>
constexpr void for_each_field(F&& f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) { (f(row_at<I>(Message<M>::fields)), ...); }(row_indices<M>());
}

}  // namespace norn::format
