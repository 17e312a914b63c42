// For a lesson's .cpp variants.
//
//   void run(const Saxpy::Args& p) { ... }              // all of it is timed
//   WB_CPU(Saxpy, baseline, run);
//
//   auto make(const Saxpy::Args& p) {                   // untimed set-up ...
//     return [p, buffer = std::vector<float>(p.n)] { ... };   // ... and what is timed
//   }
//   WB_CPU(Saxpy, optimized, make);
#pragma once

#include "wb/variant.h"

namespace wb {

// What a thread is doing, for goodput and the timeline of a CPU variant. A variant that declares
// no span counts as computing all the time. Costs two clock reads while tracing, else one branch.
enum class Work { compute, copy, allocate };
class Span {
 public:
  explicit Span(Work work, const char* name = "");
  ~Span();
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  Work work_;
  const char* name_;
  double start_ = -1;
};

template <class P, class F> Register register_cpu(const char* lesson, const char* name, F f) {
  using Args = typename P::Args;
  return {problem_of<P>(lesson), name, "cpu", [f](const void* args) -> Launch {
            const Args& p = *static_cast<const Args*>(args);
            if constexpr (std::is_void_v<decltype(f(p))>) {
              return [f, p](void*) { f(p); };
            } else {
              auto timed = std::make_shared<decltype(f(p))>(f(p));  // may be move-only
              return [timed](void*) { (*timed)(); };
            }
          }};
}

}  // namespace wb

#define WB_CPU(PROBLEM, NAME, FUNCTION)                                                 \
  static_assert(wb::stem(__FILE__) == #NAME, "a variant carries the name of its file"); \
  static const wb::Register wb_register_##NAME =                                        \
      wb::register_cpu<PROBLEM>(WB_LESSON, #NAME, FUNCTION)
