#include "programs/flags.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <random>
#include <sstream>

#include "base/build_info.h"
#include "base/failure.h"
#include "base/nearest.h"
#include "base/output.h"

namespace wb {

namespace {

void add_axis_flags(CLI::App& app, Choice& choice) {
  app.add_option("--axis", choice.axes,
                 "NAME=VALUE: measure cases with this value, or make one with it")
      ->take_all()
      ->expected(1)
      ->check([](const std::string& axis) {
        const auto equal = axis.find('=');
        return equal != 0 && equal != std::string::npos && equal + 1 < axis.size()
                   ? ""
                   : "'" + axis + "' does not have the form NAME=VALUE";
      });
  const auto shorthand = [&](const std::string& name, const char* help) {
    app.add_option_function<std::string>(
        "--" + name,
        [&choice, name](const std::string& value) { choice.axes.push_back(name + "=" + value); },
        help);
  };
  shorthand("size", "small, medium, large, xlarge: 512^2, 2048^2, 4096^2, 8192^2 elements");
  shorthand("dtype", "fp32, fp16, bf16");
  shorthand("op", "operation: gelu, sum, softmax, matmul ...; without a lesson, all that have it");
}

void add_case_flags(CLI::App& app, Choice& choice) {
  app.add_option("--cache", choice.cache, "cold (default) or hot")
      ->check(CLI::IsMember({"cold", "hot"}));
  choice.seed = std::random_device{}();
  app.add_option("--seed", choice.seed,
                 "the seed of inputs and of random cases; without this flag a new one each time")
      ->check([](const std::string& text) {
        std::uint64_t seed = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
        return error == std::errc() && end == text.data() + text.size()
                   ? ""
                   : "'" + text + "' is not a number from 0 to 2^64 - 1";
      });
  app.add_option("--unlisted", choice.unlisted,
                 "how many random cases that the lesson does not list; --seed draws them")
      ->check(CLI::Range(1, 10000));
  app.add_flag("--fast", choice.fast, "fewer and shorter samples");
  app.add_flag("--allow-suspect", choice.allow_suspect, "exit 0 although a row is suspect");
}

}  // namespace

void add_flags(CLI::App& app, Choice& choice, unsigned flags) {
  std::vector<std::string> backends = {"auto"};
  for (const KnownBackend& b : known_backends()) backends.insert(backends.end() - 1, b.name);
  if (flags & kBackendFlag)
    app.add_option("--backend", choice.backend, "auto takes the GPU where one answers")
        ->check(CLI::IsMember(backends));
  if (flags & (kCaseFlags | kAxisFlags)) add_axis_flags(app, choice);
  if (flags & kCaseFlags) add_case_flags(app, choice);
  if (flags & kSweepFlag)
    app.add_option("--sweep", choice.sweep, "measure at many values of an axis");
  if (flags & kPeerFlag) {
    app.add_flag("--wide", choice.wide, "every column, wider than the screen");
    app.add_flag("--counters", choice.counters,
                 "what the hardware counts of one launch: bytes, requests, stalls");
    app.add_option("--peer", choice.peer, "measure another library, too, in rows of its own")
        ->check(CLI::IsMember(peer_names()));
  }
  if (flags & kProgramFlags) {
    app.add_option("--variant", choice.variant, "only these, with commas between them");
    app.add_flag("--survey", choice.survey,
                 "a first look: five samples of a row, and inputs that stay the same");
    app.add_flag("--first", choice.first, "only the first of the lesson's cases");
  }
}

bool parse(CLI::App& app, int argc, const char* const* argv, const std::string& help) {
  refuse_empty(app);
  try {
    app.parse(argc, argv);
    return true;
  } catch (const CLI::Success&) {
    put(help_of(app));
    return false;
  } catch (const CLI::ParseError& e) {
    throw Failure(2, refusal(e, app, help));
  }
}

std::string refusal(const CLI::ParseError& error, const CLI::App& app, const std::string& help) {
  std::string why = error.what();
  why.erase(why.find_last_not_of(" \n") + 1);
  if (const std::size_t at = why.find(": -");
      dynamic_cast<const CLI::ExtrasError*>(&error) && at != why.npos)
    return no_flag(why.substr(at + 2, why.find_first_of(" =", at + 2) - at - 2), app, help);
  if (why.ends_with(":")) why = "an argument is empty";
  return why + "; see " + help;
}

std::string no_flag(const std::string& word, const CLI::App& app, const std::string& help) {
  std::vector<std::string> known;
  std::string who = "there is";
  const auto add = [&](const CLI::App& of) {
    for (const CLI::Option* option : of.get_options())
      known.insert(known.end(), option->get_lnames().begin(), option->get_lnames().end());
  };
  add(app);
  for (const CLI::App* command : app.get_subcommands())  // the chosen one
    add(*command), who = command->get_name() + " has";
  const std::string flag = word.substr(0, word.find('='));
  const std::string near =
      nearest(flag.substr(std::min(flag.find_first_not_of('-'), flag.size())), known);
  return who + " no flag " + flag +
         (near.empty() ? "; see " + help : ": did you mean --" + near + "?");
}

std::string help_of(const CLI::App& app) {
  constexpr std::size_t kText = 30;  // where CLI11 begins what an option does
  std::istringstream lines(app.help());
  std::string text;
  const std::size_t width = screen_width(std::string::npos);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    const bool option = first > 0 && first < kText;
    text += wrapped(line, width, option ? kText - first : 0) + "\n";
  }
  return text;
}

void refuse_empty(CLI::App& app) {
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
    refuse_empty(*command);
  for (CLI::Option* option : app.get_options())
    if (option->get_items_expected_max() > 0)
      option->check(
          [](const std::string& value) { return value.empty() ? "its value is empty" : ""; });
}

std::string no_time(const std::string& text) {
  char* end = nullptr;
  const double seconds = std::strtod(text.c_str(), &end);
  const bool fine = !text.empty() && *end == 0 && std::isfinite(seconds) && seconds > 0;
  return fine ? "" : "'" + text + "' is not a time in seconds";
}

int run_main(const std::function<int()>& run) {
  open_output();
  try {
    return close_output(run());
  } catch (const std::exception& e) {
    tell("workbook: {}", one_line(e, 800));
    return close_output(exit_code(e, 5));  // files: the message names which
  }
}

}  // namespace wb
