// Messages and hints for faults that both the checker and lowering find: the checker reports each under a rule,
// lowering throws the first one.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "norn/error.h"

namespace norn::infer {

struct FaultText {
  std::string message, hint;
};

inline Error as_error(ErrorCode code, FaultText fault, std::string where = {}) {
  return {code, std::move(fault.message), std::move(where), std::move(fault.hint)};
}

// A name of the document's in double quotes, escaped. A damaged one may have any length: it is cut between characters.
inline std::string shown(std::string_view name) {
  constexpr std::size_t kMost = 200;
  if (name.size() <= kMost) return base::quoted(name);
  std::size_t kept = kMost;
  for (int i = 0; i < 3 && (static_cast<unsigned char>(name[kept]) & 0xc0) == 0x80; ++i) --kept;
  return base::quoted(name.substr(0, kept)) + "...";
}
// The same without quotes, for the middle of a word.
inline std::string shown_bare(std::string_view name) {
  std::string text = shown(name);
  text.erase(text.rfind('"'), 1);
  return text.erase(0, 1);
}
// "ai.onnx" for the default domain.
inline std::string domain_name(std::string_view domain) { return domain.empty() ? "ai.onnx" : shown_bare(domain); }

}  // namespace norn::infer
