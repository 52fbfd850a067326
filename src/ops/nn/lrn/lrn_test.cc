#include "ops/nn/lrn/lrn.h"

#include <cmath>

#include "norn/error.h"
#include "ops/common/slice_test.h"

namespace norn::ops {
namespace {

using namespace test;
using transform::make_attr;

TEST(LRN, SumsNeighbouringChannels) {
  for (DataType t : {DataType::Float16, DataType::BFloat16, DataType::Float, DataType::Double}) {
    SCOPED_TRACE(data_type_name(t));
    const Tensor x = tensor_of(t, {1, 4, 1}, {1, 2, 3, 4});
    const double tolerance = t == DataType::BFloat16 ? 1e-2 : t == DataType::Float16 ? 1e-3 : 1e-6;
    for (std::int64_t size : {1, 2, 3, 100}) {
      const Attributes attrs = {make_attr("size", size), make_attr("alpha", 0.5f), make_attr("beta", 0.5f),
                                make_attr("bias", 2.0f)};
      const auto y = doubles(run_and_check(LRN, 13, attrs, {x})[0].tensor());
      for (int c = 0; c < 4; ++c) {
        double squares = 0;
        for (int k = 0; k < 4; ++k) {
          if (k >= c - (size - 1) / 2 && k <= c + size / 2) squares += (k + 1.0) * (k + 1.0);
        }
        const double expected = (c + 1) / std::sqrt(2 + 0.5 / static_cast<double>(size) * squares);
        EXPECT_NEAR(y[static_cast<std::size_t>(c)], expected, tolerance * expected) << "size " << size;
      }
    }
  }
}

TEST(LRN, EdgesOfTheSchema) {
  EXPECT_EQ(run_and_check(LRN, 1, {make_attr("size", std::int64_t{3})}, {Tensor(DataType::Float, {0, 2, 2})})[0]
                .tensor()
                .dims(),
            (Shape{0, 2, 2}));
  EXPECT_THROW(infer(LRN, 13, {make_attr("size", std::int64_t{0})}, {type("float[1,2,3]")}), Error);
  EXPECT_THROW(infer(LRN, 13, {make_attr("size", std::int64_t{1})}, {type("float[1]")}), Error);
}

}  // namespace
}  // namespace norn::ops
