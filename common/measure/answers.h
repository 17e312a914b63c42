// What the arrays of a case hold before a launch and must hold after it: apart from every device.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/draws.h"
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
  // The inputs exist in several versions, so that no answer can be kept: 0; 1, in which all is
  // different; from 2 on, those of version 0 but for one value (or those that are drawn with it).
  static constexpr int kBases = 2, kChanges = 2;
  // And where an exercise takes part, those of a NewInputs (versions.h), which are not known
  // before.
  static constexpr int kNewInputs = -1;

  struct Element {
    std::size_t array;
    i64 index;
    std::array<std::byte, 8> value;
  };
  struct InputChange {
    Draw draw;                             // the one value that is drawn again
    std::vector<Element> inputs, outputs;  // what is not as in version 0; outputs in order
  };
  using Contents = std::array<std::vector<std::byte>, kBases>;
  struct Array {
    ArraySpec spec;
    std::size_t bytes = 0;
    Contents initial = {};                                    // in, inout: before a launch
    Contents expected = {};                                   // out, inout: after it
    const std::byte* before(i64 index, int base = 0) const {  // an element of `initial`
      return initial[base].data() + index * spec.element_size;
    }
  };

  // Binds the problem in host memory, fills its inputs with values drawn from the seed and computes
  // the references (unless nothing will be checked: then there is no change, either). `changes`:
  // see ArraySetup.
  Answers(const Problem& problem, const Case& c, std::uint64_t seed, bool with_reference = true,
          int changes = kChanges);
  Answers(const Answers&) = delete;
  Answers& operator=(const Answers&) = delete;

  const std::vector<Array>& arrays() const { return arrays_; }  // as bind() asks for them
  const std::vector<InputChange>& changes() const { return changes_; }
  const Cost& cost() const { return cost_; }
  const Items& items() const { return items_; }
  std::uint64_t seed() const { return seed_; }
  bool has_reference() const { return has_reference_; }
  bool has_versions() const { return args_[1] != nullptr; }

  // Values of an input drawn from another seed: of all its elements, to `to`; of one.
  void draw(std::size_t i, std::uint64_t seed, std::byte* to) const;
  Element draw(std::size_t i, i64 index, std::uint64_t seed) const;

  // Throws when array `index` is not this one (null: when there is one): bind() must ask for the
  // same each time.
  void expect(std::size_t index, const ArraySpec* spec) const;

  // Whether `got`, the contents of array i after a launch on inputs `version`, are right: an input
  // unchanged, each element of an output within tolerance. Empty, or one line: "y: 3 of 1024 wrong,
  // first y[17] = nan, want 0.25 (allowed 1e-06)". `worst` is raised by what was compared.
  std::string check(std::size_t i, int version, const std::byte* got, WorstError& worst);
  // The same of one element of an output.
  std::string check_element(std::size_t i, i64 index, int version, const std::byte* got,
                            WorstError& worst) const;
  bool computed(std::size_t i, i64 index) const;  // by the reference, which may be sampled

  // From here on Tolerance::rel is `bound`, or the problem's: variants take turns on these answers,
  // and some promise less than others (WB_BOUND).
  void hold_to(const std::optional<double>& bound) { held_.rel = bound.value_or(tolerance_.rel); }
  double bound() const { return held_.rel; }

 private:
  friend class SwappedInputs;
  std::byte* array(const ArraySpec& spec, std::size_t index, int version, std::uint64_t seed);
  void refer(int version);
  void add_change(std::uint64_t seed);
  InputChange redraw(std::uint64_t seed) const;
  void exchange(std::vector<Element>& elements, Contents Array::*contents);
  void exchange(InputChange& change);
  std::string check_products(std::size_t i, int base, const std::byte* got) const;
  const Tolerance& tolerance(std::size_t i) const;

  const Problem& problem_;
  const std::uint64_t seed_;
  const bool has_reference_;
  std::vector<Array> arrays_;
  std::vector<InputChange> changes_;
  std::array<std::shared_ptr<void>, kBases> args_;
  Cost cost_;
  Items items_;
  Tolerance tolerance_, held_;  // the problem's, and what counts now
};

}  // namespace wb
