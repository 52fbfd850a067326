// Names out of a file, made safe to show: control characters would otherwise reach the terminal. Letters are
// recognised without regard to the host's locale.
//
// Trap: terminals obey U+0080 to U+009F (C1) as well, as UTF-8 (C2 80 to C2 9F) and some as single bytes. The same
// bytes are parts of letters elsewhere in UTF-8.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace norn::base {

// Control characters, and the characters of `marked` behind a backslash, are escaped as in C.
inline void append_escaped(std::string& out, std::string_view text, std::string_view marked = {}) {
  constexpr char kHex[] = "0123456789abcdef";
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0; };
  int continuing = 0;  // bytes that the character begun may still have
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto u = byte(i);
    if (continuing > 0 && (u & 0xc0) == 0x80) {
      --continuing;
      out += text[i];
      continue;
    }
    const bool c1_begins = u == 0xc2 && byte(i + 1) >= 0x80 && byte(i + 1) < 0xa0;
    continuing = c1_begins || u < 0xc2 || u > 0xf4 ? 0 : u < 0xe0 ? 1 : u < 0xf0 ? 2 : 3;
    if (c1_begins || u < 0x20 || (u >= 0x7f && u < 0xa0)) {
      ((out += "\\x") += kHex[u >> 4]) += kHex[u & 15];
    } else {
      if (marked.find(text[i]) != std::string_view::npos) out += '\\';
      out += text[i];
    }
  }
}

// In double quotes; quotes, backslashes and control characters are escaped as in C.
inline std::string quoted(std::string_view text) {
  std::string out = "\"";
  append_escaped(out, text, "\"\\");
  return out += '"';
}

// "1 input", "2 inputs".
inline std::string counted(std::size_t n, const char* what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
constexpr bool equal_but_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace norn::base
