// A variant that runs in a process of its own, judged from outside: here are the arrays, the
// answers and the clock that bounds the other one's.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/json.h"
#include "base/median.h"
#include "device/backends.h"
#include "judged/binding.h"
#include "judged/kept.h"
#include "judged/processes.h"
#include "judged/serve.h"
#include "judged/strays.h"
#include "model/counts_json.h"
#include "model/trace_file.h"

namespace wb::judged {

using nlohmann::json;

namespace {

// A variant in one of these processes.
class InProcess : public Runner {
 public:
  InProcess(Processes& processes, const Variant& variant, Data& data, Backend& backend)
      : processes_(processes),
        own_(processes.own ? &*processes.own : nullptr),
        remote_(variant.judged ? processes.exercise : processes.own.value()),
        data_(data),
        backend_(backend),
        accelerator_(traits_of(backend).accelerator),
        kept_(accelerator_),
        bound_(remote_, *variant.problem, data),
        own_name_(variant.name),
        own_beyond_(processes.beyond[variant.problem->type + label(data.axes)]) {
    bound_.tell(
        "make",
        {{"variant", variant.name}, {"threads", processes.threads}, {"steps", processes.steps}});
    remote_.pause();
    if (own_ && judged() && !traits_of(backend).untimed)  // there is a clock to be believed
      set_up_own(*variant.problem, backend.name());
  }

  void launch() override {
    backend_.synchronize_stream();
    bound_.ask("launch", {}, [&](const json& answer) { left_ = answer.at("left"); });
  }
  std::string left_running() override { return left_; }

  Measured measure(const Request& r) override {
    if (r.what == Request::trace) return {.trace = trace(r.launches)};
    if (r.what == Request::records) return {.times = {record_seconds(r.cache, r.launches)}};
    if (r.what == Request::hardware) return {.hardware = hardware(r.cache)};
    return {.times = sample(
                r.budget, r.launches, [&] { time(r.cache, r.look); },
                [&](Times& times) { taken(times); })};
  }
  void disturb(bool on) override {
    bound_.tell("disturb", {{"on", on}});
    remote_.pause();
  }

  void pause() override {
    remote_.pause();
    if (own_)
      judged() ? look_around()
               : static_cast<void>(processes_.settings = thread_settings(own_->id()));
  }
  void resume() override { remote_.resume(); }

  bool judged() const override { return &remote_ != own_; }

  std::string note() const override {
    std::string note;
    if (const Hidden h = hidden_at_times(all_, own_beyond_); h.more > 0)
      note = fmt::format("its own clock says {:.3g} us where the clock outside says {:.3g} us{}",
                         1e6 * h.claimed, 1e6 * (h.claimed + h.more),
                         h.share < 0.5 ? ", in some launches" : "");
    if (const double longer = kept_.times_longer(); Kept::is_much(longer))
      note += fmt::format("{}it takes {:.2g} times as long where all inputs are new: it keeps some",
                          note.empty() ? "" : "; ", longer);
    return note;
  }
  double corrected(double sample) const override {
    const double seconds = without_lie(sample, all_, own_beyond_);
    const double middle = std::max(1e-9, median(kept_.seconds_of_launches()));
    return seconds * (kept_.times_longer() > 1 ? std::max(1.0, kept_.new_seconds() / middle) : 1);
  }

 private:
  void time(Cache cache, bool look) {
    if (own_launch_ && own_beyond_.empty()) {
      for (int i = 0; i < 8; ++i) launch_once(*own_launch_, cache, false);
      settle();
      own_->pause();
      kept_.forget_draws();
    }
    // A GPU is idle while the host draws new inputs or pauses, which may slow down the launch after
    // it (not measured yet). Such a launch is checked and shows what is kept; its time is not the
    // row's.
    do {
      launch_once(bound_, cache, look);
      seen_->counts = !accelerator_ || seen_->inputs == Inputs::before;
    } while (!seen_->counts);
  }
  void taken(Times& times) {
    // Threads are done with the last launch, which its answer may be ahead of.
    if (seen_) std::this_thread::sleep_for(std::chrono::microseconds(200));
    settle();
    times.add(std::exchange(times_, {}));
  }

