// Protobuf's JSON form of the messages of fields.h, as the onnx package reads and writes it.
//
// Writing is json_format's with preserving_proto_field_name: names as in the schema, 64-bit integers as strings, bytes
// in base64, enumerations by name, NaN and infinities as strings; an indentation of two. Reading also takes
// lowerCamelCase names, numbers for enumerations, and either alphabet of base64. Other than json_format, an
// enumeration's value without a name survives as a number. What JSON cannot hold is an error: fields that this version
// does not know, and strings that are not UTF-8. NaN loses sign and payload.
#pragma once
#include <string>
#include <string_view>

#include "norn/limits.h"

namespace norn::format {

// For ir::Model, Graph, Function, Node, Attribute, ValueInfo, Type, Tensor, SparseTensor, OperatorSet, SequenceData,
// MapData and OptionalData. Throws norn::Error (NotImplemented).
template <class T>
std::string to_json(const T& message);

// Throws norn::Error: InvalidProtobuf with line and column, LimitExceeded.
template <class T>
T from_json(std::string_view text, const Limits& limits = {});

}  // namespace norn::format
