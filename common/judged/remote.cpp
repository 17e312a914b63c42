#include "judged/remote.h"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <thread>

#include "base/clock.h"
#include "base/failure.h"
#include "base/json.h"
#include "base/median.h"
#include "base/output.h"
#include "device/backends.h"
#include "device/cpu/memory.h"
#include "judged/serve.h"
#include "judged/strays.h"
#include "model/case_text.h"
#include "model/counts_json.h"
#include "model/trace_file.h"

namespace wb::judged {

using nlohmann::json;

namespace {

const char* often(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS: return "often an index outside an array";
    case SIGABRT: return "often a failed assertion or an exception that nobody caught";
    case SIGFPE: return "often an integer divided by zero";
    case SIGILL: return "often an instruction that this processor does not have";
    case SIGKILL: return "often because memory ran out";
    default: return "which ends a program";
  }
}

}  // namespace

// What it prints is for people, who read no more than so much of it.
void Remote::listen() {
  constexpr std::size_t kMost = 1 << 16;  // bytes
  while (const auto line = process_->said()) {
    const std::string name = std::filesystem::path(command_[0]).filename().string();
    if ((told_ += line->size() + 1) <= kMost) tell("{}: {}", name, *line);
    if (!line->empty()) last_line_ = *line;
  }
}

// Of an answer. When there is none, the process has ended, and this says how.
std::string Remote::read_line() {
  auto line = process_->read_line(patience_);
  if (line) return std::move(*line);
  const Outcome outcome = process_->finish();
  if (!outcome.flooded) listen();
  process_.reset();
  const std::string last = last_line_.empty() ? "" : ": " + last_line_;
  if (outcome.timed_out) {
    hung_ = fmt::format("no answer in {:g} s{}", patience_, last);
    throw RunEnded(Status::hung, hung_);
  }
  if (outcome.flooded) throw RunEnded(Status::crashed, "it printed more than 64 MiB");
  // What is started through another program, as a sandbox, ends with 128 and the signal.
  const int signal = outcome.code > 128 ? outcome.code - 128 : outcome.signal;
  throw RunEnded(
      Status::crashed,
      signal ? fmt::format("signal {} ({}), {}{}", signal, strsignal(signal), often(signal), last)
             : fmt::format("it ended itself with exit code {}{}", outcome.code, last));
}

template <class Read> auto Remote::ask(const json& request, Read read) {
  if (!process_) throw RunEnded(Status::crashed, "its process has ended");
  process_->resume();
  if (!request.is_null()) process_->write_line(dump_json(request));  // no answer if it has ended
  const std::string line = read_line();
  listen();
  try {
    const json answer = parse_json(line);
    if (answer.contains("unsupported"))
      throw Unsupported(answer.at("unsupported").get<std::string>());
    if (!answer.contains("failed")) return read(answer);
    if (answer.at("lost")) process_.reset();  // its device; a new one may find it again
    throw RunEnded(answer.at("cheats") ? Status::cheats : Status::failed, answer.at("failed"));
  } catch (const RunEnded&) {
    throw;
  } catch (const Unsupported&) {
    throw;
  } catch (const std::exception& e) {
    process_.reset();
    throw RunEnded(Status::cheats, "its process answers nonsense: " + one_line(e));
  }
}

void Remote::start() {
  if (process_) return;
  if (!hung_.empty()) throw RunEnded(Status::hung, hung_);
  if (!std::filesystem::exists(command_[0]))
    throw RunEnded(Status::not_built, "its compiler's message is above");
  process_ = std::make_unique<Process>(command_, shared_file());
  ask(nullptr, [&](const json& hello) {
    variants_.clear();
    for (const json& v : hello.at("variants"))
      variants_.push_back({v.at(0), v.at(1), v.at(2), v.at(3)});
  });
  members_ = members_of(process_->id());
}

const std::vector<Remote::Served>& Remote::variants() {
  start();
  return variants_;
}

void Remote::pause() {
  if (process_) process_->stop();
}

pid_t Remote::id() const { return process_ ? process_->id() : -1; }

void Remote::resume() {
  if (process_) process_->resume();
}

