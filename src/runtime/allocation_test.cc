// Every allocation failing in turn, while a model is made ready and while it runs: each failure is an error, and what
// was there before works afterwards. An executable of its own, for it takes the place of the global operator new.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "norn/error.h"
#include "runtime/compiled_model.h"
#include "tests/support/model_builder.h"

namespace {

// Allocations until one fails; negative: none will.
std::atomic<long> g_left{-1};
std::atomic<bool> g_failed{false};

bool fails() {
  if (g_left.load(std::memory_order_relaxed) < 0) return false;
  if (g_left.fetch_sub(1, std::memory_order_relaxed) != 0) return false;
  g_failed = true;
  return true;
}

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (fails()) return nullptr;
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment + (bytes == 0 ? alignment : 0));
}
void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
  if (void* p = allocate(bytes, alignment)) return p;
  throw std::bad_alloc();
}

constexpr std::size_t kDefault = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

}  // namespace

void* operator new(std::size_t n) { return allocate_or_throw(n, kDefault); }
void* operator new[](std::size_t n) { return allocate_or_throw(n, kDefault); }
void* operator new(std::size_t n, std::align_val_t a) { return allocate_or_throw(n, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t n, std::align_val_t a) { return allocate_or_throw(n, static_cast<std::size_t>(a)); }
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, kDefault); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return allocate(n, kDefault); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace norn::runtime {
namespace {

using norn::test::graph_attr;
using norn::test::GraphBuilder;
using norn::test::ModelBuilder;
using ops::test::doubles;
using ops::test::random_tensor;
using ops::test::tensor;
using transform::make_attr;

using Feeds = std::vector<Feed>;

// Lets the k-th allocation of `work` fail, for each k until there are fewer; `after` is called each time, when nothing
// fails any more. Returns how many failures were met.
template <class Work, class After>
int fail_each(Work work, After after) {
  for (int k = 0;; ++k) {
    g_failed = false;
    g_left = k;
    bool error = false;
    try {
      work();
    } catch (const std::bad_alloc&) {
      error = true;
    } catch (const Error& e) {
      g_left = -1;
      error = true;
      EXPECT_NE(e.code(), ErrorCode::InvalidGraph) << k << ": " << e.what();
    }
    g_left = -1;
    after(k);
    if (!g_failed) {
      EXPECT_FALSE(error);
      return k;
    }
    if (testing::Test::HasFailure()) return k;
  }
}

// What runs do: kernels of our own, products, late sizes, a branch, a sequence, views, a fused chain.
ModelBuilder network() {
  GraphBuilder yes("yes"), no("no");
  yes.node("Add", {"picked", "one"}, {"t"}).output("t", "");
  no.node("Neg", {"picked"}, {"e"}).output("e", "");
  ModelBuilder m(18);
  m.input("x", "float[N,4]").input("c", "bool[]").initializer("one", tensor<float>({}, {1}));
  m.initializer("w", random_tensor(DataType::Float, {4, 8}, 1)).initializer("a", tensor<std::int64_t>({1}, {0}));
  m.initializer("flat", tensor<std::int64_t>({1}, {-1})).initializer("at", tensor<std::int64_t>({}, {0}));
  m.initializer("w2", random_tensor(DataType::Float, {8, 512}, 2))
      .initializer("w3", random_tensor(DataType::Float, {512, 64}, 3));
  m.initializer("k", random_tensor(DataType::Float, {16, 1, 3, 3}, 4))
      .initializer("image", tensor<std::int64_t>({4}, {-1, 1, 8, 8}));
  m.node("MatMul", {"x", "w"}, {"p"}).node("MatMul", {"p", "w2"}, {"p2"}).node("MatMul", {"p2", "w3"}, {"p3"});
  m.node("Reshape", {"p3", "image"}, {"im"}).node("Conv", {"im", "k"}, {"conv"}).node("Relu", {"conv"}, {"r"});
  m.node("GlobalAveragePool", {"r"}, {"pool"})
      .node("Softmax", {"pool"}, {"soft"}, {make_attr("axis", std::int64_t{1})});
  m.node("Reshape", {"x", "flat"}, {"f"}).node("NonZero", {"f"}, {"z"}).node("Squeeze", {"z", "a"}, {"i"});
  m.node("Gather", {"f", "i"}, {"picked"});
  m.node("If", {"c"}, {"y"}, {graph_attr("then_branch", yes.graph()), graph_attr("else_branch", no.graph())});
  m.node("Tanh", {"y"}, {"th"}).node("Mul", {"th", "one"}, {"out"});
  m.node("SequenceConstruct", {"out", "y"}, {"s"}).node("SequenceAt", {"s", "at"}, {"first"});
  m.output("soft").output("first").output("s");
  return m;
}

Feeds feeds(std::int64_t rows, bool condition) {
  Tensor c(DataType::Bool, {});
  *static_cast<bool*>(c.mutable_data()) = condition;
  return {{"x", random_tensor(DataType::Float, {rows, 4}, static_cast<unsigned>(rows))}, {"c", c}};
}

TEST(Allocation, EachFailureWhileLoading) {
  const ir::Model document = network().build();
  const Feeds some = feeds(6, true);
  const int failures = fail_each([&] { CompiledModel(document, {}, {}); },
                                 [&](int k) {
                                   if (k % 100 != 0) return;  // it is still possible
                                   EXPECT_EQ(CompiledModel(document, {}, {}).run(some, {}).size(), 3u);
                                 });
  EXPECT_GT(failures, 100);
}

// `make` gives the model for each failure: one that has run, or a fresh one.
template <class Make>
void each_failure_of_a_run(Make make, int least) {
  const Feeds some = feeds(6, true), others = feeds(9, false);
  const CompiledModel truth(network().build(), {}, {});
  const auto expected = truth.run(some, {}), expected_others = truth.run(others, {});
  std::unique_ptr<CompiledModel> model = make();
  const auto same = [](const std::vector<Value>& out, const std::vector<Value>& wanted) {
    for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(doubles(out[i].tensor()), doubles(wanted[i].tensor()));
  };
  const int failures = fail_each(
      [&] {
        const auto out = model->run(some, {});
        g_left = -1;  // a failure without an error must not have changed the answer
        same(out, expected);
      },
      [&](int k) {
        SCOPED_TRACE(k);
        same(model->run(others, {}), expected_others);
        same(model->run(some, {}), expected);
        if (auto next = make()) model = std::move(next);
      });
  EXPECT_GT(failures, least);
}

TEST(Allocation, EachFailureOfTheFirstRun) {
  const ir::Model document = network().build();
  each_failure_of_a_run(
      [&] { return std::make_unique<CompiledModel>(document, ir::ExternalReader{}, SessionOptions{}); }, 300);
}

TEST(Allocation, EachFailureOfALaterRun) {
  const ir::Model document = network().build();
  bool made = false;
  each_failure_of_a_run(
      [&]() -> std::unique_ptr<CompiledModel> {
        if (std::exchange(made, true)) return nullptr;
        auto model = std::make_unique<CompiledModel>(document, ir::ExternalReader{}, SessionOptions{});
        model->run(feeds(6, true), {});
        return model;
      },
      10);
}

// While a kernel is chosen for contents: the error has the node's place.
TEST(Allocation, AFailureWhileAKernelIsChosenHasAPlace) {
  ModelBuilder m(18);
  m.input("x", "float[64,100]").input("a", "int64[]").node("CumSum", {"x", "a"}, {"y"}).output("y");
  const ir::Model document = m.build();
  const Feeds some = {{"x", random_tensor(DataType::Float, {64, 100}, 1)}, {"a", tensor<std::int64_t>({}, {1})}};
  int placed = 0, without_place = 0;
  std::unique_ptr<CompiledModel> model;
  for (int k = 0;; ++k) {
    model = std::make_unique<CompiledModel>(document, ir::ExternalReader{}, SessionOptions{});
    g_failed = false;
    g_left = k;
    std::string what;
    try {
      model->run(some, {});
    } catch (const std::bad_alloc&) {
      ++without_place;
    } catch (const Error& e) {
      g_left = -1;
      what = e.what();
    }
    g_left = -1;
    if (!what.empty()) ++(what.find("CumSum") != std::string::npos ? placed : without_place);
    if (!g_failed) break;
  }
  // Of a model that runs one node without choosing, as many fail before or behind the step.
  model = std::make_unique<CompiledModel>(document, ir::ExternalReader{}, SessionOptions{.reference_only = true});
  const int around = fail_each([&] { model->run(some, {}); }, [](int) {});
  EXPECT_GT(placed, 50);
  EXPECT_LE(without_place, around);
}

}  // namespace
}  // namespace norn::runtime
