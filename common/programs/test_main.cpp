// main() for GoogleTest programs. With variants linked in, makes one test of each variant, backend
// and test shape: "ch1_x/02_gemm.optimized/cuda/m=31,n=33".
//
// Each variant also meets a few cases that nobody listed, drawn from a seed that is printed, on
// arrays with closed pages right behind them, or right in front, and with other inputs than uniform
// ones (profiles.h). WB_SEED=N repeats them.
//
// Variants of lessons that time the wall clock, with their threads and streams, are verified once
// more while their timing is disturbed; so are those of a CPU with more threads than one, whose
// races do not show by themselves where there is one core.
//
// --backend=NAME: the variants of this backend alone. --exercise=PROGRAM tests the exercise in that
// program and nothing else, on the problem, sizes and tolerance of the variants here. It runs in a
// process of its own: inputs, answers and the verdict stay in this one.
// --goal=rows=8192,columns=16: also at this case, once.
//
// On an emulator cases with very much work are skipped, and an exercise gets smaller ones of the
// same kind in place of those that take long; under WB_LONG=1 all are as listed and drawn.
//
// Without a GPU, CUDA tests are skipped with the reason; under WB_REQUIRE_GPU=1 they fail. A run
// that selects no test fails.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <sstream>
#include <tuple>
#include <utility>

#include "base/clock.h"
#include "base/failure.h"
#include "base/output.h"
#include "device/backends.h"
#include "device/cpu/memory.h"
#include "judged/processes.h"
#include "judged/strays.h"
#include "measure/options.h"
#include "measure/random_cases.h"
#include "measure/same_bits.h"
#include "measure/trial.h"
#include "model/case_text.h"
#include "programs/threads.h"
#include "programs/under_driver.h"

namespace {

using namespace wb;

// The lesson's. Those of a bank are wrong on purpose: tests/bank/judge.h has their cases.
const Registry& lesson_variants() {
  static const Registry variants = [] {
    Registry found = linked_variants();
    std::erase_if(found, [](const Variant& v) { return v.problem->lesson == "bank"; });
    return found;
  }();
  return variants;
}

// The backend, or null and why.
auto& backend_of(const std::string& name) {
  static std::map<std::string, std::pair<std::unique_ptr<Backend>, std::string>> backends;
  const auto [found, is_new] = backends.try_emplace(name);
  if (is_new) try {
      found->second.first = open_backend(name);
    } catch (const Failure& e) {
      if (e.code == 2) {  // a wrong call is no reason to skip
        std::fprintf(stderr, "%s\n", e.what());
        std::exit(2);
      }
      found->second.second = e.what();
    } catch (const std::exception& e) {
      found->second.second = e.what();
    }
  return found->second;
}

// The processes of the exercise, if one is tested, by backend.
std::map<std::string, std::unique_ptr<judged::Processes>> exercises;

struct Attempt {
  Case axes;
  std::uint64_t seed;
  bool random;
  int threads;           // that the variant is offered; 0: as many as there are cores
  bool front = false;    // closed pages stand in front of the arrays, not behind them
  bool goal = false;     // a case so large that it is only launched and looked at
  bool bits = false;     // are compared for several numbers of threads, and nothing else
  bool largest = false;  // of the listed cases: there an index may overflow
};

// The arrays of the test before; none after one that failed, and when all are done.
std::unique_ptr<Data>& last_data() {
  static std::unique_ptr<Data> data;
  return data;
}

// Nothing where the lesson refuses the case, which its own test says.
std::optional<Cost> cost_of(const Problem& problem, const Case& c) {
  try {
    return problem.cost(bind(problem, c, [](const ArraySpec&) { return nullptr; }).get());
  } catch (const Unsupported&) {
    return std::nullopt;
  }
}
// Its operations and bytes.
std::optional<double> work_of(const Problem& problem, const Case& c) {
  const auto cost = cost_of(problem, c);
  return cost ? std::optional(cost->flops + cost->bytes()) : std::nullopt;
}
double bytes_of(const Problem& problem, const Case& c) {
  const auto cost = cost_of(problem, c);
  return cost ? cost->bytes() : 0;
}

class VariantTest : public testing::Test {
 public:
  VariantTest(const Variant& variant, const Attempt& attempt)
      : variant_(variant), attempt_(attempt) {}

