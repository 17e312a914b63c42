#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/failure.h"
#include "base/output.h"

namespace wb {

namespace {

volatile sig_atomic_t interrupts = 0;
thread_local sig_atomic_t forgiven = 0;  // of these
thread_local const std::atomic<bool>* this_thread_is_over = nullptr;
volatile sig_atomic_t at_once = 0;

bool interrupted() {
  return interrupts > forgiven || (this_thread_is_over && *this_thread_is_over);
}

// The groups of the programs that this one started, and its watcher's: a shell beside this program.
// The shell kills all of these groups when this program is killed, for then nobody else can: what a
// leader has started does not end with it. Copies of this program (fork) write to the same shell.
class Groups {
 public:
  void watch() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC)) return;
    if ((shell_ = ::fork()) == 0) {
      ::setpgid(0, 0);
      const int nowhere = ::open("/dev/null", O_RDWR);
      ::dup2(ends[0], 0), ::dup2(nowhere, 1), ::dup2(nowhere, 2);
      ::execlp("sh", "sh", "-c",
               "all=' '; while read -r what id; do case $what$all in "
               "+*) all=\"$all$id \" ;; "
               "-*\" $id \"*) all=\"${all%% $id *} ${all#* $id }\" ;; "
               "esac; done; for id in $all; do kill -s KILL -- \"-$id\"; done",
               nullptr);
      ::_exit(127);
    }
    ::close(ends[0]);
    insert(shell_);
    pipe_ = ends[1];
  }
  void insert(pid_t id) {
    const std::lock_guard lock(mutex_);
    all_.insert(id);
    if (pipe_ >= 0) ::dprintf(pipe_, "+ %d\n", id);
  }
  void erase(pid_t id) {
    const std::lock_guard lock(mutex_);
    all_.erase(id);
    if (pipe_ >= 0) ::dprintf(pipe_, "- %d\n", id);
  }
  bool contains(pid_t id) {
    const std::lock_guard lock(mutex_);
    return all_.contains(id);
  }
  ~Groups() {
    if (pipe_ >= 0) ::close(pipe_);
    if (shell_ > 0) ::waitpid(shell_, nullptr, 0);
  }

 private:
  std::mutex mutex_;
  std::set<pid_t> all_;
  pid_t shell_ = -1;
  int pipe_ = -1;
} programs;

// The child, after fork(). Files of -1 stay as they are; `more` becomes file 3.
[[noreturn]] void become(const std::vector<std::string>& command, const std::string& folder,
                         int input, int output, int errors, int more) {
  ::setpgid(0, 0);
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::signal(signal, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nothing goes on running when the driver is killed
  if (input < 0) input = ::open("/dev/null", O_RDONLY);
  if (::dup2(input, 0) < 0 || ::dup2(output, 1) < 0 || (errors >= 0 && ::dup2(errors, 2) < 0) ||
      (more >= 0 && (more == 3 ? ::fcntl(3, F_SETFD, 0) : ::dup2(more, 3)) < 0) ||
      (!folder.empty() && ::chdir(folder.c_str())))
    ::_exit(127);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

}  // namespace

void throw_if_interrupted() {
  if (interrupted()) throw Failure(130, "interrupted");
}

EndsAtOnce::EndsAtOnce() { at_once = 1, throw_if_interrupted(); }
EndsAtOnce::~EndsAtOnce() { at_once = 0; }

void forgive_interrupts() { forgiven = interrupts; }

void end_programs_with(const std::atomic<bool>* over) { this_thread_is_over = over; }

void catch_interrupts() {
  programs.watch();
  struct sigaction action = {};
  action.sa_handler = [](int) {  // no SA_RESTART: poll() wakes up
    interrupts = interrupts + 1;
    constexpr std::string_view kLine = "workbook: interrupted\n";
    if (at_once && ::write(2, kLine.data(), kLine.size()) != 0) ::_exit(130);
  };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaction(signal, &action, nullptr);
}

bool is_started(pid_t group) { return programs.contains(group); }

std::vector<std::string> split_words(const std::string& line) {
  std::vector<std::string> words;
  bool inside = false;  // a word; it may be empty: ''
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (!quote && (c == ' ' || c == '\t' || c == '\n')) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c == quote) {
      quote = 0;
    } else if (!quote && (c == '\'' || c == '"')) {
      quote = c;
    } else {
      if (c == '\\' && quote != '\'' && i + 1 < line.size()) c = line[++i];
      words.back() += c;
    }
  }
  if (quote) throw Failure(2, "no closing " + std::string(1, quote) + " in: " + line);
  return words;
}

bool in_path(const std::string& program) {
  return run_process({program, "--version"}, 10).code != 127;
}

Process::Stream::~Stream() {
  if (file >= 0) ::close(file);
}

void Process::Stream::read() {
  char block[1 << 14];
  const ssize_t n = ::read(file, block, sizeof block);
  if (n > 0)
    text.append(block, static_cast<std::size_t>(n));
  else if (n == 0 || (errno != EINTR && errno != EAGAIN))
    ::close(std::exchange(file, -1));  // poll leaves a negative one alone
}

std::optional<std::string> Process::Stream::line() {
  const std::size_t end = text.find('\n', taken), left = text.size() - taken;
  if (end == std::string::npos && left <= 1 << 16 && (file >= 0 || left == 0)) return std::nullopt;
  std::string line = text.substr(taken, end == std::string::npos ? end : end - taken);
  taken = end == std::string::npos ? text.size() : end + 1;
  if (2 * taken >= text.size()) text.erase(0, std::exchange(taken, 0));  // seldom: many lines
  return clean(line);
}

