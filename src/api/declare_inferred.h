// What inference found, written into the document.
#pragma once
#include <cstddef>
#include <vector>

#include "format/wire.h"
#include "infer/document.h"
#include "ir/model.h"
#include "opset/value_type.h"

namespace norn {

// Gives every value of the document that inference found something of a declaration, and those that have one what it
// lacks; inputs of the main graph stay as they are. The facts are of this document. `symbolic` is InferOptions'. With
// `encoded`, entries of values that had none go there and not into the document: written, they are the same.
void declare_inferred(ir::Model& document, const infer::DocumentFacts& facts, bool symbolic, format::Encoded* encoded);

// The type encoded by itself, less sizes that it has no name for.
std::vector<std::byte> type_bytes(const opset::ValueType& type);

}  // namespace norn
