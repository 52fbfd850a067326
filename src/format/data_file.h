// Test data files: TensorProto, SparseTensorProto, SequenceProto, MapProto and OptionalProto to and from values.
#pragma once
#include <string>
#include <utility>

#include "format/data_messages.h"
#include "format/wire.h"
#include "ir/tensor_data.h"
#include "norn/data.h"
#include "norn/limits.h"
#include "norn/value.h"

namespace norn::format {

Value to_value(const SequenceData& sequence, const ir::ExternalReader& external = {});
Value to_value(const MapData& map, const ir::ExternalReader& external = {});
Value to_value(const OptionalData& optional, const ir::ExternalReader& external = {});

// The value of a message of the given kind, under the name that the message gives or "". Throws norn::Error.
std::pair<std::string, Value> read_named_data(ir::Bytes bytes, DataKind kind, const Limits& limits = {},
                                              const ir::ExternalReader& external = {});
Value read_data(ir::Bytes bytes, DataKind kind);

// The message that fits the value: the empty value is written as an empty OptionalProto. An empty sequence does not
// know what it holds and is written as one of tensors. Large payloads are copied.
std::vector<std::byte> write_data(const Value& value, const std::string& name = {});

}  // namespace norn::format
