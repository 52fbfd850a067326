// Which instruction sets kernels use: all that the machine has and that there is code for, or fewer if the environment
// variable NORN_MAX_CPU_ISA says so. That way the kernels of other machines can be tested on one.
#pragma once
#include <string_view>

namespace norn::kernels {

// Reads the variable, once in a process; for Highway's loops and oneDNN alike. Comes before anything that chooses by
// instruction set, and so before anything that makes kernels. True if there is a limit: none of them allows dot
// products of 8-bit integers or bfloat16. Throws norn::Error for a value that it does not know.
bool limit_instruction_set();

// What Highway's loops run on, in Highway's words: AVX3, AVX2, SSE4, or EMU128 or SCALAR for plain code.
std::string_view instruction_set();

// Whether kernels may use AVX-512's dot products of 8-bit integers.
bool has_vnni();
// The same of bfloat16.
bool has_bfloat16_products();
// The same of products of tiles of 8-bit integers (AMX), which the system has to allow: the first call asks it.
bool has_byte_tiles();

// Whether the CPU executes instructions of 512 bits in two halves, as Zen 4 does: our tiles of sums then come nearer to
// its peak than oneDNN's.
bool halves_wide_vectors();

// Whether a core's second cache has room for what will be multiplied next beside many rows of what is now: 2 MiB and
// more.
bool has_large_second_cache();
// Whether the C library's copies are slower than plain loops over vectors. Of glibc 2.36 on Zen 4, those of up to 2 KiB
// take twice as long where memory is far, and longer ones, which are `rep movsb`, up to twice as long by where the
// target lies behind the source within their pages, twenty times 1 to 15 bytes behind it.
bool copies_best_in_vectors();
// Whether what the second cache does not hold comes so slowly, some 4 bytes a cycle, that it pays to fetch it
// meanwhile: where the second cache is large, and on Intel's CPUs of servers before those.
bool has_slow_third_cache();

}  // namespace norn::kernels
