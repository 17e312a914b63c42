// The space of a search: parameters with a few values each, and the constraints on them.
//
//   tune::Space space;
//   space.add("BM", {64, 128, 256}, 128).add("STAGES", {2, 3, 4}, 3);
//   space.require("shared memory", [](const tune::Values& v) { return v["BM"] * v["STAGES"] <= 512;
//   });
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tune {

struct Parameter {
  std::string name;         // a macro of the source that is tuned
  std::vector<int> values;  // rising
  bool at_launch;           // an argument of the launch: another value needs no other object
  std::string meaning{};    // in a few words, for the reader of a result; see means()
};

// The places of its values: one number a parameter, in order.
using Configuration = std::vector<int>;

class Space;

// The values of a configuration, by name.
struct Values {
  const Space& space;
  const Configuration& configuration;
  int operator[](std::string_view name) const;  // throws std::out_of_range with the name
};

class Space {
 public:
  // `fallback` is one of the values. Throws std::invalid_argument if it is not, or if the name is
  // taken.
  Space& add(std::string name, std::vector<int> values, int fallback, bool at_launch = false);
  // The meaning of the parameter that was added last: "threads of a block".
  Space& means(std::string words);
  // A configuration is legal only if `holds` returns true; else `reason` says why not.
  Space& require(std::string reason, std::function<bool(const Values&)> holds);

  const std::vector<Parameter>& parameters() const { return parameters_; }
  const Configuration& fallback() const { return fallback_; }
  std::string why_illegal(const Configuration& configuration) const;  // "": it is legal
  bool legal(const Configuration& c) const { return why_illegal(c).empty(); }

  // All that are legal, in the order of an odometer whose last parameter goes fastest.
  std::vector<Configuration> all() const;
  // The legal ones that differ in one parameter, by one place where `near`, else by any.
  std::vector<Configuration> neighbours(const Configuration& c, bool near = true) const;

  // "BM=128 STAGES=3", and back. Throws std::invalid_argument with the word that is wrong.
  std::string words(const Configuration& c) const { return words(c, true); }
  std::string macros(const Configuration& c) const { return words(c, false); }  // compiled in
  Configuration parse(const std::string& words) const;
  // Names and values in one line. A search cannot continue the journal of another space.
  std::string identity() const;

 private:
  std::string words(const Configuration& c, bool launch) const;
  struct Constraint {
    std::string reason;
    std::function<bool(const Values&)> holds;
  };
  std::vector<Parameter> parameters_;
  Configuration fallback_;
  std::vector<Constraint> constraints_;
};

}  // namespace tune
