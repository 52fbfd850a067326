// The document: every message and field of the ONNX schema (onnx.proto, IR 1 to 14), as values.
//
// A document may be invalid: nothing here checks anything, so that a broken model can be read, shown and repaired.
// Names are the schema's, less the Proto suffix. `unknown` keeps the bytes of fields this version does not know, tags
// included, so that a file of a newer ONNX survives being read and written. Enumerations stay integers for the same
// reason. Copies share tensor contents. Where a file repeats a singular field, protobuf's rules hold: the last scalar
// wins, sub-messages merge.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ir/constants.h"
#include "ir/field.h"
#include "ir/small_vector.h"

namespace norn::ir {

struct Graph;
struct SparseTensor;

struct StringStringEntry {
  Field<std::string> key, value;
  Rare<Bytes> unknown;
};
using Metadata = std::vector<StringStringEntry>;

// TensorProto.DataLocation
inline constexpr std::int32_t kDataLocationDefault = 0, kDataLocationExternal = 1;

struct Segment {
  Field<std::int64_t> begin, end;
  Rare<Bytes> unknown;
};

struct Tensor {
  std::vector<std::int64_t> dims;
  Field<std::int32_t> data_type;  // norn::DataType by number
  Box<Segment> segment;
  Rare<SharedArray<float>> float_data;
  Rare<SharedArray<std::int32_t>> int32_data;
  Rare<std::vector<Bytes>> string_data;
  Rare<SharedArray<std::int64_t>> int64_data;
  Field<std::string> name;
  Rare<Field<std::string>> doc_string;
  Field<Bytes> raw_data;
  Rare<Metadata> external_data;
  Field<std::int32_t> data_location;
  Rare<SharedArray<double>> double_data;
  Rare<SharedArray<std::uint64_t>> uint64_data;
  Rare<Metadata> metadata_props;
  Rare<Bytes> unknown;
};

struct SparseTensor {
  Box<Tensor> values, indices;
  std::vector<std::int64_t> dims;
  Rare<Bytes> unknown;
};

// At most one of dim_value and dim_param is set (a oneof); neither is an unknown dimension.
struct Dimension {
  Field<std::int64_t> dim_value;
  Field<std::string> dim_param;
  Rare<Field<std::string>> denotation;
  Rare<Bytes> unknown;
};

struct TensorShape {
  std::vector<Dimension> dim;
  Rare<Bytes> unknown;
};

struct TypeTensor {
  Field<std::int32_t> elem_type;
  Box<TensorShape> shape;
  Rare<Bytes> unknown;
};
struct Type;
struct TypeSequence {
  Box<Type> elem_type;
  Rare<Bytes> unknown;
};
struct TypeMap {
  Field<std::int32_t> key_type;
  Box<Type> value_type;
  Rare<Bytes> unknown;
};
struct TypeOptional {
  Box<Type> elem_type;
  Rare<Bytes> unknown;
};
struct TypeOpaque {
  Field<std::string> domain, name;
  Rare<Bytes> unknown;
};

// TypeProto: a oneof, so at most one of the six boxes is set.
struct Type {
  Box<TypeTensor> tensor_type;
  Box<TypeSequence> sequence_type;
  Box<TypeMap> map_type;
  Box<TypeOptional> optional_type;
  Box<TypeTensor> sparse_tensor_type;
  Box<TypeOpaque> opaque_type;
  Rare<Field<std::string>> denotation;
  Rare<Bytes> unknown;
};

struct ValueInfo {
  Field<std::string> name;
  Box<Type> type;
  Rare<Field<std::string>> doc_string;
  Rare<Metadata> metadata_props;
  Rare<Bytes> unknown;
};

struct Attribute {
  Field<std::string> name;
  Rare<Field<std::string>> ref_attr_name;
  Rare<Field<std::string>> doc_string;
  Field<std::int32_t> type;  // AttributeType by number; absent in IR 1
  Field<float> f;
  Field<std::int64_t> i;
  Field<std::string> s;
  Box<Tensor> t;
  Box<Graph> g;
  Box<SparseTensor> sparse_tensor;
  Box<Type> tp;
  Rare<std::vector<float>> floats;
  std::vector<std::int64_t> ints;
  Rare<std::vector<std::string>> strings;
  Rare<std::vector<Tensor>> tensors;
  Rare<std::vector<Graph>> graphs;
  Rare<std::vector<SparseTensor>> sparse_tensors;
  Rare<std::vector<Type>> type_protos;
  Rare<Bytes> unknown;

