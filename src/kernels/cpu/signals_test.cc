// Kernels give the same bits while signals arrive whose handlers use the stack. In a child: what a handler overwrites
// may be the heap.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <chrono>
#include <optional>

#include "base/child_test.h"
#include "kernels/cpu/conv.h"
#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/kernel_test.h"
#include "kernels/cpu/matmul.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/norm.h"
#include "kernels/cpu/pool.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/reorder.h"
#include "kernels/cpu/softmax.h"

namespace norn::kernels {
namespace {

using namespace test;

volatile int g_signals = 0;

void use_stack(int) {
  volatile char room[8 << 10];
  for (std::size_t i = 0; i < sizeof room; i += 64) room[i] = static_cast<char>(0xa5);
  g_signals = g_signals + 1;
}

class Timer {
 public:
  Timer() {
    struct sigaction action{};
    action.sa_handler = use_stack;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, nullptr);
    set(300);
  }
  ~Timer() { set(0); }

 private:
  static void set(int microseconds) {
    const itimerval every{{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &every, nullptr);
  }
};

// What a child says that runs every candidate again and again while signals arrive.
template <class Config>
std::string under_signals(std::span<const Candidate<Config>> candidates, const Config& config,
                          const std::vector<std::int64_t>& operand_sizes, std::int64_t out_size) {
  std::vector<std::vector<float>> contents;
  for (std::int64_t n : operand_sizes) contents.push_back(random_floats(n, static_cast<unsigned>(contents.size()) + 1));
  std::vector<float> out(static_cast<std::size_t>(out_size), -1.0f), want;
  std::vector<void*> operands;
  for (auto& c : contents) operands.push_back(c.empty() ? nullptr : c.data());
  operands.push_back(out.data());
  for (const auto& candidate : candidates) {
    if (!candidate.refuses(config).empty()) continue;
    Constants constants;
    const auto kernel = candidate.make(config, constants);
    const auto scratch = aligned_buffer(kernel->scratch_bytes() + 64);
    kernel->run(operands.data(), scratch.get());
    want = out;
    Timer timer;
    const int before = g_signals;
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(30);
    // Until some signals came, however busy the machine is.
    for (int i = 0; std::chrono::steady_clock::now() < end || g_signals - before < 10; ++i) {
      base::ParallelWidth width(i % 2);
      kernel->run(operands.data(), scratch.get());
      if (std::memcmp(out.data(), want.data(), out.size() * sizeof(float)) != 0)
        return std::string(candidate.name) + " gave other bits";
    }
  }
  return "";
}

template <class Config>
void check(std::span<const Candidate<Config>> candidates, const Config& config,
           const std::vector<std::int64_t>& operand_sizes, std::int64_t out_size, const std::string& what) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const std::string said = under_signals(candidates, config, operand_sizes, out_size);
    if (!said.empty()) std::fprintf(stderr, "%s: %s\n", what.c_str(), said.c_str());
    _exit(said.empty() ? 0 : 1);
  }
  const int status = base::test::status_of(child, std::chrono::seconds(180));
  EXPECT_TRUE(base::test::ended_with(status, 0)) << what << ": status " << status;
}

TEST(Signals, Products) {
  struct Sizes {
    std::int64_t m, n, k;
  };
  for (const Sizes s : {Sizes{48, 48, 48},
                        {64, 300, 300},
                        {256, 256, 256},
                        {400, 380, 500},
                        {16, 2000, 700},
                        {3000, 64, 256},
                        {70, 200, 1500}}) {
    for (int form = 0; form < 8; ++form) {
      MatMulConfig c{.a = {s.m, s.k}, .b = {s.k, s.n}, .out = {s.m, s.n}};
      if (form & 1) c.a = {s.k, s.m}, c.trans_a = true;
      if (form & 2) c.b = {s.n, s.k}, c.trans_b = true;
      std::vector<std::int64_t> operands = {s.m * s.k, s.k * s.n, 0};
      if (form & 4) {
        c.has_c = true;
        c.c = {s.n};
        operands[2] = s.n;
        c.post = {{ElementOp::Tanh}, {ElementOp::Add, 0, 0, 0}};
        c.extra = {{c.out}};
        operands.push_back(s.m * s.n);
      }
      check(matmul_candidates(), c, operands, s.m * s.n, to_string(c.a) + " x " + to_string(c.b));
    }
  }
  MatMulConfig batches{.a = {6, 100, 120}, .b = {6, 120, 90}, .out = {6, 100, 90}};
  check(matmul_candidates(), batches, {6 * 100 * 120, 6 * 120 * 90, 0}, 6 * 100 * 90, "batches");
}

