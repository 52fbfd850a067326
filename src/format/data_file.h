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

// f(message) with the bytes as the message of that kind.
template <class F>
auto with_data(const ir::Bytes& bytes, DataKind kind, const Limits& limits, F&& f) {
  switch (kind) {
    case DataKind::SparseTensor: return f(read_message<ir::SparseTensor>(bytes, limits));
    case DataKind::Sequence: return f(read_message<SequenceData>(bytes, limits));
    case DataKind::Map: return f(read_message<MapData>(bytes, limits));
    case DataKind::Optional: return f(read_message<OptionalData>(bytes, limits));
    default: return f(read_message<ir::Tensor>(bytes, limits));
  }
}

// The value of a data file's message, under the name that the message gives or "". Throws norn::Error.
template <class M>
std::pair<std::string, Value> named_value(const M& message, const ir::ExternalReader& external = {}) {
  using ir::to_value;
  if constexpr (requires { message.name; })
    return {message.name.get(), to_value(message, external)};
  else
    return {message.values ? message.values->name.get() : std::string(), to_value(message, external)};
}

// The value of a message of the given kind, as far as the bytes are one.
Value read_data(const ir::Bytes& bytes, DataKind kind);

// The message that fits the value: the empty value is written as an empty OptionalProto. An empty sequence does not
// know what it holds and is written as one of tensors. Large payloads are copied.
std::vector<std::byte> write_data(const Value& value, const std::string& name = {});

}  // namespace norn::format
