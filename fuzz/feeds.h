// Values for the inputs of a session: small ones, among them what arithmetic stumbles over. They follow from a seed and
// a round, and nothing else.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "norn/session.h"

namespace norn::fuzz {

class Feeds {
 public:
  Feeds(const std::vector<ArgInfo>& inputs, std::uint64_t seed, unsigned round);
  // False if there is an input of a type that has no values here, or of a size that is too large.
  bool fit() const noexcept { return fit_; }
  const std::vector<Feed>& list() const noexcept { return list_; }

 private:
  std::uint64_t next();
  std::int64_t pick(std::int64_t from, std::int64_t to);
  bool tensor(const ArgInfo& info, const std::string& elem, Value& value);
  void fill(Tensor& tensor);

  std::uint64_t state_;
  unsigned round_;
  bool fit_ = true;
  std::map<std::string, std::int64_t> variables_;
  std::deque<std::string> names_;
  std::vector<Feed> list_;
};

}  // namespace norn::fuzz