Process::Process(const std::vector<std::string>& command, Talk talk, const std::string& folder,
                 int file) {
  throw_if_interrupted();
  const auto connect = [](Stream& ours, Stream& theirs, bool both_ways) {
    int ends[2];
    if (both_ways ? ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)
                  : ::pipe2(ends, O_CLOEXEC))
      throw Failure(5, std::string("cannot make a pipe: ") + std::strerror(errno));
    ours.file = ends[0], theirs.file = ends[1];
  };
  Stream input, output, errors;  // the child's ends
  connect(talk == Talk::on_input ? errors_ : output_, output, false);
  if (talk != Talk::none) connect(input_, input, true);  // a socket: no SIGPIPE
  if (talk == Talk::none) connect(errors_, errors, false);
  if (talk == Talk::on_input && (output_.file = ::fcntl(input_.file, F_DUPFD_CLOEXEC, 3)) < 0)
    throw Failure(5, std::string("cannot make a pipe: ") + std::strerror(errno));
  std::fflush(nullptr);
  child_ = ::fork();
  if (child_ < 0) throw Failure(3, std::string("cannot start a program: ") + std::strerror(errno));
  if (child_ == 0)
    become(command, folder, input.file, output.file,
           talk == Talk::on_input ? output.file : errors.file, file);
  ::setpgid(child_, child_);  // in the child too: whichever comes first
  adopt(child_);
}

void Process::adopt(pid_t group) {
  groups_.insert(group);
  programs.insert(group);
}

void Process::tell_all(int signal) const {
  for (const pid_t group : groups_) ::kill(-group, signal);
}

// It was killed: who is left of its groups and became a child of this program is gone then, too.
void Process::bury() {
  child_ = -1;
  for (const pid_t group : std::exchange(groups_, {})) {
    while (::waitpid(-group, nullptr, 0) > 0 || errno == EINTR) {
    }
    programs.erase(group);
  }
}

Process::~Process() {
  if (child_ < 0) return;
  tell_all(SIGKILL), ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
  bury();
}

bool Process::write_line(const std::string& line) {
  const std::string text = line + '\n';
  return ::send(input_.file, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
         static_cast<ssize_t>(text.size());
}

std::optional<std::string> Process::read_line(double time_limit_seconds) {
  if (!ending_ && !ended_) deadline_ = seconds() + time_limit_seconds;
  for (bool more = true; more && !timed_out();) {
    if (auto line = output_.line()) return line;
    if (output_.file < 0) break;
    more = goes_on();
  }
  while (timed_out() && goes_on()) {
  }
  return std::nullopt;
}

const Outcome& Process::finish() {
  if (!ending_ && !ended_) deadline_ = seconds() + 1;
  while (goes_on()) {
  }
  return outcome_;
}

void Process::stop() {
  if (child_ < 0 || stopped_) return;
  stopped_ = true;
  tell_all(SIGSTOP), ::kill(child_, SIGSTOP);  // it may have left its group
  siginfo_t info = {};  // comes when all of its threads stand, or it has ended
  while (::waitid(P_PID, child_, &info, WSTOPPED | WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
}

void Process::resume() {
  if (child_ >= 0 && stopped_) tell_all(SIGCONT), ::kill(child_, SIGCONT);
  stopped_ = false;
}

bool Process::goes_on() {
  if (child_ < 0) return false;
  pollfd files[] = {{output_.file, POLLIN, 0}, {errors_.file, POLLIN, 0}};
  const bool drained = output_.file < 0 && errors_.file < 0;
  ::poll(files, 2, drained ? 1 : 50);
  if (files[0].revents) output_.read();
  if (files[1].revents) errors_.read();
  if (!ended_ && output_.text.size() + errors_.text.size() > kMostOutput) {
    outcome_.flooded = true;
    tell_all(SIGKILL);
  }

  siginfo_t info = {};
  if (ended_) {
    if (!drained && seconds() < deadline_) return true;
    int status = 0;
    ::waitpid(child_, &status, 0);
    bury();
    throw_if_interrupted();
    outcome_.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    outcome_.code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    return false;
  }
  if (::waitid(P_PID, child_, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == child_) {
    tell_all(SIGKILL);  // what it left behind; its own state is kept until waitpid
    ended_ = true;
    deadline_ = seconds() + 1;
  } else if (!ending_ && (interrupted() || seconds() > deadline_)) {
    outcome_.timed_out = !interrupted();
    tell_all(SIGTERM);  // at SIGINT srun but asks whether one means it
    ending_ = true;
    deadline_ = seconds() + 2;
  } else if (ending_ && (seconds() > deadline_ || interrupts > forgiven + 1)) {
    tell_all(SIGKILL);
  }
  return true;
}

Outcome run_process(const std::vector<std::string>& command, double time_limit_seconds,
                    const LineSink& output, const LineSink& errors, const std::string& folder) {
  Process process(command, Process::Talk::none, folder, -1);
  process.deadline_ = seconds() + time_limit_seconds;
  for (bool more = true; more;) {
    more = process.goes_on();
    while (const auto line = output ? process.output_.line() : std::nullopt) output(*line);
    while (const auto line = errors ? process.errors_.line() : std::nullopt) errors(*line);
  }
  process.outcome_.output = std::move(process.output_.text);
  process.outcome_.errors = std::move(process.errors_.text);
  return process.outcome_;
}

}  // namespace wb
