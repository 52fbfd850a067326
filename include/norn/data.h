// Tensor and value files: the test data of ONNX (TensorProto, SequenceProto, MapProto, OptionalProto in .pb), .npy
// and .npz.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "norn/error.h"
#include "norn/export.h"
#include "norn/limits.h"
#include "norn/value.h"

namespace norn {

// Kinds of message a .pb file may hold; the file itself does not say.
enum class DataKind { Tensor, SparseTensor, Sequence, Map, Optional };
// "tensor", "sparse_tensor", "sequence", "map", "optional".
NORN_API std::string_view data_kind_name(DataKind kind) noexcept;
// Throws norn::Error (InvalidArgument) for another name.
NORN_API DataKind data_kind_from_name(std::string_view name);

// The kind that bytes are, where they can be one only: the message that they read as without a fault. Throws
// norn::Error: InvalidArgument where several fit (a sequence of one value and an optional of it are the same bytes),
// InvalidProtobuf where none does, LimitExceeded where `limits` kept it from being read.
NORN_API DataKind data_kind(std::span<const std::byte> bytes, const Limits& limits = {});
NORN_API DataKind data_kind(const std::string& path);  // .npy and .npz hold tensors

NORN_API Value parse_value(std::span<const std::byte> bytes, DataKind kind);
// From an .npy file, an .npz of one array or a .pb, whose message is of that `kind`; with std::nullopt, data_kind()
// decides. The file is read once. Throws norn::Error (LimitExceeded for a file, array or message beyond `limits`).
NORN_API Value load_value(const std::string& path, std::optional<DataKind> kind = DataKind::Tensor,
                          const Limits& limits = {});
NORN_API void save_value(const Value& value, const std::string& path, const std::string& name = {});

// Several values by name: an .npz archive (stored or deflated, zip64), or the one value of another file, under the name
// that its message gives; without `kind`, data_kind() decides. Types without a NumPy name (bfloat16, float8, int4, ...)
// come back as they were if Norn wrote the archive. Never unpickles. `limits` bind as for load_value(), and what an
// archive may expand to: max_bytes over all its arrays.
NORN_API std::vector<std::pair<std::string, Value>> load_values(const std::string& path, const Limits& limits = {},
                                                                std::optional<DataKind> kind = {});
// An .npz, which numpy.load reads: tensors only, names unique and not empty. Into .npy and .pb files goes one value.
NORN_API void save_values(std::span<const std::pair<std::string, Value>> values, const std::string& path,
                          bool compress = false);

}  // namespace norn
