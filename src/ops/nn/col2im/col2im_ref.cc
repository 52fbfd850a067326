// Each column is a block of the image; where blocks overlap, elements are added: integers modulo their width, and true
// and true is true.
#include "ops/nn/col2im/col2im.h"

#include <algorithm>

#include "ops/common/loops.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace col2im_ref_cc {
namespace {

template <class D>
D added(D a, D b) {
  if constexpr (std::is_same_v<D, std::complex<double>>)
    return a + b;
  else
    return plus(a, b);
}

template <class D>
void col2im(opset::ReferenceContext& ctx, const Col2ImParams& p) {
  const Tensor& x = ctx.input(0);
  Shape dims{x.dims()[0], p.channels};
  dims.insert(dims.end(), p.image.begin(), p.image.end());
  Tensor& y = ctx.output(0, x.dtype(), dims);
  const std::vector<D> values = load_all<D>(x);
  std::vector<D> result(static_cast<std::size_t>(y.size()), D{});
  if (!result.empty() && !values.empty()) {
    const std::int64_t plane = element_count(p.image), columns = x.dims()[2], planes = dims[0] * p.channels;
    WindowTaps window(p.window, p.image);
    std::int64_t column = 0;
    for (Odometer o(p.window.out, {}); !o.done(); o.next(), ++column) {
      const std::span<const WindowTaps::Tap> taps = window.at(o.index());
      for (std::int64_t c = 0; c < planes; ++c) {
        for (const WindowTaps::Tap& tap : taps) {
          D& to = result[static_cast<std::size_t>(c * plane + tap.input)];
          to = added(to, values[static_cast<std::size_t>((c * p.block_size + tap.kernel) * columns + column)]);
        }
      }
    }
  }
  if constexpr (std::is_same_v<D, std::uint64_t>) {
    if (x.dtype() == DataType::Bool)
      for (D& v : result) v = std::min<D>(v, 1);
  }
  store_all<D>(y, result);
}

void col2im_ref(opset::ReferenceContext& ctx) {
  const Col2ImParams p = resolve_col2im(ctx, ctx.input(0).dims());
  visit_domain(domain_of(ctx.input(0).dtype()), [&]<class D>(const D&) {
    if constexpr (std::is_same_v<D, std::string>)
      ctx.fail("strings cannot be added");
    else
      col2im<D>(ctx, p);
  });
}

}  // namespace
}  // namespace col2im_ref_cc

void col2im_references(opset::ReferenceTable& table) { table.add(Col2Im, col2im_ref); }

}  // namespace norn::ops
