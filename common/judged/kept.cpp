#include "judged/kept.h"

#include <algorithm>

#include "base/median.h"

namespace wb::judged {

Inputs Kept::next(bool exercise) {
  const bool few = renewed_ < 2 * kEnough && drawing_ < (exercise ? 2 : 0.3);
  if (few && renewed_ < kEnough) return Inputs::all_new;
  if (!few && (drawing_ >= 0.1 * (seconds() - since_) || chance_() % 2)) return Inputs::before;
  return chance_() % 2 ? Inputs::all_new : Inputs::before_after_pause;
}

void Kept::add(double seconds, Inputs inputs) {
  counted_.push_back(seconds);
  inputs_.push_back(inputs);
}

double Kept::times_longer() const {
  std::vector<double> news, others;
  for (std::size_t i = 0; i < counted_.size(); ++i) {
    if (inputs_[i] == Inputs::before) continue;
    const bool is_new = inputs_[i] == Inputs::all_new;
    const Inputs other = is_new ? Inputs::before_after_pause : Inputs::all_new;
    if ((i > 0 && inputs_[i - 1] == other) || (i + 1 < counted_.size() && inputs_[i + 1] == other))
      (is_new ? news : others).push_back(counted_[i]);
  }
  // Of launches so long that there are few, only a gap tells. (Most of them may be new.)
  if (news.size() < kEnough && news.size() >= 3 && others.size() >= 3)
    if (const auto least = std::ranges::min(news); least > 2 * std::ranges::max(others))
      return median(news) / median(others);
  if (news.size() < kEnough) return 1;
  const double quick = quantile(others, 0.25);  // one that follows a new one need not be
  // Wide on a GPU, where drawing may slow down an honest launch, too.
  const double most = accelerator_ ? 1.5 : 1.15;
  return quantile(news, 0.1) > most * quick + 5e-6 ? median(news) / quick : 1;
}

double Kept::new_seconds() const {
  std::vector<double> news;
  for (std::size_t i = 0; i < counted_.size(); ++i)
    if (inputs_[i] == Inputs::all_new) news.push_back(counted_[i]);
  return median(news);
}

}  // namespace wb::judged
