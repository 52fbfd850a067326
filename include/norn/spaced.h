// Caches that grow from run to run (RunOptions::donated): tensors whose memory has room behind their elements, so that
// these lie apart. The first call of Tensor::data() makes such a tensor a dense copy, without room.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "norn/export.h"
#include "norn/value.h"

namespace norn {

struct SpacedElements {
  const void* data;
  std::vector<std::int64_t> strides;  // in elements
};
// Where the elements lie of a tensor that has room for more; nothing for any other.
NORN_API std::optional<SpacedElements> spaced_elements(const Tensor& tensor);

// Another tensor of the same elements, with the same room; one without room is copied as Tensor is.
NORN_API Tensor share_room(const Tensor& tensor);

}  // namespace norn
