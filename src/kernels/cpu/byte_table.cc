#include "kernels/cpu/byte_table.h"

#include "base/fork.h"
#include "kernels/cpu/extents.h"
#include "kernels/cpu/instruction_set.h"
#include "kernels/cpu/physical.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace norn::kernels {
inline namespace byte_table_cc {
namespace {

#if defined(__x86_64__)
// The table in four registers: a permutation looks up bytes among 128.
__attribute__((target("avx512f,avx512bw,avx512vbmi"))) void look_up_vbmi(const std::uint8_t* table,
                                                                         const std::uint8_t* x, std::uint8_t* y,
                                                                         std::int64_t n) {
  const __m512i a = _mm512_loadu_si512(table), b = _mm512_loadu_si512(table + 64);
  const __m512i c = _mm512_loadu_si512(table + 128), d = _mm512_loadu_si512(table + 192);
  for (std::int64_t i = 0; i < n; i += 64) {
    const __mmask64 there = n - i >= 64 ? ~__mmask64{0} : (__mmask64{1} << (n - i)) - 1;
    const __m512i v = _mm512_maskz_loadu_epi8(there, x + i);
    const __m512i low = _mm512_permutex2var_epi8(a, v, b), high = _mm512_permutex2var_epi8(c, v, d);
    _mm512_mask_storeu_epi8(y + i, there, _mm512_mask_blend_epi8(_mm512_movepi8_mask(v), low, high));
  }
}
#endif

}  // namespace
}  // namespace byte_table_cc

ByteLookup byte_lookup() {
#if defined(__x86_64__)
  return base::made_once([]() -> ByteLookup {
    const bool available =
        !limit_instruction_set() && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512bw");
    return available ? look_up_vbmi : shuffled_lookup();
  });
#else
  return shuffled_lookup();
#endif
}

inline namespace byte_table_cc {
namespace {

class ByteTable final : public Kernel {
 public:
  explicit ByteTable(const ByteTableConfig& c) : c_(c), look_up_(byte_lookup()) {}

  void run(void* const* operands, void*) const override {
    const auto* x = static_cast<const std::uint8_t*>(operands[0]);
    auto* y = static_cast<std::uint8_t*>(operands[1]);
    parallel_ranges(c_.elements, 0.06, 64, [&](std::int64_t begin, std::int64_t end) {
      look_up_(c_.table.data(), x + begin, y + begin, end - begin);
    });
  }

 private:
  ByteTableConfig c_;
  ByteLookup look_up_;
};

std::string refuses(const ByteTableConfig& c) {
  return bounded_product({c.elements}) ? "" : "a tensor larger than any memory";
}
std::unique_ptr<Kernel> make(const ByteTableConfig& c, PackedConstants&) { return std::make_unique<ByteTable>(c); }

constexpr Candidate<ByteTableConfig> kByteTableCandidates[] = {{"table", refuses, make}};

}  // namespace
}  // namespace byte_table_cc

std::span<const Candidate<ByteTableConfig>> byte_table_candidates() { return kByteTableCandidates; }

}  // namespace norn::kernels
