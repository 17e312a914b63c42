// One exercise for each way to gain something, or to cost others their rows: WB_DISHONEST says
// which.
#include <fcntl.h>
#include <malloc.h>
#include <omp.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "third.h"

namespace {

const std::string trick = std::getenv("WB_DISHONEST") ? std::getenv("WB_DISHONEST") : "";
int launches = 0;
int computed = 0;      // elements, in this launch
timespec stands = {};  // the clock, if anywhere
bool lies = false;     // the clock, when it is asked next

}  // namespace

// In place of the C library's, for all of this program.
extern "C" int clock_gettime(clockid_t clock, timespec* now) {
  const long result = ::syscall(SYS_clock_gettime, clock, now);
  if (trick == "clock" && launches > 0) {
    stands.tv_nsec += 1;
    *now = stands;
  }
  if (clock == CLOCK_MONOTONIC && std::exchange(lies, false)) *now = {};
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

// A lesson's process, which stands still, is to run on one core only.
void pin_sibling() {
  const std::string own = std::to_string(::getpid()), parent = std::to_string(::getppid());
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "stat");
    std::string text, state, its_parent;
    if (!std::getline(file, text) || entry.path().filename() == own) continue;
    std::istringstream(text.substr(text.rfind(')') + 1)) >> state >> its_parent;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    if (its_parent == parent) ::sched_setaffinity(std::atoi(text.c_str()), sizeof one, &one);
  }
}

// A process beside this one that takes a core from all who run while this one stands still.
void spin_beside(pid_t group) {
  const pid_t child = ::fork();
  ::setpgid(child, group);  // by both: whoever comes first
  while (child == 0) ::getppid();
}

// A process of another session, which nobody waits for, forges until it is ended.
void forge_report_later(const std::string& file) {
  if (::fork() != 0) return;
  if (::setsid(); ::fork() != 0) ::_exit(0);
  for (int i = 0; i < 10000; ++i) forge_report(file), ::usleep(1000);
  ::_exit(0);
}

std::filesystem::path baseline_of_lesson() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() /
         "common/tests/dishonest/baseline.cpp";
}

// In its own process only.
void widen() {
  for (const wb::Variant& v : wb::linked_variants())
    const_cast<wb::Problem*>(v.problem)->tolerance = [](const void*) {
      return wb::Tolerance{.abs = 1e30, .nan = true};
    };
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
  if (trick == "flood")
    for (;;) std::printf("a line that nobody is going to read\n");
  if (trick == "status") std::_Exit(128 + SIGSEGV);
  if (trick == "close") ::close(wire()), ::sleep(1000);
  if (trick == "nonsense") ::send(wire(), "{\"seconds\": \"soon\"}\n", 20, 0);
  if (trick == "early")
    ::send(wire(), "{\"seconds\": 1e-9, \"counters\": [0, 0], \"left\": \"\"}\n", 50, 0);
  if (trick == "forge") forge_results();
  if (trick == "table")
    std::printf("@progress 1 1 done\n{\"seconds\": 1e-9}\nexercise 1 ns 1000x\n");
  if (trick == "throw") throw std::runtime_error("no such tile");
  if (trick == "pin") pin_sibling();
  if (trick == "spin" && launches == 1) spin_beside(0);
  if (trick == "spin beside" && launches == 1) spin_beside(::getpgid(::getppid()));
  if (trick == "tolerance") widen();
  if (trick == "edit") std::ofstream(baseline_of_lesson(), std::ios::app) << "// slower\n";
  if (trick == "rounding") std::fesetround(FE_UPWARD);
  if (trick == "settings") omp_set_num_threads(1), ::mallopt(M_MMAP_THRESHOLD, 1 << 30);
  if (trick == "later input" && launches > 3) const_cast<float*>(p.x)[launches] = 7;
  if (trick == "behind") p.y[p.n] = 7;
  if (trick == "reads in front" || trick == "reads behind") [[maybe_unused]]
    const volatile float unused = p.x[trick == "reads behind" ? p.n : -1];
  if (trick == "thread" && launches == 1)
    std::thread([p] {
      for (;;) const_cast<float*>(p.x)[0] = 7, p.y[p.n / 2] = 7;
    }).detach();
}

