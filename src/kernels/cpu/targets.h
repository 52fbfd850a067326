// Which instruction sets the Highway files are compiled for: SSE4, AVX2, AVX-512 and plain code; the ones between add
// compile time and no speed here. Included before hwy/highway.h. A build may define its own, to test the lower ones.
#pragma once
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL)
#endif
