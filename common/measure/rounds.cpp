#include "measure/rounds.h"

#include <algorithm>
#include <random>

#include "base/median.h"
#include "device/cpu/triad.h"

namespace wb {
namespace {

void add_note(Row& row, const std::string& note) {
  if (row.note.find(note) == std::string::npos) row.note += (row.note.empty() ? "" : "; ") + note;
}

// What hardly moves anything takes its time elsewhere.
bool moves_much(const Entry& e) { return runs(e) && e.row.cost.bytes() >= 1 << 20; }

bool timed(const Entry& e) { return !e.row.samples.empty() && runs(e) && !e.peer; }

// The arrays of a problem in this case, made when first asked for.
Data* data_of(Group& group, const Problem& problem, Backend& backend, std::uint64_t seed,
              bool with_reference) {
  auto& data = group.data[&problem];
  if (!data) data = std::make_unique<Data>(problem, group.shape, backend, seed, with_reference);
  return data.get();
}

}  // namespace

Rounds::Probes Rounds::probes_of(Backend& backend) {
  if (backend.kind() == BackendKind::cuda) return {probe_this_core, {}};
  return {{}, [&backend, triad = std::shared_ptr<Triad>()](double bytes) mutable {
            if (!triad) triad = std::make_shared<Triad>(backend);
            return triad->bytes_per_second(bytes);
          }};
}

// What a step does, with what can go wrong in it written into the row. After the loss of the device
// nothing is tried any more, but what was measured before stays.
template <class F> void Rounds::guarded(Entry& e, F step) {
  if (!lost_.empty()) {
    if (e.row.samples.empty() && e.row.error.empty()) e.row.skipped = "not run: " + lost_;
    return;
  }
  try {
    step();
  } catch (const Unsupported& what) {
    e.row.skipped = what.what();
  } catch (const std::bad_alloc&) {
    e.row.skipped = "out of memory: choose a smaller --size";
  } catch (const std::exception& what) {
    e.row.error = std::string("FAILED: ") + what.what();
    if (backend_.lost())
      lost_ = "the device was lost in " + e.row.variant + " (" + e.row.label + ")";
  }
}

// The arrays, what the row is about, and the check of its answers.
void Rounds::set_up(Group& group, Entry& e) {
  e.data = data_of(group, *e.variant->problem, backend_, options_.seed, /*with_reference=*/true);
  e.row.cost = e.data->cost();
  const Items items = e.data->items();
  e.row.items = items.count;
  e.row.item = items.name;
  e.row.per = items.count == 0 ? "" : items.rate ? "second" : "item";
  if (e.peer) return;
  e.trial = std::make_unique<Trial>(*e.variant, *e.data, backend_);
  e.row.error = e.trial->verify();
  if (runs(e)) e.trial->warm_up(options_.settings());
}

void Rounds::probe_memory(const Group& group, std::vector<double>& parts) {
  double most = 0;
  for (const Entry& e : group.entries)
    if (moves_much(e)) most = std::max(most, e.row.cost.bytes());
  if (!memory_ || most == 0 || options_.settings().cache == Cache::hot) return;
  try {
    parts.push_back(memory_(most));
  } catch (const std::bad_alloc&) {
    memory_ = {};
  }
}

void Rounds::take(Group& group) {
  constexpr int kParts = 5;
  const bool first = group.rounds == 0, last = ++group.rounds == options_.samples();
  std::minstd_rand random(options_.seed + group.rounds);
  struct Turn {
    Entry* entry;
    std::vector<double> parts;
    std::vector<double> quiet = {};  // those of turns in which no row had to share its core
    double spent = 0;                // seconds of the budget
  };
  std::vector<Turn> turns;
  for (Entry& e : group.entries) {
    if (first) {
      on_sample_(e);
      guarded(e, [&] { set_up(group, e); });
    }
    turns.push_back({.entry = &e, .parts = {}});
  }
  const Settings whole = options_.settings();
  Settings part = whole;
  part.budget /= kParts;
  std::vector<double> memory;
  for (int i = 0; i < kParts; ++i) {
    probe_memory(group, memory);
    std::shuffle(turns.begin(), turns.end(), random);
    host_.begin();
    for (auto& [e, parts, quiet, spent] : turns) {
      if (!runs(*e) || spent >= whole.budget) continue;
      if (i == 0 && !first) on_sample_(*e);
      guarded(*e, [&, e = e, &parts = parts] {
        if (e->peer) {
          const Peer::Sample sample = ask_peer(*e, part, /*records=*/false);
          parts.push_back(sample.seconds);
          e->row.timer = sample.timer;
        } else {
          parts.push_back(e->trial->sample(part, last && i == 0 ? &e->row.error : nullptr));
        }
      });
      spent += std::max(part.budget, parts.empty() ? 0 : parts.back());
      host_.check();
    }
    if (!host_.free()) continue;
    for (auto& [e, parts, quiet, spent] : turns)
      if (std::ssize(parts) == i + 1) quiet.push_back(parts.back());
  }
  if (!memory.empty()) group.memory.push_back(median(memory));
  for (const auto& [e, parts, quiet, spent] : turns) {
    if (!group.memory.empty() && moves_much(*e)) e->row.memory = median(group.memory);
    if (!parts.empty() && e->row.skipped.empty())
      e->row.samples.push_back(median(quiet.empty() ? parts : quiet));
    e->slowed += quiet.empty() && !parts.empty();
    if (last && e->row.timer == "host" && 2 * e->slowed > options_.samples())
      add_note(e->row, "others used its core in most samples");
    if (e->trial) e->row.enqueue = e->trial->enqueue();
  }
  if (first || last)
    for (const std::string trouble = backend_.trouble(); Entry & e : group.entries)
      add_note(e.row, trouble);
  if (last && options_.stock) drop(group);  // all cases stand in one queue, and nothing follows
}

Peer::Sample Rounds::ask_peer(const Entry& e, const Settings& settings, bool records) const {
  return e.peer->sample(e.row.lesson, e.row.label, backend_.kind(), settings.cache, settings.budget,
                        records);
}

void Rounds::finish(Group& group, std::vector<TracedRow>* traces) {
  if (!lost_.empty()) return;
  if (group.data.empty())
    for (Entry& e : group.entries) {
      if (!timed(e)) continue;
      guarded(e, [&] {
        try {
          e.data = data_of(group, *e.variant->problem, backend_, options_.seed,
                           /*with_reference=*/false);
          e.trial = std::make_unique<Trial>(*e.variant, *e.data, backend_);
        } catch (const Unsupported& what) {  // there was more memory before; the samples stay
          e.row.no_goodput = what.what();
        } catch (const std::bad_alloc&) {
          e.row.no_goodput = "no traced pass: out of memory";
        }
      });
    }
  if (traces) trace(group, *traces);
  retime_short_case(group);
  drop(group);
}

void Rounds::trace(Group& group, std::vector<TracedRow>& traces) {
  for (Entry& e : group.entries) {
    if (!timed(e) || !e.trial) continue;
    guarded(e, [&] {
      const double seconds = median(e.row.samples);
      const int iterations = static_cast<int>(std::clamp(0.05 / seconds, 3.0, 100.0));
      const Trace trace = e.trial->trace(iterations);
      if (trace.missing.empty()) {
        e.row.split = split(trace);
        e.row.total = trace.wall / trace.iterations;
        if (e.row.clock == "wall" && backend_.kind() == BackendKind::cuda) {
          e.row.split = without_tracing(*e.row.split, e.row.total, seconds);
          e.row.total = seconds;
        }
        e.row.useful = e.row.split->compute * e.row.total;
        traces.push_back({benchmark_name(e), trace});
      } else {
        e.row.no_goodput = trace.missing;
      }
    });
  }
}

// An event pair adds one to three microseconds, a few percent of a short row. So the rows of a case
// with such a row are timed again from activity records, in turn as before: all of them, for what
// is compared should be read from one clock. Records make some rows longer, those above all that
// are several kernels or wait for the host. So row by row the smaller of the two medians stays.
void Rounds::retime_short_case(Group& group) {
  constexpr double kShort = 50e-6;
  const auto by_events = [](const Entry& e) {
    return !e.row.samples.empty() && runs(e) && e.row.timer == "events" && (e.peer || e.trial);
  };
  if (std::none_of(group.entries.begin(), group.entries.end(),
                   [&](const Entry& e) { return by_events(e) && median(e.row.samples) < kShort; }))
    return;
  std::map<Entry*, std::vector<double>> samples;
  std::map<Entry*, std::string> reasons;
  for (int i = 0; i < options_.samples(); ++i)
    for (Entry& e : group.entries) {
      if (!by_events(e)) continue;
      guarded(e, [&] {
        try {
          const int launches =
              static_cast<int>(std::clamp(0.05 / median(e.row.samples), 3.0, 50.0));
          const double seconds =
              e.peer ? ask_peer(e, options_.settings(), /*records=*/true).seconds
                     : median(e.trial->device_seconds(options_.settings(), launches));
          samples[&e].push_back(seconds);
        } catch (const Unsupported& missing) {
          reasons[&e] = missing.what();
        }
      });
    }
  for (const auto& [e, reason] : reasons)
    add_note(e->row, "event pairs add 1 to 3 us to this row: " + reason);
  for (auto& [e, values] : samples) {
    if (values.size() < e->row.samples.size()) continue;  // some were refused
    if (median(values) > median(e->row.samples)) continue;
    e->row.samples = values;
    e->row.timer = "cupti";
  }
}

void Rounds::drop(Group& group) {
  for (Entry& e : group.entries) e.trial.reset();
  group.data.clear();
}

}  // namespace wb