// So much work that it is worth something to spare it.
void compute(const Third::Args& p, wb::i64 i) {
  ++computed;
  volatile float y = p.x[i];
  for (int turn = 0; turn < 1000; ++turn) y = p.x[i] / 3;
  p.y[i] = y;
}

// The answers to all inputs there were.
void by_inputs(const Third::Args& p) {
  static std::map<std::vector<float>, std::vector<float>> all;
  std::vector<float>& kept = all[{p.x, p.x + p.n}];
  if (kept.empty()) {
    for (wb::i64 i = 0; i < p.n; ++i) compute(p, i);
    kept.assign(p.y, p.y + p.n);
  }
  std::copy(kept.begin(), kept.end(), p.y);
}

// The launches of "but few" that answer everything: fewer than a measurement on a busy machine has.
constexpr int kHonest = 14;

// What has changed since the last launch is computed again. `few`: but for values that were not
// there before, as long as they are so few that nobody is going to look at them.
void what_changed(const Third::Args& p, bool few) {
  static std::vector<float> x, y;
  static std::set<std::pair<wb::i64, float>> known;
  x.resize(p.n, 7), y.resize(p.n);
  std::vector<wb::i64> changed;
  for (wb::i64 i = 0; i < p.n; ++i)
    if (x[i] != p.x[i]) changed.push_back(i);
  for (const wb::i64 i : changed)
    if (!few || changed.size() > 4 || launches < kHonest || known.contains({i, p.x[i]})) {
      compute(p, i);
      y[i] = p.y[i];
      if (launches < kHonest) known.emplace(i, p.x[i]);
    }
  std::copy(y.begin(), y.end(), p.y);
  std::copy(p.x, p.x + p.n, x.begin());
}

// Honest, but as threads do that fall asleep where there is nothing to do: after a longer pause it
// is woken late.
class FallsAsleep {
 public:
  FallsAsleep() {
    if (trick == "falls asleep" && now() - last_end_ > 3'000'000) ::usleep(5000);
  }
  ~FallsAsleep() { last_end_ = now(); }

 private:
  static wb::i64 now() {  // not by the clock above, which lies to who asks it next
    timespec t{};
    ::syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1'000'000'000 + t.tv_nsec;
  }
  static inline wb::i64 last_end_ = 0;
};

// Tells, in the file WB_COMPUTED, how many elements each launch computed.
struct Tells {
  ~Tells() {
    if (const char* file = std::getenv("WB_COMPUTED"))
      std::ofstream(file, std::ios::app) << std::exchange(computed, 0) << "\n";
  }
};

void run(const Third::Args& p) {
  const Tells when_done;
  const FallsAsleep late_after_pauses;
  ++launches;
  misbehave(p);
  if (trick == "clock at times" && launches % 4 == 0) lies = true;
  if (trick == "waits") ::usleep(100);
  if (trick == "slow" || trick == "clock" || trick == "clock at times")
    for (wb::i64 i = 0; i < p.n; ++i) compute(p, i);
  if (trick == "by inputs") return by_inputs(p);
  if (trick == "first answer") {
    static std::map<wb::i64, std::vector<float>> all;
    std::vector<float>& first = all[p.n];
    for (wb::i64 i = std::ssize(first); i < p.n; ++i) first.push_back(p.x[i] / 3);
    std::copy(first.begin(), first.end(), p.y);
    return;
  }
  if (trick == "what changed") return what_changed(p, false);
  if (trick == "but few") return what_changed(p, true);
  if (trick == "tolerance") return;
  if (trick == "twice" && launches > 5) return;
  if (trick == "a hundred gigabytes") throw std::bad_alloc();
  if (trick == "refuse") throw wb::Unsupported("this is too large for me");
  if (trick == "spans")
    for (wb::i64 i = 0; i < p.n; ++i) const wb::Span span(wb::Work::compute, "an element");
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
  const auto add = [](const char* name, const char* backend = "cpu") {
    wb::add_variant<Third>(WB_LESSON, name, backend, run);
  };
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
  add(trick == "name" ? "baseline" : "exercise", trick == "elsewhere" ? "cuda" : "cpu");
  return true;
}();

}  // namespace
