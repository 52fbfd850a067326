// The operators Norn knows: their signatures through all versions, for tools and for tests against other sources.
#pragma once
#include <string>

#include "norn/export.h"

namespace norn {

// A JSON list with an object for each version of each operator: domain ("" is ai.onnx), name, since, inputs and outputs
// (name, type, option, min_arity, homogeneous, diff), attributes (name, type, required, default), types (name, allowed:
// type strings, sorted), min_inputs, max_inputs, min_outputs, max_outputs (2147483647 is no bound), determinism,
// deprecated, only_types_widened.
NORN_API std::string schemas_json();

}  // namespace norn
