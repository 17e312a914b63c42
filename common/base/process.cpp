#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/failure.h"

namespace wb {

namespace {

volatile sig_atomic_t interrupts = 0;

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// One end of a pipe, cut into lines. A line longer than 64 KiB is handed on in pieces.
class Lines {
 public:
  Lines(int file, const LineSink& sink) : file_(file), sink_(sink) {}
  ~Lines() {
    if (file_ >= 0) ::close(file_);
  }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  int file() const { return file_; }
  void read() {
    char block[1 << 14];
    const ssize_t n = ::read(file_, block, sizeof block);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (n <= 0) {
      if (!pending_.empty()) sink_(pending_);
      ::close(file_);
      file_ = -1;  // poll leaves a negative one alone
      return;
    }
    pending_.append(block, static_cast<std::size_t>(n));
    std::size_t start = 0;
    for (std::size_t end; (end = pending_.find('\n', start)) != std::string::npos; start = end + 1)
      sink_(pending_.substr(start, end - start));
    pending_.erase(0, start);
    if (pending_.size() > (1 << 16)) sink_(std::exchange(pending_, ""));
  }

 private:
  int file_;
  LineSink sink_;
  std::string pending_;
};

[[noreturn]] void become(const std::vector<std::string>& command, int output, int errors) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nothing goes on running when the driver is killed
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing < 0 || ::dup2(nothing, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(errors, 2) < 0)
    ::_exit(127);
  ::setenv("WB_PROGRESS", "1", 1);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupts = interrupts + 1; };  // no SA_RESTART: poll() wakes up
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGHUP, &action, nullptr);
}

Outcome run_process(const std::vector<std::string>& command, double time_limit_seconds,
                    const LineSink& output, const LineSink& errors) {
  if (interrupts > 0) throw Failure(130, "interrupted");
  int out[2], err[2];
  if (::pipe2(out, O_CLOEXEC) || ::pipe2(err, O_CLOEXEC))
    throw Failure(5, std::string("cannot make a pipe: ") + std::strerror(errno));
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw Failure(3, std::string("cannot start a program: ") + std::strerror(errno));
  if (child == 0) become(command, out[1], err[1]);
  ::setpgid(child, child);  // in the child too: whichever comes first
  ::close(out[1]);
  ::close(err[1]);
  Lines lines[] = {{out[0], output}, {err[0], errors}};

  Outcome outcome;
  double deadline = now() + time_limit_seconds;
  bool ending = false, ended = false;
  for (;;) {
    pollfd files[] = {{lines[0].file(), POLLIN, 0}, {lines[1].file(), POLLIN, 0}};
    ::poll(files, 2, 50);
    for (int i = 0; i < 2; ++i)
      if (files[i].revents) lines[i].read();
    const bool drained = lines[0].file() < 0 && lines[1].file() < 0;
    if (ended && (drained || now() > deadline)) break;

    siginfo_t info = {};
    if (!ended && ::waitid(P_PID, child, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == child) {
      ::kill(-child, SIGKILL);  // what it left behind; its own state is kept until waitpid
      ended = true;
      deadline = now() + 1;
    } else if (!ended && !ending && (interrupts > 0 || now() > deadline)) {
      outcome.timed_out = interrupts == 0;
      ::kill(-child, outcome.timed_out ? SIGTERM : SIGINT);
      ending = true;
      deadline = now() + 2;
    } else if (!ended && ending && (now() > deadline || interrupts > 1)) {
      ::kill(-child, SIGKILL);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (interrupts > 0) throw Failure(130, "interrupted");
  if (WIFSIGNALED(status))
    outcome.signal = WTERMSIG(status);
  else
    outcome.code = WEXITSTATUS(status);
  return outcome;
}

}  // namespace wb
