// Names, strings and numbers of ONNX's text syntax.
//
// Traps: a backslash only makes the next character literal, so "\n" is the letter n, and a line may end inside a
// string; a number begins with a digit or a minus, and words for infinity and NaN are numbers too.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "format/notation.h"

namespace norn::format {

class TextLexer {
 public:
  explicit TextLexer(std::string_view text) : in_(text) {}

 protected:
  // At the opening quote.
  std::string quoted();
  // `what` is for the message.
  std::string string(const char* what);
  // An identifier or a string.
  std::string name(const char* what);
  std::string optional_name();

  // The characters of a number; whether it is an integer's.
  std::string_view number(bool& integral);
  template <class T>
  T integer();
  template <class T>
  T floating();

  Cursor in_;
};

}  // namespace norn::format
