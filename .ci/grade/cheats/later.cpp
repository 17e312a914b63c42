// Returns at once and works on after the clock has stopped.
// Expect: wrong|crashes, mentions thread
#include <thread>
bool trick(const ColumnSums::Args& p) {
  std::thread([p] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (wb::i64 column = 0; column < p.columns; ++column) p.sum[column] = column_of(p, column);
  }).detach();
  return false;
}
