// Moves against index arithmetic; elements are their own position, so that a wrong one shows.
#include "kernels/cpu/movement.h"

#include <numeric>
#include <utility>

#include "kernels/cpu/guarded_test.h"
#include "kernels/cpu/kernel_test.h"
#include "kernels/cpu/reorder.h"
#include "kernels/cpu/transpose_loops.h"
#include "norn/error.h"

namespace norn::kernels {
namespace {

using namespace test;

// Elements of `bytes` bytes; each holds its index, and in the wider ones its complement above.
std::vector<std::uint8_t> numbered(std::int64_t n, std::size_t bytes, std::uint64_t from = 1) {
  std::vector<std::uint8_t> v(static_cast<std::size_t>(n) * bytes);
  for (std::int64_t i = 0; i < n; ++i) {
    std::uint64_t wide[2] = {from + static_cast<std::uint64_t>(i) * 2654435761u, ~static_cast<std::uint64_t>(i)};
    std::memcpy(v.data() + static_cast<std::size_t>(i) * bytes, wide, bytes);
  }
  return v;
}
std::vector<std::uint8_t> element(const std::vector<std::uint8_t>& v, std::int64_t i, std::size_t bytes) {
  const auto begin = v.begin() + i * static_cast<std::int64_t>(bytes);
  return {begin, begin + static_cast<std::int64_t>(bytes)};
}
Shape index_of(std::int64_t i, const Shape& dims) {
  Shape index(dims.size());
  for (std::size_t d = dims.size(); d-- > 0;) {
    index[d] = i % dims[d];
    i /= dims[d];
  }
  return index;
}
std::int64_t position(const Shape& index, const Shape& dims) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) at = at * dims[d] + index[d];
  return at;
}

template <class Config>
std::unique_ptr<Kernel> made(const Config& config, std::span<const Candidate<Config>> candidates) {
  Constants constants;
  EXPECT_EQ(candidates[0].refuses(config), "");
  return candidates[0].make(config, constants);
}

TEST(Movement, Transpose) {
  struct Case {
    Shape x;
    std::vector<std::int64_t> perm;
  };
  const Case cases[] = {{{}, {}},
                        {{5}, {0}},
                        {{5, 7}, {1, 0}},
                        {{5, 7}, {0, 1}},
                        {{2, 3, 4, 5}, {3, 1, 0, 2}},
                        {{1, 128, 12, 8}, {0, 2, 1, 3}},
                        {{1, 70, 3, 66}, {0, 2, 3, 1}},
                        {{2, 3, 65, 67}, {0, 2, 3, 1}},
                        {{4, 1, 6, 1}, {3, 2, 1, 0}},
                        {{3, 0, 4}, {2, 1, 0}},
                        {{130, 257}, {1, 0}},
                        {{6, 5, 2}, {1, 0, 2}},
                        {{2, 2, 2, 2, 2, 3}, {5, 3, 1, 4, 2, 0}},
                        {{2, 47, 34}, {0, 2, 1}},
                        {{1, 205, 161}, {0, 2, 1}},
                        {{3, 33, 99}, {2, 1, 0}},
                        {{1, 1100, 1000}, {0, 2, 1}},
                        {{300, 200, 4}, {1, 0, 2}},
                        {{3, 5, 12, 2, 3, 2}, {0, 3, 5, 1, 2, 4}},
                        {{2, 2, 3, 5, 40, 3}, {0, 3, 4, 1, 5, 2}},
                        {{700, 3, 2}, {0, 2, 1}},
                        {{50, 7, 3, 3}, {1, 0, 3, 2}},
                        {{9, 2, 2, 2, 3001}, {0, 4, 3, 1, 2}},
                        {{70, 90, 100}, {1, 0, 2}}};
  for (const Case& c : cases) {
    for (std::size_t bytes : {1u, 2u, 4u, 8u, 16u}) {
      TransposeConfig config{c.x, c.perm, bytes};
      Shape out;
      for (auto p : c.perm) out.push_back(c.x[static_cast<std::size_t>(p)]);
      auto x = numbered(element_count(c.x), bytes);
      const auto got =
          run_at_widths(*made(config, transpose_candidates()), {x.data()}, std::vector<std::uint8_t>(x.size(), 0));
      for (std::int64_t i = 0; i < element_count(out); ++i) {
        const Shape index = index_of(i, out);
        Shape from(c.x.size());
        for (std::size_t d = 0; d < out.size(); ++d) from[static_cast<std::size_t>(c.perm[d])] = index[d];
        ASSERT_EQ(element(got, i, bytes), element(x, position(from, c.x), bytes))
            << to_string(c.x) << " at " << i << " bytes " << bytes;
      }
    }
  }
}