  Trace trace(int iterations) {
    data_.arrays.prepare();
    backend_.synchronize_stream();
    const double start = seconds();
    Trace trace;
    bound_.ask("trace", {{"iterations", iterations}}, [&](const json& answer) {
      std::string text;
      for (int lines = answer.at("lines"); lines > 0 && text.size() < 64 << 20; --lines)
        text += remote_.read_line() + "\n";
      trace = std::move(read_chrome_trace(text).at(0).trace);
      trace.iterations = std::clamp(trace.iterations, 1, iterations);
      trace.wall = std::clamp(trace.wall, 1e-9, seconds() - start);
      for (Interval& i : trace.intervals) {
        i.start = std::clamp(i.start, 0.0, trace.wall);
        i.end = std::clamp(i.end, i.start, trace.wall);
      }
    });
    return trace;
  }
  // As it says: no verdict depends on it. Its launches find what the one before left.
  HardwareCounts hardware(Cache cache) {
    prepare(cache, Inputs::before);
    HardwareCounts counts;
    bound_.ask("hardware", {{"cold", cache == Cache::cold}},
               [&](const json& answer) { counts = hardware_from(answer); });
    return counts;
  }
  std::vector<double> record_seconds(Cache cache, int launches) {
    std::vector<double> taken;
    for (int i = 0; i < launches; ++i) {
      prepare(cache, accelerator_ ? Inputs::before : kept_.next(judged()));
      const double start = seconds();
      bound_.ask("records", {{"cold", cache == Cache::cold}}, [&](const json& answer) {
        const double claimed = answer.at("seconds");
        taken.push_back(std::clamp(claimed, 0.0, seconds() - start));
      });
      data_.arrays.look();
    }
    return taken;
  }

  // A variant of the lesson, should none be measured.
  void set_up_own(const Problem& problem, const std::string& backend) {
    const std::vector<Remote::Served>& all = own_->variants();
    const auto like_it = std::ranges::find_if(all, [&](const Remote::Served& s) {
      return s.problem == problem.type && s.backend == backend;
    });
    if (like_it == all.end()) return;  // a tree without solutions: its clock is believed there
    own_launch_ = std::make_unique<const Binding>(*own_, problem, data_);
    own_launch_->tell("make",
                      {{"variant", own_name_ = like_it->name}, {"threads", 0}, {"steps", 0}});
    own_->pause();
  }

  // What an exercise may do to what runs beside it and after it.
  void look_around() {
    for (const auto& [thread, was] :
         std::exchange(processes_.settings, thread_settings(own_->id())))
      if (const auto now = processes_.settings.find(thread);
          now != processes_.settings.end() && now->second != was)
        throw RunEnded(Status::cheats, "it changed the cores or the priority of another program");
    const double start = seconds();
    if (start < processes_.next_look) return;
    const int strays = remote_.end_strays();
    processes_.next_look = seconds() + 20 * (seconds() - start);
    if (strays) throw RunEnded(Status::cheats, fmt::format("it left {} processes running", strays));
  }

  // Who looks at the arrays meanwhile, to begin before it is told to, does not know the change yet.
  void prepare(Cache cache, Inputs inputs) {
    const double start = seconds();
    data_.arrays.poison(inputs == Inputs::all_new);
    if (inputs == Inputs::all_new) kept_.drawn(seconds() - start);
    while (inputs == Inputs::before_after_pause && seconds() < start + kept_.pause()) continue;
    // Keeps a GPU busy for a moment, should its clocks have fallen while it was idle.
    const bool idle = accelerator_ && inputs != Inputs::before;
    for (const double end = seconds() + 0.01; idle && seconds() < end;) {
      backend_.evict(data_.arrays.regions());
      backend_.synchronize_stream();
    }
    if (cache == Cache::cold) backend_.evict(data_.arrays.regions());
    data_.arrays.change();
    backend_.synchronize_stream();
  }

  struct Seen {  // a launch
    bool own;
    std::vector<pid_t> members;
    std::map<pid_t, double> before;  // thread_seconds(), but for an accelerator
    double claimed, worked, beyond;  // worked: by the thread that launches, while it did
    bool cold;
    Inputs inputs;
    Counters<double> counters;  // -1: not taken
    std::vector<LineCounts> lines;
    bool counts = false;
  };

