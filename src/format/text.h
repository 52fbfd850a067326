// Printing ONNX's text syntax, as the onnx package's parser reads it.
//
// The syntax has no place for some things: a comment at the top names what was left out. Floating-point numbers are the
// shortest that read back to the same bits; 16-bit and smaller floats are written as bit patterns, as the syntax wants.
#pragma once
#include <cstddef>
#include <string>

#include "ir/model.h"

namespace norn::format {

struct TextOptions {
  // Tensors of more elements are cut to their first few and "...", which does not parse.
  std::size_t max_elements = 16;
};

std::string to_text(const ir::Model& model, const TextOptions& options = {});
std::string to_text(const ir::Graph& graph, const TextOptions& options = {});
std::string to_text(const ir::Function& function, const TextOptions& options = {});
std::string to_text(const ir::Node& node, const TextOptions& options = {});

}  // namespace norn::format
