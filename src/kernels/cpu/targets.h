// Which instruction sets the Highway files are compiled for: the baseline, AVX2 and AVX-512; the ones between add
// compile time and no speed here. Included before hwy/highway.h.
#pragma once
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
