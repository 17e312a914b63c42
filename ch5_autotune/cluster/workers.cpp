#include "workers.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "base/clock.h"
#include "base/failure.h"
#include "base/json.h"
#include "base/launched.h"
#include "base/output.h"

namespace tune {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Subject, lesson, backend, device, id, driver, axes, space)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Limits, multiprocessors, shared_bytes, shared_bytes_all,
                                   registers, threads, compute, cores, vector_bytes, l2_bytes,
                                   flops, bandwidth)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Hello, subject, limits)

namespace {

using nlohmann::json;

constexpr const char* kEnd = "end";
constexpr unsigned kIdle = 600;   // seconds without a request after which a worker ends
constexpr double kForever = 1e9;  // seconds that a worker may wait for its machine
constexpr double kAnswer = 3600;  // seconds for an answer, should its machine hang
constexpr int kStarts = 5;        // attempts, one after another, to start a worker

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
  wb::Outcome ended{.code = 4};
  std::string why;
  try {
    first_ = start(ended);
    if (!first_) why = wb::how_it_ended(ended, "");
  } catch (const wb::Failure&) {
    throw;                             // Ctrl-C
  } catch (const std::exception& e) {  // it talks nonsense
    why = wb::one_line(e);
  }
  if (!why.empty()) {
    const bool cannot = ended.code == 3 || ended.code == 127;
    throw wb::Failure(cannot            ? 3
                      : ended.code == 2 ? 2
                                        : 4,
                      fmt::format("no worker started ({}): {}", why, fmt::join(command_, " ")));
  }
  requests_.emplace(workers, [this] { return hire(); });
}

std::vector<Subject> Crew::subjects() {
  const std::lock_guard lock(mutex_);
  return subjects_;
}

// Null: it ended without a word.
Crew::Worker Crew::start(wb::Outcome& ended) {
  const Worker worker(new wb::Process(command_), [](wb::Process* process) {
    try {
      if (process->write_line(kEnd)) process->finish();
    } catch (const std::exception&) {  // interrupted, and the process is gone
    }
    delete process;
  });
  const auto line = worker->read_line(kForever);  // it may have to wait for a node
  if (line) return introduce(*line), worker;
  ended = worker->finish();
  return nullptr;
}

// Throws where it is a machine unlike the others', or not what a worker says.
void Crew::introduce(const std::string& line) {
  const Hello hello = wb::parse_json(line).get<Hello>();
  const std::lock_guard lock(mutex_);
  if (!hello_) hello_ = hello;
  if (without_id(hello.subject) != without_id(hello_->subject)) {
    const std::string why = fmt::format(
        "it is {}, {}, and the others are {}, {}: have the launcher choose alike",
        hello.subject.device, hello.subject.driver, hello_->subject.device, hello_->subject.driver);
    wb::tell("a worker is left out: {}", why);
    throw std::runtime_error(why);
  }
  if (std::ranges::find(subjects_, hello.subject) == subjects_.end())
    subjects_.push_back(hello.subject);
}

Crew::Requests::Worker Crew::hire() {
  Worker worker;
  {
    const std::lock_guard lock(mutex_);
    worker = std::exchange(first_, nullptr);
  }
  wb::Outcome ended;
  for (int attempt = 0; !worker; worker = start(ended), ++attempt) {
    if (attempt == kStarts) throw std::runtime_error(wb::how_it_ended(ended, ""));
    const double begin = wb::seconds();
    for (; wb::seconds() < begin + 5 * attempt; ::usleep(100000)) wb::throw_if_interrupted();
  }
  return [worker](const std::string& request) {
    std::optional<std::string> line;
    if (worker->write_line(request)) line = worker->read_line(kAnswer);
    if (!line) throw wb::Lost("a worker", wb::how_it_ended(worker->finish(), ""));
    return *line;
  };
}

void Workers::try_all(const std::vector<Configuration>& all,
                      const std::function<bool(Record)>& enough) {
  Crew::Requests& requests = crew_.requests();
  for (const Configuration& c : all) requests.add(json{{"try", space_.words(c)}}.dump());
  while (const auto ended = requests.next()) {
    Record r;
    if (ended->result) {
      r = record_of(wb::parse_json(*ended->result), space_);
    } else {
      r.configuration = space_.parse(json::parse(ended->job)["try"]);
      r.status = Status::crashed;
      r.reason = "its worker was " + ended->lost;
    }
    if (enough(r)) requests.withdraw();
  }
}

std::vector<std::vector<double>> Workers::in_turn(const std::vector<Configuration>& all,
                                                  int samples) {
  json words = json::array();
  for (const Configuration& c : all) words.push_back(space_.words(c));
  crew_.requests().add(json{{"in turn", words}, {"samples", samples}}.dump());
  const auto ended = crew_.requests().next();
  if (!ended->result)
    throw wb::Failure(4, fmt::format("the worker of the final round was {}; the same command with "
                                     "--resume goes on there",
                                     ended->lost));
  return wb::parse_json(*ended->result);
}

}  // namespace tune