// Blocks of few rows or columns, which are read and written in vectors: nothing outside of them is.
TEST(Movement, NarrowBlocks) {
  const Guarded in, out;
  for (const std::int64_t bytes : {1, 2, 4, 8}) {
    const auto block = transpose_loops(static_cast<std::size_t>(bytes)).block;
    for (std::int64_t few = 1; few <= 17; ++few) {
      for (const std::int64_t many : {1, 3, 8, 15, 16, 17, 19, 31, 40, 70}) {
        for (const bool tall : {false, true}) {
          for (const std::int64_t gap : {0, 1, 5}) {
            const std::int64_t rows = tall ? many : few, columns = tall ? few : many;
            const std::int64_t x_row = columns + gap, out_row = rows + gap;
            if (std::max(rows * x_row, columns * out_row) * bytes > 4096) continue;
            const std::int64_t n = (rows - 1) * x_row + columns, m = (columns - 1) * out_row + rows;
            for (const bool at_end : {false, true}) {
              auto* x = at_end ? in.last<std::uint8_t>(n * bytes) : in.first<std::uint8_t>();
              auto* y = at_end ? out.last<std::uint8_t>(m * bytes) : out.first<std::uint8_t>();
              const auto numbers = numbered(n, static_cast<std::size_t>(bytes));
              std::copy(numbers.begin(), numbers.end(), x);
              std::vector<std::uint8_t> expected(static_cast<std::size_t>(m * bytes), 0xaa);
              std::fill_n(y, m * bytes, 0xaa);
              for (std::int64_t r = 0; r < rows; ++r)
                for (std::int64_t c = 0; c < columns; ++c)
                  std::copy_n(x + (r * x_row + c) * bytes, bytes, expected.data() + (c * out_row + r) * bytes);
              block(x, x_row, y, out_row, rows, columns);
              ASSERT_TRUE(std::equal(expected.begin(), expected.end(), y))
                  << rows << " x " << columns << " gap " << gap << " bytes " << bytes;
            }
          }
        }
      }
    }
  }
}

TEST(Movement, Concat) {
  struct Case {
    std::vector<Shape> inputs;
    std::int64_t axis;
  };
  const Case cases[] = {{{{3}, {1}, {0}, {4}}, 0},
                        {{{2, 3}, {2, 5}}, 1},
                        {{{2, 3}, {4, 3}}, 0},
                        {{{2, 3, 4, 5}, {2, 7, 4, 5}, {2, 1, 4, 5}}, 1},
                        {{{1, 1, 768}, {1, 196, 768}}, 1},
                        {{{2, 3, 4, 5}}, 3}};
  for (const Case& c : cases) {
    for (Layout layout : {Layout::Dense, Layout::ChannelsLast}) {
      ConcatConfig config{c.inputs, c.axis, 4, layout};
      const std::size_t axis = static_cast<std::size_t>(c.axis);
      Shape out = c.inputs[0];
      out[axis] = 0;
      for (const Shape& s : c.inputs) out[axis] += s[axis];
      std::vector<std::vector<float>> x, laid;
      std::vector<void*> operands;
      for (std::size_t i = 0; i < c.inputs.size(); ++i) {
        x.push_back(random_floats(element_count(c.inputs[i]), static_cast<unsigned>(i)));
        laid.push_back(relaid(x[i], c.inputs[i], Layout::Dense, layout));
      }
      for (auto& v : laid) operands.push_back(v.data());
      const auto got = relaid(run_at_widths(*made(config, concat_candidates()), operands,
                                            std::vector<float>(static_cast<std::size_t>(element_count(out)))),
                              out, layout, Layout::Dense);
      for (std::int64_t i = 0; i < element_count(out); ++i) {
        Shape index = index_of(i, out);
        std::size_t which = 0;
        while (index[axis] >= c.inputs[which][axis]) index[axis] -= c.inputs[which++][axis];
        ASSERT_EQ(got[static_cast<std::size_t>(i)],
                  x[which][static_cast<std::size_t>(position(index, c.inputs[which]))])
            << i;
      }
    }
  }
}

