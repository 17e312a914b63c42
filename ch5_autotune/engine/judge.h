// A judge tries configurations: on this machine (evaluator.h), or by workers on others
// (../cluster/workers.h).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "build.h"
#include "journal.h"

namespace tune {

class Judge {
 public:
  virtual ~Judge() = default;
  const Space& space() const { return space_; }
  const Limits& limits() const { return limits_; }
  double predict(const Configuration& c) const {  // seconds; 0: there is no model
    return tunable_.predict ? tunable_.predict({space_, c}, axes_, limits_) : 0;
  }

  // Tries them, in any order, and passes on each record as its trial ends, until `enough`.
  virtual void try_all(const std::vector<Configuration>& all,
                       const std::function<bool(Record)>& enough) = 0;
  // Times these again, in turn, and returns so many samples of each, in seconds; fewer of one that
  // fails now.
  virtual std::vector<std::vector<double>> in_turn(const std::vector<Configuration>& all,
                                                   int samples) = 0;
  virtual bool alone() const { return true; }  // one candidate runs at a time
  // The devices on which it does: one, or several that differ in their ids alone.
  virtual std::vector<Subject> subjects() = 0;

 protected:
  Judge(const Tunable& tunable, const wb::Case& axes, const Limits& limits)
      : tunable_(tunable), axes_(axes), limits_(limits), space_(tunable.space(axes, limits)) {}

  const Tunable& tunable_;
  const wb::Case axes_;
  Limits limits_;
  const Space space_;
};

}  // namespace tune
