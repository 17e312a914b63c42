// Running other programs: with a time limit, line by line, and stopped by Ctrl-C.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace wb {

using LineSink = std::function<void(const std::string& line)>;

constexpr std::size_t kMostOutput = 64 << 20;  // bytes of a program that wait to be read
struct Outcome {
  int code = 0;                    // exit status; 127 when it could not be started
  int signal = 0;                  // what killed it, or 0
  bool timed_out = false;          // it ran past the limit and was killed
  bool flooded = false;            // so it was when it had written more than kMostOutput
  std::string output{}, errors{};  // byte for byte what it wrote where there was no sink
  bool fine() const { return code == 0 && signal == 0 && !timed_out && !flooded; }
};

// From here on Ctrl-C and SIGTERM end a running program, and then whoever waits for it throws; and
// when this program is killed, the groups of all that run are, too.
void catch_interrupts();
void throw_if_interrupted();  // Failure with code 130
// While one lives they end this program, with a line and code 130: where no process runs and no
// file is half written, as while large files are read.
struct EndsAtOnce {
  EndsAtOnce();
  ~EndsAtOnce();
};
// In this thread those that came so far count no more: what was measured is still to be shown.
void forgive_interrupts();
// Programs of this thread end as after Ctrl-C when that becomes true. Null: not any more.
void end_programs_with(const std::atomic<bool>* over);

// The words of a command line, as a shell reads it: spaces and tabs stand between them; '...' and
// "..." keep them inside one, and outside '...' a backslash keeps the character behind it. Nothing
// is expanded. Throws Failure with code 2 for a quote that is not closed.
std::vector<std::string> split_words(const std::string& line);

// Whether a shell would find it: it is asked for its version.
bool in_path(const std::string& program);

// Runs `command` (found in PATH) in `folder` ("" is this one), with no standard input, and hands on
// the lines of its output as they come, without control characters. Ends as Process does.
Outcome run_process(const std::vector<std::string>& command, double time_limit_seconds,
                    const LineSink& output = {}, const LineSink& errors = {},
                    const std::string& folder = "");

// Whether it is the group of a program that this one started and that still runs.
bool is_started(pid_t group);

// A program to talk to by its standard input and output; its errors go where this program's go. It
// leads a process group. All of the group ends when it ends, when a limit
// passes, after an interrupt, and with this object; it alone when the thread that made it ends.
// A line of more than 64 KiB is read in pieces. Every member throws Failure: code 130 after an
// interrupt, when the group is gone; the first also 3 or 5 for want of a process or a pipe.
class Process {
 public:
  explicit Process(const std::vector<std::string>& command)
      : Process(command, Talk::on_output, "", -1) {}
  // One that is not trusted: it is talked to by its standard input alone, a socket, so that nothing
  // it prints is taken for an answer, and finds `file` as its file 3.
  Process(const std::vector<std::string>& command, int file)
      : Process(command, Talk::on_input, "", file) {}
  ~Process();

  // False when it reads no more, or has not read what was written before (about 200 KiB).
  bool write_line(const std::string& line);
  // Without the line's end and control characters. Nothing when it wrote its last, or nothing
  // within the limit: then timed_out(), and it was ended.
  std::optional<std::string> read_line(double time_limit_seconds);
  bool timed_out() const { return outcome_.timed_out; }

  // Of one that is not trusted: the next line of what it has printed, if it is known.
  std::optional<std::string> said() { return errors_.line(); }
  pid_t id() const { return child_; }  // negative: it is gone
  // What became of it; it is ended if it does not end by itself within a second.
  const Outcome& finish();
  // From here on a group that a descendant leads, as in a sandbox, is treated as its own one.
  void adopt(pid_t group);
  const std::set<pid_t>& groups() const { return groups_; }
  // It and its groups stand still when stop() returns, until resume().
  void stop();
  void resume();

 private:
  enum class Talk { none, on_output, on_input };
  // What comes through a pipe; `file` is -1 when that is all.
  struct Stream {
    int file = -1;
    std::string text{};
    std::size_t taken = 0;  // of it was handed on
    Stream() = default;
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
    void read();
    std::optional<std::string> line();  // the next one, or what is left of one at the end
  };
  friend Outcome run_process(const std::vector<std::string>&, double, const LineSink&,
                             const LineSink&, const std::string&);
  Process(const std::vector<std::string>& command, Talk talk, const std::string& folder, int file);
  bool goes_on();  // waits a moment for what it writes; false when it is gone
  void tell_all(int signal) const;
  void bury();

  pid_t child_ = -1;             // until it was waited for
  std::set<pid_t> groups_ = {};  // its own and those adopted
  Stream input_, output_, errors_;
  double deadline_ = 0;  // by the clock of seconds(), for what it is to do next
  bool stopped_ = false;
  bool ending_ = false;  // it was asked to
  bool ended_ = false;   // what it left in the pipes may still have to be read
  Outcome outcome_;
};

}  // namespace wb
