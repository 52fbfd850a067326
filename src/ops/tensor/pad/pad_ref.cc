// Pad: for each axis a table has the input index that every output index reads, or that it is filled.
//
// Reflection and wrapping repeat over the length of the pad, as NumPy's do; a single element reflects to itself.
#include <algorithm>
#include <string>
#include <vector>

#include "ops/common/elements.h"
#include "ops/common/shapes.h"
#include "ops/tensor/pad/pad.h"
#include "opset/reference.h"

namespace norn::ops {
inline namespace pad_ref_cc {
namespace {

constexpr std::int64_t kFill = -1;

std::int64_t modulo(std::int64_t a, std::int64_t n) { return (a % n + n) % n; }

// Input indices for each output index along an axis of `size` elements; size + begin + end is known to be >= 0.
std::vector<std::int64_t> sources(opset::ReferenceContext& ctx, PadMode mode, std::int64_t size, std::int64_t begin,
                                  std::int64_t end) {
  const std::int64_t total = size + begin + end;
  const std::int64_t first = std::max<std::int64_t>(-begin, 0), last = size - std::max<std::int64_t>(-end, 0);
  const std::int64_t kept = last - first;  // elements [first, last) stay and are reflected or repeated
  const bool fills = mode == PadMode::Constant;
  if (!fills && total > 0 && kept <= 0) ctx.fail("there are no elements to reflect or repeat");
  std::vector<std::int64_t> from(static_cast<std::size_t>(total));
  for (std::int64_t o = 0; o < total; ++o) {
    const std::int64_t p = o - std::max<std::int64_t>(begin, 0);  // position within what stays
    std::int64_t& source = from[static_cast<std::size_t>(o)];
    if (fills) {
      const std::int64_t i = o - begin;
      source = i >= 0 && i < size ? i : kFill;
    } else if (mode == PadMode::Edge) {
      source = first + std::clamp<std::int64_t>(p, 0, kept - 1);
    } else if (mode == PadMode::Wrap) {
      source = first + modulo(p, kept);
    } else if (kept == 1) {
      source = first;
    } else {
      const std::int64_t m = modulo(p, 2 * (kept - 1));
      source = first + (m < kept ? m : 2 * (kept - 1) - m);
    }
  }
  return from;
}

Tensor fill_value(opset::ReferenceContext& ctx, DataType type) {
  const Tensor* const given = pad_element(ctx);
  if (!given) return zero_of(type);
  if (given->dtype() != type) ctx.fail("constant_value must have the type of the data");
  return *given;
}

void pad_ref(opset::ReferenceContext& ctx) {
  const Tensor& in = ctx.input(0);
  const PadMode mode = pad_mode(ctx);
  const auto rank = static_cast<std::size_t>(in.rank());
  const PadParams p = resolve_pad(ctx, in.rank());
  const std::vector<std::int64_t> begins = opset::to_constants(ctx.require(p.begin, "pads")),
                                  ends = opset::to_constants(ctx.require(p.end, "pads"));

  // Sizes first: the tables are as long as the output, and the output may be refused for its size.
  Shape dims;
  const opset::Dims x = opset::to_dims(in.dims());
  for (std::size_t d = 0; d < rank; ++d) dims.push_back(padded_size(ctx, p, x, d).constant());
  const Tensor fill = fill_value(ctx, in.dtype());
  Tensor& out = ctx.output(0, in.dtype(), dims);
  if (out.size() == 0) return;
  if (rank == 0) return copy_elements(out, 0, in, 0, 1);
  std::vector<std::vector<std::int64_t>> from;
  for (std::size_t d = 0; d < rank; ++d) from.push_back(sources(ctx, mode, in.dims()[d], begins[d], ends[d]));
  const auto strides = dense_strides(in.dims());
  const std::int64_t row = dims.back();
  const auto& columns = from.back();
  Shape outer(dims.begin(), dims.end() - 1);
  std::int64_t to = 0;
  for (Odometer o(outer, {}); !o.done(); o.next(), to += row) {
    std::int64_t base = 0;
    bool filled = false;
    for (std::size_t d = 0; d + 1 < rank; ++d) {
      const std::int64_t i = from[d][static_cast<std::size_t>(o.index()[d])];
      filled = filled || i == kFill;
      base += i * strides[d];
    }
    if (filled) {
      copy_elements(out, to, fill, 0, row, 0);
      continue;
    }
    for (std::int64_t c = 0; c < row;) {  // runs of neighbours at once
      const std::int64_t i = columns[static_cast<std::size_t>(c)];
      std::int64_t n = 1;
      while (c + n < row && columns[static_cast<std::size_t>(c + n)] == (i == kFill ? kFill : i + n)) ++n;
      if (i == kFill)
        copy_elements(out, to + c, fill, 0, n, 0);
      else
        copy_elements(out, to + c, in, base + i, n);
      c += n;
    }
  }
}

}  // namespace
}  // namespace pad_ref_cc

void pad_references(opset::ReferenceTable& table) { table.add(Pad, pad_ref, 11); }

}  // namespace norn::ops
