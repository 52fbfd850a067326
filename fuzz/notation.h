// What must hold of any bytes that somebody hands to a reader of a notation: they are read or refused with norn::Error,
// and what was read is written so that it reads back as the same.
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

}  // namespace norn::fuzz
