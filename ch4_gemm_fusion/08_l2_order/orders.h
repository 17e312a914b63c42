// In which order the tiles of C are made. Each order is a list of all tiles of a grid, `down` tiles
// high and `across` wide. Blocks or cores take tiles from the front. Tiles that are near each other
// in the list are made at about the same time, and those of one row share a strip of A, those of
// one column a strip of B.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <list>
#include <string>
#include <vector>

struct Tile {
  int row, column;
  bool operator==(const Tile&) const = default;
};
using Order = std::vector<Tile>;

inline Order row_major(int down, int across) {
  Order order;
  for (int row = 0; row < down; ++row)
    for (int column = 0; column < across; ++column) order.push_back({row, column});
  return order;
}

// Down `group` tiles, then the next column of them; at the right edge the next group begins.
inline Order grouped(int down, int across, int group) {
  Order order;
  for (int first = 0; first < down; first += group)
    for (int column = 0; column < across; ++column)
      for (int row = first; row < std::min(first + group, down); ++row)
        order.push_back({row, column});
  return order;
}

// Hilbert's curve (1891) goes through a square of 2^b x 2^b tiles without a jump: a square is four
// squares, each walked in the same way, but turned so that one ends where the next one begins.
// Tiles of the square that the grid does not have are left out.
inline Order hilbert(int down, int across) {
  std::int64_t side = 1;
  while (side < std::max(down, across)) side *= 2;
  Order order;
  for (std::int64_t i = 0; i < side * side; ++i) {
    int x = 0, y = 0;
    std::int64_t rest = i;
    for (std::int64_t s = 1; s < side; s *= 2, rest /= 4) {  // two bits of i: which quarter
      const int right = rest / 2 % 2, up = (rest ^ right) % 2;
      if (!up) {
        if (right) x = s - 1 - x, y = s - 1 - y;
        std::swap(x, y);
      }
      x += s * right, y += s * up;
    }
    if (y < down && x < across) order.push_back({y, x});
  }
  return order;
}

// The bytes that an order asks of a cache, and those that the cache has to fetch: a model.
// `at_a_time` tiles are made side by side, a *wave*, and go along k in step, in `pieces` of their
// strips. The cache keeps what was asked for last (LRU). Bytes of A and B; C is left out.
struct Traffic {
  double asked = 0, fetched = 0;
  double hits() const { return asked > 0 ? 1 - fetched / asked : 0; }
  std::string text() const {  // "model: 8.40 of 12.9 GB from beyond L2, which serves 35%"
    char text[80];
    std::snprintf(text, sizeof text, "model: %.3g of %.3g GB from beyond L2, which serves %.0f%%",
                  fetched / 1e9, asked / 1e9, 100 * hits());
    return text;
  }
};
struct Strips {
  int down, across;         // how many A has, and B
  double a_bytes, b_bytes;  // of one strip
};
inline Traffic traffic(const Order& order, const Strips& strips, int at_a_time, int pieces,
                       double cache) {
  Traffic sum;
  std::list<int> recent;  // pieces in the cache; the front was asked for last
  std::vector<std::list<int>::iterator> where((strips.down + strips.across) * pieces, recent.end());
  double held = 0;
  const auto bytes = [&](int piece) {
    return (piece / pieces < strips.down ? strips.a_bytes : strips.b_bytes) / pieces;
  };
  const auto ask = [&](int strip, int k) {
    const int piece = strip * pieces + k;
    sum.asked += bytes(piece);
    if (where[piece] != recent.end()) {
      recent.splice(recent.begin(), recent, where[piece]);
      return;
    }
    sum.fetched += bytes(piece), held += bytes(piece);
    recent.push_front(piece), where[piece] = recent.begin();
    while (held > cache) {
      held -= bytes(recent.back());
      where[recent.back()] = recent.end();
      recent.pop_back();
    }
  };
  for (std::size_t first = 0; first < order.size(); first += at_a_time)
    for (int k = 0; k < pieces; ++k)
      for (std::size_t i = first; i < std::min(first + at_a_time, order.size()); ++i)
        ask(order[i].row, k), ask(strips.down + order[i].column, k);
  return sum;
}
