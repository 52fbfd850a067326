// ONNX's text syntax, printed and parsed; what the onnx package prints is read, and what is printed here it reads.
//
// Floating-point numbers are the shortest that read back to the same bits; 16-bit and smaller floats are written as bit
// patterns, as the syntax wants. The syntax has no place for some things: a comment at the top names what was left out.
// Values of tensors survive, how they were stored does not: elements come back in the typed fields, those of 4 and 2
// bits packed (where the onnx package's parser puts one into each entry). NaN loses its payload. Fields that are set
// to "" or left unset look alike.
//
// What the onnx package's syntax does not have, and its parser refuses: quoted operator, domain, overload, attribute
// and opaque names; lists of tensors, graphs and types with their elements (it drops these); tensors by quoted name as
// attributes; an attribute without a value, "a: undefined"; sparse tensors, {dims [3], values float[1] {7}, indices
// int64[1] {2}} as an attribute and sparse_tensor = {...} among the initializers.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "ir/model.h"
#include "norn/limits.h"

namespace norn::format {

struct TextOptions {
  // Tensors of more elements are cut to their first few and "...", which does not parse.
  std::size_t max_elements = 16;
  // For reading back: all elements, and what cannot be written (stored data that does not fit its shape, an element
  // type without a name) is an error instead of "...".
  bool complete = false;
};

std::string to_text(const ir::Model& model, const TextOptions& options = {});
std::string to_text(const ir::Graph& graph, const TextOptions& options = {});
std::string to_text(const ir::Function& function, const TextOptions& options = {});
std::string to_text(const ir::Node& node, const TextOptions& options = {});

// "" or a comment line that names the fields of `part` that the syntax has no form for.
template <class T>
std::string left_out(const T& part);

// For ir::Model, Graph, Function and Node. Throws norn::Error: InvalidProtobuf with line and column, LimitExceeded.
template <class T>
T from_text(std::string_view text, const Limits& limits = {});

}  // namespace norn::format
