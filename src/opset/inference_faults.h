// Errors of inference with their facts as fields, so that a caller that knows the inputs' names can add a hint.
#pragma once
#include <cstdint>
#include <string>
#include <utility>

#include "norn/error.h"
#include "opset/dim_expr.h"

namespace norn::opset {

// Two sizes that have to be equal.
class SizesDiffer final : public Error {
 public:
  SizesDiffer(std::string message, DimExpr first, DimExpr second)
      : Error(ErrorCode::InvalidGraph, std::move(message)), first_(std::move(first)), second_(std::move(second)) {}
  const DimExpr& first() const noexcept { return first_; }
  const DimExpr& second() const noexcept { return second_; }

 private:
  DimExpr first_, second_;
};

// An input of another rank than the operator takes.
class RankDiffers final : public Error {
 public:
  RankDiffers(std::string message, int input, std::int64_t wanted)
      : Error(ErrorCode::InvalidGraph, std::move(message)), input_(input), wanted_(wanted) {}
  int input() const noexcept { return input_; }
  std::int64_t wanted() const noexcept { return wanted_; }

 private:
  int input_;
  std::int64_t wanted_;
};

// A shape with a size below -1. Function bodies request one to refuse their inputs (refused_shape.h).
class SizeBelowMinusOne final : public Error {
 public:
  SizeBelowMinusOne(ErrorCode code, std::string message, std::int64_t size)
      : Error(code, std::move(message)), size_(size) {}
  std::int64_t size() const noexcept { return size_; }

 private:
  std::int64_t size_;
};

// An error that a rule of the checker reports as well, from declarations alone, before anything is inferred.
class RuleBroken final : public Error {
 public:
  RuleBroken(std::string message, std::string hint)
      : Error(ErrorCode::InvalidGraph, std::move(message), {}, std::move(hint)) {}
};

}  // namespace norn::opset
