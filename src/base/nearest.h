// Which of the names that there are a misspelt one probably stands for.
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace norn::base {

// How many characters have to be changed, added, left out or exchanged with the next one to make one of the other,
// whatever their case; `most` + 1 if more than `most`.
inline std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t most) {
  const std::size_t apart = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (apart > most) return most + 1;
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  const auto same = [&](std::size_t i, std::size_t j) { return lower(a[i - 1]) == lower(b[j - 1]); };
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same(i, j) ? 0 : 1)});
      if (i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j)) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return std::min(last.back(), most + 1);
}

// Finds, of the names that it is offered, the one that a misspelt one probably stands for.
class Nearest {
 public:
  explicit Nearest(std::string_view misspelt)
      : misspelt_(misspelt), least_(misspelt.size() < 3 ? 1 : std::max<std::size_t>(1, misspelt.size() / 4) + 1) {}
  void offer(std::string_view name) {
    constexpr std::size_t kMaxLength = 100, kMaxNames = 5000;
    if (name.empty() || misspelt_.size() > kMaxLength || ++offered_ > kMaxNames) return;
    const std::size_t distance = edit_distance(misspelt_, name, least_ - 1);
    if (distance >= least_) return;
    least_ = distance;
    best_ = name;
  }
  // `did you mean "name"?`, or nothing if none is near.
  std::string question() const { return best_.empty() ? std::string() : "did you mean " + base::quoted(best_) + "?"; }

 private:
  std::string_view misspelt_;
  std::size_t least_, offered_ = 0;
  std::string best_;
};

}  // namespace norn::base
