// Any that was not tried, all as likely. It learns nothing, and is harder to beat than it looks:
// with k of n that are good enough, half of all searches have one of them after about 0.7 n/k
// trials, whatever the space is like.
#include "strategies.h"

namespace tune {

void random(const Setting&, const History&, Generation& next) {
  while (next.size() < 16 && next.add_any()) {
  }
}

}  // namespace tune
