// The experimental operators of ONNX's first operator sets. They were withdrawn with version 10 without a successor,
// and files of those years have them. Each is a few nodes of today's operators.
#pragma once
#include "opset/schema.h"

namespace norn::ops::experiments {

// The version from which on ONNX does not have them.
inline constexpr int kWithdrawn = 10;
// The version of ONNX's operator set that the bodies are of.
inline constexpr int kBodyOpset = 28;

constexpr opset::Schema experimental(std::span<const opset::Param> inputs, std::span<const opset::Param> outputs,
                                     std::span<const opset::Attr> attrs, std::span<const opset::TypeConstraint> types) {
  return {.since = 1,
          .inputs = inputs,
          .outputs = outputs,
          .attrs = attrs,
          .types = types,
          .support = opset::Support::Experimental};
}
constexpr opset::Schema withdrawn(opset::Schema last) {
  last.since = kWithdrawn;
  last.deprecated = true;
  return last;
}

}  // namespace norn::ops::experiments
