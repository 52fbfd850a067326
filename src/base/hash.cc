#include "base/hash.h"

#include <sys/random.h>

#include <chrono>

namespace norn::base {

const HashSecret& process_secret() noexcept {
  static const HashSecret secret = [] {
    HashSecret s;
    if (::getrandom(s.bytes, sizeof s.bytes, GRND_NONBLOCK) == sizeof s.bytes) return s;
    // The system has no entropy yet, as soon after booting: addresses and clocks.
    const std::uint64_t origins[] = {
        reinterpret_cast<std::uintptr_t>(&s),
        static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()),
        static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count())};
    XXH3_generateSecret(s.bytes, sizeof s.bytes, origins, sizeof origins);
    return s;
  }();
  return secret;
}

}  // namespace norn::base
