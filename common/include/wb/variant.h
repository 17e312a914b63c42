// How a variant file tells the harness about itself. Lessons use WB_CPU (wb/cpu.h) and WB_CUDA
// (wb/cuda.h); what stands here is what those two share.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "wb/problem.h"

namespace wb {

// One run of a variant. The argument is the cudaStream_t on CUDA and unused on the CPU.
using Launch = std::function<void(void* stream)>;

// A problem header with its types erased. Variants of one lesson may have different problems, one
// derived from the other (other arrays or another reference, as for training with a larger batch):
// they must have the same cases, and stand side by side.
struct Problem {
  std::string lesson;  // folder below the top, e.g. ch1_x/02_gemm
  std::string type;    // which struct it was; the same in all programs
  Clock clock = Clock::device;
  std::vector<Case> bench, test;
  std::vector<Case> bench_cpu;  // where the GPU's cases would take a CPU minutes; else empty
  std::vector<Sweep> sweeps, sweeps_cpu;  // the latter where the CPU has axes of its own
  // Axes that take any word on the command line, not just those of the cases; bind() checks it.
  std::vector<std::string> any_word;
  // The variants that promise the same bits on any number of a CPU's cores, also where additions
  // round: their tests compare them on the profile "rounding" (wb/profiles.h).
  std::vector<std::string> same_bits;
  std::string operation;  // what --op calls it, where that is not the lesson's name: "matmul"
  std::function<std::shared_ptr<void>(Binder&, const Case&)> bind;
  Cost (*cost)(const void* args) = nullptr;
  Tolerance (*tolerance)(const void* args) = nullptr;
  void (*reference)(const void* args, Sampler& sampler) = nullptr;
  std::vector<Product> (*products)(const void* args) = nullptr;  // null: none are checked whole
  Items (*items)(const void* args) = nullptr;                    // null: nothing to count
};

struct Variant {
  const Problem* problem;
  std::string name;     // the file's stem: baseline, step1_tile, optimized, library, exercise ...
  std::string backend;  // "cpu", "cuda"
  // Untimed set-up; what it returns is timed. While it runs, the arrays hold no inputs yet.
  std::function<Launch(const void* args)> make;
  std::string note = {};  // what the variant says of itself, shown beside its row (WB_NOTE)
  std::function<std::string(const void* args)> case_note = {};  // and what it says of a case
  std::function<double(const void* args)> bound = {};  // Tolerance::rel of its own (WB_BOUND)
  const Problem* exercise = nullptr;  // of a baseline: what the exercise computes (WB_EXERCISE)
  std::string needs = {};             // what the device must have (WB_NEEDS)
  bool judged = false;                // from outside, in a process of its own (judged/processes.h)
};

using Registry = std::vector<Variant>;
Registry& linked_variants();  // of this program: main() hands them on, and nobody else asks
bool link_variant(const Problem& problem, const char* name, const char* backend,
                  std::function<Launch(const void* args)> make);  // true

// Compiled once for all variants of a lesson: see WB_VARIANT. Inlined, it would not be there for
// the others.
template <class P> [[gnu::noinline]] const Problem& problem_of(const char* lesson) {
  static const Problem problem = [&] {
    using Args = typename P::Args;
    Problem p;
    p.lesson = lesson;
    p.type = typeid(P).name();
    if constexpr (requires { P::clock; }) p.clock = P::clock;
    const auto copy = [](auto& to, const auto& all) {
      for (const auto& each : all) to.emplace_back(each);
    };
    copy(p.bench, P::bench);
    copy(p.test, P::test);
    if constexpr (requires { P::bench_cpu; }) copy(p.bench_cpu, P::bench_cpu);
    if constexpr (requires { P::sweeps; }) copy(p.sweeps, P::sweeps);
    if constexpr (requires { P::sweeps_cpu; }) copy(p.sweeps_cpu, P::sweeps_cpu);
    if constexpr (requires { P::any_word; }) copy(p.any_word, P::any_word);
    if constexpr (requires { P::same_bits; }) copy(p.same_bits, P::same_bits);
    if constexpr (requires { P::operation; }) p.operation = P::operation;
    if constexpr (requires(const Args& a) { P::items(a); })
      p.items = [](const void* a) { return P::items(*static_cast<const Args*>(a)); };
    p.bind = [](Binder& io, const Case& c) { return std::make_shared<Args>(P::bind(io, c)); };
    p.cost = [](const void* a) { return P::cost(*static_cast<const Args*>(a)); };
    p.tolerance = [](const void* a) { return P::tolerance(*static_cast<const Args*>(a)); };
    p.reference = [](const void* a, [[maybe_unused]] Sampler& sampler) {
      if constexpr (requires(const Args& args) { P::reference(args, sampler); })
        P::reference(*static_cast<const Args*>(a), sampler);
      else
        P::reference(*static_cast<const Args*>(a));
    };
    if constexpr (requires(const Args& a) { P::products(a); })
      p.products = [](const void* a) { return P::products(*static_cast<const Args*>(a)); };
    return p;
  }();
  return problem;
}

// The stem of a path: ".../02_gemm/optimized.cu" -> "optimized".
constexpr std::string_view stem(std::string_view path) {
  path = path.substr(path.find_last_of('/') + 1);
  return path.substr(0, path.find('.'));
}

// `f(args, stream...)` runs the variant, or `f(args)` returns what `(stream...)` runs.
template <class P, class... Stream, class F>
bool add_variant(const char* lesson, const char* name, const char* backend, F f) {
  using Args = typename P::Args;
  return link_variant(problem_of<P>(lesson), name, backend, [f](const void* args) -> Launch {
    const Args& p = *static_cast<const Args*>(args);
    if constexpr (requires(Stream... s) { requires std::is_void_v<decltype(f(p, s...))>; }) {
      return [f, p]([[maybe_unused]] void* stream) { f(p, static_cast<Stream>(stream)...); };
    } else {
      auto timed = std::make_shared<decltype(f(p))>(f(p));  // may be move-only
      return [timed]([[maybe_unused]] void* s) { (*timed)(static_cast<Stream>(s)...); };
    }
  });
}

}  // namespace wb

