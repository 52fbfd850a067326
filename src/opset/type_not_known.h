// Why a node has no function body yet: it depends on an input's type.
#pragma once
#include <string>
#include <utility>

#include "norn/error.h"

namespace norn::opset {

// An element type, a rank or a size that only feeds determine.
class TypeNotKnown : public Error {
 public:
  TypeNotKnown(const std::string& what, std::string hint)
      : Error(ErrorCode::NotImplemented, "what the operator computes depends on " + what + ", which is not known", {},
              std::move(hint)) {}
};

}  // namespace norn::opset
