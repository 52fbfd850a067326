#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/tensor/where/where.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace where_ref_cc {
namespace {

void where_ref(opset::ReferenceContext& ctx) {
  const Tensor &condition = ctx.input(0), &x = ctx.input(1), &y = ctx.input(2);
  const norn::Shape dims = broadcast(condition.dims(), broadcast(x.dims(), y.dims()));
  Tensor& out = ctx.output(0, x.dtype(), dims);
  if (out.size() == 0) return;
  const bool* takes_x = condition.as<bool>();
  // Row by row: along the last dimension an input goes on, or stays.
  std::vector<std::vector<std::int64_t>> strides;
  std::int64_t step[3] = {1, 1, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    auto& all = strides.emplace_back(broadcast_strides((i == 0 ? condition : i == 1 ? x : y).dims(), dims));
    if (dims.empty()) continue;
    step[i] = all.back();
    all.pop_back();
  }
  const std::int64_t n = dims.empty() ? 1 : dims.back();
  const norn::Shape rows(dims.begin(), dims.end() - (dims.empty() ? 0 : 1));
  std::int64_t first = 0;
  for (Odometer at(rows, strides); !at.done(); at.next(), first += n) {
    const bool* row = takes_x + at.offset(0);
    for (std::int64_t k = 0, end = 0; k < n; k = end) {
      const bool is_x = row[k * step[0]];
      end = k + 1;
      while (end < n && row[end * step[0]] == is_x) ++end;
      const std::size_t from = is_x ? 1 : 2;
      copy_elements(out, first + k, is_x ? x : y, at.offset(from) + k * step[from], end - k, step[from]);
    }
  }
}

}  // namespace
}  // namespace where_ref_cc

void where_references(opset::ReferenceTable& table) { table.add(Where, where_ref); }

}  // namespace norn::ops
