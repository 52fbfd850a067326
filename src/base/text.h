// Names out of a file, made safe to show: control characters would otherwise reach the terminal.
#pragma once
#include <string>
#include <string_view>

namespace norn::base {

// In double quotes; quotes, backslashes and control characters are escaped as in C.
inline std::string quoted(std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (char c : text) {
    auto u = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') (out += '\\') += c;
    else if (u < 0x20 || u == 0x7f) ((out += "\\x") += kHex[u >> 4]) += kHex[u & 15];
    else out += c;
  }
  return out += '"';
}

}  // namespace norn::base
