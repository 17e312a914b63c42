// A loader thread and a computing thread with two buffers, CPU half. In `racy` the loader runs one
// chunk too far ahead, which goes well as long as computing keeps up.
#include "bank/pipeline.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "wb/cpu.h"

namespace {

using wb::i64;

void run(const Pipeline::Args& p, i64 ahead) {
  std::array<std::vector<float>, 2> buffers;
  for (auto& buffer : buffers) buffer.resize(Pipeline::kChunk);
  std::atomic<i64> loaded = 0, computed = 0;
  const i64 chunks = p.n / Pipeline::kChunk;
  std::jthread loader([&] {
    for (i64 i = 0; i < chunks; ++i) {
      while (computed + ahead <= i) std::this_thread::yield();
      {
        const wb::Span span(wb::Work::copy, "load");
        std::copy_n(p.x + i * Pipeline::kChunk, Pipeline::kChunk, buffers[i % 2].begin());
      }
      ++loaded;
    }
  });
  for (i64 i = 0; i < chunks; ++i) {
    while (loaded <= i) std::this_thread::yield();
    {
      const wb::Span span(wb::Work::compute, "compute");
      std::transform(buffers[i % 2].begin(), buffers[i % 2].end(), p.y + i * Pipeline::kChunk,
                     [](float x) { return 2 * x; });
    }
    ++computed;
  }
}

const bool joined =
    wb::add_variant<Pipeline>("bank", "joined", "cpu", [](const Pipeline::Args& p) { run(p, 2); });
const bool racy =
    wb::add_variant<Pipeline>("bank", "racy", "cpu", [](const Pipeline::Args& p) { run(p, 3); });

}  // namespace
