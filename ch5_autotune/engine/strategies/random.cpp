// Tries any configuration that was not tried, all with the same chance. It learns nothing, and is
// harder to beat than it looks: if k of n are good enough, half of all searches have one of them
// after about 0.7 n/k trials, in any space.
#include "strategies.h"

namespace tune {

void random(const Setting&, const History&, Generation& next) {
  while (next.size() < 16 && next.add_any()) {
  }
}

}  // namespace tune
