// What is to be measured, as flags say it. The driver and the lesson programs declare these flags
// here, once; the driver hands on what it was given.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace wb {

struct Choice {
  std::string backend = "auto";
  std::vector<std::string> axes;  // "rows=8192"; --size, --dtype and --op are shorthands
  std::string sweep, peer, cache = "cold";
  std::uint64_t seed = 0;  // add_flags() draws one, which a flag may replace
  std::string variant;     // with commas between several; empty: all
  int unlisted = 0;        // so many random cases in the place of the lesson's
  bool fast = false, first = false, allow_suspect = false, wide = false;

  // Nothing chosen among the cases.
  bool any_case() const { return axes.empty() && unlisted == 0; }
};

// Which flags a command takes.
enum Flags : unsigned {
  kBackendFlag = 1,
  kCaseFlags = 2,  // as kAxisFlags, and --cache, --seed, --fast, --allow-suspect
  kSweepFlag = 4,
  kPeerFlag = 8,       // and --wide: what prints tables
  kProgramFlags = 16,  // --variant, --first
  kAxisFlags = 32      // --axis and its shorthands
};
void add_flags(CLI::App& app, Choice& choice, unsigned flags);

// What --help prints: lines that are longer than a terminal is wide are broken at blanks.
std::string help_of(const CLI::App& app);

// The name of a file, which may not be empty.
void add_file(CLI::App& app, const std::string& flag, std::string& file, const std::string& help);

// Why a text is no time in seconds that something may take; "" when it is one.
std::string no_time(const std::string& text);

// The same choice as flags of a lesson program.
std::vector<std::string> arguments(const Choice& choice);

}  // namespace wb
