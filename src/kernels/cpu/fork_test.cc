// A child of fork() runs kernels that its parent made and makes others, whatever the parent's other threads did.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/child_test.h"
#include "kernels/cpu/conv.h"
#include "kernels/cpu/kernel_test.h"
#include "kernels/cpu/matmul.h"

namespace norn::kernels {
namespace {

using namespace test;

// All candidates for one configuration; `size` distinguishes configurations.
struct Kernels {
  std::vector<float> x, w, out;
  std::vector<std::unique_ptr<Kernel>> list;

  template <class Config>
  void make(std::span<const Candidate<Config>> candidates, const Config& config, const Shape& a, const Shape& b) {
    x = random_floats(element_count(a), 1);
    w = random_floats(element_count(b), 2);
    out.resize(static_cast<std::size_t>(element_count(config.out)));
    for (const auto& candidate : candidates) {
      Constants constants;
      if (candidate.refuses(config).empty()) list.push_back(candidate.make(config, constants));
    }
  }
  std::vector<float> run() {
    std::vector<float> all;
    for (const auto& kernel : list) {
      const auto scratch = aligned_buffer(kernel->scratch_bytes() + 64);
      void* operands[] = {x.data(), w.data(), nullptr, out.data()};
      kernel->run(operands, scratch.get());
      all.insert(all.end(), out.begin(), out.end());
    }
    return all;
  }
};

std::unique_ptr<Kernels> conv(std::int64_t size) {
  auto kernels = std::make_unique<Kernels>();
  ConvConfig c{.x = {1, 16, size, 20}, .w = {16, 16, 3, 3}, .out = {1, 16, size, 20}, .group = 1};
  c.strides = c.dilations = c.pads_begin = c.pads_end = {1, 1};
  c.x_layout = c.out_layout = Layout::ChannelsLast;
  kernels->make(conv_candidates(), c, c.x, c.w);
  return kernels;
}
std::unique_ptr<Kernels> matmul(std::int64_t size) {
  auto kernels = std::make_unique<Kernels>();
  const MatMulConfig c{.a = {size, 64}, .b = {64, 80}, .out = {size, 80}};
  kernels->make(matmul_candidates(), c, c.a, c.b);
  return kernels;
}

void fork_amid(std::unique_ptr<Kernels> (*make)(std::int64_t)) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer's own allocator leaves its locks held in a child";
#endif
  base::parallel_for(8, [](std::int64_t) {});  // the pool exists, so that children do without one
  const auto shared = make(15);
  const std::vector<float> want = shared->run();
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      // `shared` has one output, which one thread writes; a child has its own.
      for (std::int64_t i = 0; !stop.load(); ++i) {
        if (t == 0)
          shared->run();
        else
          make(20 + t + i % 50 * 3)->run();
      }
    });
  }
  for (int i = 0; i < 25; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      const bool same = shared->run() == want;
      const bool made = !make(400 + i)->run().empty();
      _exit(same && made ? 0 : 1);
    }
    const int status = base::test::status_of(child, std::chrono::seconds(60));
    EXPECT_TRUE(base::test::ended_with(status, 0)) << i << ": status " << status;
    if (testing::Test::HasFailure()) break;
  }
  stop = true;
  for (std::thread& t : threads) t.join();
}

TEST(ForkedKernels, Convolutions) { fork_amid(conv); }
TEST(ForkedKernels, Products) { fork_amid(matmul); }

}  // namespace
}  // namespace norn::kernels
