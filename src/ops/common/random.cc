#include "ops/common/random.h"

#include <cmath>

namespace norn::ops {
namespace {

std::mt19937 generator_of(const opset::ReferenceContext& node) {
  const auto given = node.attrs().find_f("seed");
  if (!given || std::isnan(*given)) {
    std::random_device entropy;
    std::seed_seq words{entropy(), entropy(), entropy(), entropy()};
    return std::mt19937(words);
  }
  if (std::isinf(*given)) node.fail("the seed is infinite");
  double seed = std::fmod(std::trunc(static_cast<double>(*given)), 0x1p32);
  if (seed < 0) seed += 0x1p32;
  return std::mt19937(static_cast<std::uint32_t>(seed));
}

}  // namespace

RandomNumbers::RandomNumbers(const opset::ReferenceContext& node) : generator_(generator_of(node)) {}

double RandomNumbers::uniform() {
  const auto high = static_cast<double>(generator_() >> 5), low = static_cast<double>(generator_() >> 6);
  return (high * 0x1p26 + low) * 0x1p-53;
}

double RandomNumbers::normal() {
  if (spare_) {
    const double x = *spare_;
    spare_.reset();
    return x;
  }
  double a, b, square;
  do {
    a = 2.0 * uniform() - 1.0;
    b = 2.0 * uniform() - 1.0;
    square = a * a + b * b;
  } while (square >= 1.0 || square == 0.0);
  const double factor = std::sqrt(-2.0 * std::log(square) / square);
  spare_ = factor * a;
  return factor * b;
}

}  // namespace norn::ops