#define WB_VARIANT(PROBLEM, NAME, BACKEND, FUNCTION, ...)                               \
  static_assert(wb::stem(__FILE__) == #NAME, "a variant carries the name of its file"); \
  WB_ELSEWHERE(PROBLEM)                                                                 \
  [[maybe_unused]] static const bool wb_added_##NAME =                                  \
      wb::add_variant<PROBLEM __VA_OPT__(, ) __VA_ARGS__>(WB_LESSON, #NAME, BACKEND, FUNCTION)

// The baseline's problems are compiled with the baseline alone, and wb_add_lesson() says so to the
// variants beside it, which then take a compiler less time. One that has another problem than the
// baseline compiles it itself: WB_PROBLEM(Name) behind WB_CPU or WB_CUDA.
#define WB_PROBLEM(PROBLEM) template const wb::Problem& wb::problem_of<PROBLEM>(const char*)
#ifdef WB_PROBLEM_IN_BASELINE
#define WB_ELSEWHERE(PROBLEM) extern WB_PROBLEM(PROBLEM);
#else
#define WB_ELSEWHERE(PROBLEM)
#endif

// The rest comes after WB_CPU or WB_CUDA in the same file, and is about that variant.
#define WB_SAYS(FIELD, ...)                            \
  [[maybe_unused]] static const bool wb_says_##FIELD = \
      (wb::linked_variants().back().FIELD = __VA_ARGS__, true)
#define WB_OF_ARGS(PROBLEM, FUNCTION) \
  [](const void* a) { return FUNCTION(*static_cast<const PROBLEM::Args*>(a)); }

// Of a baseline: the exercise for its backend has this problem, another one than the baseline. The
// judge learns it here, for it believes no exercise, and a class gets no solution.
#define WB_EXERCISE(PROBLEM) WB_SAYS(exercise, &wb::problem_of<PROBLEM>(WB_LESSON))

// What it needs of a GPU. A device that lacks it gets a row that says so, and make() is not called;
// the table in .github/MACHINES.md is made of these lines.
//   WB_NEEDS("8.0");                    compute capability 8.0 or later
//   WB_NEEDS("9.0 alone");              no later one, either: wgmma
//   WB_NEEDS("9.0, 128 KiB for fp32");  and so much shared memory per block in cases of fp32
#define WB_NEEDS(TEXT) WB_SAYS(needs, TEXT)

// One line about it.
#define WB_NOTE(TEXT) WB_SAYS(note, TEXT)

// The same about a case: FUNCTION makes it of the Args. "4 blocks per row: too few rows ...".
#define WB_CASE_NOTE(PROBLEM, FUNCTION) WB_SAYS(case_note, WB_OF_ARGS(PROBLEM, FUNCTION))

// The relative error that it promises, where the lesson is about errors: FUNCTION makes it of the
// Args, and it is held to that in place of Tolerance::rel. In a sweep that shows errors it is drawn
// beside them. An exercise is always held to the problem's.
#define WB_BOUND(PROBLEM, FUNCTION) WB_SAYS(bound, WB_OF_ARGS(PROBLEM, FUNCTION))

#ifndef WB_LESSON
#define WB_LESSON "unnamed"  // wb_add_lesson() defines it as the folder's path
#endif
