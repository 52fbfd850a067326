// Shape and Size against the dimensions themselves, and the chain Shape, Gather, Concat, Reshape that models spell
// their dynamic shapes with.
#include "ops/tensor/shape/shape.h"

#include "norn/error.h"
#include "ops/common/case.h"
#include "ops/tensor/concat/concat.h"
#include "ops/tensor/gather/gather.h"
#include "ops/tensor/reshape/reshape.h"
#include "ops/tensor/shape/chain_test.h"
#include "ops/tensor/slice/slice.h"
#include "ops/tensor/squeeze/squeeze.h"

namespace norn::ops::test {
namespace {

using transform::make_attr;

void slice_of_shape(cases::Sample& s) {
  const auto& d = s.in(0).dims;
  const auto bound = [&](const char* name, double otherwise) {
    const double v = s.number(name, otherwise);
    return v < 0 ? v + static_cast<double>(d.size()) : v;
  };
  std::vector<double> picked;
  for (std::size_t i = 0; i < d.size(); ++i)
    if (static_cast<double>(i) >= bound("start", 0) && static_cast<double>(i) < bound("end", 99))
      picked.push_back(static_cast<double>(d[i]));
  s.out(0, {static_cast<std::int64_t>(picked.size())}) = picked;
}

const cases::Cases all("Shape",
                       {
                           {"Shape", "T[2,0,3]", "int64[3] 2 0 3"},
                           {"Shape", "T[2,3] random", "int64[2] 2 3"},
                           {"Size", "T[2,3] random", "int64[] 6"},
                           {"Shape", "float[] 1", "int64[0]"},
                           {"Size", "float[] 1", "int64[] 1"},
                           {"Shape-15.. start={-5|-4|-3|-2|-1|0|1|2|3|4|5} end={-5|-4|-3|-2|-1|0|1|2|3|4|5}",
                            "float[2,3,4] iota",
                            "int64",
                            {.formula = slice_of_shape, .down_to = 1}},
                           {"Shape-15", "float[2,3,4] iota", "int64[3] 2 3 4", {.to = 13, .becomes = "Shape-13"}},
                           {"Shape-25", "float[N,3,H]", "int64[3] N 3 H"},
                           {"Shape-25 start=-1", "float[N,3,H]", "int64[1] H"},
                           {"Size-25", "float[N,3,H]", "int64[] 3*N*H"},
                           {"Size-25", "float[N,0,H]", "int64[] 0"},
                           {"Shape-25", "float", "int64[?] unknown"},
                       });

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
