// Test data files: TensorProto, SparseTensorProto, SequenceProto, MapProto and OptionalProto to and from values.
#pragma once
#include <string>

#include "format/data_messages.h"
#include "format/wire.h"
#include "ir/tensor_data.h"
#include "norn/data.h"
#include "norn/value.h"

namespace norn::format {

Value to_value(const SequenceData& sequence, const ir::ExternalReader& external = {});
Value to_value(const MapData& map, const ir::ExternalReader& external = {});
Value to_value(const OptionalData& optional, const ir::ExternalReader& external = {});

// Parses a message of the given kind. Throws norn::Error.
Value read_data(ir::Bytes bytes, DataKind kind, const ir::ExternalReader& external = {});

// The message that fits the value: the empty value is written as an empty OptionalProto. An empty sequence does not
// know what it holds and is written as one of tensors. Large payloads are copied.
std::vector<std::byte> write_data(const Value& value, const std::string& name = {});

}  // namespace norn::format
