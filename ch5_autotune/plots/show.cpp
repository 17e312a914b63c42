#include "show.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "report/quantity.h"

namespace tune {
namespace {

std::string outcome(const Record& fastest, const Journal& journal, const Space& space,
                    const std::optional<Winner>& winner) {
  const auto close = std::ranges::count_if(journal.history, [&](const Record& r) {
    return r.status == Status::ok && r.seconds <= 1.01 * fastest.seconds;
  });
  std::string text = fmt::format("Best trial: {} in {}{}\n", space.words(fastest.configuration),
                                 wb::report::format_time(fastest.seconds),
                                 close > 1 ? fmt::format("; {} more within 1 %", close - 1) : "");
  if (!winner) return text + "No winner was kept: the search did not end.\n";
  if (winner->configuration == space.words(space.fallback()))
    return text + fmt::format(
                      "The default stays: {} in {}. No other was faster beyond noise.\n"
                      "The search took {:.0f} s.\n",
                      winner->configuration, wb::report::format_time(winner->seconds),
                      winner->search_seconds);
  text += fmt::format("Winner: {}\n", winner->configuration);
  const double otherwise = winner->fallback_seconds, gain = otherwise - winner->seconds;
  if (otherwise == 0)
    return text + fmt::format("Timed anew: {}. The default is not right here.\n",
                              wb::report::format_time(winner->seconds));
  text += fmt::format("Timed anew, in turn with the default: {} against {}, {:.3f}x\n",
                      wb::report::format_time(winner->seconds), wb::report::format_time(otherwise),
                      otherwise / winner->seconds);
  const double calls = std::ceil(winner->search_seconds / gain);
  return text + fmt::format("The search took {:.0f} s{}.\n", winner->search_seconds,
                            !(gain > 0) ? ""
                            : calls < 1000
                                ? fmt::format(": it pays for itself after {:.0f} calls", calls)
                                : fmt::format(": it pays for itself after {} calls",
                                              wb::report::format_count(calls)));
}

}  // namespace

wb::report::Document found(const Journal& journal, const Space& space,
                           const std::optional<Winner>& winner) {
  std::map<std::string, std::pair<int, std::string>> counts;  // how many, and the first's reason
  for (const Record& r : journal.history) {
    auto& [count, reason] = counts[name(r.status)];
    if (!count++ && !r.reason.empty()) reason = ": first " + r.reason;
  }
  std::string text = fmt::format("Of {} trials:\n", journal.history.size());
  for (const auto& [status, all] : counts)
    text += fmt::format("{:>6} {}{}\n", all.first, status, all.second);
  const Record* fastest = best(journal.history);
  text += fastest ? outcome(*fastest, journal, space, winner) : "None was right.\n";
  const Subject& s = journal.subject;
  return {wb::report::Heading{4, fmt::format("{}, {}, on {}", s.lesson, s.axes, s.device)},
          wb::report::Sentences{text, /*list=*/true}};
}

wb::report::Sentences parameters(const Space& space) {
  std::string text;
  for (std::size_t i = 0; i < space.parameters().size(); ++i) {
    const Parameter& p = space.parameters()[i];
    const std::string meaning = p.meaning.empty() ? "" : ": " + p.meaning;
    text += fmt::format("  {}{} ({}; default {})\n", p.name, meaning, fmt::join(p.values, ", "),
                        p.values[space.fallback()[i]]);
  }
  return {text, /*list=*/true};
}

wb::report::Table trials(const Journal& journal, const Space& space) {
  const bool gpu = std::ranges::any_of(journal.history, [](auto& r) { return r.registers > 0; });
  wb::report::Table table{{{.head = "trial"},
                           {.head = "configuration", .left = true},
                           {.head = "generation"},
                           {.head = "time"},
                           {.head = "GFLOP/s"},
                           {.head = gpu ? "registers" : ""},
                           {.head = gpu ? "occupancy" : ""},
                           {.head = "outcome", .left = true}}};
  for (const Record& r : journal.history) {
    const bool right = r.status == Status::ok;
    table.rows.push_back({fmt::format("{}", table.rows.size() + 1), space.words(r.configuration),
                          fmt::format("{}", r.generation),
                          right ? wb::report::format_time(r.seconds) : "-",
                          right && r.flops > 0 ? fmt::format("{:.1f}", r.flops / 1e9) : "-",
                          fmt::format("{}", r.registers), fmt::format("{:.0f}%", 100 * r.occupancy),
                          name(r.status) + (r.reason.empty() ? "" : ": " + r.reason)});
  }
  return table;
}

}  // namespace tune
