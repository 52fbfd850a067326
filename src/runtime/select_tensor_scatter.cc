// TensorScatter, in place where the cache is not needed any more.
#include "kernels/cpu/cache_scatter.h"
#include "ops/tensor/tensor_scatter/tensor_scatter.h"
#include "runtime/select.h"

namespace norn::runtime {

bool select_tensor_scatter(Selector& s) {
  if (s.out_dtype() == DataType::String) {
    s.refuse("write", "moves elements of fixed size, not strings");
    return false;
  }
  const Shape &cache = s.dims(0), &update = s.dims(1);
  const ops::TensorScatterParams p =
      ops::resolve_tensor_scatter(SelectedNode(s), static_cast<std::int64_t>(cache.size()));
  const auto at = static_cast<std::size_t>(p.axis);
  Shape fitting = update;
  if (fitting.size() == cache.size()) fitting[at] = cache[at];
  if (fitting != cache || (s.has(2) && s.dims(2) != Shape{cache[0]})) {
    s.refuse("write", "the update or its indices do not fit the cache");
    return false;
  }
  kernels::CacheScatterConfig config;
  config.batch = cache[0];
  config.outer = element_count(Shape(cache.begin() + 1, cache.begin() + p.axis));
  config.positions = cache[at];
  config.inner = element_count(Shape(cache.begin() + p.axis + 1, cache.end()));
  config.length = update[at];
  config.element_bytes = element_size(s.out_dtype());
  config.circular = p.circular;
  const program::Node& node = s.node();
  return s.choose(kernels::cache_scatter_candidates(), config,
                  {{node.inputs[0]}, {.value = node.inputs[1], .apart = true}, {.value = node.input(2), .apart = true}},
                  {node.outputs[0]}, true);
}

}  // namespace norn::runtime
