#include "ops/common/random.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cmath>
#include <random>

#include "base/fork.h"

namespace norn::ops {
namespace {

MersenneTwister generator_of(const opset::ReferenceContext& node) {
  const auto given = node.attrs().find_f("seed");
  if (!given || std::isnan(*given)) {
    // Drawn once, as the system's numbers take longer than small tensors of them; the child of a fork() has the same.
    const auto& drawn = base::made_once([] {
      std::random_device entropy;
      return std::array{entropy(), entropy(), entropy(), entropy()};
    });
    static std::atomic<std::uint64_t> nodes{0};
    const auto joined = [](unsigned high, unsigned low) { return std::uint64_t{high} << 32 | low; };
    const std::uint64_t number = nodes.fetch_add(1, std::memory_order_relaxed);
    const auto process = static_cast<std::uint64_t>(::getpid());
    return MersenneTwister({joined(drawn[0], drawn[1]) ^ process << 32, joined(drawn[2], drawn[3]) + number});
  }
  if (std::isinf(*given)) node.fail("the seed is infinite");
  double seed = std::fmod(std::trunc(static_cast<double>(*given)), 0x1p32);
  if (seed < 0) seed += 0x1p32;
  return MersenneTwister(static_cast<std::uint32_t>(seed));
}

// The function that makes SplitMix64's numbers of a counter.
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

constexpr std::size_t kSize = MersenneTwister::kSize, kShift = MersenneTwister::kShift;
constexpr std::size_t kRest = kSize - kShift;

// What follows from two neighbours of the state.
[[gnu::always_inline]] inline std::uint32_t twisted(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t joined = (a & 0x80000000u) | (b & 0x7fffffffu);
  return joined >> 1 ^ ((0u - (b & 1u)) & 0x9908b0dfu);
}

// The next state, and its numbers.
[[gnu::always_inline]] inline void step(std::uint32_t* s, std::uint32_t* numbers) {
  for (std::size_t i = 0; i < kRest; ++i) s[i] = s[i + kShift] ^ twisted(s[i], s[i + 1]);
  for (std::size_t i = kRest; i < kSize - 1; ++i) s[i] = s[i - kRest] ^ twisted(s[i], s[i + 1]);
  s[kSize - 1] = s[kShift - 1] ^ twisted(s[kSize - 1], s[0]);
  for (std::size_t i = 0; i < kSize; ++i) {
    std::uint32_t x = s[i];
    x ^= x >> 11;
    x ^= x << 7 & 0x9d2c5680u;
    x ^= x << 15 & 0xefc60000u;
    numbers[i] = x ^ x >> 18;
  }
}

[[gnu::always_inline]] inline void to_uniforms(const std::uint32_t* draws, double* to, std::int64_t pairs) {
  for (std::int64_t i = 0; i < pairs; ++i) to[i] = MersenneTwister::uniform_of(draws[2 * i], draws[2 * i + 1]);
}

// Both again in vectors of 32 bytes: nothing is rounded, so that they give the same.
#if defined(__x86_64__)
[[gnu::target("avx2")]] void step_wide(std::uint32_t* s, std::uint32_t* numbers) { step(s, numbers); }
[[gnu::target("avx2")]] void to_uniforms_wide(const std::uint32_t* draws, double* to, std::int64_t pairs) {
  to_uniforms(draws, to, pairs);
}
#endif

}  // namespace

MersenneTwister::MersenneTwister(std::uint32_t seed) {
  state_[0] = seed;
  for (std::uint32_t i = 1; i < kSize; ++i) state_[i] = 1812433253u * (state_[i - 1] ^ state_[i - 1] >> 30) + i;
}

MersenneTwister::MersenneTwister(const std::array<std::uint64_t, 2>& seed) {
  for (std::uint64_t i = 0; i < kSize / 2; ++i) {
    const std::uint64_t word = mixed(seed[0] + i * 0x9e3779b97f4a7c15u) ^ mixed(seed[1] + i * 0xd1b54a32d192ed03u);
    state_[2 * i] = static_cast<std::uint32_t>(word);
    state_[2 * i + 1] = static_cast<std::uint32_t>(word >> 32);
  }
  state_[0] |= 1;  // any state but one of zeros only
}

void MersenneTwister::uniforms(double* to, std::int64_t n) {
  while (n > 0) {
    if (next_ == kSize) refill();
    const auto pairs = std::min(n, static_cast<std::int64_t>((kSize - next_) / 2));
    const std::uint32_t* draws = numbers_.data() + next_;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
      to_uniforms_wide(draws, to, pairs);
    else
#endif
      to_uniforms(draws, to, pairs);
    next_ += 2 * static_cast<std::size_t>(pairs);
    to += pairs;
    n -= pairs;
    if (n > 0 && next_ == kSize - 1) {  // a pair of which one is left
      *to++ = uniform();
      --n;
    }
  }
}

void MersenneTwister::refill() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    step_wide(state_.data(), numbers_.data());
  else
#endif
    step(state_.data(), numbers_.data());
  next_ = 0;
}

RandomNumbers::RandomNumbers(const opset::ReferenceContext& node) : generator_(generator_of(node)) {}

void RandomNumbers::uniforms(double* to, std::int64_t n) {
  const auto kept = std::min(n, static_cast<std::int64_t>(drawn_.size() - next_));
  to = std::copy_n(drawn_.data() + next_, kept, to);
  next_ += static_cast<std::size_t>(kept);
  generator_.uniforms(to, n - kept);
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
