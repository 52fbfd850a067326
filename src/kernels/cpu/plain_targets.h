// targets.h for files of plain loops in many types, which the compiler vectorises: AVX2, AVX-512, and plain code for
// everything else. SSE4 would make up a third of their compile time for machines from before 2013.
#pragma once
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
