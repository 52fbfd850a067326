// The messages of onnx-data.proto, which test data files hold, as values. `unknown` as in ir/model.h.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ir/field.h"
#include "ir/model.h"

namespace norn::format {

// elem_type of SequenceProto and OptionalProto.
enum class DataElement : std::int32_t {
  Undefined = 0,
  Tensor = 1,
  SparseTensor = 2,
  Sequence = 3,
  Map = 4,
  Optional = 5
};

struct MapData;
struct OptionalData;

struct SequenceData {
  ir::Field<std::string> name;
  ir::Field<std::int32_t> elem_type;
  std::vector<ir::Tensor> tensor_values;
  std::vector<ir::SparseTensor> sparse_tensor_values;
  std::vector<SequenceData> sequence_values;
  std::vector<MapData> map_values;
  std::vector<OptionalData> optional_values;
  ir::Rare<ir::Bytes> unknown;
};

struct MapData {
  ir::Field<std::string> name;
  ir::Field<std::int32_t> key_type;
  std::vector<std::int64_t> keys;
  std::vector<ir::Bytes> string_keys;
  ir::Box<SequenceData> values;
  ir::Rare<ir::Bytes> unknown;
};

struct OptionalData {
  ir::Field<std::string> name;
  ir::Field<std::int32_t> elem_type;
  ir::Box<ir::Tensor> tensor_value;
  ir::Box<ir::SparseTensor> sparse_tensor_value;
  ir::Box<SequenceData> sequence_value;
  ir::Box<MapData> map_value;
  ir::Box<OptionalData> optional_value;
  ir::Rare<ir::Bytes> unknown;
};

}  // namespace norn::format
