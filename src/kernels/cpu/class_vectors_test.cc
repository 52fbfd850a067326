// Class numbers as vectors, against the comparison of every coordinate with its class.
#include "kernels/cpu/class_vectors.h"

#include <limits>

#include "kernels/cpu/kernel_test.h"

namespace norn::kernels {
namespace {

using namespace test;

template <class T, class I>
void check(DataType classes) {
  struct Size {
    std::int64_t outer, depth, inner;
  };
  for (const Size& size : {Size{1, 1, 1},
                           {1, 7, 3},
                           {3, 5, 1},
                           {300, 1000, 1},
                           {5000, 2, 1},
                           {1, 40, 4097},
                           {2, 3000, 130},
                           {3, 9, 20000},
                           {7, 30000, 1},
                           {3, 4, 5}}) {
    std::mt19937_64 engine(4);
    std::vector<I> x(static_cast<std::size_t>(size.outer * size.inner));
    for (I& v : x)
      v = static_cast<I>(static_cast<std::int64_t>(engine() % static_cast<unsigned>(3 * size.depth)) - size.depth);
    x.front() = std::numeric_limits<I>::min();
    x.back() = std::numeric_limits<I>::max();
    std::vector<T> values = {T{3}, T{11}};
    const ClassVectorsConfig c{classes, size.outer, size.depth, size.inner, sizeof(T)};
    ASSERT_EQ(class_vectors_candidates()[0].refuses(c), "");
    Constants constants;
    const auto got =
        run_at_widths(*class_vectors_candidates()[0].make(c, constants), {x.data(), values.data()},
                      std::vector<T>(static_cast<std::size_t>(size.outer * size.depth * size.inner), T{7}));
    for (std::int64_t at = 0; at < static_cast<std::int64_t>(got.size()); ++at) {
      const std::int64_t i = at % size.inner, k = at / size.inner % size.depth, o = at / size.inner / size.depth;
      const I v = x[static_cast<std::size_t>(o * size.inner + i)];
      bool on = v >= 0 && static_cast<std::uint64_t>(v) == static_cast<std::uint64_t>(k);
      if constexpr (std::is_signed_v<I>) on = on || static_cast<std::int64_t>(v) == k - size.depth;
      ASSERT_EQ(got[static_cast<std::size_t>(at)], values[on ? 1 : 0]) << o << " " << k << " " << i;
    }
  }
}

TEST(ClassVectors, EveryTypeAndAxis) {
  check<float, std::int64_t>(DataType::Int64);
  check<std::uint8_t, std::int32_t>(DataType::Int32);
  check<std::uint16_t, std::uint64_t>(DataType::Uint64);
  check<double, std::int32_t>(DataType::Int32);
}

TEST(ClassVectors, RefusesWhatItCannot) {
  const auto& refuses = class_vectors_candidates()[0].refuses;
  EXPECT_NE(refuses({DataType::Float, 1, 2, 3, 4}), "");
  EXPECT_NE(refuses({DataType::Int64, 1, 0, 3, 4}), "");
  EXPECT_NE(refuses({DataType::Int64, 1, 2, 3, 16}), "");
  EXPECT_NE(refuses({DataType::Int64, std::int64_t{1} << 40, std::int64_t{1} << 40, 1, 4}), "");
}

}  // namespace
}  // namespace norn::kernels
