#include "judged/kept.h"

#include <algorithm>
#include <utility>

#include "base/median.h"

namespace wb::judged {

Inputs Kept::next(bool exercise) {
  if (last_ == Inputs::before_after_pause) return last_ = Inputs::all_new;
  const double most = exercise ? 2 : 0.3;
  if (!accelerator_ && renewed_ < kEnough && drawing_ < most) return last_ = Inputs::all_new;
  const bool few = (exercise && pairs_ < kLeast) || (pairs_ < kEnough && drawing_ < most);
  if (std::exchange(last_, Inputs::before) == Inputs::all_new || chance_() % 2) return last_;
  if (!few && drawing_ >= 0.1 * (seconds() - since_)) return last_;
  ++pairs_;
  return last_ = Inputs::before_after_pause;
}

void Kept::add(double seconds, Inputs inputs) {
  counted_.push_back(seconds);
  inputs_.push_back(inputs);
}

double Kept::times_longer() const {
  std::vector<double> news, others;
  for (std::size_t i = 1; i < counted_.size(); ++i)
    if (inputs_[i] == Inputs::all_new && inputs_[i - 1] == Inputs::before_after_pause)
      news.push_back(counted_[i]), others.push_back(counted_[i - 1]);
  if (news.size() < kLeast) return 1;
  // Wide on a GPU, where drawing may slow down an honest launch, too. Of few, only a gap tells.
  const bool few = news.size() < kEnough;
  const double most = few ? 2 : accelerator_ ? 1.5 : 1.15;
  const double usual = few ? std::ranges::max(others) : median(others);
  const double least = few ? std::ranges::min(news) : quantile(news, 0.1);
  return least > most * usual + 5e-6 ? median(news) / median(others) : 1;
}

double Kept::new_seconds() const {
  std::vector<double> news;
  for (std::size_t i = 0; i < counted_.size(); ++i)
    if (inputs_[i] == Inputs::all_new) news.push_back(counted_[i]);
  return median(news);
}

}  // namespace wb::judged