  // What is seen lasts until there is an answer and the device has nothing to do.
  void launch_once(const Binding& bound, Cache cache, bool look) {
    const bool own = !judged() || &bound != &bound_;
    // Its threads wake up meanwhile: if they were to work at that moment, two may share a core.
    (own ? *own_ : remote_).resume();
    Inputs inputs = kept_.next(!own);
    prepare(cache, inputs);
    if (inputs == Inputs::all_new && !data_.arrays.all_new()) inputs = Inputs::before;  // has none
    settle();
    const std::vector<pid_t>& members = (own ? *own_ : remote_).members();
    std::map<pid_t, double> before;
    if (!accelerator_) before = thread_seconds(members);
    const double start = seconds();
    Counters<double> counters;
    std::vector<LineCounts> lines;
    double taken = 0, worked = 0;
    bound.ask("time", {{"cold", cache == Cache::cold}}, [&](const json& answer) {
      answer.at("counters").get_to<std::array<double, std::size(kCounters)>>(counters);
      lines = lines_from(answer.at("lines"));
      taken = answer.at("seconds");
      if (own) worked = answer.at("worked");
    });
    const double answered = seconds();
    if (look)
      data_.arrays.look();
    else
      backend_.hold(0);
    const double asked = seconds();
    backend_.synchronize_stream();
    const double end = seconds(), claimed = std::clamp(taken, 0.0, end - start);
    counters[Counter::enqueue] = std::min(counters[Counter::enqueue], end - start);
    seen_ = {own,
             members,
             std::move(before),
             claimed,
             own ? worked : claimed,
             end - asked + answered - start - claimed,
             cache == Cache::cold,
             inputs,
             counters,
             std::move(lines)};
  }

  // What its threads worked for the last launch is known when they sleep: ahead of the next one.
  void settle() {
    if (!seen_) return;
    const Seen s = *std::exchange(seen_, std::nullopt);
    const double counts = counted(s.claimed, s.beyond, own_beyond_);
    if (s.counts) times_.seconds.push_back(counts);
    if (s.counts && !s.lines.empty()) times_.lines = s.lines;
    for (std::size_t i = 0; s.counts && i < s.counters.size(); ++i)
      if (s.counters.at(i) >= 0) times_.counters.at(i).push_back(s.counters.at(i));
    Claims& all = s.own ? own_beyond_[own_name_] : all_;
    all.claimed.push_back(s.claimed);
    all.beyond.push_back(s.beyond);
    if (!s.before.empty()) {
      const Worked worked = worked_for(s);
      all.launcher.push_back(worked.launcher - s.worked);
      all.worked.push_back(std::max(worked.most - s.claimed, all.launcher.back()));
    }
    if (s.own) {
      // All of a measurement: a machine wakes processes quickly for a while, and then late.
      if (all.beyond.size() > 512)
        for (auto* some : {&all.claimed, &all.beyond, &all.worked, &all.launcher}) {
          std::size_t number = 0;
          std::erase_if(*some, [&](double) { return number++ % 2 == 0; });
        }
      return;
    }
    kept_.add(counts, s.cold ? s.inputs : Inputs::before);
  }

  // Seconds for which a thread worked at least: the one that launches; another one, but OpenMP's
  // spin for a while behind their work; and one of so many, ended or not, as there are cores.
  struct Worked {
    double most = 0, launcher = 0;
  };
  static Worked worked_for(const Seen& s) {
    constexpr double kSpin = 200e-6;
    static const double cores = static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN));
    Worked worked;
    for (const auto& [thread, now] : thread_seconds(s.members)) {
      const auto before = s.before.find(thread);
      const double all = now - (before == s.before.end() ? 0 : before->second);
      const bool launches = std::ranges::find(s.members, thread) != s.members.end();
      if (launches) worked.launcher = std::max(worked.launcher, all);
      worked.most = std::max(worked.most, thread == 0 ? all / cores : launches ? all : all - kSpin);
    }
    return worked;
  }

  Processes& processes_;
  Remote* const own_;  // null where there is none
  Remote& remote_;
  Data& data_;
  Backend& backend_;
  const bool accelerator_;
  Kept kept_;
  const Binding bound_;
  std::string own_name_;  // of the lesson's variant
  Beyond& own_beyond_;
  std::unique_ptr<const Binding> own_launch_;
  std::string left_;
  std::optional<Seen> seen_;
  Times times_;
  Claims all_;  // of the exercise
};

}  // namespace

std::unique_ptr<Runner> Processes::make(const Variant& variant, Data& data, Backend& backend) {
  return std::make_unique<InProcess>(*this, variant, data, backend);
}

}  // namespace wb::judged
