#include "norn/error.h"

#include <utility>

namespace norn {

std::string_view error_code_name(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::InvalidArgument: return "InvalidArgument";
    case ErrorCode::NoSuchFile: return "NoSuchFile";
    case ErrorCode::InvalidProtobuf: return "InvalidProtobuf";
    case ErrorCode::InvalidGraph: return "InvalidGraph";
    case ErrorCode::NotImplemented: return "NotImplemented";
    case ErrorCode::LimitExceeded: return "LimitExceeded";
    case ErrorCode::RuntimeError: return "RuntimeError";
    case ErrorCode::Io: return "Io";
    case ErrorCode::Internal: return "Internal";
    case ErrorCode::Cancelled: return "Cancelled";
  }
  return "Unknown";
}

Error::Error(ErrorCode code, std::string message, std::string where, std::string hint)
    : code_(code), message_(std::move(message)), where_(std::move(where)), hint_(std::move(hint)) {
  compose();
}

Error& Error::within(std::string_view outer) {
  if (outer.empty()) return *this;
  where_ = where_.empty() ? std::string(outer) : std::string(outer) + " / " + where_;
  compose();
  return *this;
}

Error& Error::help(std::string_view hint) {
  if (!hint_.empty()) return *this;
  hint_ = hint;
  compose();
  return *this;
}

void Error::compose() {
  text_ = message_;
  if (!where_.empty()) text_ += "\n  at: " + where_;
  if (!hint_.empty()) text_ += "\n  help: " + hint_;
}

}  // namespace norn
