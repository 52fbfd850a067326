#include "kernels/cpu/instruction_set.h"

#include <unistd.h>

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#endif

#include <cstdlib>
#include <string>

#include "base/fork.h"
#include "base/text.h"
#include "kernels/cpu/targets.h"
#include "norn/error.h"

#ifdef NORN_ONEDNN
#include <dnnl.hpp>
#endif
#include <hwy/highway.h>

namespace norn::kernels {

inline namespace instruction_set_cc {
namespace {

constexpr const char* kVariable = "NORN_MAX_CPU_ISA";

struct Level {
  std::string_view name;
  std::int64_t best;  // of Highway's targets, whose numbers grow as they get plainer
#ifdef NORN_ONEDNN
  dnnl::cpu_isa onednn;
#endif
};
// AVX-512 without dot products of 8-bit integers, so that what stands in for them is run as well. oneDNN has nothing
// below SSE 4.1.
#ifdef NORN_ONEDNN
constexpr Level kLevels[] = {
    {"avx512", HWY_AVX3, dnnl::cpu_isa::avx512_core},
    {"avx2", HWY_AVX2, dnnl::cpu_isa::avx2},
    {"sse4", HWY_SSE4, dnnl::cpu_isa::sse41},
    {"portable", HWY_EMU128, dnnl::cpu_isa::sse41},
};
#else
constexpr Level kLevels[] = {{"avx512", HWY_AVX3}, {"avx2", HWY_AVX2}, {"sse4", HWY_SSE4}, {"portable", HWY_EMU128}};
#endif

// Whether there was a limit to set.
bool limited() {
  const char* text = std::getenv(kVariable);
  if (!text || !*text) return false;
  for (const Level& level : kLevels) {
    if (level.name != text) continue;
    hwy::DisableTargets(level.best - 1);
#ifdef NORN_ONEDNN
    if (dnnl::set_max_cpu_isa(level.onednn) != dnnl::status::success)
      throw Error(ErrorCode::RuntimeError,
                  "oneDNN does not take the limit that the environment variable " + std::string(kVariable) + " sets",
                  {}, "nothing else in the process may have used oneDNN before");
#endif
    return true;
  }
  throw Error(ErrorCode::InvalidArgument,
              "the environment variable " + std::string(kVariable) + " is " + base::quoted(text), {},
              "avx512, avx2, sse4 or portable; or leave it unset to use all that the machine has");
}

long second_cache_bytes() {
#if defined(_SC_LEVEL2_CACHE_SIZE)
  return ::sysconf(_SC_LEVEL2_CACHE_SIZE);
#else
  return 0;
#endif
}

}  // namespace
}  // namespace instruction_set_cc

bool limit_instruction_set() {
  return base::made_once([] { return limited(); });
}

bool has_vnni() {
#if defined(__x86_64__)
  return base::made_once([] {
    return !limit_instruction_set() && __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  });
#else
  return false;
#endif
}

bool halves_wide_vectors() {
#if defined(__x86_64__)
  // Zen 3 is of this family, too.
  return base::made_once([] { return __builtin_cpu_is("amdfam19h") && __builtin_cpu_supports("avx512f"); });
#else
  return false;
#endif
}

bool copies_best_in_vectors() {
#if defined(__x86_64__)
  return base::made_once([] { return __builtin_cpu_is("amd") != 0 && __builtin_cpu_supports("avx2") != 0; });
#else
  return false;
#endif
}

bool has_large_second_cache() {
  return base::made_once([] { return second_cache_bytes() >= (2 << 20); });
}

bool has_slow_third_cache() {
#if defined(__x86_64__)
  return base::made_once([] {
    return has_large_second_cache() || (second_cache_bytes() >= (1 << 20) && __builtin_cpu_is("intel") != 0 &&
                                        __builtin_cpu_supports("avx512f") != 0);
  });
#else
  return has_large_second_cache();
#endif
}

bool has_bfloat16_products() {
#if defined(__x86_64__)
  return base::made_once([] {
    return !limit_instruction_set() && __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  });
#else
  return false;
#endif
}

bool has_byte_tiles() {
#if defined(__x86_64__) && defined(__linux__)
  return base::made_once([] {
    constexpr unsigned kLeaf = 7, kTiles = 1u << 24, kOfBytes = 1u << 25;  // in edx
    constexpr long kAsk = 0x1023, kTileData = 18;                          // ARCH_REQ_XCOMP_PERM
    unsigned a = 0, b = 0, c = 0, d = 0;
    return !limit_instruction_set() && __get_cpuid_count(kLeaf, 0, &a, &b, &c, &d) != 0 && (d & kTiles) != 0 &&
           (d & kOfBytes) != 0 && ::syscall(SYS_arch_prctl, kAsk, kTileData) == 0;
  });
#else
  return false;
#endif
}

std::string_view instruction_set() {
  const std::int64_t supported = hwy::SupportedTargets(), targets = supported & HWY_TARGETS;
  // Asking has made Highway choose among all that the machine has, whatever is disabled.
  hwy::GetChosenTarget().Update(supported);
  return hwy::TargetName(targets & -targets);
}

}  // namespace norn::kernels
