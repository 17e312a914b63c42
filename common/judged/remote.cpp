#include "judged/remote.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>
#include <filesystem>

#include "base/json.h"
#include "base/output.h"
#include "device/cpu/memory.h"
#include "judged/strays.h"
#include "measure/runner.h"

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

void Remote::ask(const json& request, const Read& read) {
  if (!process_) throw RunEnded(Status::crashed, "its process has ended");
  process_->resume();
  if (!request.is_null()) process_->write_line(dump_json(request));  // no answer if it has ended
  const std::string line = read_line();
  listen();
  try {
    const json answer = parse_json(line);
    if (answer.contains("too long")) throw TooLong(answer.at("too long").get<double>());
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
  members_.clear();
  for (const auto& [id, group] : family_of(process_->id())) {
    members_.push_back(id);
    if (leads_sandbox(group)) process_->adopt(group);
  }
}

const std::vector<Remote::Served>& Remote::variants() {
  start();
  return variants_;
}

void Remote::pause() {
  if (process_) process_->stop();
}

pid_t Remote::id() const { return process_ ? process_->id() : -1; }

int Remote::end_strays() const {
  return judged::end_strays(id(), process_ ? process_->groups() : std::set<pid_t>{});
}

void Remote::resume() {
  if (process_) process_->resume();
}

}  // namespace wb::judged
