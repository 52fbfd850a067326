#include "kernels/cpu/cache_scatter.h"

#include <algorithm>
#include <string>

#include "kernels/cpu/copy_rows.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/physical.h"
#include "norn/error.h"

namespace norn::kernels {
inline namespace cache_scatter_cc {
namespace {

class CacheScatter final : public Kernel {
 public:
  explicit CacheScatter(const CacheScatterConfig& c) : c_(c) {}

  void run(void* const* operands, void*) const override {
    const auto* indices = static_cast<const std::int64_t*>(operands[2]);
    if (indices && !c_.circular)  // before anything is written
      for (std::int64_t b = 0; b < c_.batch; ++b)
        if (indices[b] < 0 || indices[b] > c_.positions - c_.length)
          throw Error(ErrorCode::RuntimeError,
                      "write index " + std::to_string(indices[b]) + " and " + std::to_string(c_.length) +
                          " positions leave the cache's " + std::to_string(c_.positions),
                      {}, "mode = circular wraps around");
    const auto* cache = static_cast<const char*>(operands[0]);
    const auto* update = static_cast<const char*>(operands[1]);
    auto* out = static_cast<char*>(operands[3]);
    const std::int64_t position = c_.inner * static_cast<std::int64_t>(c_.element_bytes);
    const std::int64_t block = c_.positions * position;
    if (cache != out)
      parallel_ranges(c_.batch * c_.outer * block, 0.05, 4096, [&](std::int64_t begin, std::int64_t end) {
        copy_bytes(out + begin, cache + begin, end - begin);
      });
    if (c_.length == 0 || position == 0) return;
    parallel_ranges(c_.batch * c_.outer, 0.05 * static_cast<double>(c_.length * position), 1,
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t o = begin; o < end; ++o) {
                        std::int64_t at = indices ? indices[o / c_.outer] % c_.positions : 0;
                        if (at < 0) at += c_.positions;
                        const std::int64_t straight = std::min(c_.length, c_.positions - at);
                        const char* from = update + o * c_.length * position;
                        char* to = out + o * block;
                        copy_bytes(to + at * position, from, straight * position);
                        copy_bytes(to, from + straight * position, (c_.length - straight) * position);
                      }
                    });
  }

 private:
  CacheScatterConfig c_;
};

std::string cache_scatter_refuses(const CacheScatterConfig& c) {
  if (c.length > c.positions) return "an update longer than the cache";
  const Shape dims = {c.batch, c.outer, c.positions, c.inner, static_cast<std::int64_t>(c.element_bytes)};
  return extent_refusal({&dims});
}
std::unique_ptr<Kernel> make_cache_scatter(const CacheScatterConfig& c, PackedConstants&) {
  return std::make_unique<CacheScatter>(c);
}

constexpr Candidate<CacheScatterConfig> kCacheScatter[] = {{"write", cache_scatter_refuses, make_cache_scatter}};

}  // namespace
}  // namespace cache_scatter_cc

std::span<const Candidate<CacheScatterConfig>> cache_scatter_candidates() { return kCacheScatter; }

}  // namespace norn::kernels
