#include "ops/common/case.h"

namespace norn::ops::cases {
inline namespace logical_test_cc {
namespace {

const Cases cases("Logical", {
                                 {"And-7", "bool[2,1] 0 1; bool[2] 0 1", "bool[2,2] 0 0 0 1"},
                                 {"Or-7", "bool[2,1] 0 1; bool[2] 0 1", "bool[2,2] 0 1 1 1"},
                                 {"Xor-7", "bool[2,1] 0 1; bool[2] 0 1", "bool[2,2] 0 1 1 0"},
                                 {"Not", "bool[2] 0 1", "bool[2] 1 0"},
                                 {"Not", "bool[0,2]", "bool[0,2]"},
                             });

}  // namespace
}  // namespace logical_test_cc
}  // namespace norn::ops::cases