  void TestBody() override {
    const auto& [backend, why] = backend_of(variant_.backend);
    if (!backend) {
      const char* required = std::getenv("WB_REQUIRE_GPU");
      if (required && std::string(required) == "1") return fail(why);
      GTEST_SKIP() << why;
    }
    const bool very_long = too_long();
    if (most_steps() > 0 && long_here() && (very_long || !attempt_.largest))
      make_smaller(kLong / *work_of(*variant_.problem, attempt_.axes));
    if (very_long && long_here())
      GTEST_SKIP() << "so much work takes an emulator long: WB_LONG=1 tries it";
    const auto process = exercises.find(variant_.backend);
    Runners& where = process == exercises.end() ? this_process() : *process->second;
    // Where another process works on a GPU's memory, no closed pages stand behind the arrays.
    const bool tight =
        attempt_.random && !(where.shares_arrays() && traits_of(*backend).accelerator);
    std::string refused;
    try {
      if (attempt_.bits) {
        const std::string other =
            other_bits(variant_, attempt_.axes, attempt_.seed, *backend, where);
        return other.empty() ? void() : fail(other);
      }
      where.threads = attempt_.threads;
      for (where.steps = most_steps();; where.steps *= 4) {
        Data& data = data_of(*backend, {.tight = tight,
                                        .front = tight && attempt_.front,
                                        .new_inputs = where.new_inputs(),
                                        .changes = changes()});
        try {
          Trial trial(variant_, data, *backend, where);
          verify(trial);
        } catch (const TooLong& e) {
          if (where.steps == 0) return fail("it says that it takes long, which nobody asked");
          once_ = true;
          if (std::exchange(attempt_.largest, false)) where.steps = most_steps();
          if (!make_smaller(std::clamp(e.done, 0.0, 0.5))) where.steps = 0;
          continue;
        } catch (const Unsupported& e) {
          refused = e.what();
          if (&where != &this_process() && lesson_takes_it(data, *backend))
            return fail("it refuses this case, which the lesson itself takes: " + refused);
        }
        break;
      }
    } catch (const Unsupported& e) {
      refused = e.what();
    } catch (const RunEnded& e) {
      RecordProperty("ended", name(e.status));
      fail(e.what());
    } catch (const std::bad_alloc&) {  // of this process; the exercise's is Unsupported
      RecordProperty("ended", "no memory");
      fail("not enough memory for the test's arrays (ulimit -v, or a container's limit)");
    } catch (const std::exception& e) {
      fail(e.what());
    }
    if (HasFailure()) last_data().reset();  // what it left there is nobody else's concern
    if (!refused.empty()) GTEST_SKIP() << refused;
  }

  // Behind the last test, ahead of the report: nobody is left who could write another one. Who was,
  // is that test's failure: GoogleTest 1.12 writes no JSON of one that is nobody's.
  void TearDown() override {
    static int ended = 0;
    if (exercises.empty() || ++ended < testing::UnitTest::GetInstance()->test_to_run_count())
      return;
    exercises.clear();
    if (const int strays = judged::end_strays(-1, {})) {
      RecordProperty("ended", name(Status::cheats));
      fail("it left " + std::to_string(strays) + " processes running");
    }
  }

 private:
  // Answers cost more than a variant, so the variants that are tested on a case one after another
  // share them.
  Data& data_of(Backend& backend, const ArraySetup& options) const {
    static std::tuple<const Problem*, Backend*, Case, std::uint64_t, bool, bool, int> last;
    const std::tuple now(variant_.problem, &backend, attempt_.axes, attempt_.seed, options.tight,
                         options.front, options.changes);
    if (!last_data() || now != last) {
      last_data().reset();
      last_data() =
          std::make_unique<Data>(*variant_.problem, attempt_.axes, backend, attempt_.seed, options);
      last = now;
    }
    return *last_data();
  }

  // Says what is wrong to people, and to the driver as a property of the test.
  void fail(const std::string& problem) {
    RecordProperty("problem", label(attempt_.axes) + ": " + problem);
    ADD_FAILURE() << problem << "\n" << label(attempt_.axes) << ", WB_SEED=" << attempt_.seed;
  }

  void verify(Trial& trial) {
    std::string problem = trial.verify();
    const bool timed = !backend_info(variant_.backend).traits.untimed;
    if (problem.empty() && timed && !attempt_.threads &&
        !attempt_.goal) {  // timed runs of this case are tried without
      trial.sample({.cache = Cache::cold, .budget = 1e-3, .at_most = 5}, problem, true);
      if (!problem.empty()) problem += " (on the data of a timed run)";
    }
    const bool wall = variant_.problem->clock == Clock::wall && !attempt_.random && !attempt_.goal;
    if (problem.empty() && (wall || attempt_.threads > 1))
      problem = trial.verify_disturbed(timed ? 3 : 1);
    if (!problem.empty()) fail(problem);
  }

