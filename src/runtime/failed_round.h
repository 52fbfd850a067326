// What ended a round of a Loop. Of rounds behind the first one, what is fed may be right.
#pragma once
#include <cstdint>
#include <utility>

#include "norn/error.h"

namespace norn::runtime {

class FailedRound final : public Error {
 public:
  // `met` has the round in its place already.
  FailedRound(Error met, std::int64_t round) : Error(std::move(met)), round_(round) {}
  std::int64_t round() const noexcept { return round_; }

 private:
  std::int64_t round_;
};

}  // namespace norn::runtime
