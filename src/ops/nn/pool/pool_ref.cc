// Pooling over windows that are worked out once and serve every plane of the tensor.
//
// The standard leaves a window without any input element open (padding as wide as the kernel): its maximum is the
// type's lowest value with index -1, its average without the padding is NaN. NaN wins a maximum, as in NumPy; of equal
// elements the first in row-major order is the maximum.
#include <limits>

#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/nn/pool/pool.h"
#include "opset/reference.h"

namespace norn::ops {
namespace {

struct Windows {
  struct Row {
    std::int64_t first, count;  // offset within a plane; elements
  };
  std::vector<Row> rows;
  std::vector<std::size_t> begin;    // rows of output o: [begin[o], begin[o + 1])
  std::vector<std::int64_t> padded;  // positions of output o's window within the padded input
  std::int64_t step = 1;             // between a row's elements
  Shape in, out_dims;
  std::int64_t planes = 0, in_plane = 0, out_plane = 0;
};

// Positions of one dimension's window: the taps inside the input, and how many are inside the padded input.
struct Reach {
  std::int64_t first, count, padded;
};

Reach reach(std::int64_t start, std::int64_t kernel, std::int64_t dilation, std::int64_t in, std::int64_t pad_end) {
  const auto taps_before = [&](std::int64_t limit) {  // taps at positions < limit
    const std::int64_t n = limit > start ? (limit - start + dilation - 1) / dilation : 0;
    return std::min(n, kernel);
  };
  const std::int64_t skipped = taps_before(0), inside = taps_before(in);
  return {start + skipped * dilation, inside - skipped, taps_before(in + pad_end)};
}

Windows make_windows(opset::ReferenceContext& ctx, const Tensor& x) {
  const std::vector<std::int64_t> kernel = ctx.attrs().ints("kernel_shape");
  const std::size_t n = kernel.size();
  if (n == 0 || x.dims().size() != n + 2) {
    ctx.fail("kernel_shape " + to_string(kernel) + " does not fit X " + to_string(x.dims()));
  }
  const auto& schema = ctx.attrs().schema();
  const bool ceil_mode = opset::find_attr(schema, "ceil_mode") && ctx.attrs().i("ceil_mode") != 0;
  Windows ws;
  ws.in.assign(x.dims().begin() + 2, x.dims().end());
  const Window w = resolve_window(ctx.attrs(), ws.in, kernel, ceil_mode);
  ws.out_dims = {x.dims()[0], x.dims()[1]};
  ws.planes = element_count(ws.out_dims);
  ws.out_dims.insert(ws.out_dims.end(), w.out.begin(), w.out.end());
  ws.in_plane = element_count(ws.in);
  ws.out_plane = element_count(w.out);
  ws.step = w.dilations.back();
  if (element_count(ws.out_dims) == 0) return ws;

  const std::vector<std::int64_t> strides = dense_strides(ws.in);
  std::vector<std::vector<Reach>> reaches(n);
  for (std::size_t d = 0; d < n; ++d) {
    for (std::int64_t o = 0; o < w.out[d]; ++o) {
      reaches[d].push_back(
          reach(o * w.strides[d] - w.pads_begin[d], w.kernel[d], w.dilations[d], ws.in[d], w.pads_end[d]));
    }
  }
  std::vector<std::int64_t> steps;
  for (std::size_t d = 0; d + 1 < n; ++d) steps.push_back(w.dilations[d] * strides[d]);
  for (Odometer o(w.out, {}); !o.done(); o.next()) {
    ws.begin.push_back(ws.rows.size());
    std::int64_t first = 0, padded = 1;
    Shape counts;
    for (std::size_t d = 0; d < n; ++d) {
      const Reach& r = reaches[d][static_cast<std::size_t>(o.index()[d])];
      first += r.first * strides[d];
      padded *= r.padded;
      counts.push_back(r.count);
    }
    ws.padded.push_back(padded);
    const std::int64_t length = counts.back();
    counts.pop_back();
    if (length == 0) continue;
    for (Odometer row(counts, {steps}); !row.done(); row.next()) ws.rows.push_back({first + row.offset(0), length});
  }
  ws.begin.push_back(ws.rows.size());
  return ws;
}

template <class D>
D lowest(DataType type) {
  if constexpr (std::is_same_v<D, double>) return -std::numeric_limits<double>::infinity();
  if constexpr (std::is_same_v<D, std::int64_t>) {
    return std::numeric_limits<std::int64_t>::min() >> (64 - 8 * element_size(type));
  }
  return D{};
}

// A plane's offset as column-major order of its dimensions counts it.
std::int64_t column_major(std::int64_t offset, const Shape& dims) {
  std::int64_t result = 0, rest = element_count(dims);
  for (std::size_t d = dims.size(); d-- > 0;) {
    rest /= dims[d];
    result += offset % dims[d] * rest;
    offset /= dims[d];
  }
  return result;
}

template <class D>
void max_pool(opset::ReferenceContext& ctx, const Tensor& x, const Windows& ws, bool columns) {
  const std::vector<D> values = load_all<D>(x);
  Tensor& y = ctx.output(0, x.dtype(), ws.out_dims);
  std::int64_t* indices =
      ctx.wants_output(1) ? ctx.output(1, DataType::Int64, ws.out_dims).as_mutable<std::int64_t>() : nullptr;
  if (y.size() == 0) return;
  std::vector<D> result(static_cast<std::size_t>(ws.out_plane));
  for (std::int64_t p = 0; p < ws.planes; ++p) {
    const D* plane = values.data() + p * ws.in_plane;
    for (std::int64_t o = 0; o < ws.out_plane; ++o) {
      D best = lowest<D>(x.dtype());
      std::int64_t at = -1;
      for (std::size_t r = ws.begin[o]; r < ws.begin[o + 1]; ++r) {
        std::int64_t i = ws.rows[r].first;
        for (std::int64_t k = 0; k < ws.rows[r].count; ++k, i += ws.step) {
          if (at < 0 || (!(best >= plane[i]) && best == best)) {
            best = plane[i];
            at = i;
          }
        }
      }
      result[static_cast<std::size_t>(o)] = best;
      if (indices) {
        if (at >= 0) at = p * ws.in_plane + (columns ? column_major(at, ws.in) : at);
        indices[p * ws.out_plane + o] = at;
      }
    }
    store<D>(y, p * ws.out_plane, ws.out_plane, result.data());
  }
}

void max_pool_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Windows ws = make_windows(ctx, x);
  const bool columns = opset::find_attr(ctx.attrs().schema(), "storage_order") && ctx.attrs().i("storage_order") != 0;
  visit_real(domain_of(x.dtype()), [&](auto d) { max_pool<decltype(d)>(ctx, x, ws, columns); });
}

void average_pool_ref(opset::ReferenceContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Windows ws = make_windows(ctx, x);
  const bool include_pad =
      opset::find_attr(ctx.attrs().schema(), "count_include_pad") && ctx.attrs().i("count_include_pad") != 0;
  const std::vector<double> values = load_all<double>(x);
  Tensor& y = ctx.output(0, x.dtype(), ws.out_dims);
  if (y.size() == 0) return;
  std::vector<double> result(static_cast<std::size_t>(ws.out_plane));
  for (std::int64_t p = 0; p < ws.planes; ++p) {
    const double* plane = values.data() + p * ws.in_plane;
    for (std::int64_t o = 0; o < ws.out_plane; ++o) {
      double sum = 0;
      std::int64_t count = 0;
      for (std::size_t r = ws.begin[o]; r < ws.begin[o + 1]; ++r) {
        const double* from = plane + ws.rows[r].first;
        for (std::int64_t k = 0; k < ws.rows[r].count; ++k) sum += from[k * ws.step];
        count += ws.rows[r].count;
      }
      result[static_cast<std::size_t>(o)] = sum / static_cast<double>(include_pad ? ws.padded[o] : count);
    }
    store<double>(y, p * ws.out_plane, ws.out_plane, result.data());
  }
}

}  // namespace

void pool_references(opset::ReferenceTable& table) {
  table.add(MaxPool, max_pool_ref);
  table.add(AveragePool, average_pool_ref);
}

}  // namespace norn::ops
