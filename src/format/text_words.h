// Words of ONNX's text syntax that the printer and the parser share.
#pragma once
#include <string_view>

#include "format/notation.h"
#include "norn/types.h"

namespace norn::format {

// By AttributeType's number. The first is for attributes that have no value.
inline constexpr std::string_view kAttributeTypeWords[] = {
    "undefined", "float",   "int",    "string",        "tensor",         "graph",      "floats",     "ints",
    "strings",   "tensors", "graphs", "sparse_tensor", "sparse_tensors", "type_proto", "type_protos"};

inline bool is_type_word(std::string_view word) {
  return data_type_from_name(word) != DataType::Undefined || word == "seq" || word == "map" || word == "optional" ||
         word == "sparse_tensor" || word == "opaque";
}

inline bool is_word(std::string_view text) {
  return !text.empty() && Cursor(text).peek_identifier().size() == text.size();
}

}  // namespace norn::format
