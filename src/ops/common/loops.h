// The loops of reference kernels: element by element, along an axis, over windows, by index.
//
// A kernel gives the formula and a loop does the rest: it reads and writes elements of any type through the domains of
// elements.h, so that a formula is written once for each domain it differs in. Floating types are computed in double
// and rounded once, when the result is stored.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "ops/common/elements.h"
#include "ops/common/pooling.h"
#include "ops/common/shapes.h"
#include "opset/reference.h"

namespace norn::ops {

// A formula in each domain that the operator's types lie in; the others are null.
struct UnaryFn {
  double (*f64)(double) = nullptr;
  std::int64_t (*i64)(std::int64_t) = nullptr;
  std::uint64_t (*u64)(std::uint64_t) = nullptr;
};
struct BinaryFn {
  double (*f64)(double, double) = nullptr;
  std::int64_t (*i64)(std::int64_t, std::int64_t) = nullptr;
  std::uint64_t (*u64)(std::uint64_t, std::uint64_t) = nullptr;
};

// Output 0 = f(input 0), of its type and shape.
void map_elements(opset::ReferenceContext& ctx, const UnaryFn& f);
// The same for a formula with parameters, in one domain.
template <DomainType D, class F>
void map_elements_in(opset::ReferenceContext& ctx, F&& f);
// Output 0 = f(input 0, input 1), of input 0's type, broadcast as the operator's version does (see infer_pairs).
void map_pairs(opset::ReferenceContext& ctx, const BinaryFn& f);
// The same where types differ: output 0, of type `type` in the domain To, from f(A, B).
template <DomainType A, DomainType B, DomainType To, class F>
void map_pairs(opset::ReferenceContext& ctx, DataType type, F&& f);
// Input 1's dimensions, brought to where NumPy's broadcasting expects them. Throws if they do not fit.
norn::Shape aligned_b(const opset::ReferenceContext& ctx);
// Output 0 = f(... f(f(input 0, input 1), input 2) ...), broadcast, rounded once at the end. Floating types are divided
// by `divisor` before that.
void fold_inputs(opset::ReferenceContext& ctx, const BinaryFn& f, double divisor = 1);

template <DomainType D, class F>
void map_elements_in(opset::ReferenceContext& ctx, F&& f) {
  const Tensor& x = ctx.input(0);
  Tensor& y = ctx.output(0, x.dtype(), x.dims());
  std::array<D, 512> chunk;
  for (std::int64_t first = 0; first < x.size(); first += 512) {
    const std::int64_t n = std::min<std::int64_t>(512, x.size() - first);
    load<D>(x, first, n, chunk.data());
    std::transform(chunk.begin(), chunk.begin() + n, chunk.begin(), f);
    store<D>(y, first, n, chunk.data());
  }
}

template <DomainType A, DomainType B, DomainType To, class F>
void map_pairs(opset::ReferenceContext& ctx, DataType type, F&& f) {
  const norn::Shape &a_dims = ctx.input(0).dims(), b_dims = aligned_b(ctx), dims = broadcast(a_dims, b_dims);
  Tensor& out = ctx.output(0, type, dims);
  const auto x = load_all<A>(ctx.input(0));
  const auto y = load_all<B>(ctx.input(1));
  std::vector<To> result;
  result.reserve(static_cast<std::size_t>(out.size()));
  Odometer at(dims, {broadcast_strides(a_dims, dims), broadcast_strides(b_dims, dims)});
  for (; !at.done(); at.next()) {
    result.push_back(f(x[static_cast<std::size_t>(at.offset(0))], y[static_cast<std::size_t>(at.offset(1))]));
  }
  store_all<To>(out, result);
}

// Calls f(line) with a copy of each line of `x`, the n elements along the view's axis as a std::span<D>, in order of
// its first element. Lines without elements are left out.
template <DomainType D, class F>
void for_each_line(const Tensor& x, const AxisView& view, F&& f) {
  if (x.size() == 0) return;
  const std::vector<D> values = load_all<D>(x);
  std::vector<D> line(static_cast<std::size_t>(view.n));
  for (std::int64_t o = 0; o < view.outer; ++o) {
    for (std::int64_t i = 0; i < view.inner; ++i) {
      for (std::int64_t k = 0; k < view.n; ++k) {
        line[static_cast<std::size_t>(k)] = values[static_cast<std::size_t>((o * view.n + k) * view.inner + i)];
      }
      f(std::span<D>(line));
    }
  }
}
// `y`, of x's size, gets what f left in the lines.
template <DomainType D, class F>
void map_lines(const Tensor& x, Tensor& y, const AxisView& view, F&& f) {
  std::vector<D> result(static_cast<std::size_t>(y.size()));
  std::int64_t o = 0, i = 0;
  for_each_line<D>(x, view, [&](std::span<D> line) {
    f(line);
    for (std::int64_t k = 0; k < view.n; ++k) {
      result[static_cast<std::size_t>((o * view.n + k) * view.inner + i)] = line[static_cast<std::size_t>(k)];
    }
    if (++i == view.inner) {
      i = 0;
      ++o;
    }
  });
  store_all<D>(y, result);
}

// The positions of a window, one output index at a time.
class WindowTaps {
 public:
  struct Tap {
    std::int64_t input;   // offset of the element within a plane of the input
    std::int64_t kernel;  // number of the position within the kernel
  };
  WindowTaps(const Window& window, const norn::Shape& in);
  // Those that lie inside the input for the window of output index `out`, in row-major order of the kernel. The span
  // holds until the next call.
  std::span<const Tap> at(std::span<const std::int64_t> out);
  // How many positions of that window lie inside the padded input.
  std::int64_t padded() const noexcept { return padded_; }

 private:
  Window window_;
  norn::Shape in_;
  std::vector<std::int64_t> in_strides_, kernel_strides_, start_, first_, last_, k_;
  std::vector<Tap> taps_;
  std::int64_t padded_ = 0;
};

// The only element of a scalar or of a list of one number, of a real type. Throws if the input is another tensor.
double single_number(const opset::ReferenceContext& ctx, int input);

// An input of planes, one for each batch and channel, and the window that goes over each of them.
struct Planes {
  PoolParams params;
  Window window;
  norn::Shape in, out;  // of a plane of the input; of the output
  std::int64_t count, in_size, out_size;
};
// Of a pooling operator's input 0.
Planes planes_of(const opset::ReferenceContext& ctx);
// Calls f(taps, padded, at) for each position of the window: the elements of a plane that lie in it, how many
// positions lie in the padded input, and the output element of the first plane.
template <class F>
void for_each_window(const Planes& p, F&& f) {
  if (element_count(p.out) == 0) return;
  WindowTaps window(p.window, p.in);
  std::int64_t at = 0;
  for (Odometer o(p.window.out, {}); !o.done(); o.next()) {
    const std::span<const WindowTaps::Tap> taps = window.at(o.index());
    f(taps, window.padded(), at++);
  }
}

// The p-norm, p > 0, of finite and infinite numbers; NaN if one of them is NaN. No power of an element overflows.
double p_norm(std::span<const double> values, double p);

// Indices of an int32 or int64 input into `size` elements, counted from the front. Throws if one lies outside of
// [-size, size).
std::vector<std::int64_t> indices_from_front(const opset::ReferenceContext& ctx, int input, std::int64_t size);

}  // namespace norn::ops
