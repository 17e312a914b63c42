// The arrays of one case on one backend: between guard bands, poisoned and restored before a run,
// compared with the answers after it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/backend.h"
#include "measure/answers.h"

namespace wb {

class Arrays {
 public:
  // Binds the problem on `backend`. `answers` must outlive this.
  Arrays(const Problem& problem, const Case& c, Backend& backend, const Answers& answers);
  ~Arrays();
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  const void* args() const { return args_.get(); }  // with pointers of the backend
  std::vector<Region> regions() const;              // what the problem reads and writes

  // Uploads inputs `version` and makes them what check() compares with. Unless `again`, not when
  // they are there already and the last check() found them unchanged.
  void load(int version, bool again = true);
  // In stream order: restores inout arrays and, when `poison`, fills out arrays with NaN.
  void prepare(bool poison);
  // Empty when all of this holds: the arrays are as Answers::check() wants them, and the guard
  // bands as load() left them. Otherwise one line that says what is wrong.
  std::string check();
  // Of all checks since the last call.
  WorstError take_worst_error() { return std::exchange(worst_, {}); }

 private:
  struct Array;

  void release();
  std::string check(std::size_t i);

  Backend& backend_;
  const Answers& answers_;
  std::vector<Array> arrays_;
  std::shared_ptr<void> args_;
  WorstError worst_;
  int version_ = -1;
  std::byte* scratch_ = nullptr;  // for downloads, pinned: they are several times as fast then
};

// Both together, as a case needs them.
struct Data {
  // Throws Unsupported with the figures when the arrays don't fit into free memory.
  Data(const Problem& problem, const Case& c, Backend& backend, std::uint64_t seed,
       bool with_reference = true);
  Answers answers;
  Arrays arrays;
};

}  // namespace wb
