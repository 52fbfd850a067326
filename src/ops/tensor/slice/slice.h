// start:end:step along some axes.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "norn/types.h"
#include "opset/node_view.h"
#include "opset/schema.h"

namespace norn::ops {

extern const opset::Operator Slice;

// What a node slices; nothing where it is not known. The lists are of one length.
struct SliceParams {
  std::optional<std::vector<std::int64_t>> axes;  // counted from the front if the rank is known
  std::optional<opset::Dims> starts, ends;
  std::optional<std::vector<std::int64_t>> steps;  // none of them 0
};
// For data of rank `rank`; `count` is the length of the lists where more is known than their contents.
SliceParams resolve_slice(const opset::NodeView& node, std::optional<std::int64_t> rank,
                          std::optional<std::size_t> count = {});

// The elements start, start + step, ... of one dimension, `size` of them.
struct SliceRange {
  std::int64_t start = 0, step = 1, size = 0;
};
// start:end:step of a dimension of `size` elements, with Slice's clamping.
SliceRange slice_range(std::int64_t size, std::int64_t start, std::int64_t end, std::int64_t step);
// One for each dimension of data of shape `x`, for a node whose parameters are all known.
std::vector<SliceRange> slice_ranges(const opset::NodeView& node, const norn::Shape& x);

}  // namespace norn::ops
