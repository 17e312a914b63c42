// What the arrays of a case hold before a run, and what they must hold after it: in host memory,
// and apart from every device.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/row.h"
#include "wb/variant.h"

namespace wb {

// Binds a problem: `place` gives the place of each array that it asks for.
template <class F> std::shared_ptr<void> bind(const Problem& problem, const Case& c, F place) {
  struct Places : Binder {
    F place;
    explicit Places(F place) : place(std::move(place)) {}
    void* array(const ArraySpec& spec) override { return place(spec); }
  } places(std::move(place));
  return problem.bind(places, c);
}

class Answers {
 public:
  // Two versions, with different inputs: a variant that remembers its first answer must not pass.
  static constexpr int kVersions = 2;

  struct Array {
    ArraySpec spec;
    std::size_t bytes = 0;
    std::array<std::vector<std::byte>, kVersions> initial;   // in, inout: contents before a run
    std::array<std::vector<std::byte>, kVersions> expected;  // out, inout: contents after it
  };

  // Binds the problem in host memory, fills its inputs with values drawn from the seed and computes
  // the references (unless nothing will be checked).
  Answers(const Problem& problem, const Case& c, std::uint64_t seed, bool with_reference = true);
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  const std::vector<Array>& arrays() const { return arrays_; }  // as bind() asks for them
  const Cost& cost() const { return cost_; }
  const Items& items() const { return items_; }

  // Whether `got`, the contents of array i after a run on inputs `version`, are right: an input
  // unchanged, each element of an output within tolerance. Empty, or one line: "y: 3 of 1024 wrong,
  // first y[17] = nan, want 0.25 (allowed 1e-06)". `worst` is raised by what was compared.
  std::string check(std::size_t i, int version, const std::byte* got, WorstError& worst) const;

 private:
  std::byte* array(const ArraySpec& spec, std::size_t index, int version, std::uint64_t seed);

  std::vector<Array> arrays_;
  std::array<std::shared_ptr<void>, kVersions> args_;
  Cost cost_;
  Items items_;
  Tolerance tolerance_;
};

}  // namespace wb