  // Whether this case has so much work that where nothing has a time, an emulator, one launch of it
  // has to do: smaller cases have all three.
  bool long_here() const { return takes_more(kLong); }
  // Or so much that it is left out. Who checks an exercise waits for it.
  bool too_long() const {
    return !std::getenv("WB_LONG") && takes_more(exercises.empty() ? 1 << 28 : 1 << 26);
  }
  // Versions of the inputs cost time, and the lesson's own variants keep no answers.
  int changes() const {
    if (attempt_.goal || once_ || long_here()) return 0;
    return exercises.empty() ? 1 : Answers::kChanges;
  }
  bool takes_more(double work) const {  // operations and bytes, where nothing has a time
    return backend_info(variant_.backend).traits.untimed &&
           work_of(*variant_.problem, attempt_.axes).value_or(0) > work;
  }

  // Of those that the tests of an exercise may take together; 0: any number.
  double most_steps() const {
    if (exercises.empty() || std::getenv("WB_LONG")) return 0;
    const double all = backend_info(variant_.backend).traits.steps;
    return attempt_.largest ? all / 2 : all / testing::UnitTest::GetInstance()->test_to_run_count();
  }
  // False where no smaller case is like this one.
  bool make_smaller(double share) {
    const auto less = smaller(*variant_.problem, attempt_.axes, share, attempt_.seed);
    if (less) attempt_.axes = *less, once_ = true;
    return less.has_value();
  }

  // The lesson's solution, or its baseline where it has none.
  bool lesson_takes_it(Data& data, Backend& backend) const {
    const Variant* own = nullptr;
    for (const Variant& v : lesson_variants())
      if (v.problem == variant_.problem && v.backend == variant_.backend &&
          (role_of(v.name) == VariantRole::solution ||
           (role_of(v.name) == VariantRole::baseline && !own)))
        own = &v;
    try {
      return own && Trial(*own, data, backend).verify().empty();
    } catch (const Unsupported&) {
      return false;
    }
  }

  static constexpr double kLong = 1 << 22;  // operations and bytes
  Variant variant_;
  Attempt attempt_;
  bool once_ = false;  // it takes long, so one launch has to do
};

// Of the listed cases the one with most work, bytes and operations, up to some milliseconds of one
// core, for it is computed many times over; where each has more, the one with least. The last of
// equals. With goals it has the words of one: an exercise may refuse all others.
std::optional<Case> worth_threads(const Problem& problem, const std::vector<Case>& goals) {
  constexpr double kMost = 1 << 24;
  std::optional<Case> found;
  double best = 0;
  for (const Case& c : alike(problem.test, goals))
    if (const auto work = work_of(problem, c)) {
      const double worth = *work <= kMost ? *work : -*work;
      if (!found || worth >= best) found = c, best = worth;
    }
  return found;
}

// Case by case, for they share its data, but for what each variant is given of its own.
void add_tests(const std::vector<const Variant*>& variants, std::uint64_t seed,
               const std::vector<std::string>& goals) {
  const auto add = [&](const Variant& variant, const std::string& name, const Attempt& attempt) {
    const std::string test = variant.name + "/" + variant.backend + "/" + name;
    testing::RegisterTest(variant.problem->lesson.c_str(), test.c_str(), nullptr, nullptr, __FILE__,
                          __LINE__,
                          [=]() -> testing::Test* { return new VariantTest(variant, attempt); });
  };
  const std::vector<Case>& listed = variants.front()->problem->test;
  const Case* largest = nullptr;
  double most = 0;
  for (const Case& c : listed)
    if (const double bytes = bytes_of(*variants.front()->problem, c); bytes > most)
      most = bytes, largest = &c;
  for (const Case& c : listed)
    for (const Variant* v : variants)
      add(*v, label(c),
          {.axes = c, .seed = seed, .random = false, .threads = 0, .largest = &c == largest});
  std::vector<Case> at_goals;
  for (const std::string& goal : goals) {
    Options options;
    options.axes = axes_in(goal);
    const Variant& v = *variants.front();
    const Traits& traits = backend_info(v.backend).traits;
    at_goals.push_back(chosen_cases(*v.problem, traits, options).front());
  }
  // Who counts on the cores of one machine meets other numbers, where there is work for all.
  const Traits& on = backend_info(variants.front()->backend).traits;
  const bool cores = !on.accelerator && !on.untimed;
  if (const auto c = cores ? worth_threads(*variants.front()->problem, at_goals) : std::nullopt)
    for (const Variant* v : variants)
      for (const int threads : {1, 3, 7})
        add(*v, "threads_" + std::to_string(threads), {*c, seed, true, threads});
  for (const Variant* v : variants) {
    int number = 0;
    if (!cores || std::ranges::find(v->problem->same_bits, v->name) == v->problem->same_bits.end())
      continue;
    for (Case c : listed) {
      c.drop("values"), c.set({"profile", "rounding"});
      add(*v, "same_bits_" + std::to_string(++number),
          {c, seed, false, 0, false, false, /*bits=*/true});
    }
  }
  for (const Variant* v : variants) {
    const std::uint64_t own = seed + std::hash<std::string>{}(v->name);
    int number = 0;
    const int many = exercises.empty() ? 4 : 8;
    for (const Case& c :
         with_profiles(*v->problem, random_cases(*v->problem, many, own, at_goals), own)) {
      const bool front = ++number % 2 == 1;  // the others may end where pages do
      add(*v, "random_" + std::to_string(number), {c, seed, true, 0, front});
    }
  }
  for (std::size_t g = 0; g < at_goals.size(); ++g)
    add(*variants.front(), "goal_" + std::to_string(g + 1),
        {at_goals[g], seed, false, 0, false, /*goal=*/true});
}

// The exercise that a program serves, for each backend that the lesson has variants of, or for one.
Registry served(const std::string& program, const std::string& only) {
  if (::access(program.c_str(), X_OK) != 0)
    throw Failure(2, "--exercise=" + program + ": " + std::strerror(errno) + ": build it first");
  if (std::filesystem::is_directory(program))
    throw Failure(2, "--exercise=" + program + ": this is a folder: name the program");
  Registry found;
  for (const Variant& own : lesson_variants()) {
    const std::string& backend = own.backend;
    if ((!only.empty() && backend != only) || exercises.contains(backend)) continue;
    Registry registry;
    for (const Variant& v : lesson_variants())
      if (v.backend == backend) registry.push_back(v);
    exercises[backend] = judged::start(registry, program, backend);
    // One for another backend, which nobody asked for, fails in its tests.
    if (!only.empty()) registry.back().backend = backend;
    if (registry.back().backend == backend) found.push_back(registry.back());
  }
  return found;
}

}  // namespace

