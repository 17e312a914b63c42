// Changes against step 2: where y is stored along the columns, a tile of it is transposed first, in
// registers, 8 x 8 elements at a time, into an array that stays in the core's cache. So each cache
// line of y is used up before the next, and then the rows of the tile are added as any others.
// Pieces of rows are too short for the hardware's prefetchers, so each tile prefetches the lines of
// the next. All other views: as in step 2.
//
// Predict: how close to a copy does the transposed view get now? How much of that is the prefetch
// (take ask_for out)?
#include "turn.h"
#include "views.h"

namespace {

template <class T> void add_turned(const Layout& l, const T* x, const T* y, T* z) {
  const bool stream = streams<T>(l);
#pragma omp parallel
  {
    alignas(64) Tile<T> tile;
#pragma omp for collapse(3) schedule(static) nowait
    for (wb::i64 batch = 0; batch < l.size[0]; ++batch)
      for (wb::i64 column0 = 0; column0 < l.size[2]; column0 += kTileColumns<T>)
        for (wb::i64 row0 = 0; row0 < l.size[1]; row0 += kTileRows<T>) {
          const wb::i64 rows = std::min<wb::i64>(kTileRows<T>, l.size[1] - row0);
          const wb::i64 columns = std::min<wb::i64>(kTileColumns<T>, l.size[2] - column0);
          turn(y + batch * l.stride[0] + column0 * l.stride[2] + row0, l.stride[2], rows, columns,
               tile);
          for (wb::i64 row = 0; row < rows; ++row) {
            const wb::i64 at = (batch * l.size[1] + row0 + row) * l.size[2] + column0;
            for (wb::i64 i = 0; i < columns; i += 64 / sizeof(T))
              ask_for(x + at + kTileRows<T> * l.size[2] + i);  // of the next tile
            (stream ? add_row<true, 1, T> : add_row<false, 1, T>)(columns, x + at, tile[row], 1,
                                                                  z + at);
          }
        }
    if (stream) finish_streaming();
  }
}

void run(const BroadcastStrided::Args& p) {
  const Layout l = collapse(p.layout);
  wb::with_dtype(p.dtype, [&](auto zero) {
    using T = decltype(zero);
    const bool turned = l.stride[1] == 1 && l.stride[2] > 1;
    (turned ? add_turned<T> : add_view<T>)(l, static_cast<const T*>(p.x),
                                           static_cast<const T*>(p.y), static_cast<T*>(p.z));
  });
}

}  // namespace

WB_CPU(BroadcastStrided, optimized, run);
