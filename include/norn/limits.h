// Bounds on what reading a model may cost. A model that needs more is refused with ErrorCode::LimitExceeded.
#pragma once
#include <cstdint>

namespace norn {

struct Limits {
  std::uint64_t max_bytes = std::uint64_t{1} << 40;         // of one file
  std::uint64_t max_tensor_bytes = std::uint64_t{1} << 38;  // of one tensor in memory
  std::uint64_t max_nodes = 50'000'000;                     // over all graphs and functions
  int max_depth = 100;                                      // nested messages: graphs in attributes, types in types;
                                                            // values above 1000 count as 1000
  std::uint64_t max_expanded_nodes = 5'000'000;             // after functions are replaced by their bodies
  std::uint64_t max_stream_bytes = std::uint64_t{1} << 31;  // of what has no size: a pipe, a device, standard input;
                                                            // max_bytes holds, too
};

}  // namespace norn
