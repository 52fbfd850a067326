#include "ops/common/shapes.h"

#include <gtest/gtest.h>

#include "norn/error.h"
#include "transform/version_step.h"

namespace norn::ops {
namespace {

using opset::Attr;
using opset::DimExpr;
using opset::Dims;
using transform::make_attr;

constexpr Attr kPoolAttrs[] = {
    {.name = "auto_pad", .type = ir::AttributeType::String, .def = opset::def_string("NOTSET")},
    {.name = "dilations", .type = ir::AttributeType::Ints},
    {.name = "kernel_shape", .type = ir::AttributeType::Ints},
    {.name = "pads", .type = ir::AttributeType::Ints},
    {.name = "strides", .type = ir::AttributeType::Ints},
};
constexpr opset::Schema kPool = {.since = 1, .attrs = kPoolAttrs};
using Ints = std::vector<std::int64_t>;

struct Engine final : opset::InferContext::Engine {
  int fresh = 0;
  DimExpr fresh_dim(std::string_view) override { return DimExpr::variable("?" + std::to_string(fresh++)); }
  DimExpr fresh_int(std::string_view) override { return DimExpr::variable("?" + std::to_string(fresh++) + "~"); }
  void equal(const DimExpr&, const DimExpr&, std::string_view) override {}
  std::vector<opset::Fact> infer_subgraph(std::string_view, std::span<const opset::Fact>) override { return {}; }
};

std::string symbolic(std::vector<ir::Attribute> attributes, Dims in, Dims kernel, bool ceil_mode) {
  Engine engine;
  opset::InferContext ctx(opset::Attrs(kPool, attributes), {}, {}, engine);
  return to_string(window_output(ctx, in, kernel, ceil_mode));
}

TEST(Broadcast, Concrete) {
  EXPECT_EQ(broadcast(Shape{2, 1, 4}, Shape{3, 1}), (Shape{2, 3, 4}));
  EXPECT_EQ(broadcast(Shape{}, Shape{0, 2}), (Shape{0, 2}));
  EXPECT_EQ(broadcast(Shape{0}, Shape{1}), Shape{0});
  EXPECT_THROW(broadcast(Shape{2}, Shape{3}), Error);
  EXPECT_THROW(broadcast(Shape{2}, Shape{0}), Error);
  EXPECT_EQ(broadcast_strides({3, 1}, {2, 3, 4}), (Ints{0, 1, 0}));
  EXPECT_EQ(dense_strides({2, 3, 4}), (Ints{12, 4, 1}));
}

TEST(Broadcast, Symbolic) {
  Engine engine;
  opset::InferContext ctx(opset::Attrs(kPool, {}), {}, {}, engine);
  const DimExpr n = DimExpr::variable("N"), m = DimExpr::variable("M");
  EXPECT_EQ(to_string(broadcast(ctx, {n, 1, 3}, {m, 1})), "[N,M,3]");
  EXPECT_EQ(to_string(broadcast(ctx, {n}, {m})), "[?0]");
  EXPECT_EQ(to_string(broadcast(ctx, {4}, {m})), "[4]");
  EXPECT_EQ(to_string(broadcast(ctx, {m}, {0})), "[0]");
  EXPECT_EQ(to_string(broadcast(ctx, {}, {n, m})), "[N,M]");
  EXPECT_THROW(broadcast(ctx, {2}, {3}), Error);
  // Rows cut from a table: as many as there are, or the sum is refused. A cut to one row broadcasts.
  EXPECT_EQ(to_string(broadcast(ctx, {n, 4}, {DimExpr::min(n, 512), 4})), "[N,4]");
  EXPECT_EQ(to_string(broadcast(ctx, {DimExpr::min(n + m, 2)}, {n + m})), "[M + N]");
  EXPECT_EQ(to_string(broadcast(ctx, {DimExpr::min(n, 1)}, {n})), "[?1]");
  EXPECT_EQ(to_string(broadcast(ctx, {DimExpr::min(n, 512)}, {m})), "[?2]");
}

TEST(Odometer, WalksInRowMajorOrder) {
  Ints seen;
  for (Odometer at({2, 3}, {{3, 1}, {0, 10}}); !at.done(); at.next()) {
    seen.push_back(at.offset(0) + at.offset(1));
    EXPECT_EQ(at.offset(0), at.index()[0] * 3 + at.index()[1]);
  }
  EXPECT_EQ(seen, (Ints{0, 11, 22, 3, 14, 25}));
  int count = 0;
  for (Odometer at({}, {{}}); !at.done(); at.next()) ++count;
  EXPECT_EQ(count, 1);
  EXPECT_TRUE(Odometer({2, 0}, {{0, 1}}).done());
}

// The window's definition, by counting: starts 0, s, 2s, ... whose window lies within the padded input.
std::int64_t count_windows(std::int64_t in, std::int64_t begin, std::int64_t end, std::int64_t extent, std::int64_t s,
                           bool ceil_mode) {
  std::int64_t count = 0;
  for (std::int64_t start = 0;; start += s, ++count) {
    const bool whole = start + extent <= in + begin + end;
    // A partial window counts under ceil_mode if the step before it was whole and it starts before the end padding.
    const bool partial = ceil_mode && (start == 0 || start - s + extent < in + begin + end) && start < in + begin;
    if (!whole && !partial) return count;
  }
}

TEST(Window, CountsWindows) {
  for (std::int64_t in = 4; in < 12; ++in) {
    for (std::int64_t k = 1; k <= 3; ++k) {
      for (std::int64_t s = 1; s <= 3; ++s) {
        for (std::int64_t d = 1; d <= 2; ++d) {
          for (std::int64_t pad = 0; pad < k; ++pad) {
            for (bool ceil_mode : {false, true}) {
              const std::int64_t extent = (k - 1) * d + 1;
              if (extent > in) continue;
              const std::vector<ir::Attribute> attributes = {
                  make_attr("kernel_shape", Ints{k}), make_attr("strides", Ints{s}), make_attr("dilations", Ints{d}),
                  make_attr("pads", Ints{pad, 0})};
              const Ints sizes = {in};
              const Window w = resolve_window(opset::Attrs(kPool, attributes), sizes, {}, ceil_mode);
              EXPECT_EQ(w.out[0], count_windows(in, pad, 0, extent, s, ceil_mode))
                  << in << " k" << k << " s" << s << " d" << d << " p" << pad << " ceil " << ceil_mode;
              EXPECT_EQ(symbolic(attributes, {in}, {}, ceil_mode), to_string(Shape{w.out[0]}));
            }
          }
        }
      }
    }
  }
}

TEST(Window, SamePadding) {
  for (const char* mode : {"SAME_UPPER", "SAME_LOWER"}) {
    const std::vector<ir::Attribute> attributes = {make_attr("auto_pad", std::string(mode)),
                                                   make_attr("strides", Ints{2, 2})};
    const Ints sizes = {5, 6};
    const Window w = resolve_window(opset::Attrs(kPool, attributes), sizes, {3, 3}, false);
    EXPECT_EQ(w.out, (Ints{3, 3}));
    const bool upper = std::string_view(mode) == "SAME_UPPER";
    EXPECT_EQ(w.pads_begin, upper ? (Ints{1, 0}) : (Ints{1, 1}));
    EXPECT_EQ(w.pads_end, upper ? (Ints{1, 1}) : (Ints{1, 0}));
    EXPECT_EQ(symbolic(attributes, {DimExpr::variable("H"), 6}, {}, false), "[floor((H + 1)/2),3]");
  }
}

TEST(Window, SymbolicSizes) {
  const DimExpr h = DimExpr::variable("H"), k = DimExpr::variable("k");
  EXPECT_EQ(symbolic({make_attr("strides", Ints{2}), make_attr("pads", Ints{1, 1})}, {h}, {3}, false),
            "[floor((H + 1)/2)]");
  EXPECT_EQ(symbolic({}, {h}, {k}, false), "[H - k + 1]");
  EXPECT_EQ(symbolic({make_attr("auto_pad", std::string("VALID"))}, {h}, {3}, false), "[H - 2]");
  EXPECT_EQ(symbolic({}, {h}, {}, false), "[?0]");
}

TEST(Window, Errors) {
  const Ints sizes = {4, 4};
  const auto resolve = [&](std::vector<ir::Attribute> attributes, Ints kernel) {
    return resolve_window(opset::Attrs(kPool, attributes), sizes, std::move(kernel), false);
  };
  EXPECT_THROW(resolve({}, {3}), Error);
  EXPECT_THROW(resolve({}, {7, 7}), Error);
  EXPECT_THROW(resolve({make_attr("strides", Ints{0, 1})}, {1, 1}), Error);
  EXPECT_THROW(resolve({make_attr("strides", Ints{1})}, {1, 1}), Error);
  EXPECT_THROW(resolve({make_attr("pads", Ints{1, 1})}, {1, 1}), Error);
  EXPECT_THROW(resolve({make_attr("auto_pad", std::string("SAME"))}, {1, 1}), Error);
  EXPECT_THROW(resolve({make_attr("dilations", Ints{INT64_MAX, 1})}, {3, 3}), Error);
  EXPECT_EQ(resolve({}, {4, 1}).out, (Ints{1, 4}));
}

}  // namespace
}  // namespace norn::ops