// Runs of every small number of bytes, and rows that are copied one input after the other.
TEST(Movement, ConcatOfRows) {
  for (const std::int64_t rows : {1, 7, 700})
    for (std::int64_t run = 0; run <= 110; ++run)
      for (const std::int64_t beside : {run, std::int64_t{3}, std::int64_t{4200}}) {
        if (beside > 1000 && (rows > 7 || run % 9 != 0)) continue;
        const std::int64_t columns[] = {run, beside, 5};
        const ConcatConfig config{{{rows, run}, {rows, beside}, {rows, 5}}, 1, 1};
        std::vector<std::vector<std::uint8_t>> x;
        for (const std::int64_t n : columns) {
          x.emplace_back(static_cast<std::size_t>(rows * n));
          for (std::size_t i = 0; i < x.back().size(); ++i) x.back()[i] = static_cast<std::uint8_t>(i * 37 + x.size());
        }
        std::vector<std::uint8_t> want;
        for (std::int64_t r = 0; r < rows; ++r)
          for (std::size_t k = 0; k < 3; ++k)
            want.insert(want.end(), x[k].begin() + r * columns[k], x[k].begin() + (r + 1) * columns[k]);
        const auto got = run_at_widths(*made(config, concat_candidates()), {x[0].data(), x[1].data(), x[2].data()},
                                       std::vector<std::uint8_t>(want.size()));
        ASSERT_EQ(got, want) << rows << " rows of " << run << " and " << beside;
      }
}

TEST(Movement, StridedCopyIsSlicePadAndExpand) {
  for (std::size_t bytes : {1u, 2u, 4u, 8u, 16u}) {
    auto x = numbered(60, bytes);  // [3, 4, 5]
    {                              // x[:, 3::-2, 1:4]
      StridedCopyConfig config{.dims = {3, 2, 3},
                               .x_strides = {20, -10, 1},
                               .out_strides = {6, 3, 1},
                               .x_offset = 16,
                               .element_bytes = bytes};
      const auto got =
          run_at_widths(*made(config, strided_copy_candidates()), {x.data()}, std::vector<std::uint8_t>(18 * bytes));
      for (std::int64_t i = 0; i < 18; ++i) {
        const Shape at = index_of(i, {3, 2, 3});
        ASSERT_EQ(element(got, i, bytes), element(x, at[0] * 20 + (3 - 2 * at[1]) * 5 + at[2] + 1, bytes));
      }
    }
    {  // padded by 1 before and 2 after the last dimension
      StridedCopyConfig config{.dims = {12, 5},
                               .x_strides = {5, 1},
                               .out_strides = {8, 1},
                               .out_offset = 1,
                               .element_bytes = bytes,
                               .fill = true,
                               .out_elements = 96};
      config.fill_element.fill(std::byte{0x5a});
      const auto got =
          run_at_widths(*made(config, strided_copy_candidates()), {x.data()}, std::vector<std::uint8_t>(96 * bytes));
      for (std::int64_t i = 0; i < 96; ++i) {
        const bool inside = i % 8 >= 1 && i % 8 < 6;
        ASSERT_EQ(element(got, i, bytes),
                  inside ? element(x, i / 8 * 5 + i % 8 - 1, bytes) : std::vector<std::uint8_t>(bytes, 0x5a));
      }
    }
    {  // [3, 1, 5] -> [3, 700, 5]
      StridedCopyConfig config{
          .dims = {3, 700, 5}, .x_strides = {5, 0, 1}, .out_strides = {3500, 5, 1}, .element_bytes = bytes};
      const auto got =
          run_at_widths(*made(config, strided_copy_candidates()), {x.data()}, std::vector<std::uint8_t>(10500 * bytes));
      for (std::int64_t i = 0; i < 10500; ++i)
        ASSERT_EQ(element(got, i, bytes), element(x, i / 3500 * 5 + i % 5, bytes));
    }
  }
  StridedCopyConfig large{.dims = {300000}, .x_strides = {1}, .out_strides = {1}, .element_bytes = 4};
  auto x = numbered(300000, 4);
  EXPECT_EQ(run_at_widths(*made(large, strided_copy_candidates()), {x.data()}, std::vector<std::uint8_t>(x.size())), x);
}

