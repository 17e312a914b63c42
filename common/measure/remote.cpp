#include "measure/remote.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <new>

#include "base/clock.h"
#include "base/json.h"
#include "base/median.h"
#include "base/output.h"
#include "device/cpu/memory.h"
#include "measure/serve.h"
#include "model/trace_file.h"

namespace wb {

using nlohmann::json;

namespace {

const char* often(int signal) {
  switch (signal) {
    case SIGSEGV:
    case SIGBUS: return "often an index outside an array";
    case SIGABRT: return "often a failed assertion or an exception that nobody caught";
    case SIGFPE: return "often an integer divided by zero";
    case SIGILL: return "often an instruction that this processor does not have";
    case SIGKILL: return "often for want of memory";
    default: return "which ends a program";
  }
}

}  // namespace

// What it prints is for people.
void Remote::listen() {
  while (const auto line = process_->said()) {
    const std::string name = std::filesystem::path(command_[0]).filename().string();
    tell("{}: {}", name, *line);
    if (!line->empty()) last_line_ = *line;
  }
}

// Of an answer. When there is none, the process has ended, and this says how.
std::string Remote::read_line() {
  auto line = process_->read_line(patience_);
  if (line) return std::move(*line);
  const Outcome outcome = process_->finish();
  listen();
  process_.reset();
  const std::string last = last_line_.empty() ? "" : ": " + last_line_;
  if (outcome.timed_out) {
    hung_ = fmt::format("no answer in {:g} s{}", patience_, last);
    throw Ended(Status::hung, hung_);
  }
  throw Ended(Status::crashed,
              outcome.signal
                  ? fmt::format("signal {} ({}), {}{}", outcome.signal, strsignal(outcome.signal),
                                often(outcome.signal), last)
                  : fmt::format("it ended itself with exit code {}{}", outcome.code, last));
}

// What `read` takes from the answer. No request: it speaks first.
template <class Read> auto Remote::ask(const json& request, Read read) {
  if (!process_) throw Ended(Status::crashed, "its process has ended");
  process_->resume();
  if (!request.is_null()) process_->write_line(dump_json(request));  // no answer if it has ended
  const std::string line = read_line();
  listen();
  try {
    const json answer = parse_json(line);
    if (answer.contains("unsupported"))
      throw Unsupported(answer.at("unsupported").get<std::string>());
    if (answer.contains("memory")) throw std::bad_alloc();
    if (!answer.contains("failed")) return read(answer);
    if (answer.at("lost")) process_.reset();  // its device; a new one may find it again
    throw Ended(Status::failed, answer.at("failed"));
  } catch (const Ended&) {
    throw;
  } catch (const Unsupported&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    process_.reset();
    throw Ended(Status::failed, "its process answers nonsense: " + one_line(e));
  }
}

void Remote::start() {
  if (process_) return;
  if (!hung_.empty()) throw Ended(Status::hung, hung_);
  if (!std::filesystem::exists(command_[0]))
    throw Ended(Status::not_built, "what its compiler said is above");
  process_ = std::make_unique<Process>(command_, shared_file());
  ask(nullptr, [&](const json& hello) {
    variants_.clear();
    for (const json& v : hello.at("variants"))
      variants_.push_back({v.at(0), v.at(1), v.at(2), v.at(3)});
  });
}

const std::vector<Remote::Served>& Remote::variants() {
  start();
  return variants_;
}

int Remote::bind(const Problem& problem, const Data& data) {
  start();
  json axes = json::object(), arrays = json::array(), specs = json::array();
  for (const Axis& axis : data.axes)
    axes[axis.name] = axis.word ? json(axis.word) : json(axis.number);
  const std::vector<SharedArray> shared = data.arrays.shared();
  for (std::size_t i = 0; i < shared.size(); ++i) {
    specs.push_back(describe(data.answers.arrays()[i].spec));
    arrays.push_back({{"is", specs.back()},
                      {"place", shared[i].place},
                      {"bytes", shared[i].bytes},
                      {"offset", shared[i].offset}});
  }
  const json request = {{"do", "bind"},
                        {"id", ++bound_},
                        {"problem", problem.type},
                        {"wall", problem.clock == Clock::wall},
                        {"case", axes},
                        {"arrays", arrays}};
  if (ask(request, [&](const json& answer) { return answer.at("arrays") == specs; })) return bound_;
  drop(bound_);
  throw Ended(Status::failed, "it asks for other arrays than the lesson");
}

void Remote::drop(int id) noexcept {
  if (process_) try {
      ask({{"do", "drop"}, {"id", id}}, [](const json&) {});
      pause();
    } catch (const std::exception&) {  // it has ended, and nothing is left
    }
}

void Remote::make(int id, const std::string& variant, int threads) {
  ask({{"do", "make"}, {"id", id}, {"variant", variant}, {"threads", threads}}, [](const json&) {});
}

void Remote::disturb(int id, bool on) {
  ask({{"do", "disturb"}, {"id", id}, {"on", on}}, [](const json&) {});
}

std::string Remote::launch(int id) {
  return ask({{"do", "launch"}, {"id", id}},
             [](const json& answer) { return answer.at("left").get<std::string>(); });
}

Remote::Time Remote::time(int id, Cache cache) {
  return ask({{"do", "time"}, {"id", id}, {"cold", cache == Cache::cold}}, [](const json& answer) {
    return Time{answer.at("seconds"), answer.at("enqueue")};
  });
}

Trace Remote::trace(int id, int iterations) {
  const double start = seconds();
  return ask({{"do", "trace"}, {"id", id}, {"iterations", iterations}}, [&](const json& answer) {
    std::string text;
    for (int lines = answer.at("lines"); lines > 0 && text.size() < 64 << 20; --lines)
      text += read_line() + "\n";
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

double Remote::record_seconds(int id, Cache cache) {
  const double start = seconds();
  return ask({{"do", "records"}, {"id", id}, {"cold", cache == Cache::cold}},
             [&](const json& answer) {
               return std::clamp(answer.at("seconds").get<double>(), 0.0, seconds() - start);
             });
}

void Remote::pause() {
  if (process_) process_->stop();
}

void Remote::resume() {
  if (process_) process_->resume();
}

namespace {

struct Binding {
  Remote& remote;
  const int id;
  Binding(Remote& remote, const Problem& problem, const Data& data)
      : remote(remote), id(remote.bind(problem, data)) {}
  ~Binding() { remote.drop(id); }
};

// In one of these processes.
class InProcess : public Runner {
 public:
  InProcess(Processes& processes, const Variant& variant, Data& data, Backend& backend)
      : own_(processes.own ? &*processes.own : nullptr),
        remote_(variant.name == "exercise" ? processes.exercise : processes.own.value()),
        data_(data),
        backend_(backend),
        bound_(remote_, *variant.problem, data),
        own_beyond_(processes.beyond[variant.problem->type + label(data.axes)]) {
    remote_.make(bound_.id, variant.name, processes.threads);
    remote_.pause();
    if (own_ && judged()) set_up_own(*variant.problem, backend.name());
  }

  void launch() override {
    backend_.synchronize_stream();
    left_ = remote_.launch(bound_.id);
  }
  std::string left_running() override { return left_; }

  void time(Cache cache, bool look) override {
    constexpr std::size_t kEnough = 8;
    if (own_launch_ && own_beyond_.size() < kEnough) {
      for (int i = 0; i < 10 && own_beyond_.size() < kEnough; ++i)
        launch_once(*own_, own_launch_->id, cache, false);
      own_->pause();
    }
    times_.seconds.push_back(launch_once(remote_, bound_.id, cache, look));
  }
  void taken(Times& times) override {
    for (auto list : {&Times::seconds, &Times::enqueue}) {
      (times.*list).insert((times.*list).end(), (times_.*list).begin(), (times_.*list).end());
      (times_.*list).clear();
    }
  }
  bool in_doubt() const override { return hidden() > 0; }

  Trace trace(int iterations) override {
    data_.arrays.prepare();
    backend_.synchronize_stream();
    return remote_.trace(bound_.id, iterations);
  }
  std::vector<double> record_seconds(Cache cache, int launches) override {
    std::vector<double> taken;
    for (int i = 0; i < launches; ++i) {
      prepare(cache);
      taken.push_back(remote_.record_seconds(bound_.id, cache));
      data_.arrays.look();
    }
    return taken;
  }
  void disturb(bool on) override {
    remote_.disturb(bound_.id, on);
    remote_.pause();
  }

  void pause() override { remote_.pause(); }
  void resume() override { remote_.resume(); }

  bool judged() const override { return &remote_ != own_; }

  std::string note() const override {
    if (hidden() == 0) return "";
    const double claimed = median(claimed_);
    return fmt::format("its own clock says {:.3g} us where the clock outside says {:.3g} us",
                       1e6 * claimed, 1e6 * (claimed + hidden()));
  }
  double longer() const override {
    return 1 + hidden() / std::max(1e-9, claimed_.empty() ? 0 : median(claimed_));
  }

 private:
  // A variant of the lesson, should none be measured.
  void set_up_own(const Problem& problem, const std::string& backend) {
    const std::vector<Remote::Served>& all = own_->variants();
    const auto like_it = std::find_if(all.begin(), all.end(), [&](const Remote::Served& s) {
      return s.problem == problem.type && s.backend == backend;
    });
    if (like_it == all.end()) throw Ended(Status::failed, "its problem is not one of the lesson's");
    own_launch_ = std::make_unique<const Binding>(*own_, problem, data_);
    own_->make(own_launch_->id, like_it->name, 0);
    own_->pause();
  }

  // Who looks at the arrays meanwhile, to begin before it is told to, does not know the change yet.
  void prepare(Cache cache) {
    data_.arrays.poison();
    if (cache == Cache::cold) backend_.evict(data_.arrays.regions());
    data_.arrays.change();
    backend_.synchronize_stream();
  }

  // Claimed seconds. What is seen beyond them is noted: until there is an answer and the device has
  // nothing left to do, as this process sees it.
  double launch_once(Remote& remote, int id, Cache cache, bool look) {
    prepare(cache);
    const bool own = &remote == own_;
    const double start = seconds();
    const Remote::Time time = remote.time(id, cache);
    const double answered = seconds();
    if (look)
      data_.arrays.look();
    else
      backend_.hold(0);
    const double asked = seconds();
    backend_.synchronize_stream();
    const double end = seconds(), seen = end - asked + answered - start;
    const double claimed = std::clamp(time.seconds, 0.0, end - start);
    if (time.enqueue > 0) times_.enqueue.push_back(std::min(time.enqueue, end - start));
    (own ? own_beyond_ : beyond_).push_back(seen - claimed);
    if (!own) claimed_.push_back(claimed);
    return claimed;
  }

  // Seconds of a launch that the exercise's clock leaves out, beyond 20 us and 3 %; 0 where none
  // are. A process that the machine woke late is seen late, and many are not: so the first quartile
  // of what is seen beyond its clock is held against the median beyond that of the lesson's
  // variants. If it says too little only now and then, that is in the half of its launches for
  // which it says least.
  double hidden() const {
    if (claimed_.empty() || own_beyond_.empty()) return 0;
    const double middle = median(claimed_);
    std::vector<double> beyond;
    for (std::size_t i = 0; i < claimed_.size(); ++i)
      if (claimed_[i] <= middle) beyond.push_back(beyond_[i]);
    const double more = quantile(beyond, 0.25) - quantile(own_beyond_, 0.75);
    return more > 20e-6 + 0.03 * (middle + more) ? more : 0;
  }

  Remote* const own_;  // null where there is none
  Remote& remote_;
  Data& data_;
  Backend& backend_;
  const Binding bound_;
  std::vector<double>& own_beyond_;
  std::unique_ptr<const Binding> own_launch_;
  std::string left_;
  Times times_;
  std::vector<double> claimed_, beyond_;  // seconds of all launches of the exercise
};

}  // namespace

std::unique_ptr<Runner> Processes::make(const Variant& variant, Data& data, Backend& backend) {
  return std::make_unique<InProcess>(*this, variant, data, backend);
}

}  // namespace wb