TEST(Signals, Convolutions) {
  struct Case {
    Shape x, w;
    std::int64_t group, stride, dilation, pad;
  };
  for (const Case& s : {Case{{1, 3, 64, 64}, {32, 3, 5, 5}, 1, 2, 1, 40},
                        {{1, 64, 28, 28}, {64, 64, 3, 3}, 1, 1, 1, 1},
                        {{1, 20, 40, 40}, {200, 10, 5, 5}, 2, 1, 2, 10},
                        {{2, 128, 14, 14}, {128, 128, 1, 1}, 1, 1, 1, 0},
                        {{1, 64, 30, 30}, {64, 1, 3, 3}, 64, 1, 1, 1},
                        {{1, 64, 30, 30}, {256, 1, 5, 5}, 64, 2, 1, 40},
                        {{1, 16, 100}, {24, 16, 3}, 1, 1, 1, 1},
                        {{1, 8, 12, 12, 12}, {16, 8, 3, 3, 3}, 1, 1, 1, 1}}) {
    for (int layouts = 0; layouts < 4; ++layouts) {
      const std::size_t spatial = s.x.size() - 2;
      ConvConfig c{.x = s.x, .w = s.w, .out = {s.x[0], s.w[0]}, .group = s.group};
      c.strides.assign(spatial, s.stride);
      c.dilations.assign(spatial, s.dilation);
      c.pads_begin.assign(spatial, s.pad);
      c.pads_end.assign(spatial, s.pad);
      for (std::size_t d = 2; d < s.x.size(); ++d)
        c.out.push_back((s.x[d] + 2 * s.pad - (s.w[d] - 1) * s.dilation - 1) / s.stride + 1);
      c.x_layout = layouts & 1 ? Layout::ChannelsLast : Layout::Dense;
      c.out_layout = layouts & 2 ? Layout::ChannelsLast : Layout::Dense;
      c.has_bias = true;
      c.post = {{ElementOp::Relu}};
      check(conv_candidates(), c, {element_count(c.x), element_count(c.w), c.w[0]}, element_count(c.out),
            to_string(c.x) + " * " + to_string(c.w) + " in layouts " + std::to_string(layouts));
    }
  }
}

TEST(Signals, TheRest) {
  for (const Layout layout : {Layout::Dense, Layout::ChannelsLast}) {
    PoolConfig pool{.kind = PoolKind::Average, .x = {1, 32, 60, 60}, .out = {1, 32, 30, 30}};
    pool.window = pool.strides = {2, 2};
    pool.dilations = {1, 1};
    pool.pads_begin = pool.pads_end = {0, 0};
    pool.x_layout = pool.out_layout = layout;
    check(pool_candidates(), pool, {32 * 3600}, 32 * 900, "pool");
    check(global_pool_candidates(), {PoolKind::Max, {2, 64, 40, 40}, layout}, {2 * 64 * 1600}, 128, "global pool");
    LrnConfig lrn{.x = {1, 40, 30, 30}, .size = 5, .layout = layout};
    check(lrn_candidates(), lrn, {40 * 900}, 40 * 900, "lrn");
  }
  check(softmax_candidates(), {300, 500, 1}, {150000}, 150000, "softmax of rows");
  check(softmax_candidates(), {20, 50, 150}, {150000}, 150000, "softmax of columns");
  LayerNormConfig norm{.outer = 300, .n = 500, .has_scale = true, .has_bias = true};
  check(layer_norm_candidates(), norm, {150000, 500, 500}, 150000, "layer norm");
  check(reduce_candidates(), {ReduceKind::Mean, {30, 50, 100}, {0, 2}}, {150000}, 50, "reduction");
  ChainConfig chain{.out = {300, 500}, .inputs = {{{300, 500}}, {{500}}}};
  chain.steps = {{ElementOp::Exp}, {ElementOp::Mul, 0, 0, 1}, {ElementOp::Erf}, {ElementOp::Tanh}};
  check(chain_candidates(), chain, {150000, 500}, 150000, "chain");
  check(transpose_candidates(), {{30, 50, 100}, {2, 0, 1}}, {150000}, 150000, "transposition");
  check(concat_candidates(), {{{300, 200}, {300, 300}}, 1}, {60000, 90000}, 150000, "concatenation");
  StridedCopyConfig copy{.dims = {100, 200}, .x_strides = {200, 1}, .out_strides = {500, 2}};
  copy.fill = true;
  copy.out_elements = 150000;
  check(strided_copy_candidates(), copy, {20000}, 150000, "strided copy");
  check(reorder_candidates(), {{3, 50, 1000}, Layout::Dense, Layout::ChannelsLast}, {150000}, 150000, "reorder");
}

}  // namespace
}  // namespace norn::kernels