int main(int argc, char** argv) {
  // Started by the driver, through CTest: nothing goes on running when one of them is killed.
  if (under_driver()) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  let_threads_spin_briefly(argv);
  explain_faults();
  testing::InitGoogleTest(&argc, argv);
  const auto value = [&](const std::string& flag) -> std::string {
    for (const std::string arg : std::span(argv, argc).subspan(1))
      if (arg.starts_with(flag)) return arg.substr(flag.size());
    return "";
  };
  const std::string exercise = value("--exercise="), only = value("--backend=");
  std::vector<std::string> goals;
  for (const std::string arg : std::span(argv, argc).subspan(1))
    if (arg.starts_with("--goal=")) goals.push_back(arg.substr(7));
  const std::shared_ptr<void> ahead_of_statics_they_use(nullptr, [](void*) {
    last_data().reset();
    exercises.clear();
  });
  const char* given = std::getenv("WB_SEED");
  const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  ::unsetenv("WB_SEED");  // an exercise is not to know it
  try {
    const Registry all = exercise.empty() ? lesson_variants() : served(exercise, only);
    std::map<std::pair<const Problem*, std::string>, std::vector<const Variant*>> alike;
    for (const Variant& v : all) alike[{v.problem, v.backend}].push_back(&v);
    for (const auto& [what, variants] : alike) add_tests(variants, seed, goals);
  } catch (const Failure& why) {
    std::fprintf(stderr, "%s\n", why.what());
    return why.code;
  } catch (const std::exception& why) {
    std::fprintf(stderr, "%s\n", why.what());
    return 1;
  }
  // Not the lesson's own tests, which are of its variants.
  if (GTEST_FLAG_GET(filter) == "*" && !(exercise.empty() && only.empty()))
    GTEST_FLAG_SET(filter, exercise.empty() ? "*/" + only + "/*" : "*.exercise/*");
  if (!linked_variants().empty())
    std::printf("WB_SEED=%llu\n", static_cast<unsigned long long>(seed));
  const int result = RUN_ALL_TESTS();
  const bool listing = GTEST_FLAG_GET(list_tests);
  if (!listing && testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    std::fprintf(stderr, "no test was selected: see --gtest_list_tests\n");
    return 1;
  }
  return result;
}
