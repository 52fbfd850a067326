// Configurations of absurd sizes: every candidate says why it refuses, or makes its kernel, which is not run. Overflow
// shows under -fsanitize=undefined, too.
#include "kernels/cpu/extents.h"

#include <new>

#include "kernels/cpu/conv.h"
#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/int8.h"
#include "kernels/cpu/kernel_test.h"
#include "kernels/cpu/matmul.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/norm.h"
#include "kernels/cpu/pool.h"
#include "kernels/cpu/quantize.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/reorder.h"
#include "kernels/cpu/softmax.h"
#include "norn/error.h"

namespace norn::kernels {
namespace {

using namespace test;

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}

  std::int64_t below(std::int64_t n) { return std::uniform_int_distribution<std::int64_t>(0, n - 1)(engine_); }
  bool one_in(std::int64_t n) { return below(n) == 0; }
  // Mostly small, now and then around a power of two up to 2^62, seldom zero or the largest there is.
  std::int64_t size() {
    if (!one_in(3)) return 1 + below(20);
    if (one_in(40)) return 0;
    if (one_in(40)) return std::numeric_limits<std::int64_t>::max();
    return std::max<std::int64_t>(1, (std::int64_t{1} << below(63)) - 2 + below(5));
  }
  std::int64_t number() { return one_in(2) ? size() : -size(); }
  Shape shape(std::size_t rank) {
    Shape dims;
    for (std::size_t d = 0; d < rank; ++d) dims.push_back(size());
    return dims;
  }
  Layout layout() { return one_in(2) ? Layout::Dense : Layout::ChannelsLast; }
  // One that broadcasts to `out`, or nearly.
  ExtraOperand operand(const Shape& out, Layout layout) {
    if (one_in(3)) return {out, layout};
    Shape dims(out.end() - below(static_cast<std::int64_t>(out.size()) + 1), out.end());
    for (std::int64_t& d : dims)
      if (one_in(2)) d = 1;
    return {dims, Layout::Dense};
  }
  void steps(const Shape& out, Layout layout, std::vector<ElementStep>& post, std::vector<ExtraOperand>& extra) {
    if (one_in(2)) post.push_back({ElementOp::Relu});
    if (one_in(3)) post.push_back({ElementOp::Tanh});
    if (one_in(3)) {
      post.push_back({ElementOp::Add, 0, 0, static_cast<int>(extra.size())});
      extra.push_back(operand(out, layout));
    }
  }

 private:
  std::mt19937_64 engine_;
};

struct Counts {
  int made = 0, refused = 0;
};

template <class Config>
void offer(std::span<const Candidate<Config>> candidates, const Config& config, Counts& counts) {
  for (const Candidate<Config>& candidate : candidates) {
    if (!candidate.refuses(config).empty()) {
      ++counts.refused;
      continue;
    }
    Constants constants;
    try {
      candidate.make(config, constants)->scratch_bytes();
      ++counts.made;
    } catch (const Error& e) {
      ADD_FAILURE() << candidate.name << " took it, then: " << e.what();
    } catch (const std::bad_alloc&) {
      ADD_FAILURE() << candidate.name << " wants memory to be made";
    }
  }
}

