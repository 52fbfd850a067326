// From a document's tensor to a value: element bytes out of whichever field stores them.
//
// A TensorProto keeps its elements in raw_data (little-endian, sub-byte types packed low bits first), in one of the
// typed fields (int32_data serves twelve element types: float16 and bfloat16 as bit patterns, sub-byte types packed as
// in raw_data), in string_data, or in an external file. rules.md calls the details tensor storage.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "ir/model.h"
#include "norn/value.h"

namespace norn::ir {

// "tensor \"w\" float[64,3,7,7]" for messages.
std::string describe(const Tensor& tensor);

// Dimensions, checked: non-negative and with a product below 2^63. Throws norn::Error (InvalidGraph).
Shape tensor_shape(const Tensor& tensor);

// From IR 4 on, data may lie in another file; before, the field that says so is unknown.
inline bool is_external(const Tensor& tensor, std::int64_t ir_version) noexcept {
  return ir_version >= 4 && tensor.data_location.get() == kDataLocationExternal;
}

// Gives the bytes of an external tensor; installed by the code that knows where the model came from.
using ExternalReader = std::function<Bytes(const Tensor& tensor)>;

// The tensor's elements as a value. Shares memory with the document when the bytes are stored as they are in memory
// (raw_data of a type of whole bytes, float_data, int64_data, ...) and suitably aligned; converts otherwise.
// Throws norn::Error (InvalidGraph) when the stored bytes do not fit dims and type, with both numbers in the message.
norn::Tensor to_value(const Tensor& tensor, const ExternalReader& external = {});

// A sparse tensor (COO, linear or per-axis indices) as a dense value. Throws norn::Error (InvalidGraph) when indices do
// not fit dims.
norn::Tensor densify(const SparseTensor& sparse, const ExternalReader& external = {});

// The other way: a document tensor whose raw_data shares the value's memory (strings go to string_data, sub-byte types
// are packed).
Tensor from_value(const norn::Tensor& value, std::string name = {});

// A sparse tensor's COO form, checked: one value per index, indices of type int64 within the dimensions and strictly
// ascending. Throws norn::Error (InvalidGraph). Absent indices count as none.
norn::SparseTensor to_value(const SparseTensor& sparse, const ExternalReader& external = {});
SparseTensor from_value(const norn::SparseTensor& value, std::string name = {});

}  // namespace norn::ir
