// Copies of rows of bytes within one task. Internal to the kernels.
#pragma once
#include <cstdint>

namespace norn::kernels {

// As std::memcpy; few bytes without a call, and many at full speed wherever they lie.
void copy_bytes(char* to, const char* from, std::int64_t n);

// What copy_bytes does where the C library would be slow: any n of at least 64.
void copy_in_vectors(char* to, const char* from, std::int64_t n);

// Beyond it a call costs less than pieces.
inline constexpr std::int64_t kLongestInPieces = 96;
// Rows of `run` bytes, from and to so many bytes apart.
void copy_rows(const char* from, std::int64_t from_step, char* to, std::int64_t to_step, std::int64_t run,
               std::int64_t rows);
// Those that lie too far apart for the hardware prefetcher, which are asked for some rows before they are copied.
void copy_far_rows(const char* from, std::int64_t from_step, char* to, std::int64_t to_step, std::int64_t run,
                   std::int64_t rows);

// Rows of `columns` times one element each, one row behind the other: elements of `size` bytes (1, 2, 4 or 8), `step`
// elements apart, at any address.
void spread_rows(const void* from, std::int64_t step, void* to, std::int64_t size, std::int64_t columns,
                 std::int64_t rows);

// The first `run` bytes, again and again until there are `all`: longer and longer pieces of what was written, as long
// as the first cache holds them.
void repeat_first(char* out, std::int64_t run, std::int64_t all);
// The same of a run of few bytes, of at least 1; returns false where it is too long to stay in registers.
bool repeat_in_vectors(char* out, std::int64_t run, std::int64_t all);

}  // namespace norn::kernels
