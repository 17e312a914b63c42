// Whether an exercise keeps something from launch to launch: launches whose inputs are all new take
// longer then than those beside them, which the exercise waited for as long.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "base/clock.h"

namespace wb::judged {

// What a launch finds: nearly the inputs of before; the same, after a pause as long as drawing new
// ones takes; or new ones. (Threads that wait for work sleep in a pause, and are woken late.)
enum class Inputs { before, before_after_pause, all_new };

class Kept {
 public:
  explicit Kept(bool accelerator) : accelerator_(accelerator) {}

  // Of the next launch. The first ones on a CPU have all inputs new: while launches are few, most
  // are new, and so is the median that counts. (On a GPU new ones do not count.) Then come pairs, a
  // launch after a pause and one on new inputs, until times_longer() has enough of them; from then
  // on drawing takes a tenth of the time at most. Between two pairs one launch or more is as usual:
  // it finds the inputs of before again, all of which have changed for who keeps the last ones. The
  // lesson's variants do the same, as long as that is cheap.
  Inputs next(bool exercise);
  void drawn(double seconds) { drawing_ += seconds, drawing_one_ = seconds, ++renewed_; }
  void forget_draws() { renewed_ = pairs_ = 0; }
  double pause() const { return std::min(drawing_one_, 0.02); }  // by then, who sleeps does

  // A launch of the exercise: what counts, and what it found, in cold caches.
  void add(double seconds, Inputs inputs);

  // How many times longer launches on new inputs are, if even the quickest outlast those ahead of
  // them that came after a pause, which the machine treated alike; else 1, as where there are too
  // few pairs.
  double times_longer() const;
  // Whether it tells of answers that are kept. An honest exercise on many cores was seen to take a
  // little longer: the time on new inputs counts then, too, but nobody is accused.
  static constexpr bool is_much(double times_longer) { return times_longer > 1.5; }
  double new_seconds() const;  // the median of launches on new inputs
  const std::vector<double>& seconds_of_launches() const { return counted_; }

 private:
  static constexpr std::size_t kEnough = 8, kLeast = 3;  // pairs

  const bool accelerator_;
  std::vector<double> counted_;
  std::vector<Inputs> inputs_;
  std::size_t renewed_ = 0, pairs_ = 0;
  Inputs last_ = Inputs::before;
  std::random_device chance_;
  double drawing_ = 0, drawing_one_ = 0, since_ = seconds();
};

}  // namespace wb::judged
