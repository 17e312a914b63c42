// The declaration of a source file that is tuned, and how a lesson's variants get a compiled
// version.
//
// A *candidate* is one source file, compiled with the parameters' values as macros: by NVRTC for
// this GPU (candidate.cu), by the C++ compiler into a shared library (candidate.cpp).
//
//   auto make(const Problem::Args& p) {
//     const tune::Choice choice = tune::choose(WB_BACKEND, {{"rows", p.rows}, ...});
//     const tune::Kernel kernel(choice, "add");  // candidate_cuda.h; candidate_cpu.h: function()
//     return [=](cudaStream_t s) { kernel.launch(grid, choice["BLOCK"], 0, s, p.n, p.x, p.y); };
//   }
//   WB_CUDA(Problem, tuned, make);
//   WB_TUNABLE("candidate.cu", space, predict);
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "space.h"
#include "wb/problem.h"

namespace tune {

// The limits and the speed of a device. A number that does not apply, or is not known, is 0.
struct Limits {
  int multiprocessors = 0, shared_bytes = 0;             // of a GPU; bytes that a block may have
  int shared_bytes_all = 0, registers = 0, threads = 0;  // of a multiprocessor
  int compute = 0;                                       // 90: compute capability 9.0
  int cores = 0, vector_bytes = 0;                       // of a CPU
  double l2_bytes = 0;                                   // of a core, or of the whole GPU
  double flops = 0, bandwidth = 0;  // the measured ceilings: FLOP/s (tensor cores where
                                    // the case has them), bytes/s
};

struct Tunable {
  std::string lesson = {}, backend = {};
  std::string source = {};  // the candidate's file, in the lesson's folder
  Space (*space)(const wb::Case& c, const Limits& limits);
  // Seconds of a launch by a model; null: there is none.
  double (*predict)(const Values& values, const wb::Case& c, const Limits& limits);
};

std::map<std::string, Tunable>& tunables();  // of this program's lesson, by backend
// Throws Failure (code 3) if the lesson has nothing to tune on that backend.
const Tunable& tunable(const std::string& backend);

// A configuration, compiled.
struct Choice {
  std::string words;   // "BM=128 STAGES=3"
  std::string object;  // a cubin, or a shared library; a file that is there to be loaded now
  std::shared_ptr<const void> folder;           // which has it
  int operator[](std::string_view name) const;  // throws std::out_of_range with the name
};

// Of `source`, a file of the checkout, with these values, for the device of `backend`. It is
// compiled once in a process. Throws std::runtime_error with the compiler's first error.
Choice compiled(const std::string& backend, const std::string& source, const std::string& words);
// For a case, whose axes are those of the lesson's: the configuration that the search told this
// process to use; else the known winner for this device, driver and case; else the default.
Choice choose(const std::string& backend, const wb::Case& c);
// The same configuration in words, for WB_CASE_NOTE.
std::string chosen(const std::string& backend, const wb::Case& c);

// The legal configuration that the model expects to be fastest on a device with these limits. Of
// equal ones it is the last, which has more of the values that cost nothing, such as stages.
std::string expected(const Tunable& tunable, const wb::Case& c, const Limits& limits);
std::string expected(const std::string& backend, const wb::Case& c);  // on this device

// If a search runs this process: facts of a GPU's kernel that it cannot see from outside.
struct Seen {
  int threads = 0;    // that a multiprocessor has at once
  int registers = 0;  // of a thread
  int spilled = 0;    // bytes of a thread that do not fit into registers
};
void tell(const Seen& seen);

}  // namespace tune

// FILE is in the lesson's folder (not next to __FILE__, because a compiler's cache may return the
// object of another checkout); SPACE and PREDICT are the functions above.
#define WB_TUNABLE(FILE, SPACE, PREDICT)                    \
  [[maybe_unused]] static const tune::Tunable& wb_tunable = \
      tune::tunables()[WB_BACKEND] = {WB_LESSON, WB_BACKEND, FILE, SPACE, PREDICT}
