// Slices that are chosen, against a walk over all of them.
#include "kernels/cpu/compress.h"

#include <random>

#include "kernels/cpu/kernel_test.h"
#include "kernels/late_output.h"

namespace norn::kernels {
namespace {

using namespace test;

class Bytes final : public LateOutput {
 public:
  explicit Bytes(std::size_t element_bytes) : size_(element_bytes) {}
  void* allocate(const Shape& dims) override {
    this->dims = dims;
    bytes.assign(static_cast<std::size_t>(element_count(dims)) * size_, 0xee);
    return bytes.data();
  }
  Shape dims;
  std::vector<std::uint8_t> bytes;

 private:
  std::size_t size_;
};

TEST(Compress, Slices) {
  std::mt19937 engine(1);
  for (const auto& [outer, n, inner] : {std::tuple<std::int64_t, std::int64_t, std::int64_t>{1, 20011, 1},
                                        {3, 9001, 1},
                                        {2000, 5, 3},
                                        {700, 2, 1},
                                        {7, 33, 40},
                                        {2, 3, 5000},
                                        {0, 3, 2},
                                        {4, 0, 2}})
    for (const std::size_t size : {1u, 2u, 4u, 8u, 16u})
      for (const unsigned tenths : {0u, 3u, 9u, 10u}) {
        std::vector<std::uint8_t> condition(static_cast<std::size_t>(n - n / 4)), want;
        for (auto& c : condition) c = engine() % 10 < tenths ? 1 : 0;
        const auto block = static_cast<std::size_t>(inner) * size;
        std::vector<std::uint8_t> x(static_cast<std::size_t>(outer * n) * block);
        for (auto& v : x) v = static_cast<std::uint8_t>(engine());
        for (std::size_t row = 0; row < static_cast<std::size_t>(outer); ++row)
          for (std::size_t k = 0; k < condition.size(); ++k)
            if (const auto from =
                    x.begin() + static_cast<std::ptrdiff_t>((row * static_cast<std::size_t>(n) + k) * block);
                condition[k])
              want.insert(want.end(), from, from + static_cast<std::ptrdiff_t>(block));
        const CompressConfig c{outer, n, inner, std::ssize(condition), {outer, n, inner}, 1, size};
        ASSERT_EQ(compress_candidates()[0].refuses(c), "");
        Constants constants;
        const auto kernel = compress_candidates()[0].make(c, constants);
        for (const int width : {1, 3}) {
          const base::ParallelWidth w(width);
          Bytes out(size);
          void* operands[] = {x.data(), condition.data(), static_cast<LateOutput*>(&out)};
          kernel->run(operands, nullptr);
          ASSERT_EQ(out.dims, (Shape{outer, std::count(condition.begin(), condition.end(), 1), inner}));
          ASSERT_EQ(out.bytes, want) << outer << ' ' << n << ' ' << inner << " bytes " << size;
        }
      }
}

TEST(Compress, RefusesWhatHasToFail) { EXPECT_NE(compress_candidates()[0].refuses({1, 3, 1, 4, {3}, 0, 4}), ""); }

}  // namespace
}  // namespace norn::kernels
