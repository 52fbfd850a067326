// Two channels whose factors are exact: with epsilon 0, 2/sqrt(4) and 3/sqrt(1).
#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace batch_normalization_test_cc {
namespace {

const Cases cases(
    "BatchNormalization",
    {
        {"BatchNormalization-15 epsilon=0", "T[1,2,2] 1 3 -1 0; T1[2] 2 3; T1[2] 10 20; T2[2] 1 -1; T2[2] 4 1",
         "T[1,2,2] 10 12 20 23"},
        {"BatchNormalization-{7|9|14} epsilon=0",
         "float[1,2,2] 1 3 -1 0; float[2] 2 3; float[2] 10 20; float[2] 1 -1; float[2] 4 1",
         "float[1,2,2] 10 12 20 23"},
        {"BatchNormalization-6 epsilon=0 is_test=1", "T[1,2,2] 1 3 -1 0; T[2] 2 3; T[2] 10 20; T[2] 1 -1; T[2] 4 1",
         "T[1,2,2] 10 12 20 23"},
        {"BatchNormalization-1 epsilon=0 is_test=1 consumed_inputs=0,0,0,1,1",
         "T[1,2,2] 1 3 -1 0; T[2] 2 3; T[2] 10 20; T[2] 1 -1; T[2] 4 1", "T[1,2,2] 10 12 20 23"},
        {"BatchNormalization-15 epsilon=0",
         "float[1,2,2] 1 3 -1 0; float[2] 2 3; float[2] 10 20; float[2] 1 -1; float[2] 4 1",
         "float[1,2,2] 10 12 20 23",
         {.down_to = 1}},
        // The types of the statistics may differ. One element for each channel: the variance is 0.
        {"BatchNormalization-15 epsilon=1 training_mode=1",
         "float16[1,2,1] 3 0; float[2] 2 3; float[2] 10 20; float[2] 1 -1; float[2] 4 1",
         "float16[1,2,1] 10 20; float[2] 1.2 -0.9; float[2] 3.6 0.9",
         {.tolerance = 1e-6}},
        // Its own statistics. Channel 0 holds 1 3 5 7: mean 4, variance 5; channel 1 holds 2 2 2 2. Epsilon 1 in
        // channel 1.
        {"BatchNormalization-15 training_mode=1 momentum=0.5 epsilon=0",
         "double[2,1,2] 1 3 5 7; double[1] 2; double[1] 10; double[1] 1; double[1] 4",
         "double[2,1,2] 7.316718427000252 9.105572809000083 10.894427190999917 12.683281572999748;"
         "double[1] 2.5; double[1] 4.5"},
        {"BatchNormalization-15 training_mode=1 momentum=0.5",
         "double[2,2,2] 1 3 2 2 5 7 2 2; double[2] 2 3; double[2] 10 20; double[2] 1 -1; double[2] 4 1",
         "double[2,2,2] 7.3167211103 9.1055737034 20 20 10.8944262966 12.6832788897 20 20; double[2] 2.5 0.5; "
         "double[2] 4.5 0.5",
         {.tolerance = 1e-8, .down_to = 1}},
        // A single dimension is the batch.
        {"BatchNormalization-15 epsilon=3", "float[3] 1 2 3; float[1] 1; float[1] 0; float[1] 1; float[1] 1",
         "float[3] 0 0.5 1"},
        {"BatchNormalization-15", "float[0,2,3]; float[2] 2 3; float[2] 10 20; float[2] 1 -1; float[2] 4 1",
         "float[0,2,3]"},

        {"BatchNormalization-15 training_mode=1", "float[N,3,H]; float[C]; float[C]; float[C]; float[C]",
         "float[N,3,H]; float[3]; float[3]"},
        {"BatchNormalization-15",
         "float[N,3,H]; float[C]; float[C]; float[C]; float[C]",
         "float[N,3,H]; float[3]; float[3]",
         {.error = "*"}},
        {"BatchNormalization-15", "float[N,3,H]; float[4]; float[4]; float[4]; float[4]", "", {.error = "*"}},
        {"BatchNormalization-15",
         "float[1,2] 1 2; float[2] 2 3; float[1] 1; float[2] 1 -1; float[2] 4 1",
         "",
         {.error = "*"}},

        // In training the old versions have up to five outputs, which no newer one has.
        {"BatchNormalization-{6|7|9} momentum=0.5",
         "double[2,2,2] 1 3 2 2 5 7 2 2; double[2] 2 3; double[2] 10 20; double[2] 1 -1; double[2] 4 1",
         "double[2,2,2] 7.3167211103 9.1055737034 20 20 10.8944262966 12.6832788897 20 20; double[2] 2.5 0.5; "
         "double[2] 4.5 0.5",
         {.tolerance = 1e-8}},
        {"BatchNormalization-{6|7|9} momentum=0.5",
         "double[2,2,2] 1 3 2 2 5 7 2 2; double[2] 2 3; double[2] 10 20; double[2] 1 -1; double[2] 4 1",
         "double[2,2,2] 7.3167211103 9.1055737034 20 20 10.8944262966 12.6832788897 20 20; double[2] 2.5 0.5; "
         "double[2] 4.5 0.5;"
         "double[2] 4 2; double[2] 5 0",
         {.tolerance = 1e-8}},
        {"BatchNormalization-15 momentum=0.5 training_mode=1",
         "double[2,2,2] 1 3 2 2 5 7 2 2; double[2] 2 3; double[2] 10 20; double[2] 1 -1; double[2] 4 1",
         "",
         {.error = "*", .to = 9}},

        // Statistics for each activation.
        {"BatchNormalization-7 spatial=0 epsilon=0",
         "double[2,1,2] 1 10 3 30; double[1,2] 1 2; double[1,2] 0 5; double[1,2] 1 10; double[1,2] 1 4",
         "double[2,1,2] 0 5 2 25"},
        {"BatchNormalization-7 spatial=0",
         "double[2,1,2] 1 10 3 30; double[1,2] 1 2; double[1,2] 0 5; double[1,2] 1 10; double[1,2] 1 4",
         "double[2,1,2] -0.99999500 3.0000001 0.999995 6.9999999; double[1,2] 1.1 11; double[1,2] 1 13.6",
         {.tolerance = 1e-6}},  // stays at 7
    });

}  // namespace
}  // namespace batch_normalization_test_cc
}  // namespace norn::ops::cases
