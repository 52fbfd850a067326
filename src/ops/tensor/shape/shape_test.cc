// Shape and Size against the dimensions themselves, and the chain Shape, Gather, Concat, Reshape that models spell
// their dynamic shapes with.
#include "ops/tensor/shape/shape.h"

#include "norn/error.h"
#include "ops/common/case.h"
#include "ops/logical/compare/compare.h"
#include "ops/math/expand/expand.h"
#include "ops/tensor/concat/concat.h"
#include "ops/tensor/gather/gather.h"
#include "ops/tensor/reshape/reshape.h"
#include "ops/tensor/shape/chain_test.h"
#include "ops/tensor/slice/slice.h"
#include "ops/tensor/squeeze/squeeze.h"
#include "ops/tensor/where/where.h"

namespace norn::ops::test {
inline namespace shape_test_cc {
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

// A shape in which -1 stands for "as it is", the way exporters write torch's expand(): sizes are never negative.
TEST(Shape, ExpandedWhereTheShapeSaysMinusOne) {
  Chain chain;
  const Fact batch = chain(Gather, 17, {make_attr("axis", std::int64_t{0})},
                           {chain(Shape, 17, {}, {fact("float[batch,seq]")}), ints_fact({0})});
  const Fact target = chain(Concat, 17, {make_attr("axis", std::int64_t{0})}, {batch, ints_fact({-1, 7, -1})});
  EXPECT_EQ(target.contents(), "[batch,-1,7,-1]");
  const Fact same = chain(Equal, 17, {}, {target, ints_fact({-1, -1, -1, -1})});
  EXPECT_EQ(doubles(same.value.constant), (std::vector<double>{0, 1, 0, 1}));
  const Fact shape = chain(Where, 17, {}, {same, ints_fact({1}), target});
  EXPECT_EQ(shape.contents(), "[batch,1,7,1]");
  EXPECT_EQ(chain(Expand, 17, {}, {fact("float[1,seq,1,4]"), shape}).shape(), "[batch,seq,7,4]");
}

TEST(Shape, ComparedAsFarAsSizesTell) {
  Chain chain;
  using opset::DimExpr;
  const DimExpr n = DimExpr::variable("N"), m = DimExpr::variable("M");
  const Fact a = symbols({n, n + 1, 3, n}), b = symbols({n + 2, n, 3, -5});
  const auto bools = [&](const opset::Operator& op) { return doubles(chain(op, 17, {}, {a, b}).value.constant); };
  EXPECT_EQ(bools(Less), (std::vector<double>{1, 0, 0, 0}));
  EXPECT_EQ(bools(LessOrEqual), (std::vector<double>{1, 0, 1, 0}));
  EXPECT_EQ(bools(Greater), (std::vector<double>{0, 1, 0, 1}));
  EXPECT_EQ(bools(GreaterOrEqual), (std::vector<double>{0, 1, 1, 1}));
  EXPECT_EQ(bools(Equal), (std::vector<double>{0, 0, 1, 0}));
  // N may be M, and N may be 0.
  for (const opset::Operator* op : {&Equal, &Less, &Greater, &LessOrEqual, &GreaterOrEqual}) {
    EXPECT_FALSE(chain(*op, 17, {}, {symbols({n}), symbols({m})}).value.constant.defined());
    EXPECT_EQ(chain(*op, 17, {}, {symbols({n}), int_fact(0)}).value.constant.defined(),
              op == &Less || op == &GreaterOrEqual);
  }
  const Fact unknown = fact("bool[]");
  EXPECT_EQ(chain(Where, 17, {}, {unknown, symbols({n, 2}), symbols({n, 2})}).contents(), "[N,2]");
  EXPECT_EQ(chain(Where, 17, {}, {unknown, symbols({n, 2}), symbols({n, 3})}).contents().substr(0, 4), "[N,?");
}

}  // namespace
}  // namespace shape_test_cc
}  // namespace norn::ops::test
