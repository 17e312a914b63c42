// The arrays of a case on a backend: guarded, poisoned, restored, and compared with the answers.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "device/backend.h"
#include "measure/versions.h"

namespace wb {

// How the arrays of a case are made.
struct ArraySetup {
  bool reference = true;  // computed, for nothing can be checked without
  // Where the backend has pages that nobody may touch, they begin right behind the arrays, so that
  // what is written there and put back shows too: as a crash, so this is for tests.
  bool tight = false;
  // And right in front of them: also what is only read there, and not used, shows as a crash. On
  // the host; such arrays end anywhere.
  bool front = false;
  // Processes that are not trusted work on them, too: what a launch finds is nearly always fresh,
  // as this draws it.
  DrawNewInputs* new_inputs = nullptr;
  int changes = Answers::kChanges;  // 0: inputs in one version alone, for each costs an answer
  bool shared() const { return new_inputs; }
};

// An array where a backend of another process can find it.
struct SharedArray {
  std::string place;
  std::size_t bytes, offset;  // of all that stands there; of the array in it
};

class Arrays {
 public:
  // Binds the problem on `backend`. `answers` must outlive this.
  Arrays(const Problem& problem, const Case& c, Backend& backend, Answers& answers,
         const ArraySetup& options);
  ~Arrays();  // where Array is known
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  const void* args() const { return args_.get(); }  // with pointers of the backend
  std::vector<Region> regions() const;              // what the problem reads and writes
  std::vector<SharedArray> shared() const;          // where ArraySetup says so

  // Uploads version 0 or 1 of the inputs, unless it is there and the last check() found it so.
  void load(int base);
  // Somebody may have written to them since then.
  void distrust() { base_ = -1; }

  // In stream order: what a launch finds. Inputs as in `version` (of which the base was loaded),
  // outputs NaN. Inputs in host memory change at once: no launch that reads them may be under way.
  void prepare(int version);
  // The same with another of those versions than the last time, by chance, or with fresh inputs
  // (see ArraySetup). Where there is no reference there is but one. Also in two parts, for those
  // who can see the arrays meanwhile: what has changed, they know last.
  void prepare() { poison(), change(); }
  // all_new: with all inputs fresh, where ArraySetup allows that.
  void poison(bool all_new = false);
  void change() { set(version_, true); }
  // Whether no input is what any launch had before.
  bool all_new() const { return version_ == Answers::kNewInputs && new_inputs_.whole; }

  // "" while the outputs are as prepare() of version 0 or 1 left them, else one line.
  std::string untouched();

  // In stream order, right behind a launch: takes some elements of the outputs, at places that no
  // launch can know before, to be compared by seen().
  void look();
  // What is wrong in what look() took since the last call, in one line, or "". The stream is done.
  std::string seen();

  // Empty when all of this holds: the outputs are right, the inputs unchanged, the guard bands
  // as load() left them. Otherwise one line that says what is wrong.
  std::string check();
  // What a launch has left in the outputs, one behind the other. The stream is done.
  std::vector<std::byte> outputs();
  // Of all comparisons since the last call.
  WorstError take_worst_error() { return std::exchange(worst_, {}); }

 private:
  struct Array;
  using Element = std::pair<std::size_t, i64>;  // array, index
  struct Sampled;

  std::byte* allocate(std::size_t bytes, Space space, bool shared = false);
  void lay(const Array& array);
  void settle();
  void restore();
  int draw(bool all_new);
  void next(int version);
  void set(int version, bool changed);
  Element place();
  void pick(const std::vector<Element>& elements, std::byte* to);
  std::string check_guards(std::size_t i);
  std::string check_contents(std::size_t i, int version, WorstError& worst);
  bool is_answer_before();

  Backend& backend_;
  Answers& answers_;
  std::vector<Array> arrays_;
  std::uint64_t output_bytes_ = 0;  // of all outputs
  std::vector<std::shared_ptr<void>> allocations_;
  std::shared_ptr<void> args_;
  WorstError worst_;
  int base_ = -1, version_ = 0;
  int kept_base_ = -1;  // which prepare() restores
  static constexpr int kNone = -2;
  int launched_ = kNone, before_ = kNone;  // versions of the last launch, and of the one before it
  DrawNewInputs* const draw_new_inputs_;   // null: only this process works on them
  NewInputs new_inputs_;
  std::mt19937_64 random_;
  std::vector<Sampled> looks_;
  std::byte* looked_ = nullptr;   // what look() takes, pinned
  std::byte* scratch_ = nullptr;  // for downloads, pinned: they are several times as fast then
  // Of each change the values of its inputs, in order: 8 bytes as in version 0, and 8 as changed.
  std::vector<std::map<Space, std::byte*>> values_;
};

// Both together, as a case needs them.
struct Data {
  // Throws Unsupported with the figures when the arrays don't fit into free memory.
  Data(const Problem& problem, const Case& c, Backend& backend, std::uint64_t seed,
       const ArraySetup& options = {});
  const Case axes;
  Answers answers;
  Arrays arrays;
};

}  // namespace wb
