// Protobuf's text format of the messages of fields.h, as the onnx package reads and writes it.
//
// Writing is text_format's: one field a line, two columns for each level, text as UTF-8 and bytes in octal escapes.
// Reading takes all of the format: lists in brackets, messages in <>, strings in pieces and in either quotes,
// hexadecimal and octal numbers, comments. Strings that are not UTF-8 survive, through escapes, though other readers
// refuse them; so does an enumeration's value without a name. An error is what the format cannot hold: fields that this
// version does not know. NaN loses sign and payload.
#pragma once
#include <string>
#include <string_view>

#include "norn/limits.h"

namespace norn::format {

// For the messages of json.h. Throws norn::Error (NotImplemented).
template <class T>
std::string to_prototext(const T& message);

// Throws norn::Error: InvalidProtobuf with line and column, LimitExceeded.
template <class T>
T from_prototext(std::string_view text, const Limits& limits = {});

}  // namespace norn::format
