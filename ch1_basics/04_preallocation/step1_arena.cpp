// Against the baseline: the same vectors, in memory that set-up has taken from the system. An arena
// hands it out from the front to the back and takes all of it back when a request ends. The pages
// stay; that a vector sets its elements to zero stays, too.
//
// Predict: which part of the allocation's time goes, the page faults or the zeros?
#include <memory_resource>
#include <optional>
#include <vector>

#include "request.h"

namespace {

struct Temporaries {
  Temporaries(wb::i64 samples, std::pmr::memory_resource* memory)
      : blurred(samples, memory), smooth(samples, memory) {}
  std::pmr::vector<float> blurred, smooth;
};

auto make(const Preallocation::Args& p) {
  return [p, memory = std::vector<float>(2 * p.samples + 64)]() mutable {
    for (wb::i64 r = 0; r < p.requests; ++r) {
      std::pmr::monotonic_buffer_resource arena(memory.data(), memory.size() * sizeof(float),
                                                std::pmr::null_memory_resource());
      std::optional<Temporaries> own;
      {
        const wb::Span span(wb::Work::allocate, "allocate");
        own.emplace(p.samples, &arena);
      }
      process(p.signal(r), p.answer(r), p.samples, own->blurred.data(), own->smooth.data());
    }
  };
}

}  // namespace

WB_CPU(Preallocation, step1_arena, make);
