// CastMap: the values in order as one tensor, which Cast takes to the wanted type. What a sparse map leaves out is
// zero, as a string "0".
#include <algorithm>
#include <numeric>
#include <string>

#include "ops/common/elements.h"
#include "ops/tensor/cast/cast.h"
#include "ops/traditionalml/cast_map/cast_map.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace cast_map_ref_cc {
namespace {

void cast_map_ref(opset::ReferenceContext& ctx) {
  const CastMapParams p = resolve_cast_map(ctx);
  const Map& map = ctx.value(0).map();
  if (map.keys.dtype() != DataType::Int64) ctx.fail("the keys of the map must be int64");
  const std::int64_t* keys = map.keys.as<std::int64_t>();
  const auto n = static_cast<std::int64_t>(map.values.size());
  std::vector<std::int64_t> places(map.values.size());
  if (p.size) {
    for (std::int64_t i = 0; i < n; ++i)
      if (keys[i] < 0 || keys[i] >= *p.size)
        ctx.fail("the key " + std::to_string(keys[i]) + " is outside of [0, " + std::to_string(*p.size - 1) + "]");
    std::copy(keys, keys + n, places.begin());
  } else {
    std::vector<std::int64_t> order(places.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return keys[a] < keys[b]; });
    for (std::int64_t i = 0; i < n; ++i) places[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = i;
  }
  const DataType type = n == 0 ? p.type : map.values[0].tensor().dtype();
  Tensor row(type, {1, p.size.value_or(n)});
  if (type == DataType::String)
    std::fill_n(row.as_mutable<std::string>(), p.size ? row.size() : 0, std::string("0"));
  else
    std::fill_n(static_cast<char*>(row.mutable_data()), row.bytes(), char{});
  for (std::int64_t i = 0; i < n; ++i) {
    const Tensor& value = map.values[static_cast<std::size_t>(i)].tensor();
    if (value.dtype() != type || value.size() != 1) ctx.fail("the values of the map must be scalars of one type");
    copy_elements(row, places[static_cast<std::size_t>(i)], value, 0, 1);
  }
  Tensor& y = ctx.output(0, p.type, row.dims());
  if (type != p.type) {
    ir::Attribute to;
    to.name = std::string("to");
    to.type = static_cast<std::int32_t>(ir::AttributeType::Int);
    to.i = static_cast<std::int64_t>(p.type);
    const Value from(row);
    const Value* inputs[] = {&from};
    row = opset::evaluate(Cast, opset::Attrs(Cast.history.back(), {&to, 1}), inputs, 1)[0].tensor();
  }
  copy_elements(y, 0, row, 0, row.size());
}

}  // namespace
}  // namespace cast_map_ref_cc

void cast_map_references(opset::ReferenceTable& table) { table.add(CastMap, cast_map_ref); }

}  // namespace norn::ops
