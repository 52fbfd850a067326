#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace dynamic_quantize_test_cc {
namespace {

const Cases cases("DynamicQuantizeLinear",
                  {
                      // The examples of the specification.
                      {"DynamicQuantizeLinear", "float[6] 0 2 -3 -2.5 1.34 0.5",
                       "uint8[6] 153 255 0 26 221 179; float[] 0.019607844; uint8[] 153"},
                      {"DynamicQuantizeLinear", "float[6] -1 -2.1 -1.3 -2.5 -3.34 -4",
                       "uint8[6] 191 121 172 96 42 0; float[] 0.015686275; uint8[] 255"},
                      {"DynamicQuantizeLinear", "float[3,4] 1 2.1 1.3 2.5 3.34 4 1.5 2.6 3.9 4 3 2.345",
                       "uint8[3,4] 64 134 83 159 213 255 96 166 249 255 191 149; float[] 0.015686275; uint8[] 0"},
                      {"DynamicQuantizeLinear", "float[2] 0 0", "uint8[2] 0 0; float[] 0; uint8[] 0"},
                      {"DynamicQuantizeLinear", "float[] -51", "uint8[] 0; float[] 0.2; uint8[] 255"},
                      {"DynamicQuantizeLinear", "float[2,0]", "uint8[2,0]; float[] 0; uint8[] 0"},
                      // A half is rounded to even before the zero point is added: 127.5 becomes 128, and -0.5 0.
                      {"DynamicQuantizeLinear", "float[4] -127 128 0.5 1.5",
                       "uint8[4] 0 255 127 129; float[] 1; uint8[] 127"},
                      {"DynamicQuantizeLinear", "float[N,3]", "uint8[N,3]; float[]; uint8[]"},
                  });

}  // namespace
}  // namespace dynamic_quantize_test_cc
}  // namespace norn::ops::cases
