// Measuring the rows of a case so that they can be compared: in turn, not one after the other.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "measure/group.h"
#include "measure/neighbours.h"
#include "model/trace_file.h"

namespace wb {

class Rounds {
 public:
  using OnSample = std::function<void(const Entry&)>;  // called before each sample of a row

  // The variants run in `where`.
  Rounds(Backend& backend, const Options& options, OnSample on_sample, Neighbours::Probes probes,
         Runners& where = this_process())
      : backend_(backend),
        options_(options),
        on_sample_(std::move(on_sample)),
        neighbours_(std::move(probes)),
        where_(where) {}

  // A sample of every row of the group that has not all of its own; before the first its arrays are
  // made and its answers checked. A row has as many as the options say, and fewer where a launch
  // takes so long that they would need more than kRowSeconds, but never fewer than three. Each
  // sample is taken in several parts, and the rows take turns in an order of chance: what is
  // compared was measured within the same tenths of a second, so what the machine does to all of
  // them cancels in the ratios. (On a virtual machine with loud neighbours a variant compared with
  // itself is "ambiguous" without this, more often than not.) Turns in which somebody else used the
  // core that launches work on a GPU do not count where others of the sample do: for all rows, or
  // what is compared would not have been measured together. Rows that move much through a CPU's
  // memory are told what it delivered before the first turns of each sample.
  void take(Group& group);

  // After the samples of all groups, for activity records can slow launches down for the rest of a
  // process: goodput and the split of the wall time, unless `traces` is null, and the times of
  // cases that are too short for events. Makes arrays again that drop() took.
  void finish(Group& group, std::vector<TracedRow>* traces);

  static constexpr double kRowSeconds = 1.0;  // for all samples of a row; three may take longer

  static void drop(Group& group);  // its arrays
  // Whether finish() will need its answers again, and they are small enough to be kept for that.
  static bool stays(const Group& group);

  // One of no time at all (an empty launch between two events) is none, and its row is skipped.
  static void add_sample(Row& row, double seconds);

  // Why the device can't be used any more; empty: it can.
  const std::string& lost() const { return lost_; }

 private:
  struct Turns;

  template <class F> void guarded(Entry& entry, F step);
  Data* data_of(Group& group, const Problem& problem, ArraySetup options);
  void set_up(Group& group, Entry& entry);
  int samples_of(const Entry& entry) const;
  void take_part(Group& group, std::vector<Turns>& turns, const Settings& part, bool first);
  void make_again(Group& group);
  void trace(Group& group, std::vector<TracedRow>& traces);
  void retime_short_case(Group& group);
  double seconds_by_records(Entry& entry);

  Backend& backend_;
  const Options& options_;
  OnSample on_sample_;
  Neighbours neighbours_;
  Runners& where_;
  std::random_device secret_;  // after which launches all answers of an exercise are checked
  std::string lost_;
  bool seed_told_ = false;  // with the first arrays: should a variant crash, its inputs are known
};

}  // namespace wb
