// Tensor and value files: the test data of ONNX (TensorProto, SequenceProto, MapProto, OptionalProto in .pb) and .npy.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "norn/error.h"
#include "norn/export.h"
#include "norn/value.h"

namespace norn {

// Kinds of message a .pb file may hold; the file itself does not say.
enum class DataKind { Tensor, SparseTensor, Sequence, Map, Optional };

NORN_API Value parse_value(std::span<const std::byte> bytes, DataKind kind);
NORN_API Value load_value(const std::string& path, DataKind kind = DataKind::Tensor);  // .pb or .npy by extension
NORN_API void save_value(const Value& value, const std::string& path, const std::string& name = {});

}  // namespace norn
