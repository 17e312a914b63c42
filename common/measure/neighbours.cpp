#include "measure/neighbours.h"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>

#include "base/clock.h"
#include "base/median.h"
#include "device/backends.h"
#include "device/cpu/triad.h"

namespace wb {
namespace {

// Enough independent work to need most of what a core can do in a cycle.
double arithmetic() {
  const double start = seconds();
  unsigned a = 1, b = 2, c = 3, d = 4;
  for (unsigned i = 0; i < 20000; ++i) {
    a = a * 3 + i;
    b = b * 5 + i;
    c = (c >> 3) ^ i;
    d += c & a;
  }
  [[maybe_unused]] static volatile unsigned result;
  result = a ^ b ^ c ^ d;
  return seconds() - start;
}

}  // namespace

double Neighbours::core_seconds() {  // an interrupt does not count
  return std::min({arithmetic(), arithmetic(), arithmetic()});
}

Neighbours::Probes Neighbours::probes_of(Backend& backend) {
  if (traits_of(backend).accelerator) return {core_seconds, {}};
  return {{}, [&backend, triad = std::shared_ptr<Triad>()](double bytes) mutable {
            if (!triad) triad = std::make_shared<Triad>(backend);
            return triad->bytes_per_second(bytes);
          }};
}

bool Neighbours::slowed() {
  if (!probes_.core) return false;
  const double now = probes_.core();
  seconds_.insert(std::upper_bound(seconds_.begin(), seconds_.end(), now), now);
  return now > 1.15 * seconds_[seconds_.size() / 50];
}

void Neighbours::begin(double bytes) {
  if (probes_.memory && bytes > 0) try {
      memory_.push_back(probes_.memory(bytes));
    } catch (const std::bad_alloc&) {
      probes_.memory = {};
    }
  quiet_ = !slowed();
}

void Neighbours::check() { quiet_ = !slowed() && quiet_; }

double Neighbours::take_memory() { return median(std::exchange(memory_, {})); }

}  // namespace wb
