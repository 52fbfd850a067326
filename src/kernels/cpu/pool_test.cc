// Pooling against loops over windows in double.
#include "kernels/cpu/pool.h"

#include "kernels/cpu/kernel_test.h"

namespace norn::kernels {
namespace {

using namespace test;

std::vector<double> plain(const PoolConfig& c, const std::vector<float>& x) {
  const auto in = spatial(c.x, 2, 1), out = spatial(c.out, 2, 1), k = spatial(c.window, 0, 1),
             s = spatial(c.strides, 0, 1), dl = spatial(c.dilations, 0, 1), begin = spatial(c.pads_begin, 0, 0),
             end = spatial(c.pads_end, 0, 0);
  std::vector<double> result;
  for (std::int64_t plane = 0; plane < c.x[0] * c.x[1]; ++plane)
    for (std::int64_t o0 = 0; o0 < out[0]; ++o0)
      for (std::int64_t o1 = 0; o1 < out[1]; ++o1)
        for (std::int64_t o2 = 0; o2 < out[2]; ++o2) {
          double sum = 0, top = -INFINITY;
          std::int64_t count = 0;
          for (std::int64_t k0 = 0; k0 < k[0]; ++k0)
            for (std::int64_t k1 = 0; k1 < k[1]; ++k1)
              for (std::int64_t k2 = 0; k2 < k[2]; ++k2) {
                const std::int64_t i[3] = {o0 * s[0] - begin[0] + k0 * dl[0], o1 * s[1] - begin[1] + k1 * dl[1],
                                           o2 * s[2] - begin[2] + k2 * dl[2]};
                bool inside = true, padded = true;
                for (std::size_t d = 0; d < 3; ++d) {
                  inside = inside && i[d] >= 0 && i[d] < in[d];
                  padded = padded && i[d] < in[d] + end[d];
                }
                if (padded && (inside || c.count_include_pad)) ++count;
                if (!inside) continue;
                const double v = x[static_cast<std::size_t>(((plane * in[0] + i[0]) * in[1] + i[1]) * in[2] + i[2])];
                sum += v;
                if (std::isnan(v) || v > top) top = v;
              }
          result.push_back(c.kind == PoolKind::Max ? top : sum / static_cast<double>(std::max<std::int64_t>(1, count)));
        }
  return result;
}

TEST(Pool, WindowsOfAllKinds) {
  struct Case {
    Shape x, window, strides, dilations, begin, end;
    bool ceil;
  };
  const Case cases[] = {{{1, 64, 30, 30}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, false},
                        {{2, 5, 9, 13}, {2, 3}, {1, 2}, {1, 1}, {0, 1}, {1, 0}, false},
                        {{1, 19, 10, 10}, {3, 3}, {2, 2}, {1, 1}, {0, 0}, {0, 0}, true},
                        {{1, 7, 15, 15}, {3, 3}, {1, 1}, {2, 3}, {2, 3}, {2, 3}, false},
                        {{2, 33, 21}, {4}, {3}, {1}, {2}, {1}, false},
                        {{1, 3, 6, 7, 8}, {2, 3, 2}, {2, 1, 2}, {1, 1, 1}, {0, 1, 0}, {0, 1, 1}, false},
                        {{1, 1, 5, 5}, {5, 5}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, false},
                        {{1, 256, 40, 40}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, false},
                        {{1, 4, 8, 8}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, true}};
  for (const Case& c : cases) {
    for (int form = 0; form < 6; ++form) {
      PoolConfig config{.kind = form % 3 == 0 ? PoolKind::Max : PoolKind::Average,
                        .x = c.x,
                        .window = c.window,
                        .strides = c.strides,
                        .dilations = c.dilations,
                        .pads_begin = c.begin,
                        .pads_end = c.end,
                        .count_include_pad = form % 3 == 1};
      config.x_layout = config.out_layout = form < 3 ? Layout::Dense : Layout::ChannelsLast;
      config.out = {c.x[0], c.x[1]};
      for (std::size_t d = 0; d < c.window.size(); ++d) {
        const std::int64_t room = c.x[d + 2] + c.begin[d] + c.end[d] - (c.window[d] - 1) * c.dilations[d] - 1;
        config.out.push_back((c.ceil ? (room + c.strides[d] - 1) / c.strides[d] : room / c.strides[d]) + 1);
      }
      auto x = random_floats(element_count(c.x), 5);
      x[x.size() / 2] = config.kind == PoolKind::Max ? std::nanf("") : x[0];
      const auto want = plain(config, x);
      auto laid = relaid(x, c.x, Layout::Dense, config.x_layout);
      for (const auto& candidate : pool_candidates()) {
        ASSERT_EQ(candidate.refuses(config), "");
        Constants constants;
        auto kernel = candidate.make(config, constants);
        const auto got = run_at_widths(*kernel, {laid.data()}, std::vector<float>(want.size(), -3.0f));
        expect_close(relaid(got, config.out, config.out_layout, Layout::Dense), want, 2e-6,
                     to_string(c.x) + " form " + std::to_string(form));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Pool, Global) {
  for (const Shape& dims :
       {Shape{1, 2048, 7, 7}, Shape{3, 5, 11, 13}, Shape{2, 3, 17}, Shape{1, 1, 1, 1}, Shape{2, 70, 3, 4, 5}}) {
    for (Layout layout : {Layout::Dense, Layout::ChannelsLast}) {
      for (PoolKind kind : {PoolKind::Max, PoolKind::Average}) {
        auto x = random_floats(element_count(dims), 9);
        const std::int64_t each = element_count(dims) / (dims[0] * dims[1]);
        std::vector<double> want;
        for (std::int64_t p = 0; p < dims[0] * dims[1]; ++p) {
          double sum = 0, top = -INFINITY;
          for (std::int64_t i = 0; i < each; ++i) {
            const double v = x[static_cast<std::size_t>(p * each + i)];
            sum += v;
            top = std::max(top, v);
          }
          want.push_back(kind == PoolKind::Max ? top : sum / static_cast<double>(each));
        }
        auto laid = relaid(x, dims, Layout::Dense, layout);
        Constants constants;
        GlobalPoolConfig config{kind, dims, layout, layout};
        ASSERT_EQ(global_pool_candidates()[0].refuses(config), "");
        expect_close(run_at_widths(*global_pool_candidates()[0].make(config, constants), {laid.data()},
                                   std::vector<float>(want.size())),
                     want, 2e-6, to_string(dims));
      }
    }
  }
}

}  // namespace
}  // namespace norn::kernels
