// A graph run along an axis of its inputs, with state.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "opset/attrs.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Scan;

struct ScanParameters {
  bool batched = false;    // version 8: a batch axis first, and sequence_lens before the states
  std::size_t states = 0;  // inputs, and outputs, that are carried
  std::vector<std::int64_t> input_axes, output_axes;  // as the node has them: negative ones count from the back
  std::vector<bool> input_backwards, output_backwards;
};
// For a node with so many inputs. Without the number of its body's outputs those that concern them stay empty.
// Throws norn::Error (InvalidGraph).
ScanParameters resolve_scan(const opset::Attrs& attrs, std::int64_t inputs, std::optional<std::size_t> body_outputs);

}  // namespace norn::ops
