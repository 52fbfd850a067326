// What must hold of any bytes that a reader of a notation gets: they are read or refused with norn::Error, and what was
// read is written so that it reads back as the same.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "format/wire.h"
#include "norn/error.h"
#include "target.h"

namespace norn::fuzz {

inline void require(bool holds, const char* what, const std::string& text) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n%s\n", what, text.c_str());
  std::abort();
}

// The binary form has a limit of depth, too.
template <class M>
void check_binary(const M& message) {
  const auto bytes = format::write_message(message);
  format::read_message<M>(ir::Bytes(bytes.data(), bytes.size(), {}));
}

// A notation that keeps a message as it is: Notation::read<M>(text) and Notation::write(message).
template <class Notation, class M>
void check_part(std::string_view text) {
  M message;
  try {
    message = Notation::template read<M>(text);
  } catch (const Error&) {
    return;
  }
  const std::string once = Notation::write(message);
  const M again = Notation::template read<M>(once);
  require(format::write_message(again) == format::write_message(message), "what was written reads back", once);
  require(Notation::write(again) == once, "writing is stable", once);
  check_binary(message);
}

template <class Notation>
void check_notation(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_part<Notation, ir::Model>(text);
  check_part<Notation, ir::Tensor>(text);
}

}  // namespace norn::fuzz
