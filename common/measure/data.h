// The arrays of one case on one backend: filled with seeded random values, poisoned and restored
// before a run, compared with the reference after it.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "device/backend.h"

namespace wb {

class Data {
 public:
  // Binds the problem in host memory (twice, with different inputs: a variant that remembers its
  // first answer must not pass) and on `backend`, and computes both references (unless nothing will
  // be checked). Throws Unsupported with the figures when the arrays don't fit into free memory.
  Data(const Problem& problem, const Shape& shape, Backend& backend, std::uint64_t seed,
       bool with_reference = true);
  ~Data();
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  const void* args() const { return args_.get(); }  // with pointers of the backend
  Cost cost() const { return cost_; }
  Items items() const { return items_; }
  std::vector<Region> regions() const;  // what the problem reads and writes

  // Uploads inputs `version` (0 or 1) and makes them what check() compares with. Unless `again`,
  // not when they are there already and the last check() found them unchanged.
  void load(int version, bool again = true);
  // In stream order: restores inout arrays and, when `poison`, fills out arrays with NaN.
  void prepare(bool poison);
  // Empty when all of this holds: outputs within tolerance, inputs unchanged, guard bands as load()
  // left them.
  // Otherwise one line: "y: 3 of 1024 wrong, first y[17] = nan, want 0.25 (allowed 1e-06)".
  std::string check();

 private:
  struct Array;
  class HostBinder;
  class DeviceBinder;

  void release();
  std::string check_guards(const Array& array);
  std::string check_values(const Array& array);

  const Problem& problem_;
  Backend& backend_;
  std::vector<Array> arrays_;
  std::array<std::shared_ptr<void>, 2> host_args_;
  std::shared_ptr<void> args_;
  Cost cost_;
  Items items_;
  Tolerance tolerance_;
  int version_ = -1;
  std::byte* scratch_ = nullptr;  // for downloads, pinned: they are several times as fast then
};

}  // namespace wb
