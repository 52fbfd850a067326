// Messages read from bytes of another one. protobuf's messages do not say what they are, and a reader keeps what it
// does not know: read as the wrong one, a file gives an empty message with all of it left over.
#pragma once
#include <string>

namespace norn::format {

// Why a message's bytes are those of another one: none of its fields is known, or a field of it, or of a message in it,
// came with another wire type. In words that continue "not an ONNX model: "; "" if nothing shows it. For
// models and the messages that data files hold.
template <class M>
std::string foreign_part(const M& message);

}  // namespace norn::format
