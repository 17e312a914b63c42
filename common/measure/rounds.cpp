#include "measure/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "base/median.h"
#include "base/output.h"
#include "device/backends.h"

namespace wb {
namespace {

constexpr int kParts = 5;  // of a sample

void add_note(Row& row, const std::string& note) {
  if (row.note.find(note) == std::string::npos) row.note += (row.note.empty() ? "" : "; ") + note;
}

// What hardly moves anything takes its time elsewhere.
bool moves_much(const Entry& e) { return runs(e) && e.row.cost.bytes() >= 1 << 20; }

// What a check found, and how far from the reference the answers were.
void judge(Entry& e, const std::string& error) {
  if (!error.empty() && runs(e)) e.row.status = Status::wrong, e.row.reason = error;
  if (!e.row.error) e.row.error.emplace();
  e.row.error->raise(e.data->arrays.take_worst_error());
}

bool timed(const Entry& e) { return !e.row.samples.empty() && runs(e) && !e.peer; }

// Timed by events, and so short that these add to it.
bool is_short(const Entry& e) {
  return e.row.timer == "events" && !e.row.samples.empty() && median(e.row.samples) < 50e-6;
}

}  // namespace

// The arrays of a problem in this case, made when first asked for.
Data* Rounds::data_of(Group& group, const Problem& problem, ArraySetup options) {
  auto& data = group.data[&problem];
  options.new_inputs = where_.new_inputs();
  if (options_.survey && !options.new_inputs) options.changes = 0;
  if (!data) data = std::make_unique<Data>(problem, group.axes, backend_, options_.seed, options);
  return data.get();
}

// What a step does, with what can go wrong in it written into the row. After the loss of the device
// nothing is tried any more, but what was measured before stays.
template <class F> void Rounds::guarded(Entry& e, F step) {
  const auto end = [&](Status status, const std::string& reason) {
    e.row.status = status, e.row.reason = reason;
  };
  if (!lost_.empty()) {
    if (e.row.samples.empty() && runs(e)) end(Status::skipped, "not run: " + lost_);
    return;
  }
  try {
    step();
    return;
  } catch (const Unsupported& what) {
    end(Status::skipped, what.what());
  } catch (const std::bad_alloc&) {
    end(Status::skipped, "out of memory: choose a smaller case (--size, --axis)");
  } catch (const RunEnded& what) {
    end(what.status, what.what());
  } catch (const std::exception& what) {
    end(Status::failed, what.what());
    if (backend_.lost())
      lost_ = "the device was lost in " + e.row.variant + " (" + label(e.row.axes) + ")";
  }
  try {
    if (e.trial) e.trial->pause();
  } catch (const RunEnded&) {  // it is known by now to be no good
  }
  if (e.data) e.data->arrays.distrust();
}

// The arrays, what the row is about, and the check of its answers.
void Rounds::set_up(Group& group, Entry& e) {
  e.data = data_of(group, *e.variant->problem, {});
  if (!std::exchange(seed_told_, true) && !options_.stock) tell("seed {}", options_.seed);
  e.row.cost = e.data->answers.cost();
  const Items& items = e.data->answers.items();
  e.row.items = items.count, e.row.item = items.name, e.row.rate = items.rate;
  if (e.peer) return;
  e.trial = std::make_unique<Trial>(*e.variant, *e.data, backend_, where_);
  if (e.variant->case_note) add_note(e.row, e.variant->case_note(e.data->arrays.args()));
  if (e.row.show == Show::error || e.variant->bound) e.row.bound = e.trial->bound();
  judge(e, e.trial->verify());
  if (runs(e)) e.trial->warm_up(options_.settings());
  e.samples = samples_of(e);
  if (e.samples < options_.samples())
    add_note(e.row, fmt::format("{} samples, because a launch takes {:.2g} s", e.samples,
                                e.trial->seconds()));
}

// An exercise has all of its samples: whether it kept answers shows in many launches alone.
int Rounds::samples_of(const Entry& e) const {
  const int all = options_.samples();
  if (!runs(e) || options_.repetitions > 0 || e.trial->runner().judged()) return all;
  const double fit = kRowSeconds / e.trial->seconds();
  return fit < all ? std::min(all, std::max(3, static_cast<int>(fit))) : all;
}

// A row's parts of a sample.
struct Rounds::Turns {
  Entry* entry;
  std::vector<double> parts = {};
  std::vector<double> quiet = {};  // those of turns in which no row had to share its core
  bool last = false;               // this is its last sample
  double spent = 0;                // seconds of the budget
};

// One part of every row that has budget left, in an order of chance. In the `first` part of a row's
// last sample all of its answer is checked.
void Rounds::take_part(Group& group, std::vector<Turns>& turns, const Settings& part, bool first) {
  double most = 0;
  for (const Entry& e : group.entries)
    if (moves_much(e) && part.cache == Cache::cold) most = std::max(most, e.row.cost.bytes());
  neighbours_.begin(first ? most : 0);
  std::vector<Turns*> taken;
  for (Turns& turn : turns) {
    Entry& e = *turn.entry;
    // With --fast, preparing a launch may take longer than a sample. A short launch has all parts
    // then, so that a sample is not the time of one disturbed launch.
    bool all = options_.fast && !turn.parts.empty() && std::ranges::min(turn.parts) < part.budget;
    if (!runs(e) || turn.spent >= (all ? kParts : 1) * options_.settings().budget) continue;
    if (turn.parts.empty() && group.rounds > 1) on_sample_(e);
    const std::size_t before = turn.parts.size();
    const double start = seconds();
    const bool check =
        e.trial && ((first && turn.last) || (e.trial->runner().judged() && secret_() % 6 == 0));
    guarded(e, [&] {
      if (e.peer) {
        const Peer::Sample sample = e.peer->sample(e.row, part.budget);
        turn.parts.push_back(sample.seconds);
        e.row.timer = sample.timer;
      } else {
        std::string error;
        turn.parts.push_back(e.trial->sample(part, error, check));
        judge(e, error);
      }
    });
    // The time of a check is not the variant's.
    turn.spent += std::max(part.budget, check ? e.trial->seconds() : seconds() - start);
    if (turn.parts.size() > before) taken.push_back(&turn);
    neighbours_.check();
  }
  if (neighbours_.quiet())
    for (Turns* turn : taken) turn->quiet.push_back(turn->parts.back());
}

void Rounds::take(Group& group) {
  const bool first = group.rounds == 0, last = ++group.rounds == options_.samples();
  std::minstd_rand random(options_.seed + group.rounds);
  std::vector<Turns> turns;
  for (Entry& e : group.entries) {
    if (first) {
      on_sample_(e);
      guarded(e, [&] { set_up(group, e); });
    }
    if (e.samples == 0) e.samples = options_.samples();  // a peer, or it can't run
    if (group.rounds <= e.samples)
      turns.push_back({.entry = &e, .last = group.rounds == e.samples});
  }
  Settings part = options_.settings();
  part.budget /= kParts;
  for (int i = 0; i < kParts; ++i) {
    std::shuffle(turns.begin(), turns.end(), random);
    take_part(group, turns, part, /*first=*/i == 0);
  }
  if (const double memory = neighbours_.take_memory(); memory > 0) group.memory.push_back(memory);
  for (const auto& [e, parts, quiet, ends, spent] : turns) {
    if (!group.memory.empty() && moves_much(*e)) e->row.memory = median(group.memory);
    if (!parts.empty() && e->row.status != Status::skipped)
      add_sample(e->row, median(quiet.empty() ? parts : quiet));
    e->slowed += quiet.empty() && !parts.empty();
    if (ends && e->row.timer == "host" && 2 * e->slowed > e->samples)
      add_note(e->row, "other programs used its core in most samples");
    if (!e->trial) continue;
    e->row.counters = e->trial->counters(), e->row.lines = e->trial->lines;
    if (const std::string odd = e->trial->runner().note(); ends && !odd.empty()) {
      add_note(e->row, odd);
      for (double& sample : e->row.samples) sample = e->trial->runner().corrected(sample);
    }
  }
  if (first || last)
    for (const std::string trouble = backend_.trouble(); Entry & e : group.entries)
      add_note(e.row, trouble);
  if (last && options_.stock) drop(group);  // all cases stand in one queue, and nothing follows
}

void Rounds::finish(Group& group, std::vector<TracedRow>* traces) {
  if (!lost_.empty()) return;
  if (group.data.empty()) make_again(group);
  if (traces) trace(group, *traces);
  retime_short_case(group);
  drop(group);
}

void Rounds::add_sample(Row& row, double seconds) {
  row.samples.push_back(seconds);
  if (seconds > 0) return;
  row.samples.clear();
  row.status = Status::skipped;
  row.reason = "too short: a launch takes no time by this clock; choose a larger case";
}

// What drop() took, but for the references where nothing will be checked.
void Rounds::make_again(Group& group) {
  const ArraySetup options{.reference = std::ranges::any_of(group.entries, is_short)};
  for (Entry& e : group.entries) {
    if (!timed(e)) continue;
    guarded(e, [&] {
      try {
        e.data = data_of(group, *e.variant->problem, options);
        e.trial = std::make_unique<Trial>(*e.variant, *e.data, backend_, where_);
      } catch (const Unsupported& what) {  // there was more memory before; the samples stay
        e.row.no_goodput = what.what();
      } catch (const std::bad_alloc&) {
        e.row.no_goodput = "no traced pass: out of memory";
      }
    });
  }
}

void Rounds::trace(Group& group, std::vector<TracedRow>& traces) {
  for (Entry& e : group.entries) {
    if (!timed(e) || !e.trial) continue;
    guarded(e, [&] {
      const double seconds = median(e.row.samples);
      const double least = std::clamp(0.1 / seconds, 1.0, 3.0);
      const int iterations = static_cast<int>(std::clamp(0.05 / seconds, least, 100.0));
      const Trace trace = e.trial->trace(iterations);
      if (trace.missing.empty()) {
        e.row.split = split(trace);
        e.row.total = trace.wall / trace.iterations;
        if (e.row.clock == "wall" && traits_of(backend_).accelerator) {
          e.row.split = without_tracing(*e.row.split, e.row.total, seconds);
          e.row.total = seconds;
        }
        traces.push_back({benchmark_name(e.row), trace});
      } else {
        e.row.no_goodput = trace.missing;
      }
    });
  }
}

double Rounds::seconds_by_records(Entry& e) {
  if (e.peer) return e.peer->sample(e.row, options_.settings().budget, /*records=*/true).seconds;
  const double launches = std::clamp(0.05 / median(e.row.samples), 3.0, 50.0);
  std::string error;
  const double seconds =
      median(e.trial->device_seconds(options_.settings(), static_cast<int>(launches), error));
  judge(e, error);
  if (seconds <= 0) throw Unsupported("its activity records take no time");
  // Events were bounded by the clock outside, and add a few microseconds.
  return e.trial->runner().judged() ? std::max(seconds, median(e.row.samples) - 5e-6) : seconds;
}

// An event pair adds one to three microseconds, a few percent of a short row. So a case with such a
// row is timed again from activity records, in turn as before. Those lengthen rows, too, above all
// those of many launches. What is compared is read from one clock: the one that lengthens its worst
// row less. A row that the other one shows shorter says so.
void Rounds::retime_short_case(Group& group) {
  std::vector<Entry*> rows;
  bool any_short = false;
  for (Entry& e : group.entries) {
    if (e.row.samples.empty() || !runs(e) || e.row.timer != "events" || !(e.peer || e.trial))
      continue;
    rows.push_back(&e);
    any_short = any_short || is_short(e);
  }
  if (!any_short) return;
  std::map<Entry*, std::vector<double>> samples;
  std::string why;  // not
  for (int i = 0; i < options_.samples() && why.empty(); ++i)
    for (Entry* e : rows) {
      guarded(*e, [&] {
        try {
          samples[e].push_back(seconds_by_records(*e));
        } catch (const Unsupported& missing) {
          why = e->row.variant + ": " + missing.what();
        }
      });
    }
  if (!why.empty()) {
    for (Entry* e : rows) add_note(e->row, "event pairs add 1 to 3 us to this case (" + why + ")");
    return;
  }
  std::erase_if(rows, [](Entry* e) { return !runs(*e); });
  double events = 1, records = 1;  // how much longer the worst row is than by the other clock
  for (Entry* e : rows) {
    events = std::max(events, median(e->row.samples) / median(samples[e]));
    records = std::max(records, median(samples[e]) / median(e->row.samples));
  }
  for (Entry* e : rows) {
    if (records <= events) std::swap(e->row.samples, samples[e]), e->row.timer = "cupti";
    if (const double other = median(samples[e]); 1.02 * other < median(e->row.samples))
      add_note(e->row, fmt::format("{:.4g} us by {}", 1e6 * other,
                                   records <= events ? "events" : "activity records"));
  }
}

bool Rounds::stays(const Group& group) {
  return std::ranges::any_of(
      group.entries, [](const Entry& e) { return is_short(e) && e.row.cost.bytes() <= 64 << 20; });
}

void Rounds::drop(Group& group) {
  for (Entry& e : group.entries) e.trial.reset(), e.data = nullptr;
  group.data.clear();
}

}  // namespace wb