TEST(Movement, Gather) {
  for (bool wide : {false, true}) {
    for (std::int64_t axis : {0, 1, 2}) {
      const Shape dims = {4, 7, 3};
      const std::int64_t size = dims[static_cast<std::size_t>(axis)];
      GatherConfig config{dims, {2, 3}, axis, 4, wide};
      std::vector<std::int64_t> values = {0, size - 1, -1, -size, 1, 2};
      std::vector<std::int32_t> narrow(values.begin(), values.end());
      void* indices = wide ? static_cast<void*>(values.data()) : narrow.data();
      auto x = random_floats(84, 3);
      Shape out = dims;
      out.erase(out.begin() + axis);
      out.insert(out.begin() + axis, {2, 3});
      auto kernel = made(config, gather_candidates());
      const auto got =
          run_at_widths(*kernel, {x.data(), indices}, std::vector<float>(static_cast<std::size_t>(element_count(out))));
      for (std::int64_t i = 0; i < element_count(out); ++i) {
        Shape at = index_of(i, out);
        const std::int64_t value = values[static_cast<std::size_t>(at[static_cast<std::size_t>(axis)] * 3 +
                                                                   at[static_cast<std::size_t>(axis) + 1])];
        Shape from = at;
        from.erase(from.begin() + axis);
        from[static_cast<std::size_t>(axis)] = (value + size) % size;
        ASSERT_EQ(got[static_cast<std::size_t>(i)], x[static_cast<std::size_t>(position(from, dims))]);
      }
      for (std::int64_t bad : {size, -size - 1, std::int64_t{1} << 30}) {
        values[4] = bad;
        narrow[4] = static_cast<std::int32_t>(bad);
        std::vector<float> out_data(got.size());
        void* operands[] = {x.data(), indices, out_data.data()};
        std::vector<std::int64_t> scratch(kernel->scratch_bytes() / sizeof(std::int64_t));
        EXPECT_THROW(kernel->run(operands, scratch.data()), Error);
      }
    }
  }
}

// Rows of a few bytes by many indices, which are checked before any is used.
TEST(Movement, GatherShortRows) {
  constexpr std::int64_t kRows = 37, kIndices = 100003;
  std::mt19937 engine(3);
  std::vector<std::int64_t> wide(static_cast<std::size_t>(kIndices));
  for (auto& i : wide) i = static_cast<std::int64_t>(engine() % (2 * kRows)) - kRows;
  std::vector<std::int32_t> narrow(wide.begin(), wide.end());
  for (const std::int64_t bytes : {1, 2, 3, 4, 5, 8, 12, 16, 17}) {
    auto x = numbered(kRows * bytes, 1);
    std::vector<std::uint8_t> want;
    for (const std::int64_t i : wide) {
      const auto from = x.begin() + (i < 0 ? i + kRows : i) * bytes;
      want.insert(want.end(), from, from + bytes);
    }
    for (const bool is_wide : {false, true}) {
      const auto kernel = made(GatherConfig{{kRows, bytes}, {kIndices}, 0, 1, is_wide}, gather_candidates());
      void* indices = is_wide ? static_cast<void*>(wide.data()) : narrow.data();
      EXPECT_EQ(run_at_widths(*kernel, {x.data(), indices}, std::vector<std::uint8_t>(want.size())), want);
      std::vector<std::uint8_t> out(want.size());
      void* operands[] = {x.data(), indices, out.data()};
      for (const std::int64_t bad : {kRows, -kRows - 1}) {
        const std::size_t at = 70001;
        const std::int64_t good = std::exchange(wide[at], bad);
        narrow[at] = static_cast<std::int32_t>(bad);
        EXPECT_THROW(kernel->run(operands, nullptr), Error);
        narrow[at] = static_cast<std::int32_t>(wide[at] = good);
      }
    }
  }
}

TEST(Movement, ReorderThereAndBack) {
  for (const Shape& dims : {Shape{1, 3, 17, 19}, Shape{2, 64, 9, 9}, Shape{1, 5, 7}, Shape{2, 3, 4, 5, 6}, Shape{3, 4},
                            Shape{1, 1, 5, 5}, Shape{1, 130, 130, 3}}) {
    for (Layout from : {Layout::Dense, Layout::ChannelsLast}) {
      for (Layout to : {Layout::Dense, Layout::ChannelsLast}) {
        auto x = random_floats(element_count(dims), 4);
        ReorderConfig config{dims, from, to};
        EXPECT_EQ(run_at_widths(*made(config, reorder_candidates()), {x.data()}, std::vector<float>(x.size())),
                  relaid(x, dims, from, to))
            << to_string(dims);
      }
    }
  }
}

}  // namespace
}  // namespace norn::kernels