namespace {

// The arrays of a case in such a process, and perhaps a variant.
class Binding {
 public:
  template <class Read> auto ask(const char* what, json request, Read read) const {
    request["do"] = what, request["id"] = id_;
    return remote_.ask(request, read);
  }
  void tell(const char* what, const json& request) const {
    ask(what, request, [](const json&) {});
  }

  Binding(Remote& remote, const Problem& problem, const Data& data) : remote_(remote) {
    static int all = 0;
    id_ = ++all;
    remote_.variants();  // it has started
    json arrays = json::array(), specs = json::array();
    const std::vector<SharedArray> shared = data.arrays.shared();
    for (std::size_t i = 0; i < shared.size(); ++i) {
      specs.push_back(describe(data.answers.arrays()[i].spec));
      arrays.push_back({{"is", specs.back()},
                        {"place", shared[i].place},
                        {"bytes", shared[i].bytes},
                        {"offset", shared[i].offset}});
    }
    const bool same = ask("bind",
                          {{"problem", problem.type},
                           {"wall", problem.clock == Clock::wall},
                           {"case", as_json(data.axes)},
                           {"arrays", arrays}},
                          [&](const json& answer) { return answer.at("arrays") == specs; });
    if (same) return;
    drop();
    throw RunEnded(Status::cheats, "it asks for other arrays than the lesson");
  }
  ~Binding() { drop(); }

 private:
  void drop() const try {
    if (remote_.id() < 0) return;
    tell("drop", {});
    remote_.pause();
  } catch (const std::exception&) {  // it has ended, and nothing is left
  }

  Remote& remote_;
  int id_;
};

// In one of these processes.
class InProcess : public Runner {
 public:
  InProcess(Processes& processes, const Variant& variant, Data& data, Backend& backend)
      : processes_(processes),
        own_(processes.own ? &*processes.own : nullptr),
        remote_(variant.judged ? processes.exercise : processes.own.value()),
        data_(data),
        backend_(backend),
        accelerator_(traits_of(backend).accelerator),
        bound_(remote_, *variant.problem, data),
        own_name_(variant.name),
        own_beyond_(processes.beyond[variant.problem->type + label(data.axes)]) {
    bound_.tell("make", {{"variant", variant.name}, {"threads", processes.threads}});
    remote_.pause();
    if (own_ && judged()) set_up_own(*variant.problem, backend.name());
  }

  void launch() override {
    backend_.synchronize_stream();
    left_ = bound_.ask("launch", {},
                       [](const json& answer) { return answer.at("left").get<std::string>(); });
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
    for (const double share : {0.5, 0.25, 0.125})
      if (const Hidden h = hidden(all_, own_beyond_, share); h.more > 0 && note.empty())
        note = fmt::format("its own clock says {:.3g} us where the clock outside says {:.3g} us{}",
                           1e6 * h.claimed, 1e6 * (h.claimed + h.more),
                           share < 0.5 ? ", in some launches" : "");
    if (kept() > 1)
      note += fmt::format("{}it takes {:.2g} times as long where all inputs are new: it keeps some",
                          note.empty() ? "" : "; ", kept());
    return note;
  }
  double longer() const override {
    const double middle = std::max(1e-9, median(counted_));
    const double all = kept() > 1 ? std::max(1.0, new_seconds() / middle) : 1;
    Claims claims = all_;
    claims.claimed = counted_;
    for (std::size_t i = 0; i < counted_.size(); ++i)
      for (std::vector<double>* beyond : {&claims.beyond, &claims.worked})
        if (!beyond->empty()) (*beyond)[i] -= counted_[i] - all_.claimed[i];
    return all * (1 + hidden(claims, own_beyond_).more / middle);
  }

