// Leaves threads that burn the cores while others are measured.
// Expect: wrong, mentions thread
#include <atomic>
#include <thread>
std::atomic<long> burnt;
bool trick(const ColumnSums::Args&) {
  static const bool once = [] {
    std::thread([] {
      for (;;) ++burnt;
    }).detach();
    return true;
  }();
  return once;
}
