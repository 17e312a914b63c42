// Whether an exercise keeps something from launch to launch: launches whose inputs are all new take
// longer then than those beside them.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "base/clock.h"

namespace wb::judged {

class Kept {
 public:
  explicit Kept(bool accelerator) : accelerator_(accelerator) {}

  // Whether the next launch has all inputs new. Of an exercise the first ones do, then every other
  // one, until there are as many of each as times_longer() needs: while they are few, most are new,
  // and so is the median that counts. From then on, or where it has taken seconds, drawing them
  // takes a tenth of the time at most. The lesson's variants do the same, as long as that is cheap.
  bool renew(bool exercise);
  void drawn(double seconds) { drawing_ += seconds, ++renewed_; }  // all inputs, for one launch
  void forget_draws() { renewed_ = 0; }

  // A launch of the exercise: what counts, and whether it had all inputs new, in cold caches.
  void add(double seconds, bool all_new);

  // How many times longer launches on new inputs are, if even the quickest outlast most of those
  // beside them, which the machine treated alike; else 1.
  double times_longer() const;
  // Whether it tells of answers that are kept. An honest exercise on many cores was seen to take a
  // little longer: the time on new inputs counts then, too, but nobody is accused.
  static constexpr bool is_much(double times_longer) { return times_longer > 1.5; }
  double new_seconds() const;  // the median of launches on new inputs
  const std::vector<double>& seconds_of_launches() const { return counted_; }

 private:
  static constexpr std::size_t kEnough = 8;

  const bool accelerator_;
  std::vector<double> counted_;
  std::vector<bool> all_new_;
  std::size_t renewed_ = 0;
  std::random_device chance_;
  double drawing_ = 0, since_ = seconds();
};

}  // namespace wb::judged