 private:
  void time(Cache cache, bool look) {
    if (own_launch_ && own_beyond_.empty()) {
      for (int i = 0; i < 8; ++i) launch_once(*own_launch_, cache, false);
      settle();
      own_->pause();
      renewed_ = 0;
    }
    // A GPU is idle while the host draws new inputs, which may slow down the launch after it (not
    // measured yet). Such a launch is checked and shows what is kept; its time is not the row's.
    do {
      launch_once(bound_, cache, look);
      seen_->counts = !accelerator_ || !data_.arrays.all_new();
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
    return bound_.ask("trace", {{"iterations", iterations}}, [&](const json& answer) {
      std::string text;
      for (int lines = answer.at("lines"); lines > 0 && text.size() < 64 << 20; --lines)
        text += remote_.read_line() + "\n";
      Trace trace = std::move(read_chrome_trace(text).at(0).trace);
      trace.iterations = iterations;
      trace.wall = std::clamp(trace.wall, 1e-9, seconds() - start);
      for (Interval& i : trace.intervals) {
        i.start = std::clamp(i.start, 0.0, trace.wall);
        i.end = std::clamp(i.end, i.start, trace.wall);
      }
      return trace;
    });
  }
  // As it says: no verdict depends on it. Its launches find what the one before left.
  HardwareCounts hardware(Cache cache) {
    prepare(cache, /*all_new=*/false);
    HardwareCounts counts;
    bound_.ask("hardware", {{"cold", cache == Cache::cold}},
               [&](const json& answer) { counts = hardware_from(answer); });
    return counts;
  }
  std::vector<double> record_seconds(Cache cache, int launches) {
    std::vector<double> taken;
    for (int i = 0; i < launches; ++i) {
      prepare(cache, !accelerator_ && renew(judged()));
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
    own_launch_->tell("make", {{"variant", own_name_ = like_it->name}, {"threads", 0}});
    own_->pause();
  }

  // How many times longer launches on new inputs are, if even the quickest outlast most of those
  // beside them, which the machine treated alike; else 1.
  double kept() const {
    std::vector<double> news, others;
    for (std::size_t i = 0; i < counted_.size(); ++i)
      if ((i > 0 && all_new_[i - 1] != all_new_[i]) ||
          (i + 1 < counted_.size() && all_new_[i + 1] != all_new_[i]))
        (all_new_[i] ? news : others).push_back(counted_[i]);
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

  double new_seconds() const {
    std::vector<double> news;
    for (std::size_t i = 0; i < counted_.size(); ++i)
      if (all_new_[i]) news.push_back(counted_[i]);
    return median(news);
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
    const int strays = end_strays(remote_.id());
    processes_.next_look = seconds() + 20 * (seconds() - start);
    if (strays) throw RunEnded(Status::cheats, fmt::format("it left {} processes running", strays));
  }

  // Whether the next launch has all inputs new. Of an exercise the first ones do, then every other
  // one, until there are as many of each as kept() needs: while they are few, most are new, and so
  // is the median that counts. From then on, or where it has taken seconds, drawing them takes a
  // tenth of the time at most. The lesson's variants do the same, as long as that is cheap.
  bool renew(bool exercise) {
    if (renewed_ < 2 * kEnough && drawing_ < (exercise ? 2 : 0.3))
      return renewed_ < kEnough || chance_() % 2;
    return drawing_ < 0.1 * (seconds() - since_) && chance_() % 2;
  }

  // Who looks at the arrays meanwhile, to begin before it is told to, does not know the change yet.
  void prepare(Cache cache, bool all_new) {
    const double start = seconds();
    data_.arrays.poison(all_new);
    if (all_new) drawing_ += seconds() - start, ++renewed_;
    // Keeps a GPU busy for a moment, should its clocks have fallen while it was idle.
    for (const double end = seconds() + 0.01; all_new && accelerator_ && seconds() < end;) {
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
    double claimed, beyond;
    bool all_new;
    Counters<double> counters;  // -1: not taken
    std::vector<LineCounts> lines;
    bool counts = false;
  };

  // What is seen lasts until there is an answer and the device has nothing to do.
  void launch_once(const Binding& bound, Cache cache, bool look) {
    const bool own = !judged() || &bound != &bound_;
    prepare(cache, renew(!own));
    settle();
    const std::vector<pid_t>& members = (own ? *own_ : remote_).members();
    std::map<pid_t, double> before;
    if (!accelerator_) before = thread_seconds(members);
    const double start = seconds();
    Counters<double> counters;
    std::vector<LineCounts> lines;
    const double taken =
        bound.ask("time", {{"cold", cache == Cache::cold}}, [&](const json& answer) -> double {
          answer.at("counters").get_to<std::array<double, std::size(kCounters)>>(counters);
          lines = lines_from(answer.at("lines"));
          return answer.at("seconds");
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
             end - asked + answered - start - claimed,
             !own && cache == Cache::cold && data_.arrays.all_new(),
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
    if (!s.before.empty()) all.worked.push_back(worked(s) - s.claimed);
    if (s.own) {
      // All of a measurement: a machine wakes processes quickly for a while, and then late.
      if (all.beyond.size() > 512)
        for (std::vector<double>* some : {&all.claimed, &all.beyond, &all.worked}) {
          std::size_t number = 0;
          std::erase_if(*some, [&](double) { return number++ % 2 == 0; });
        }
      return;
    }
    counted_.push_back(counts);
    all_new_.push_back(s.all_new);
  }

  // Seconds for which a thread worked at least: the one that launches; another one, but OpenMP's
  // spin for a while behind their work; and one of so many, ended or not, as there are cores.
  static double worked(const Seen& s) {
    constexpr double kSpin = 200e-6;
    static const double cores = static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN));
    double most = 0;
    for (const auto& [thread, now] : thread_seconds(s.members)) {
      const auto before = s.before.find(thread);
      const double all = now - (before == s.before.end() ? 0 : before->second);
      const bool launches = std::ranges::find(s.members, thread) != s.members.end();
      most = std::max(most, thread == 0 ? all / cores : launches ? all : all - kSpin);
    }
    return most;
  }

  Processes& processes_;
  Remote* const own_;  // null where there is none
  Remote& remote_;
  Data& data_;
  Backend& backend_;
  const bool accelerator_;
  const Binding bound_;
  std::string own_name_;  // of the lesson's variant
  Beyond& own_beyond_;
  std::unique_ptr<const Binding> own_launch_;
  std::string left_;
  std::optional<Seen> seen_;
  Times times_;
  Claims all_;                   // of the exercise
  std::vector<double> counted_;  // seconds of its launches
  std::vector<bool> all_new_;    // which of them had all inputs new, in cold caches
  static constexpr std::size_t kEnough = 8;
  std::size_t renewed_ = 0;
  std::random_device chance_;
  double drawing_ = 0, since_ = seconds();
};

}  // namespace

Processes::Processes(std::optional<Remote> own, Remote exercise)
    : own(std::move(own)), exercise(std::move(exercise)) {
  ::prctl(PR_SET_DUMPABLE, 0);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (this->own) wake_promptly();  // an answer's time ends when this thread has it
}

std::unique_ptr<Runner> Processes::make(const Variant& variant, Data& data, Backend& backend) {
  return std::make_unique<InProcess>(*this, variant, data, backend);
}

void add_exercise(Registry& registry, Remote& exercise, const std::string& backend) {
  if (registry.empty()) throw Failure(2, "--exercise stands beside a lesson's variants");
  Variant added{.problem = nullptr,
                .name = name(VariantRole::exercise),
                .backend = backend,
                .make = {},
                .judged = true};
  try {
    std::vector<Remote::Served> all = exercise.variants();
    std::erase_if(all, [&](const Remote::Served& s) { return s.name != added.name; });
    const auto own = std::ranges::find(all, backend, &Remote::Served::backend);
    if (const auto served = own != all.end() ? own : all.begin(); served != all.end()) {
      added.backend = served->backend;
      added.note = served->note;
    }
  } catch (const std::exception&) {  // when it is to be set up, its row says so
  }
  exercise.pause();
  // Each backend has a baseline and a problem of its own.
  const auto first = std::ranges::find(registry, added.backend, &Variant::backend);
  added.problem = (first != registry.end() ? *first : registry.front()).problem;
  for (const Variant& v : registry)
    if (v.exercise && v.backend == added.backend) added.problem = v.exercise;
  registry.push_back(added);
}

std::unique_ptr<Processes> start(Registry& registry, const std::string& exercise,
                                 const std::string& backend, const std::string& own) {
  const auto serving = [&](const std::string& program) {
    return Remote({program, "--serve", "--backend=" + backend});
  };
  auto processes = std::make_unique<Processes>(
      own.empty() ? std::nullopt : std::optional(serving(own)), serving(exercise));
  add_exercise(registry, processes->exercise, backend);
  return processes;
}

}  // namespace wb::judged
