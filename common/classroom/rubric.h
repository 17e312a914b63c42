// What a verdict is worth. The same on a laptop and an H200: goals are ratios of one run.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "driver/judge.h"

namespace wb::classroom {

constexpr double kPointsOfGoal = 10;
constexpr double kSlowAtMost = 0.8;  // of them, for what is right and never fast enough

// A goal, and the part of the way there that was gone from the exercise as shipped.
struct GoalShare {
  bool met = false;
  double share = 0;
  bool given = false;  // the exercise as shipped meets it, too, on this machine
};

// By the lower end of the interval, so that luck earns nothing. All speeds over the goal's variant;
// `shipped` 0: not known, then the way begins at a standstill.
inline GoalShare share_of_way(double low, double goal, double shipped, bool met) {
  if (shipped >= goal) return {met, met ? 1.0 : 0.0, shipped > 0};
  if (met) return {true, 1};
  return {false, std::clamp((low - shipped) / (goal - shipped), 0.0, 1.0)};
}

// Whether a goal that was missed `times` times is measured again. `ratio`: the median. Where that
// is beyond the goal and only the lower end misses it, as on a machine that others use, too, it is
// worth more attempts.
inline bool measured_again(int times, double ratio, double goal) {
  return times < (ratio < goal ? 2 : 5);
}

// What counts of these measurements: the one with the highest lower end, for a disturbance makes
// slower; or the one that crashed or cheated.
template <class Reach> driver::Reached best(double goal, int& times, Reach reach) {
  driver::Reached best = reach();
  for (times = 1; best.verdict == driver::Verdict::slow && measured_again(times, best.ratio, goal);
       ++times)
    if (driver::Reached now = reach(); now.verdict != driver::Verdict::slow || now.low > best.low)
      best = std::move(now);
  return best;
}

// What counts of an exercise's speed when it is `roof` times as fast as a ceiling allows. All of
// it, with a flag, for a busy machine has low ceilings; but nothing where a busy machine can't be
// the cause: then its clock lies.
inline double believed(double low, double roof) { return roof < 4 ? low : 0; }

// A wrong answer gets nothing, a bug hunt all or nothing. Hints cost nothing.
inline double points(driver::Verdict verdict, const std::vector<GoalShare>& goals, bool bug_hunt) {
  if (verdict != driver::Verdict::met && (verdict != driver::Verdict::slow || bug_hunt)) return 0;
  double sum = 0;
  for (const GoalShare& g : goals) sum += kPointsOfGoal * (g.met ? 1 : kSlowAtMost * g.share);
  return sum;
}

}  // namespace wb::classroom