  // The declared type or, in IR 1 files without one, the type of the field that is present.
  AttributeType kind() const noexcept;
};

struct IntIntListEntry {
  Field<std::int64_t> key;
  std::vector<std::int64_t> value;
  Rare<Bytes> unknown;
};
// dim_value and dim_param are a oneof.
struct SimpleShardedDim {
  Field<std::int64_t> dim_value;
  Field<std::string> dim_param;
  Field<std::int64_t> num_shards;
  Rare<Bytes> unknown;
};
struct ShardedDim {
  Field<std::int64_t> axis;
  std::vector<SimpleShardedDim> simple_sharding;
  Rare<Bytes> unknown;
};
struct ShardingSpec {
  Field<std::string> tensor_name;
  std::vector<std::int64_t> device;
  std::vector<IntIntListEntry> index_to_device_group_map;
  std::vector<ShardedDim> sharded_dim;
  Rare<Bytes> unknown;
};
struct NodeDeviceConfiguration {
  Field<std::string> configuration_id;
  std::vector<ShardingSpec> sharding_spec;
  Field<std::int32_t> pipeline_stage;
  Rare<Bytes> unknown;
};

struct Node {
  // "" is an omitted optional.
  SmallVector<std::string, 2> input;
  SmallVector<std::string, 1> output;
  Field<std::string> name, op_type;
  Rare<Field<std::string>> domain, overload;
  std::vector<Attribute> attribute;
  Rare<Field<std::string>> doc_string;
  Rare<Metadata> metadata_props;
  Rare<std::vector<NodeDeviceConfiguration>> device_configurations;
  Rare<Bytes> unknown;
};

struct TensorAnnotation {
  Field<std::string> tensor_name;
  Metadata quant_parameter_tensor_names;
  Rare<Bytes> unknown;
};

struct Graph {
  std::vector<Node> node;
  Field<std::string> name;
  std::vector<Tensor> initializer;
  std::vector<SparseTensor> sparse_initializer;
  Field<std::string> doc_string;
  std::vector<ValueInfo> input, output, value_info;
  std::vector<TensorAnnotation> quantization_annotation;
  Metadata metadata_props;
  Rare<Bytes> unknown;
};

struct OperatorSetId {
  Field<std::string> domain;
  Field<std::int64_t> version;
  Rare<Bytes> unknown;
};

struct Function {
  Field<std::string> name;
  std::vector<std::string> input, output, attribute;
  std::vector<Attribute> attribute_proto;
  std::vector<Node> node;
  Field<std::string> doc_string;
  std::vector<OperatorSetId> opset_import;
  Field<std::string> domain;
  Field<std::string> overload;
  std::vector<ValueInfo> value_info;
  Metadata metadata_props;
  Rare<Bytes> unknown;
};

struct TrainingInfo {
  Box<Graph> initialization, algorithm;
  Metadata initialization_binding, update_binding;
  Rare<Bytes> unknown;
};

struct DeviceConfiguration {
  Field<std::string> name;
  Field<std::int32_t> num_devices;
  std::vector<std::string> device;
  Rare<Bytes> unknown;
};

struct Model {
  Field<std::int64_t> ir_version;
  std::vector<OperatorSetId> opset_import;
  Field<std::string> producer_name, producer_version, domain;
  Field<std::int64_t> model_version;
  Field<std::string> doc_string;
  Box<Graph> graph;
  Metadata metadata_props;
  std::vector<TrainingInfo> training_info;
  std::vector<Function> functions;
  std::vector<DeviceConfiguration> configuration;
  Rare<Bytes> unknown;
};

// "ai.onnx" and "" name the same domain; the canonical spelling is "".
inline std::string_view canonical_domain(std::string_view domain) noexcept {
  return domain == "ai.onnx" ? std::string_view{} : domain;
}

}  // namespace norn::ir
