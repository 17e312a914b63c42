#include "measure/remote.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
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
                  ? fmt::format("signal {} ({}){}", outcome.signal, strsignal(outcome.signal), last)
                  : fmt::format("its process ended with exit code {}{}", outcome.code, last));
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

void Remote::make(int id, const std::string& variant) {
  ask({{"do", "make"}, {"id", id}, {"variant", variant}}, [](const json&) {});
}

std::string Remote::launch(int id) {
  return ask({{"do", "launch"}, {"id", id}},
             [](const json& answer) { return answer.at("left").get<std::string>(); });
}

double Remote::waited() const {
  return process_ ? waited_for_core(process_->id()) + waited_for_core(::getpid()) : 0;
}

Remote::Times Remote::time(int id, Cache cache, bool empty) {
  return ask({{"do", "time"}, {"id", id}, {"cold", cache == Cache::cold}, {"empty", empty}},
             [](const json& answer) {
               return Times{answer.at("seconds"), answer.at("enqueue")};
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

RemoteTrial::RemoteTrial(Processes& processes, const Variant& variant, Data& data, Backend& backend)
    : own_(processes.own),
      remote_(variant.name == "exercise" ? processes.exercise : processes.own),
      data_(data),
      backend_(backend),
      bound_(remote_, *variant.problem, data) {
  remote_.make(bound_.id, variant.name);
  remote_.pause();
  if (judged()) empty_ = std::make_unique<const Binding>(own_, *variant.problem, data);
}

// Who looks at the arrays meanwhile, to begin before it is told to, does not know the change yet.
void RemoteTrial::prepare(Cache cache) {
  data_.arrays.poison();
  if (cache == Cache::cold) backend_.evict(data_.arrays.regions());
  data_.arrays.change();
  backend_.synchronize_stream();
}

// Seconds until `launch` has an answer and the device nothing left to do, as this process sees it;
// what either waited for a core does not count, for a busy machine is nobody's fault. `behind`
// follows at once.
template <class Launch, class Behind>
double RemoteTrial::watch(const Remote& remote, Launch launch, Behind behind) {
  const double waited = remote.waited(), start = seconds();
  launch();
  const double answered = seconds();
  behind();
  const double done = seconds();
  backend_.synchronize_stream();
  return seconds() - done + answered - start - (remote.waited() - waited);
}

// How long a launch of nothing takes: most of the time no longer.
double RemoteTrial::empty_seconds(Cache cache) {
  for (int i = 0; i < 5; ++i) {
    if (cache == Cache::cold) backend_.evict(data_.arrays.regions());
    backend_.synchronize_stream();
    empties_.push_back(watch(
        own_, [&] { own_.time(empty_->id, cache, /*empty=*/true); }, [&] { backend_.hold(0); }));
  }
  own_.pause();
  return quantile(empties_, 0.75);
}

std::vector<double> RemoteTrial::time(Cache cache, double budget, int at_most, bool look) {
  std::vector<double> claimed, seen;
  enqueue_seconds_.clear();
  const double empty = judged() ? empty_seconds(cache) : 0, begin = seconds();
  do {
    prepare(cache);
    const double start = seconds();
    Remote::Times times = {};
    seen.push_back(watch(
        remote_, [&] { times = remote_.time(bound_.id, cache); },
        [&] { look ? data_.arrays.look() : backend_.hold(0); }));
    const double most = seconds() - start;
    claimed.push_back(std::clamp(times.seconds, 0.0, most));
    if (times.enqueue > 0) enqueue_seconds_.push_back(std::min(times.enqueue, most));
  } while (static_cast<int>(seen.size()) < at_most &&
           (seconds() - begin) * (1 + 1.0 / static_cast<double>(seen.size())) < budget);
  if (!judged()) return claimed;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    seen[i] = std::max(seen[i] - empty, claimed[i]);
    excess_.push_back(0.97 * seen[i] - 20e-6 - claimed[i]);
    if (excess_.back() > 0) claimed_ = claimed[i], seen_ = seen[i];
  }
  return note().empty() ? claimed : seen;
}

// One that is only seen late, now and then, has a machine that is busy.
std::string RemoteTrial::note() const {
  if (excess_.empty() || median(excess_) <= 0) return "";
  return fmt::format("its own clock says {:.3g} us where the clock outside says {:.3g} us",
                     1e6 * claimed_, 1e6 * seen_);
}

std::vector<double> RemoteTrial::record_seconds(Cache cache, int launches) {
  std::vector<double> taken;
  for (int i = 0; i < launches; ++i) {
    prepare(cache);
    taken.push_back(remote_.record_seconds(bound_.id, cache));
    data_.arrays.look();
  }
  return taken;
}

}  // namespace wb
