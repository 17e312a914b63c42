// Every order goes through each tile of any grid once; Hilbert's curve makes no jump in a square;
// and the model counts what can be counted by hand.
#include "orders.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

namespace {

void expect_all_once(const Order& order, int down, int across, const char* name) {
  std::set<std::pair<int, int>> seen;
  for (const Tile& t : order) {
    EXPECT_TRUE(t.row >= 0 && t.row < down && t.column >= 0 && t.column < across) << name;
    seen.insert({t.row, t.column});
  }
  EXPECT_EQ(seen.size(), order.size()) << name << ": a tile is made twice";
  EXPECT_EQ(order.size(), static_cast<std::size_t>(down) * across) << name;
}

TEST(Orders, GoThroughEveryTileOnce) {
  for (int down = 0; down < 20; ++down)
    for (int across = 0; across < 20; ++across) {
      expect_all_once(row_major(down, across), down, across, "row_major");
      for (const int group : {1, 3, 8, 100})
        expect_all_once(grouped(down, across, group), down, across, "grouped");
      expect_all_once(hilbert(down, across), down, across, "hilbert");
    }
  expect_all_once(hilbert(3, 260), 3, 260, "hilbert");
}

TEST(Orders, AGroupOfOneIsARow) { EXPECT_EQ(grouped(5, 7, 1), row_major(5, 7)); }

TEST(Orders, TheLastGroupMayBeLower) {
  const Order want = {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}, {2, 1}};
  EXPECT_EQ(grouped(3, 2, 2), want);
}

TEST(Orders, HilbertsCurveMakesNoJumpInASquare) {
  for (const int side : {2, 4, 8, 32}) {
    const Order order = hilbert(side, side);
    for (std::size_t i = 1; i < order.size(); ++i)
      EXPECT_EQ(std::abs(order[i].row - order[i - 1].row) +
                    std::abs(order[i].column - order[i - 1].column),
                1)
          << "at " << i << " of a square of " << side;
  }
}

// A strip of A has 10 bytes, one of B 100.
constexpr Strips kGrid{.down = 2, .across = 3, .a_bytes = 10, .b_bytes = 100};

TEST(Traffic, AsksForTwoStripsPerTile) {
  EXPECT_EQ(traffic(row_major(2, 3), kGrid, 1, 1, 1e9).asked, 6 * 110);
}

TEST(Traffic, ALargeCacheFetchesEachStripOnce) {
  for (const int at_a_time : {1, 4})
    for (const int pieces : {1, 5})
      EXPECT_DOUBLE_EQ(traffic(row_major(2, 3), kGrid, at_a_time, pieces, 1e9).fetched, 320);
}

// Room for both strips of A and two of B: row by row each of B is evicted before it is asked for
// again.
TEST(Traffic, ASmallOneDependsOnTheOrder) {
  EXPECT_EQ(traffic(row_major(2, 3), kGrid, 1, 1, 220).fetched, 2 * 310);
  EXPECT_EQ(traffic(grouped(2, 3, 2), kGrid, 1, 1, 220).fetched, 2 * 10 + 300);
}

// With hardly any cache, a strip that all tiles of a wave ask for at once is fetched once.
TEST(Traffic, AWaveSharesStrips) {
  EXPECT_EQ(traffic(row_major(2, 3), kGrid, 6, 1, 330).fetched, 320);
  EXPECT_NEAR(traffic(row_major(2, 3), kGrid, 6, 10, 33).fetched, 320, 1e-9);
  EXPECT_EQ(traffic({}, kGrid, 6, 10, 33).hits(), 0);
}

}  // namespace
