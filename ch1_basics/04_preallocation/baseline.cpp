// Each request allocates what it needs and frees it when done, as any function does with its local
// vectors. Large ones come straight from the system: pages that have to be found, cleared and
// mapped, one page fault after the other, and that go back at the end.
//
// Predict: how many pages of 4 KiB does a request of 8 Mi samples touch for the first time? If
// each costs half a microsecond, how long is that?
#include <optional>
#include <vector>

#include "request.h"

namespace {

struct Temporaries {
  explicit Temporaries(wb::i64 samples) : blurred(samples), smooth(samples) {}
  std::vector<float> blurred, smooth;
};

void run(const Preallocation::Args& p) {
  for (wb::i64 r = 0; r < p.requests; ++r) {
    std::optional<Temporaries> own;
    {
      const wb::Span span(wb::Work::allocate, "allocate");
      own.emplace(p.samples);
    }
    process(p.signal(r), p.answer(r), p.samples, own->blurred.data(), own->smooth.data());
    const wb::Span span(wb::Work::allocate, "free");
    own.reset();
  }
}

}  // namespace

WB_CPU(Preallocation, baseline, run);
WB_EXERCISE(MostUrgentFirst);
