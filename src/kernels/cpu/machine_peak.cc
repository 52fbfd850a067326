#include "kernels/cpu/machine_peak.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>

#include "base/parallel.h"
#include "kernels/kernel.h"

namespace norn::kernels {
inline namespace machine_peak_cc {
namespace {

using Clock = std::chrono::steady_clock;

template <class F>
double seconds_of(F&& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The highest rate of a few trials, since anything else that runs lowers it; `work` returns what it did.
template <class F>
double best_rate(double seconds, F&& work) {
  double best = 0;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  do {
    double done = 0;
    const double took = seconds_of([&] { done = work(); });
    if (took > 0) best = std::max(best, done / took);
  } while (Clock::now() < end);
  return best;
}

}  // namespace
}  // namespace machine_peak_cc

double MachinePeak::copy_seconds(double bytes) const noexcept {
  if (copying.empty()) return 0;
  auto above = std::find_if(copying.begin(), copying.end(),
                            [&](const Copying& c) { return static_cast<double>(c.bytes) >= bytes; });
  if (above == copying.begin()) return bytes / above->bytes_per_second;
  if (above == copying.end()) return bytes / copying.back().bytes_per_second;
  const Copying& below = above[-1];
  const double share = (bytes - static_cast<double>(below.bytes)) /
                       (static_cast<double>(above->bytes) - static_cast<double>(below.bytes));
  return bytes / (below.bytes_per_second + share * (above->bytes_per_second - below.bytes_per_second));
}

MachinePeak measure_peak() {
  constexpr long kRounds = 20000;
  constexpr std::size_t kLeast = std::size_t{32} << 10, kMost = std::size_t{128} << 20;
  constexpr std::size_t kPiece = std::size_t{16} << 10;
  MachinePeak peak;
  const int threads = base::parallel_width();
  const std::int64_t tasks = std::int64_t{4} * threads;
  peak.flop_per_second = best_rate(0.08, [&] {
    std::vector<double> done(static_cast<std::size_t>(tasks));
    base::parallel_for(tasks, [&](std::int64_t i) { done[static_cast<std::size_t>(i)] = multiply_and_add(kRounds); });
    double sum = 0;
    for (const double d : done) sum += d;
    return sum;
  });
  const std::shared_ptr<void> memory = aligned_buffer(kMost);
  auto* const from = static_cast<std::byte*>(memory.get());
  std::byte* const to = from + kMost / 2;
  std::memset(from, 0, kMost);
  for (std::size_t bytes = kLeast; bytes <= kMost; bytes *= 4) {
    const std::size_t half = bytes / 2, pieces = std::max<std::size_t>(1, half / kPiece);
    const std::size_t piece = half / pieces;
    // Long enough for the clock, and for the threads to have begun.
    const std::size_t turns = std::max<std::size_t>(1, (std::size_t{4} << 20) / bytes);
    const double rate = best_rate(0.03, [&] {
      for (std::size_t turn = 0; turn < turns; ++turn) {
        base::parallel_for(static_cast<std::int64_t>(pieces), [&](std::int64_t i) {
          const std::size_t at = static_cast<std::size_t>(i) * piece;
          std::memcpy(to + at, from + at, piece);
        });
      }
      return static_cast<double>(bytes) * static_cast<double>(turns);
    });
    peak.copying.push_back({bytes, rate});
  }
  return peak;
}

}  // namespace norn::kernels
