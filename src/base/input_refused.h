// The contents of an operation's input are not allowed, with the input as a field: whoever knows what it follows from
// says what would help.
#pragma once
#include <cstddef>
#include <string>
#include <utility>

#include "norn/error.h"

namespace norn::base {

class InputRefused final : public Error {
 public:
  // `is` describes the input in the place.
  InputRefused(std::string message, std::size_t input, const std::string& is = {})
      : Error(ErrorCode::RuntimeError, std::move(message),
              "input " + std::to_string(input) + (is.empty() ? "" : " " + is)),
        input_(input) {}
  std::size_t input() const noexcept { return input_; }

 private:
  std::size_t input_;
};

}  // namespace norn::base
