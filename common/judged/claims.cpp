#include "judged/claims.h"

#include <algorithm>

#include "base/median.h"

namespace wb::judged {
namespace {

constexpr double kNearlyAll = 0.95;

using What = std::vector<double> Claims::*;  // beyond, or worked

// Of those launches, `share` of all, that claim least: one that had to wait for its core in front
// may have it for itself then.
std::vector<double> of_least(const Claims& all, What what, double share) {
  const double most = quantile(all.claimed, share);
  std::vector<double> found;
  for (std::size_t i = 0; i < (all.*what).size(); ++i)
    if (all.claimed[i] <= most) found.push_back((all.*what)[i]);
  return found;
}

// More than 2 us and 3 %.
bool much(double more, double claimed) { return more > 2e-6 + 0.03 * (claimed + more); }

double usual(const Beyond& own, What what, double share, double of) {
  double most = 0;
  for (const auto& [variant, all] : own)
    most = std::max(most, quantile(of_least(all, what, share), of));
  return most;
}

// A process that the machine woke late is seen late, and many are not: so the first quartile of
// what is beyond its clock is held against the third of what is beyond the clock of the lesson's
// variants, and where fewer launches are compared, against nearly all. What these vary by is no
// lie, and neither is a quarter of them: a thread that spins on the other half of a core slows down
// most launches of one program, and few of another.
double more(const Claims& exercise, const Beyond& own, What what, double share, double claimed) {
  const double most = usual(own, what, share, kNearlyAll), third = usual(own, what, share, 0.75);
  const double more =
      quantile(of_least(exercise, what, share), 0.25) - (share < 0.5 ? most : third);
  const double varies = most - usual(own, what, share, 0.25) + 0.25 * third;
  return more > 2e-6 + varies + 0.03 * (claimed + more) ? more : 0;
}

}  // namespace

double counted(double claimed, double beyond, const Beyond& own) {
  const double late = own.empty() ? 0 : beyond - usual(own, &Claims::beyond, 1, kNearlyAll);
  return much(late, claimed) ? claimed + late : claimed;
}

Hidden hidden(const Claims& exercise, const Beyond& own, double share) {
  constexpr std::size_t kFew = 8;
  const std::size_t least = of_least(exercise, &Claims::beyond, share).size();
  if (exercise.claimed.empty() || own.empty() || (share < 0.5 && least < kFew)) return {};
  const double claimed = quantile(exercise.claimed, share < 0.5 ? share / 2 : 0.5);
  double all = more(exercise, own, &Claims::beyond, share, claimed);
  if (exercise.worked.size() == exercise.claimed.size())
    all = std::min(all, more(exercise, own, &Claims::worked, share, claimed));
  return {claimed, std::max(all, more(exercise, own, &Claims::launcher, share, claimed)), share};
}

Hidden hidden_at_times(const Claims& exercise, const Beyond& own) {
  for (const double share : {0.5, 0.25, 0.125})
    if (const Hidden h = hidden(exercise, own, share); h.more > 0) return h;
  return {};
}

double without_lie(double sample, const Claims& exercise, const Beyond& own) {
  const Hidden h = hidden_at_times(exercise, own);
  if (h.more == 0) return sample;
  std::vector<double> outside = exercise.claimed;
  for (std::size_t i = 0; i < outside.size(); ++i) outside[i] += exercise.beyond[i];
  const double seen = median(outside) - usual(own, &Claims::beyond, 1, 0.5);
  const double seconds = std::max(seen, h.share < 0.5 ? 0 : h.claimed + h.more);
  return much(seconds - sample, sample) ? seconds : sample;
}

}  // namespace wb::judged
