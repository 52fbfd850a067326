// NumPy's array files, format versions 1 to 3.
//
// Never unpickles: object arrays are refused. NumPy has no names for bfloat16, the 8-bit and the smaller formats; the
// ml_dtypes package saves them as raw bytes ('<V2', '<V1'), so the type is lost and cannot be read back from the file.
#pragma once
#include <string>
#include <vector>

#include "ir/field.h"
#include "norn/limits.h"
#include "norn/value.h"

namespace norn::format {

// Shares the memory of `bytes` if the array is stored as a tensor is in memory; Fortran order, big-endian numbers and
// strings are converted. Elements stored as raw bytes are taken for `raw_type`, if its size fits. Throws norn::Error
// (InvalidArgument, NotImplemented, LimitExceeded).
Tensor read_npy(const ir::Bytes& bytes, DataType raw_type = DataType::Undefined, const Limits& limits = {});

// True for types that NumPy has no name for, so that their files hold raw bytes.
bool is_raw_in_npy(DataType type) noexcept;

// The whole file for arrays of strings; for others the header, to be followed by the tensor's memory.
// Types without a NumPy name are written as ml_dtypes does.
std::vector<std::byte> write_npy_header(const Tensor& tensor);
std::vector<std::byte> write_npy(const Tensor& tensor);

}  // namespace norn::format
