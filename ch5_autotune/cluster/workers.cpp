#include "workers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <iostream>

#include "base/failure.h"
#include "base/json.h"
#include "base/output.h"

namespace tune {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Subject, lesson, backend, device, id, driver, axes, space)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Limits, multiprocessors, shared_bytes, shared_bytes_all,
                                   registers, threads, compute, cores, vector_bytes, l2_bytes,
                                   flops, bandwidth)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Hello, subject, limits)

namespace {

using nlohmann::json;
using namespace std::chrono_literals;

constexpr const char* kEnd = "end";
constexpr unsigned kIdle = 600;   // seconds without a request after which a worker ends
constexpr double kForever = 1e9;  // seconds that a worker may wait for its machine
constexpr double kAnswer = 3600;  // seconds for an answer, should its machine hang
constexpr int kLosses = 3;        // workers that one request may cost
constexpr int kStarts = 5;        // attempts, one after another, to start a worker

std::string how(const wb::Outcome& o) {
  return o.timed_out ? fmt::format("no answer in {:g} s", kAnswer)
         : o.signal  ? fmt::format("signal {}", o.signal)
                     : fmt::format("exit code {}", o.code);
}

Subject without_id(Subject subject) {
  subject.id.clear();
  return subject;
}

}  // namespace

int work(Evaluator& evaluator) {
  const auto say = [](const std::string& line) { wb::put(line + "\n"); };
  say(json(Hello{evaluator.subjects()[0], evaluator.limits()}).dump());
  const Space& space = evaluator.space();
  ::alarm(kIdle);  // its signal ends this process
  for (std::string line; std::getline(std::cin, line); ::alarm(kIdle)) {
    ::alarm(0);
    if (line == kEnd) break;
    const json request = wb::parse_json(line);
    if (request.contains("try")) {
      say(wb::dump_json(line_of(evaluator.judge(space.parse(request["try"])), space)));
      continue;
    }
    std::vector<Configuration> all;
    for (const std::string words : request.at("in turn")) all.push_back(space.parse(words));
    say(json(evaluator.in_turn(all, request.at("samples"))).dump());
  }
  return 0;
}

Crew::Crew(std::vector<std::string> command, int workers) : command_(std::move(command)) {
  // The others when the first has shown that it works: what is wrong is said once.
  threads_.emplace_back(&Crew::run, this);
  try {
    std::unique_lock lock(mutex_);
    while (!hello_ && alive_) changed_.wait_for(lock, 100ms), wb::throw_if_interrupted();
    if (!hello_)
      throw wb::Failure(
          code_, fmt::format("no worker started ({}): {}", ended_, fmt::join(command_, " ")));
    for (; alive_ < workers; ++alive_) threads_.emplace_back(&Crew::run, this);
  } catch (...) {
    close();
    throw;
  }
}

void Crew::close() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    for (const pid_t id : silent_) ::kill(-id, SIGTERM);
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::vector<Subject> Crew::subjects() {
  const std::lock_guard lock(mutex_);
  return subjects_;
}

void Crew::ask(const std::string& request) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back({request});
  changed_.notify_all();
}

Crew::Answer Crew::next() {
  std::unique_lock lock(mutex_);
  while (answers_.empty() && alive_) changed_.wait_for(lock, 100ms), wb::throw_if_interrupted();
  if (answers_.empty()) throw wb::Failure(4, "no worker is left (" + ended_ + ")");
  Answer answer = std::move(answers_.front());
  answers_.pop_front();
  return answer;
}

std::size_t Crew::withdraw() {
  const std::lock_guard lock(mutex_);
  const std::size_t all = tasks_.size();
  tasks_.clear();
  return all;
}

std::optional<Crew::Task> Crew::take() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return closing_ || !tasks_.empty(); });
  if (closing_) return std::nullopt;
  const Task task = tasks_.front();
  tasks_.pop_front();
  return task;
}

