// What ends an operation is thrown as norn::Error: what happened, where, why, and what would help.
//
// `where` is a path a person can follow through the document, outermost first:
//   graph "main" / node 12 "conv1" (Conv) / input 1 "W" float[64,3,7,7]
#pragma once
#include <exception>
#include <string>
#include <string_view>

#include "norn/export.h"

namespace norn {

enum class ErrorCode {
  InvalidArgument,  // a call's argument or a feed does not fit
  NoSuchFile,
  InvalidProtobuf,  // bytes or text are not a readable model; `where` has the byte offset
  InvalidGraph,     // readable, but not valid ONNX
  NotImplemented,   // valid ONNX that this build cannot run
  LimitExceeded,    // a bound of norn::Limits
  RuntimeError,     // a value met while running is not allowed (an index out of range, say)
  Io,               // the operating system refused
  Internal,         // a defect of Norn
  Cancelled,        // the caller ended the work, or its deadline came
};

NORN_API std::string_view error_code_name(ErrorCode code) noexcept;

class NORN_API Error : public std::exception {
 public:
  Error(ErrorCode code, std::string message, std::string where = {}, std::string hint = {});

  ErrorCode code() const noexcept { return code_; }
  const std::string& message() const noexcept { return message_; }
  const std::string& where() const noexcept { return where_; }
  const std::string& hint() const noexcept { return hint_; }

  // Puts an enclosing place in front of `where`.
  Error& within(std::string_view outer);
  // Sets the hint if there is none yet.
  Error& help(std::string_view hint);

  // All of it, in lines: "message\n  at: where\n  help: hint".
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  void compose();
  ErrorCode code_;
  std::string message_, where_, hint_, text_;
};

}  // namespace norn
