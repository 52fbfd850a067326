// Shape and Size against the dimensions themselves, and the chain Shape, Gather, Concat, Reshape that models spell
// their dynamic shapes with.
#include "ops/tensor/shape/shape.h"

#include "norn/error.h"
#include "ops/tensor/concat/concat.h"
#include "ops/tensor/gather/gather.h"
#include "ops/tensor/reshape/reshape.h"
#include "ops/tensor/shape/chain_test.h"
#include "ops/tensor/slice/slice.h"
#include "ops/tensor/squeeze/squeeze.h"

namespace norn::ops::test {
namespace {

using transform::make_attr;

TEST(Shape, GivesDimensionsOfEveryType) {
  for (const DataType t : types_of(Shape)) {
    EXPECT_EQ(ints(run_and_check(Shape, 25, {}, {random_tensor(t, {2, 0, 3}, 1)})[0]),
              (std::vector<std::int64_t>{2, 0, 3}));
    EXPECT_EQ(ints(run_and_check(Size, 25, {}, {random_tensor(t, {2, 3}, 1)})[0]), std::vector<std::int64_t>{6});
  }
  EXPECT_EQ(run_and_check(Shape, 13, {}, {tensor<float>({}, {1})})[0].tensor().dims(), norn::Shape{0});
  EXPECT_EQ(ints(run_and_check(Size, 13, {}, {tensor<float>({}, {1})})[0]), std::vector<std::int64_t>{1});
}

TEST(Shape, StartAndEndAreClampedLikePythonSlices) {
  const Tensor x = iota(DataType::Float, {2, 3, 4});
  const std::vector<std::int64_t> dims = {2, 3, 4};
  for (std::int64_t start = -5; start <= 5; ++start) {
    for (std::int64_t end = -5; end <= 5; ++end) {
      std::vector<std::int64_t> expected;
      for (std::int64_t i = 0; i < 3; ++i) {
        const std::int64_t first = start < 0 ? start + 3 : start, last = end < 0 ? end + 3 : end;
        if (i >= first && i < last) expected.push_back(dims[static_cast<std::size_t>(i)]);
      }
      const Attributes attrs = {make_attr("start", start), make_attr("end", end)};
      EXPECT_EQ(ints(run_and_check(Shape, 15, attrs, {x})[0]), expected) << start << ":" << end;
      const std::vector<Operand> in = {{x}};
      EXPECT_EQ(ints(run_moved(moved(Shape, 15, 13, attrs, in), in)), expected) << start << ":" << end;
    }
  }
  EXPECT_EQ(moved(Shape, 15, 13, {}, {{x}}).nodes.size(), 1u);
}

TEST(Shape, SymbolicContents) {
  Chain chain;
  EXPECT_EQ(chain(Shape, 25, {}, {fact("float[N,3,H]")}).contents(), "[N,3,H]");
  EXPECT_EQ(chain(Shape, 25, {make_attr("start", std::int64_t{-1})}, {fact("float[N,3,H]")}).contents(), "[H]");
  EXPECT_EQ(chain(Size, 25, {}, {fact("float[N,3,H]")}).contents(), "[3*H*N]");
  EXPECT_EQ(chain(Size, 25, {}, {fact("float[N,0,H]")}).contents(), "[0]");
  const Fact unknown = chain(Shape, 25, {}, {fact("float")});
  EXPECT_EQ(unknown.type.elem, DataType::Int64);
  EXPECT_EQ(unknown.type.shape->size(), 1u);
  EXPECT_EQ(unknown.contents(), "?");
}

TEST(Shape, DynamicReshapeOfAttentionHeads) {
  // x [batch, seq, 768] to [batch, seq, 12, 64] the way exporters write it.
  Chain chain;
  const Fact x = fact("float[batch,seq,768]");
  const Fact shape = chain(Shape, 17, {}, {x});
  std::vector<Fact> parts;
  for (const std::int64_t i : {0, -2}) {
    const Fact one = chain(Gather, 17, {make_attr("axis", std::int64_t{0})}, {shape, int_fact(i)});
    EXPECT_EQ(one.shape(), "[]");
    parts.push_back(chain(Unsqueeze, 17, {}, {one, ints_fact({0})}));
  }
  parts.push_back(ints_fact({12}));
  parts.push_back(ints_fact({-1}));
  const Fact target = chain(Concat, 17, {make_attr("axis", std::int64_t{0})}, parts);
  EXPECT_EQ(target.contents(), "[batch,seq,12,-1]");
  EXPECT_EQ(chain(Reshape, 17, {}, {x, target}).shape(), "[batch,seq,12,64]");
}

TEST(Shape, FlattenedByItsOwnSize) {
  Chain chain;
  const Fact x = fact("float[N,C,H,W]");
  const Fact shape = chain(Shape, 17, {}, {x});
  const Fact front = chain(Slice, 17, {}, {shape, ints_fact({0}), ints_fact({2}), ints_fact({0})});
  EXPECT_EQ(front.contents(), "[N,C]");
  const Fact target = chain(Concat, 17, {make_attr("axis", std::int64_t{0})}, {front, ints_fact({-1})});
  EXPECT_EQ(chain(Reshape, 17, {}, {x, target}).shape(), "[N,C,H*W]");
  const Fact last = chain(Slice, 17, {}, {shape, ints_fact({-1}), ints_fact({INT64_MAX}), ints_fact({0})});
  EXPECT_EQ(chain(Squeeze, 17, {}, {last}).contents(), "[W]");
}

}  // namespace
}  // namespace norn::ops::test