// x such that the output follows: wraps, so that wrong configurations come about, too.
std::int64_t input_of(std::int64_t out, std::int64_t stride, std::int64_t window, std::int64_t dilation,
                      std::int64_t pads) {
  const auto u = [](std::int64_t v) { return static_cast<std::uint64_t>(v); };
  return static_cast<std::int64_t>((u(out) - 1) * u(stride) + (u(window) - 1) * u(dilation) + 1 - u(pads));
}
std::int64_t product(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

ConvConfig conv(Random& r) {
  ConvConfig c;
  const std::size_t spatial = static_cast<std::size_t>(1 + r.below(4));
  const std::int64_t images = r.size(), channels = r.size(), filters = r.size();
  c.group = r.one_in(2) ? 1 : r.size();
  c.x = {images, product(channels, c.group)};
  c.w = {product(filters, c.group), channels};
  c.out = {images, c.w[0]};
  for (std::size_t d = 0; d < spatial; ++d) {
    c.strides.push_back(r.one_in(2) ? 1 : r.size());
    c.dilations.push_back(r.one_in(2) ? 1 : r.size());
    c.pads_begin.push_back(r.one_in(2) ? 0 : r.size());
    c.pads_end.push_back(c.pads_begin.back());
    c.w.push_back(r.one_in(3) ? r.size() : 1 + r.below(3));
    c.out.push_back(r.size());
    c.x.push_back(
        input_of(c.out.back(), c.strides.back(), c.w.back(), c.dilations.back(), product(2, c.pads_begin.back())));
  }
  c.x_layout = r.layout();
  c.out_layout = r.layout();
  c.has_bias = r.one_in(2);
  r.steps(c.out, c.out_layout, c.post, c.extra);
  if (r.one_in(8) && !c.extra.empty()) c.in_place_extra = 0;
  return c;
}

MatMulConfig matmul(Random& r) {
  MatMulConfig c;
  const std::int64_t m = r.size(), n = r.size(), k = r.size();
  c.trans_a = r.one_in(3);
  c.trans_b = r.one_in(3);
  c.out = r.shape(static_cast<std::size_t>(r.below(4)));
  c.a = r.one_in(2) ? c.out : Shape();
  c.b = r.one_in(2) ? c.out : Shape();
  if (!c.b.empty() && r.one_in(2)) c.b[0] = 1;
  if (!c.a.empty() && r.one_in(2)) c.a.back() = 1;
  const auto add = [](Shape& dims, std::int64_t rows, std::int64_t columns) {
    dims.push_back(rows);
    dims.push_back(columns);
  };
  c.trans_a ? add(c.a, k, m) : add(c.a, m, k);
  c.trans_b ? add(c.b, n, k) : add(c.b, k, n);
  add(c.out, m, n);
  c.alpha = r.one_in(2) ? 1.0f : 0.5f;
  c.beta = r.one_in(2) ? 1.0f : 0.5f;
  c.has_c = r.one_in(2);
  if (c.has_c) c.c = r.operand(c.out, Layout::Dense).dims;
  r.steps(c.out, Layout::Dense, c.post, c.extra);
  if (r.one_in(8) && !c.extra.empty()) c.in_place_extra = 0;
  return c;
}

PoolConfig pool(Random& r) {
  PoolConfig c{.kind = r.one_in(2) ? PoolKind::Max : PoolKind::Average};
  c.x = {r.size(), r.size()};
  c.out = c.x;
  for (std::int64_t d = 1 + r.below(3); d > 0; --d) {
    c.out.push_back(r.size());
    c.window.push_back(r.size());
    c.strides.push_back(r.size());
    c.dilations.push_back(r.size());
    c.pads_begin.push_back(r.one_in(2) ? 0 : r.size());
    c.pads_end.push_back(r.one_in(2) ? 0 : r.number());
    c.x.push_back(input_of(c.out.back(), c.strides.back(), c.window.back(), c.dilations.back(), c.pads_begin.back()));
  }
  c.x_layout = c.out_layout = r.layout();
  return c;
}

TEST(Extents, NoSizeIsTooMuchForACandidate) {
  Random r(1);
  Counts convs, matmuls, others;
  for (int i = 0; i < 2500 && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE(i);
    offer(conv_candidates(), conv(r), convs);
    offer(matmul_candidates(), matmul(r), matmuls);
    offer(pool_candidates(), pool(r), others);
    const ConvConfig c = conv(r);
    offer(conv_int8_candidates(),
          {c.x, c.w, c.out, c.group, c.strides, c.dilations, c.pads_begin, c.pads_end, DataType::Uint8, DataType::Int8},
          others);
    const MatMulConfig m = matmul(r);
    offer(matmul_int8_candidates(), {m.a, m.b, m.out, DataType::Int8, DataType::Uint8}, others);
    offer(dynamic_quantize_candidates(), {r.size()}, others);
    const std::size_t rank = static_cast<std::size_t>(r.below(6));
    const Shape dims = r.shape(rank);
    offer(global_pool_candidates(), {PoolKind::Average, dims, r.layout()}, others);
    ChainConfig chain;
    chain.out = dims;
    chain.layout = r.layout();
    chain.inputs = {r.operand(dims, chain.layout)};
    r.steps(dims, chain.layout, chain.steps, chain.inputs);
    for (ElementStep& s : chain.steps)
      if (s.operand > 0) s.operand = static_cast<int>(chain.inputs.size()) - 1;
    offer(chain_candidates(), chain, others);
    offer(softmax_candidates(), {r.size(), r.size(), r.size()}, others);
    LayerNormConfig norm;
    norm.outer = r.size();
    norm.n = r.size();
    offer(layer_norm_candidates(), norm, others);
    LrnConfig lrn;
    lrn.x = dims;
    lrn.size = r.size();
    lrn.layout = r.layout();
    offer(lrn_candidates(), lrn, others);
    ReduceConfig reduce{ReduceKind::Mean, dims, {}};
    for (std::size_t d = 0; d < rank; ++d)
      if (r.one_in(2)) reduce.axes.push_back(static_cast<std::int64_t>(d));
    offer(reduce_candidates(), reduce, others);
    const std::size_t bytes = std::size_t{1} << r.below(5);
    TransposeConfig transpose{dims, {}, bytes};
    for (std::size_t d = rank; d-- > 0;) transpose.perm.push_back(static_cast<std::int64_t>(d));
    offer(transpose_candidates(), transpose, others);
    offer(reorder_candidates(), {dims, r.layout(), r.layout()}, others);
    StridedCopyConfig copy{.dims = dims, .element_bytes = bytes};
    for (std::size_t d = 0; d < rank; ++d) {
      copy.x_strides.push_back(r.number());
      copy.out_strides.push_back(r.size());
    }
    copy.x_offset = r.number();
    copy.out_offset = r.size();
    copy.fill = r.one_in(2);
    copy.out_elements = r.size();
    offer(strided_copy_candidates(), copy, others);
    if (rank == 0) continue;
    const std::int64_t axis = r.below(static_cast<std::int64_t>(rank));
    ConcatConfig concat{{dims, dims}, axis, bytes, rank < 3 ? Layout::Dense : r.layout()};
    concat.inputs[1][static_cast<std::size_t>(axis)] = r.size();
    offer(concat_candidates(), concat, others);
    offer(gather_candidates(), {dims, r.shape(static_cast<std::size_t>(r.below(3))), axis, bytes}, others);
  }
  // Neither all nor none.
  for (const Counts& c : {convs, matmuls, others}) {
    EXPECT_GT(c.made, 200);
    EXPECT_GT(c.refused, 200);
  }
}

// One size at a time passes what oneDNN keeps in 32 bits, the rest being what fast kernels are for.
TEST(Extents, EverySizeThatPassesThirtyTwoBits) {
  Counts counts;
  for (const std::int64_t large :
       {std::int64_t{1} << 28, std::int64_t{1} << 29, std::int64_t{1} << 31, (std::int64_t{1} << 31) + 1,
        std::int64_t{1} << 32, (std::int64_t{1} << 32) + 64, std::int64_t{1} << 40, std::int64_t{1} << 62}) {
    for (int which = 0; which < 9; ++which) {
      SCOPED_TRACE(std::to_string(large) + " as " + std::to_string(which));
      ConvConfig c{.x = {1, 64, 28, 28}, .w = {64, 64, 3, 3}, .out = {1, 64, 28, 28}, .group = 1};
      c.strides = c.dilations = c.pads_begin = c.pads_end = {1, 1};
      c.x_layout = c.out_layout = Layout::ChannelsLast;
      switch (which) {
        case 0: c.x[0] = c.out[0] = large; break;
        case 1: c.x[1] = c.w[1] = large; break;
        case 2: c.w[0] = c.out[1] = large; break;
        case 3: c.x[2] = c.out[2] = large; break;
        case 4: c.x[3] = c.out[3] = large; break;
        case 5: c.w[2] = c.x[2] = large, c.out[2] = 3; break;
        case 6: c.pads_begin[0] = large, c.out[2] = large + 27; break;
        case 7: c.strides = {large, large}, c.out = {1, 64, 1, 1}; break;
        default: c.w = {64, 64, 1, 1}, c.dilations = {large, large}, c.pads_begin = c.pads_end = {0, 0};
      }
      offer(conv_candidates(), c, counts);
      c.group = 64;
      c.w[1] = 1;
      if (which != 1 && which != 2) offer(conv_candidates(), c, counts);
      Shape sizes = {1, 64, 64, 64};
      sizes[static_cast<std::size_t>(which % 4)] = large;
      MatMulConfig m{.a = {sizes[0], sizes[1], sizes[2]},
                     .b = {sizes[0], sizes[2], sizes[3]},
                     .out = {sizes[0], sizes[1], sizes[3]}};
      offer(matmul_candidates(), m, counts);
    }
  }
  EXPECT_GT(counts.made, 10);
}

TEST(Extents, PiecesOfAnyCost) {
  for (const double ns : {0.0, 1.0, 1e30, std::numeric_limits<double>::infinity(), std::nan("")}) {
    for (const std::int64_t units : {std::int64_t{0}, std::int64_t{1}, std::int64_t{5}, kMostExtent}) {
      const std::int64_t pieces = piece_count(units, ns);
      EXPECT_GE(pieces, 1);
      EXPECT_LE(pieces, std::max<std::int64_t>(1, std::min<std::int64_t>(units, 32)));
    }
  }
}

}  // namespace
}  // namespace norn::kernels
