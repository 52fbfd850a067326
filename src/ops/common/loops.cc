#include "ops/common/loops.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/text.h"

namespace norn::ops {
namespace {

using opset::ReferenceContext;

// A formula's function in the domain of `type`.
template <class D, class F>
auto in_domain(const ReferenceContext& ctx, const F& f, DataType type) {
  const auto found = [&] {
    if constexpr (std::is_same_v<D, double>)
      return f.f64;
    else if constexpr (std::is_same_v<D, std::int64_t>)
      return f.i64;
    else
      return f.u64;
  }();
  if (!found) ctx.fail("the element type " + std::string(data_type_name(type)) + " is not one of this operator's");
  return found;
}

// The first position, of `count` ones at start, start + step, ..., that is not below `limit`.
std::int64_t first_from(std::int64_t limit, std::int64_t start, std::int64_t step, std::int64_t count) {
  const std::int64_t below = limit > start ? (limit - start - 1) / step + 1 : 0;
  return std::min(below, count);
}

}  // namespace

void map_elements(ReferenceContext& ctx, const UnaryFn& f) {
  const DataType type = ctx.input(0).dtype();
  visit_real(domain_of(type), [&]<class D>(D) { map_elements_in<D>(ctx, in_domain<D>(ctx, f, type)); });
}

Shape aligned_b(const ReferenceContext& ctx) {
  const Shape &a = ctx.input(0).dims(), &b = ctx.input(1).dims();
  if (ctx.version() >= 7) return b;
  const auto rank = static_cast<std::int64_t>(a.size());
  const auto axis = axis_of_b(ctx, rank, static_cast<std::int64_t>(b.size()));
  if (!axis) {
    if (a != b) ctx.fail("the shapes " + to_string(a) + " and " + to_string(b) + " differ");
    return b;
  }
  Shape placed = b;
  placed.resize(static_cast<std::size_t>(rank - *axis), 1);
  if (broadcast(a, placed) != a) {
    ctx.fail("B's shape " + to_string(b) + " is not a run of A's shape " + to_string(a));
  }
  return placed;
}

void map_pairs(ReferenceContext& ctx, const BinaryFn& f) {
  const DataType type = ctx.input(0).dtype();
  visit_real(domain_of(type), [&]<class D>(D) { map_pairs<D, D, D>(ctx, type, in_domain<D>(ctx, f, type)); });
}

void fold_inputs(ReferenceContext& ctx, const BinaryFn& f, double divisor) {
  const DataType type = ctx.input(0).dtype();
  Shape dims = ctx.input(0).dims();
  for (int i = 1; i < ctx.input_count(); ++i) dims = broadcast(dims, ctx.input(i).dims());
  Tensor& out = ctx.output(0, type, dims);
  visit_real(domain_of(type), [&]<class D>(D) {
    const auto formula = in_domain<D>(ctx, f, type);
    std::vector<D> all(static_cast<std::size_t>(out.size()));
    for (int i = 0; i < ctx.input_count(); ++i) {
      const std::vector<D> in = load_all<D>(ctx.input(i));
      Odometer at(dims, {broadcast_strides(ctx.input(i).dims(), dims)});
      for (D& element : all) {
        const D value = in[static_cast<std::size_t>(at.offset(0))];
        element = i == 0 ? value : formula(element, value);
        at.next();
      }
    }
    if constexpr (std::is_same_v<D, double>)
      for (double& element : all) element /= divisor;
    store_all<D>(out, all);
  });
}

WindowTaps::WindowTaps(const Window& window, const Shape& in)
    : window_(window),
      in_(in),
      in_strides_(dense_strides(in)),
      kernel_strides_(dense_strides(window.kernel)),
      start_(in.size()),
      first_(in.size()),
      last_(in.size()),
      k_(in.size()) {}

std::span<const WindowTaps::Tap> WindowTaps::at(std::span<const std::int64_t> out) {
  taps_.clear();
  padded_ = 1;
  bool empty = false;
  for (std::size_t d = 0; d < in_.size(); ++d) {
    // Kernel position k reads the input at start + k * dilation, which is inside for k in [first, last).
    start_[d] = out[d] * window_.strides[d] - window_.pads_begin[d];
    const auto from = [&](std::int64_t limit) {
      return first_from(limit, start_[d], window_.dilations[d], window_.kernel[d]);
    };
    first_[d] = from(0);
    last_[d] = from(in_[d]);
    padded_ *= from(in_[d] + window_.pads_end[d]);
    empty = empty || first_[d] >= last_[d];
  }
  if (empty) return taps_;
  k_ = first_;
  for (bool more = true; more;) {
    Tap tap{0, 0};
    for (std::size_t d = 0; d < in_.size(); ++d) {
      tap.input += (start_[d] + k_[d] * window_.dilations[d]) * in_strides_[d];
      tap.kernel += k_[d] * kernel_strides_[d];
    }
    taps_.push_back(tap);
    more = false;
    for (std::size_t d = in_.size(); d-- > 0 && !more;) {
      more = ++k_[d] < last_[d];
      if (!more) k_[d] = first_[d];
    }
  }
  return taps_;
}

double single_number(const ReferenceContext& ctx, int input) {
  require_single(ctx, input);
  return load_numbers(ctx.input(input))[0];
}

Planes planes_of(const ReferenceContext& ctx) {
  const Shape& x = ctx.input(0).dims();
  Planes p;
  p.params = resolve_pool(ctx);
  p.window = pool_window(ctx, p.params, x);
  p.in.assign(x.begin() + 2, x.end());
  p.out = {x[0], x[1]};
  p.count = element_count(p.out);
  p.out.insert(p.out.end(), p.window.out.begin(), p.window.out.end());
  p.in_size = element_count(p.in);
  p.out_size = element_count(p.window.out);
  return p;
}

double p_norm(std::span<const double> values, double p) {
  double largest = 0;
  for (const double v : values) {
    if (std::isnan(v)) return v;
    largest = std::max(largest, std::fabs(v));
  }
  if (largest == 0 || std::isinf(largest)) return largest;
  // Powers of two scale without rounding, which is enough for squares.
  const double scale = p <= 2 ? std::scalbn(1.0, std::max(-1022, std::ilogb(largest))) : largest;
  double sum = 0;
  for (const double v : values) {
    const double scaled = std::fabs(v) / scale;
    sum += p == 1 ? scaled : p == 2 ? scaled * scaled : std::pow(scaled, p);
  }
  return scale * (p == 1 ? sum : p == 2 ? std::sqrt(sum) : std::pow(sum, 1 / p));
}

std::vector<std::int64_t> indices_from_front(const ReferenceContext& ctx, int input, std::int64_t size) {
  std::vector<std::int64_t> indices = to_ints(ctx.input(input));
  for (std::int64_t& i : indices) {
    if (i < -size || i >= size) {
      ctx.fail("index " + std::to_string(i) + " is outside [" + std::to_string(-size) + ", " + std::to_string(size) +
               ")");
    }
    if (i < 0) i += size;
  }
  return indices;
}

}  // namespace norn::ops
