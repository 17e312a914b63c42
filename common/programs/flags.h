// The flags that several programs take, declared once, and how programs end. CLI11 takes a compiler
// long, so that no room includes it.
#pragma once

#include <functional>
#include <string>

#include "model/choice.h"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace wb {

// Which flags a command takes.
enum Flags : unsigned {
  kBackendFlag = 1,
  kCaseFlags = 2,  // as kAxisFlags, and --cache, --seed, --fast, --allow-suspect
  kSweepFlag = 4,
  kPeerFlag = 8,       // and --wide, --counters: what prints tables
  kProgramFlags = 16,  // --variant, --samples, --first
  kAxisFlags = 32      // --axis and its shorthands
};
void add_flags(CLI::App& app, Choice& choice, unsigned flags);

// Reads a command line. False after --help, which it has printed. Throws Failure (code 2), whose
// line says that `help` shows more.
bool parse(CLI::App& app, int argc, const char* const* argv, const std::string& help);

// What a command line is refused with: what is wrong with it, and the flag that was probably meant,
// or that `help` shows all.
std::string refusal(const CLI::ParseError& error, const CLI::App& app, const std::string& help);
// The same for a flag that `app` does not have.
std::string no_flag(const std::string& word, const CLI::App& app, const std::string& help);

// What --help prints: lines that are longer than a terminal is wide are broken at blanks.
std::string help_of(const CLI::App& app);

// Has options refuse empty values, as an unset variable of a script leaves them: with --against ""
// nothing would be compared, and the exit code would say that nothing is slower.
void refuse_empty(CLI::App& app);

// Why a text is no time in seconds that something may take; "" when it is one.
std::string no_time(const std::string& text);

// What a main function returns: the exit code of `run`, or of what it throws, with a line about it.
int run_main(const std::function<int()>& run);

}  // namespace wb
