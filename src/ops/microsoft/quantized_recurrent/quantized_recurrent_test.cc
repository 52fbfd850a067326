// One step of one cell: with c = 0 before, h = o * tanh(i * g).
#include <cmath>

#include "ops/common/case.h"

namespace norn::ops::cases {
namespace {

// Columns of W are those of i, o, f and g: sigmoid(2) * tanh(sigmoid(1) * tanh(4)), and with the tanh of 2.
const Cases cases("QuantizedRecurrent",
                  {
                      {"com.microsoft.DynamicQuantizeLSTM hidden_size=1",
                       "float[1,1,1] 1; int8[1,1,4] 5 7 3 11; int8[1,1,4] 3 3 3 3; -; -; -; -; -; float[1] 0.5; "
                       "int8[1] 3; float[1] 1; int8[1] 3",
                       "float[1,1,1,1] 0.5491002",
                       {.tolerance = 1e-6}},
                      {"com.microsoft.DynamicQuantizeLSTM hidden_size=1 direction=\"reverse\"",
                       "float[1,1,1] 1; uint8[1,1,4] 5 7 3 11; uint8[1,1,4] 3 3 3 3; -; -; -; -; -; "
                       "float[1,4] 0.5 0.5 2 0.25; uint8[1,4] 3 3 3 3; float[1] 1; uint8[1] 3",
                       "float[1,1,1,1] 0.5349793",
                       {.tolerance = 1e-6}},
                      {"com.microsoft.DynamicQuantizeLSTM hidden_size=1",
                       "float[1,1,1] 1; int8[1,1,4] 5 7 3 11; int8[1,1,4] 3 3 3 3; -; -; -; -; -; float[1,1,1] 0.5; "
                       "int8[1] 3; float[1] 1; int8[1] 3",
                       "",
                       {.error = "has rank 3"}},
                  });

}  // namespace
}  // namespace norn::ops::cases
