// Models among other messages: fields share numbers, so that a model may be read as a tensor or an operator set.
#pragma once
#include "format/wire.h"
#include "ir/model.h"
#include "norn/error.h"

namespace norn {

// Whether bytes that keep their owner read as a model with a graph and imports, and nothing is left over.
inline bool is_model(const ir::Bytes& bytes) {
  try {
    const ir::Model model = format::read_message<ir::Model>(bytes);
    return model.unknown.empty() && model.graph && !model.opset_import.empty();
  } catch (const Error&) {
    return false;
  }
}

// A model as it is; throws norn::Error (InvalidProtobuf) for bytes that are plainly another message.
ir::Model read_binary_model(const ir::Bytes& bytes, const Limits& limits);

}  // namespace norn
