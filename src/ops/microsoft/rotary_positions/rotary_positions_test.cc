// Quarter turns of pairs.
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace rotary_positions_test_cc {
namespace {

// The caches have the angles 0, 90 and 180 degrees for one pair of a head.
const Cases cases(
    "RotaryPositions",
    {
        {"com.microsoft.RotaryEmbedding", "float[1,2,2] 1 2 3 4; int64[1] 1; float[3,1] 1 0 -1; float[3,1] 0 1 0",
         "float[1,2,2] -2 1 -3 -4"},
        {"com.microsoft.RotaryEmbedding", "float[1,1,2,2] 1 2 3 4; int64[1,2] 2 0; float[3,1] 1 0 -1; float[3,1] 0 1 0",
         "float[1,1,2,2] -1 -2 3 4"},
        {"com.microsoft.RotaryEmbedding num_heads=1 rotary_embedding_dim=2 interleaved={0|1}",
         "float[1,1,4] 1 2 3 4; int64[1,1] 1; float[3,1] 1 0 -1; float[3,1] 0 1 0", "float[1,1,4] -2 1 3 4"},
        {"com.microsoft.RotaryEmbedding", "float[1,1,4] 1 2 3 4; int64[1] 1; float[3,1] 1 0 -1; float[3,1] 0 1 0",
         "float[1,1,4] -2 1 -4 3"},
        {"com.microsoft.RotaryEmbedding", "float[1,2,0]; int64[1] 1; float[3,1] 1 0 -1; float[3,1] 0 1 0",
         "float[1,2,0]"},
        {"com.microsoft.RotaryEmbedding", "float16[B,S,64]; int64[B,S]; float16[P,8]; float16[P,8]", "float16[B,S,64]"},
        {"com.microsoft.RotaryEmbedding", "float[2,2]; int64[1]; float[3,1]; float[3,1]", "", {.error = "rank 2"}},
        {"com.microsoft.RotaryEmbedding",
         "float[1,1,2,2] random; {int64[1,2] 0 -1|int64[1] -1}; float[3,1] random; float[3,1] random",
         "",
         {.error = "*"}},
        {"com.microsoft.RotaryEmbedding rotary_embedding_dim=2",
         "float[1,1,4]; int64[1]; float[3,1]; float[3,1]",
         "",
         {.error = "num_heads"}},
        {"com.microsoft.RotaryEmbedding rotary_embedding_dim=3 num_heads=1",
         "float[B,S,4]; int64[1]; float[P,1]; float[P,1]",
         "",
         {.error = "pairs of elements"}},
        {"com.microsoft.RotaryEmbedding rotary_embedding_dim=2 num_heads=1",
         "float[B,S,4]; int64[1]; float[P,2]; float[P,2]",
         "",
         {.error = "half of rotary_embedding_dim"}},
    });

}  // namespace
}  // namespace rotary_positions_test_cc
}  // namespace norn::ops::cases
