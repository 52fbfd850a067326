#include "base/hash.h"

#include <sys/random.h>

#include <chrono>

namespace norn::base {

const HashSeed& process_seed() noexcept {
  static const HashSeed seed = [] {
    HashSeed s;
    if (::getrandom(&s, sizeof s, GRND_NONBLOCK) == sizeof s) return s;
    // Early in a machine's life: where things lie and when.
    const auto place = reinterpret_cast<std::uintptr_t>(&s);
    const auto now = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
    s.first = hash_detail::fold(place ^ 0x9e3779b97f4a7c15, now ^ 0xbb67ae8584caa73b);
    s.second = hash_detail::fold(s.first ^ 0x6a09e667f3bcc909, now | 1);
    return s;
  }();
  return seed;
}

}  // namespace norn::base
