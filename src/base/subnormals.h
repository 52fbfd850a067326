// Whether arithmetic keeps subnormal numbers (of float, those below 1.2e-38), or takes and gives 0 in their place.
//
// CPUs compute with them a hundred times as slowly as with others. The mode is each thread's own; a new thread begins
// with that of the one that makes it. Where the CPU is neither x86-64 nor AArch64, they are always kept. A mode that is
// set between operations of one function may be moved by the compiler: set it around calls of others.
#pragma once
#include <cstdint>

namespace norn::base {

namespace detail {
#if defined(__x86_64__)
using FloatControl = unsigned;
inline constexpr FloatControl kFlush = 0x8040;  // of MXCSR: results (FTZ) and operands (DAZ)
inline FloatControl float_control() noexcept { return __builtin_ia32_stmxcsr(); }
inline void set_float_control(FloatControl word) noexcept { __builtin_ia32_ldmxcsr(word); }
#elif defined(__aarch64__)
using FloatControl = std::uint64_t;
inline constexpr FloatControl kFlush = FloatControl{1} << 24;  // FZ of FPCR: both
inline FloatControl float_control() noexcept {
  FloatControl word;
  __asm__ __volatile__("mrs %0, fpcr" : "=r"(word));
  return word;
}
inline void set_float_control(FloatControl word) noexcept { __asm__ __volatile__("msr fpcr, %0" : : "r"(word)); }
#else
using FloatControl = unsigned;
inline constexpr FloatControl kFlush = 0;
inline FloatControl float_control() noexcept { return 0; }
inline void set_float_control(FloatControl) noexcept {}
#endif
}  // namespace detail

// Whether this thread takes subnormal numbers as 0.
inline bool flushes_subnormals() noexcept { return (detail::float_control() & detail::kFlush) != 0; }

// Sets the mode of this thread; restores the earlier one where its scope ends.
class SubnormalMode {
 public:
  SubnormalMode() noexcept : before_(flushes_subnormals()), now_(before_) {}
  explicit SubnormalMode(bool flush) noexcept : SubnormalMode() { set(flush); }
  ~SubnormalMode() { set(before_); }
  SubnormalMode(const SubnormalMode&) = delete;
  SubnormalMode& operator=(const SubnormalMode&) = delete;

  // What the thread did before this scope.
  bool before() const noexcept { return before_; }
  void set(bool flush) noexcept {
    if (flush == now_) return;
    const detail::FloatControl others = detail::float_control() & ~detail::kFlush;
    detail::set_float_control(flush ? others | detail::kFlush : others);
    now_ = flush;
  }

 private:
  const bool before_;
  bool now_;
};

}  // namespace norn::base
