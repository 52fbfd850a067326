#include "runtime/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace norn::runtime {
namespace {

std::size_t end_of(const Block& b) { return b.offset + std::max<std::size_t>(b.bytes, 1); }

// Whether both need memory at some step; one made in place of the other shares the step at which they meet.
bool meet(const Block& a, const Block& b) {
  if (a.in_place && b.yields && a.first == b.last && a.offset == b.offset && a.bytes == b.bytes && b.first < a.first)
    return false;
  return a.first <= b.last && b.first <= a.last;
}

TEST(Arena, WhatIsNeededTogetherLiesApart) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const std::size_t steps = 1 + random() % 40;
    std::vector<Block> blocks(random() % 60);
    std::size_t all = 0;
    for (Block& b : blocks) {
      b.bytes = random() % 3 ? random() % 5 * 64 : random() % 1000;
      b.first = static_cast<std::int64_t>(random() % steps);
      b.last = b.first + static_cast<std::int64_t>(random() % (steps - static_cast<std::size_t>(b.first)));
      if (random() % 10 == 0) b.last = kForever;
      b.in_place = random() % 2;
      b.yields = random() % 3 != 0;
      all += (b.bytes + 2 * kArenaAlign) / kArenaAlign * kArenaAlign;
    }
    const std::size_t size = lay_out(blocks, steps);
    EXPECT_LE(size, all);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      EXPECT_EQ(blocks[i].offset % kArenaAlign, 0u);
      EXPECT_LE(end_of(blocks[i]), size);
      for (std::size_t k = 0; k < i; ++k) {
        if (!meet(blocks[i], blocks[k]) || !meet(blocks[k], blocks[i])) continue;
        EXPECT_TRUE(end_of(blocks[i]) <= blocks[k].offset || end_of(blocks[k]) <= blocks[i].offset)
            << "round " << round << ": blocks " << k << " and " << i;
      }
    }
  }
}

TEST(Arena, MemoryIsUsedAgain) {
  // A chain: each block is read by the step that writes the next, so two places do.
  std::vector<Block> chain;
  for (std::int64_t step = 0; step < 9; ++step) chain.push_back({.bytes = 1000, .first = step, .last = step + 1});
  EXPECT_EQ(lay_out(chain, 10), 2 * 1024u);
  for (Block& b : chain) b.in_place = true;
  EXPECT_EQ(lay_out(chain, 10), 1024u);
  for (Block& b : chain) b.yields = false;
  EXPECT_EQ(lay_out(chain, 10), 2 * 1024u);
  // Two blocks made in place cannot both have the one that dies.
  std::vector<Block> two{{.bytes = 64, .first = 0, .last = 1},
                         {.bytes = 64, .first = 1, .last = 2, .in_place = true},
                         {.bytes = 64, .first = 1, .last = 2, .in_place = true}};
  EXPECT_EQ(lay_out(two, 3), 128u);
  EXPECT_NE(two[1].offset, two[2].offset);
  // Freed neighbours make room for one larger block.
  std::vector<Block> merged{{.bytes = 64, .first = 0, .last = 0},
                            {.bytes = 64, .first = 0, .last = 0},
                            {.bytes = 128, .first = 1, .last = 1}};
  EXPECT_EQ(lay_out(merged, 2), 128u);
  EXPECT_EQ(lay_out({}, 5), 0u);
}

TEST(Arena, WhatStaysIsNotOverwritten) {
  std::vector<Block> blocks{{.bytes = 64, .first = 0, .last = kForever},
                            {.bytes = 64, .first = 1, .last = 1, .in_place = true},
                            {.bytes = 64, .first = 2, .last = 2}};
  EXPECT_EQ(lay_out(blocks, 3), 128u);
  EXPECT_NE(blocks[0].offset, blocks[1].offset);
  EXPECT_NE(blocks[0].offset, blocks[2].offset);
}

}  // namespace
}  // namespace norn::runtime
