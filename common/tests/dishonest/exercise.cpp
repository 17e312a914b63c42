// One exercise for each way to gain something, or to cost others their rows: WB_DISHONEST says
// which.
#include <fcntl.h>
#include <malloc.h>
#include <omp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cfenv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "third.h"

namespace {

const std::string trick = std::getenv("WB_DISHONEST") ? std::getenv("WB_DISHONEST") : "";
int launches = 0;
timespec stands = {};  // the clock, if anywhere

}  // namespace

// In place of the C library's, for all of this program.
extern "C" int clock_gettime(clockid_t clock, timespec* now) {
  const long result = ::syscall(SYS_clock_gettime, clock, now);
  if (trick == "clock" && launches > 0) {
    stands.tv_nsec += 1;
    *now = stands;
  }
  return static_cast<int>(result);
}

namespace {

// The socket by which the exercise is told what to do.
int wire() {
  for (int file = 0;; ++file) {
    int kind = 0;
    socklen_t size = sizeof kind;
    if (::getsockopt(file, SOL_SOCKET, SO_TYPE, &kind, &size) == 0) return file;
  }
}

// Where the program `id` writes what `flag` says; "" where it does not.
std::string place(pid_t id, const std::string& flag) {
  std::ifstream file("/proc/" + std::to_string(id) + "/cmdline");
  const std::string words{std::istreambuf_iterator<char>(file), {}};
  const auto at = words.find(flag);
  return at == std::string::npos ? "" : words.c_str() + at + flag.size();
}

// Results of its own, wherever the program that started this one writes some.
void forge_results() {
  if (const std::string file = place(::getppid(), "--benchmark_out="); !file.empty())
    std::ofstream(file) << "{\"benchmarks\": []}";
}

// The verdict that everything is right, in place of that of the tests.
void forge_report(const std::string& file) {
  if (!file.empty())
    std::ofstream(file) << R"({"testsuites":[{"name":"common/tests/dishonest","testsuite":[)"
                           R"({"name":"exercise/cpu/elements=3","status":"RUN",)"
                           R"("result":"COMPLETED"}]}]})";
}

// A process of another session, which nobody waits for, forges until it is ended.
void forge_report_later(const std::string& file) {
  if (::fork() != 0) return;
  if (::setsid(); ::fork() != 0) ::_exit(0);
  for (int i = 0; i < 10000; ++i) forge_report(file), ::usleep(1000);
  ::_exit(0);
}

void misbehave(const Third::Args& p) {
  if (trick == "exit") std::exit(0);
  if (trick == "abort") {
    std::printf("these are its last words\n");
    std::abort();
  }
  if (trick == "segv") std::raise(SIGSEGV);
  if (trick == "hang") ::sleep(1000);
  if (trick == "stop") std::raise(SIGSTOP);
  if (trick == "close") ::close(wire()), ::sleep(1000);
  if (trick == "nonsense") ::send(wire(), "{\"seconds\": \"soon\"}\n", 20, 0);
  if (trick == "early")
    ::send(wire(), "{\"seconds\": 1e-9, \"enqueue\": 0, \"left\": \"\"}\n", 44, 0);
  if (trick == "forge") forge_results();
  if (trick == "table")
    std::printf("@progress 1 1 done\n{\"seconds\": 1e-9}\nexercise 1 ns 1000x\n");
  if (trick == "rounding") std::fesetround(FE_UPWARD);
  if (trick == "settings") omp_set_num_threads(1), ::mallopt(M_MMAP_THRESHOLD, 1 << 30);
  if (trick == "later input" && launches > 3) const_cast<float*>(p.x)[launches] = 7;
  if (trick == "behind") p.y[p.n] = 7;
  if (trick == "thread" && launches == 1)
    std::thread([p] {
      for (;;) const_cast<float*>(p.x)[0] = 7, p.y[p.n / 2] = 7;
    }).detach();
}

void run(const Third::Args& p) {
  ++launches;
  misbehave(p);
  if (trick == "twice" && launches > 5) return;
  if (trick == "refuse") throw wb::Unsupported("this is too large for me");
  if (trick == "two cores") {
#pragma omp parallel for schedule(static, 1)
    for (wb::i64 i = 0; i < p.n; ++i)
      if (omp_get_thread_num() < 2) p.y[i] = p.x[i] / 3;
    return;
  }
  for (wb::i64 i = 0; i < p.n; ++i) p.y[i] = p.x[i] / 3;
  if (trick == "input") const_cast<float*>(p.x)[7] = 7;
}

// Everything is right to it.
struct Generous : Third {
  static wb::Tolerance tolerance(const Args&) { return {.abs = 1e30, .nan = true}; }
};

const bool started = [] {
  const auto add = [](const char* name) { wb::add_variant<Third>(WB_LESSON, name, "cpu", run); };
  if (trick == "exit at the start") std::exit(0);
  if (trick == "abort at the start") std::abort();
  const std::string report = place(::getppid(), "--gtest_output=json:");
  if (trick == "forge report") forge_report(report), std::_Exit(0);
  if (trick == "forge report later") forge_report_later(report);
  if (trick == "nothing") return true;
  if (trick == "arrays") Third::more = 1;
  if (trick == "problem")
    return wb::add_variant<Generous>(WB_LESSON, "exercise", "cpu", [](const Third::Args&) {});
  if (trick == "twins") add("exercise");
  add(trick == "name" ? "baseline" : "exercise");
  return true;
}();

}  // namespace
