#include "measure/peer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/build_info.h"

namespace wb {

std::string Peer::script(const std::string& name) {
  return std::string(source_folder()) + "/common/peer/" + name + ".py";
}

Peer::Peer(const std::string& script) {
  int to[2], from[2];
  if (::pipe2(to, O_CLOEXEC) || ::pipe2(from, O_CLOEXEC))
    throw std::runtime_error("cannot make a pipe for " + script);
  ::signal(SIGPIPE, SIG_IGN);  // a peer that ended shows when its answer is missing
  process_ = ::fork();
  if (process_ == 0) {
    ::dup2(to[0], 0);
    ::dup2(from[1], 1);
    ::execlp("python3", "python3", script.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(to[0]);
  ::close(from[1]);
  to_ = ::fdopen(to[1], "w");
  from_ = ::fdopen(from[0], "r");
  version_ = nlohmann::json::parse(answer("peer")).get<std::string>();
  known_ = nlohmann::json::parse(line_).value("knows", known_);
}

Peer::~Peer() {
  if (to_) std::fclose(to_);  // the end of its input ends it
  if (from_) std::fclose(from_);
  if (process_ > 0) ::waitpid(process_, nullptr, 0);
}

std::string Peer::answer(const char* key) {
  line_.clear();
  for (int c; (c = std::fgetc(from_)) != EOF && c != '\n';) line_ += static_cast<char>(c);
  const auto json = nlohmann::json::parse(line_, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) throw Unsupported("the peer ended without an answer (python3 here?)");
  for (const char* why : {"missing", "skipped"})
    if (json.contains(why) && json[why].is_string()) throw Unsupported(json[why]);
  if (!json.contains(key)) throw Unsupported("the peer's answer has no '" + std::string(key) + "'");
  return json[key].dump();
}

bool Peer::knows(const std::string& lesson, const std::string& op) const {
  return std::any_of(known_.begin(), known_.end(),
                     [&](const std::string& name) { return name == lesson || name == op; });
}

Peer::Sample Peer::sample(const CaseKey& c, double budget, bool records) {
  nlohmann::json axes = nlohmann::json::object();
  for (const Axis& axis : c.axes)
    axes[axis.name] = axis.word ? nlohmann::json(axis.word) : nlohmann::json(axis.number);
  const nlohmann::json request = {{"lesson", c.lesson}, {"case", axes},     {"backend", c.backend},
                                  {"cache", c.cache},   {"budget", budget}, {"records", records}};
  std::fprintf(to_, "%s\n", request.dump().c_str());
  std::fflush(to_);
  const double seconds = std::strtod(answer("seconds").c_str(), nullptr);
  if (!(seconds > 0)) throw Unsupported("the peer measured no time");
  return {seconds, nlohmann::json::parse(line_).value("timer", "events")};
}

}  // namespace wb