// Whether it is a machine like the others'. Throws where it is not what a worker says.
bool Crew::introduced(const std::string& line) {
  const Hello hello = wb::parse_json(line).get<Hello>();
  const std::lock_guard lock(mutex_);
  if (!hello_) hello_ = hello;
  changed_.notify_all();
  if (without_id(hello.subject) != without_id(hello_->subject)) {
    ended_ = fmt::format("it is {}, {}, and the others are {}, {}: have the launcher choose alike",
                         hello.subject.device, hello.subject.driver, hello_->subject.device,
                         hello_->subject.driver);
    wb::tell("a worker is left out: {}", ended_);
    return false;
  }
  if (std::ranges::find(subjects_, hello.subject) == subjects_.end())
    subjects_.push_back(hello.subject);
  return true;
}

// False: it is not to be tried again.
bool Crew::start(std::unique_ptr<wb::Process>& process, int attempt) {
  {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, attempt * 5s, [&] { return closing_; })) return false;
    process = std::make_unique<wb::Process>(command_);
    silent_.insert(process->id());
  }
  const pid_t id = process->id();
  const auto line = process->read_line(kForever);
  {
    const std::lock_guard lock(mutex_);
    silent_.erase(id);
  }
  if (line) return introduced(*line);
  const wb::Outcome outcome = process->finish();
  process.reset();
  const std::lock_guard lock(mutex_);
  ended_ = how(outcome);
  if (!hello_ && (outcome.code == 2 || outcome.code == 3)) code_ = outcome.code;
  if (!hello_ && outcome.code == 127) code_ = 3;
  return hello_ && !closing_ && attempt + 1 < kStarts;  // the first one may never start
}

void Crew::run() try {
  std::unique_ptr<wb::Process> process;  // ends with this thread
  try {
    for (int attempt = 0;;) {
      if (!process) {
        if (!start(process, attempt++)) break;
        continue;
      }
      attempt = 0;
      std::optional<Task> task = take();
      if (!task) break;
      std::optional<std::string> line;
      if (process->write_line(task->request)) line = process->read_line(kAnswer);
      std::string lost;
      if (!line) {
        lost = how(process->finish());
        process.reset();
        wb::tell("a worker was lost ({}): its trial {}", lost,
                 ++task->lost < kLosses ? "is tried again" : "was tried often enough");
      }
      const std::lock_guard lock(mutex_);
      if (line || task->lost == kLosses)
        answers_.push_back({task->request, line.value_or(""), lost});
      else
        tasks_.push_front(*task);
      changed_.notify_all();
    }
  } catch (const std::exception& e) {  // interrupted; or it talks nonsense
    const std::lock_guard lock(mutex_);
    ended_ = wb::one_line(e);
  }
  {
    const std::lock_guard lock(mutex_);
    --alive_;
    changed_.notify_all();
  }
  if (process && process->write_line(kEnd)) process->finish();
} catch (const std::exception&) {  // interrupted, and the process is gone
}

void Workers::try_all(const std::vector<Configuration>& all,
                      const std::function<bool(Record)>& enough) {
  for (const Configuration& c : all) crew_.ask(json{{"try", space_.words(c)}}.dump());
  for (std::size_t left = all.size(); left > 0; --left) {
    const Crew::Answer answer = crew_.next();
    Record r;
    if (!answer.line.empty()) {
      r = record_of(wb::parse_json(answer.line), space_);
    } else {
      r.configuration = space_.parse(json::parse(answer.request)["try"]);
      r.status = Status::crashed;
      r.reason = fmt::format("{} workers were lost with it: {}", kLosses, answer.lost);
    }
    if (enough(r)) left -= crew_.withdraw();
  }
}

std::vector<std::vector<double>> Workers::in_turn(const std::vector<Configuration>& all,
                                                  int samples) {
  json words = json::array();
  for (const Configuration& c : all) words.push_back(space_.words(c));
  crew_.ask(json{{"in turn", words}, {"samples", samples}}.dump());
  const Crew::Answer answer = crew_.next();
  if (answer.line.empty())
    throw wb::Failure(4, fmt::format("{} workers were lost in the final round: {}; the same "
                                     "command with --resume goes on there",
                                     kLosses, answer.lost));
  return wb::parse_json(answer.line);
}

}  // namespace tune
