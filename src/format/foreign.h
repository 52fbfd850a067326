// Messages read from bytes of another one. protobuf's messages do not say what they are, and a reader keeps what it
// does not know: read as the wrong one, a file gives an empty message with all of it left over.
#pragma once
#include <string>

namespace norn::format {

// By what a message's bytes are found to be those of another: no field is its own, or one of its fields' numbers, or
// one of those of a message in it, came with another wire type. In words that continue "they are no SequenceProto: ";
// "" if nothing tells. For models and the messages that data files hold.
template <class M>
std::string foreign_part(const M& message);

}  // namespace norn::format
