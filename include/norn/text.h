// Models and parts of models in ONNX's text syntax, to and from serialised protobuf messages.
//
//   auto node = norn::parse_text("Y = Add(X, W)", norn::Part::Node);   // a NodeProto's bytes
//   std::string text = norn::print_text(node, norn::Part::Node);
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "norn/error.h"
#include "norn/export.h"
#include "norn/limits.h"

namespace norn {

enum class Part : std::uint8_t { Model, Graph, Function, Node };
// "model", "graph", "function", "node".
NORN_API std::string_view part_name(Part part) noexcept;
// Throws norn::Error (InvalidArgument) for another name.
NORN_API Part part_from_name(std::string_view name);

// The serialised ModelProto, GraphProto, FunctionProto or NodeProto. Throws norn::Error: InvalidProtobuf with line and
// column, what was expected and the line; LimitExceeded.
NORN_API std::vector<std::byte> parse_text(std::string_view text, Part part, const Limits& limits = {});

// The text of a serialised message. Tensors of more than `max_elements` elements are cut to their first few, and such a
// text cannot be read back; with the default everything is written, and what the syntax cannot write is an error
// (NotImplemented). Fields the syntax has no form for are named in a comment at the top.
NORN_API std::string print_text(std::span<const std::byte> message, Part part,
                                std::size_t max_elements = std::numeric_limits<std::size_t>::max());

// Text for a terminal, which may hold what a model or a path says: control characters are escaped as in C, those of
// U+0080 to U+009F too; ends of lines and tabs stay.
NORN_API std::string printable(std::string_view text);

}  // namespace norn
