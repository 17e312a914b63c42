#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/output.h"
#include "report/quantity.h"
#include "search.h"

namespace tune {

void show(const Journal& journal, const Space& space, const std::optional<Winner>& winner) {
  const History& history = journal.history;
  wb::print("{}, {}, on {}\n", journal.subject.lesson, journal.subject.axes,
            journal.subject.device);
  std::map<std::string, std::pair<int, std::string>> counts;  // how many, and the first's reason
  for (const Record& r : history) {
    auto& [count, reason] = counts[name(r.status)];
    if (!count++ && !r.reason.empty()) reason = ": first " + r.reason;
  }
  for (const auto& [status, all] : counts) wb::print("{:>6} {}{}\n", all.first, status, all.second);
  const Record* fastest = best(history);
  if (!fastest) return wb::print("None was right.\n");
  const auto close = std::count_if(history.begin(), history.end(), [&](const Record& r) {
    return r.status == Status::ok && r.seconds <= 1.01 * fastest->seconds;
  });
  wb::print("Best trial: {} in {}; {} more within 1 %\n", space.words(fastest->configuration),
            wb::format_time(fastest->seconds), close - 1);
  if (!winner) return wb::print("No winner was kept: the search did not end.\n");
  wb::print("Winner: {}\n", winner->configuration);
  const double otherwise = winner->fallback_seconds, gain = otherwise - winner->seconds;
  if (otherwise == 0)
    return wb::print("Timed anew: {}. The default is not right here.\n",
                     wb::format_time(winner->seconds));
  wb::print("Timed anew, in turn with the default: {} against {}, {:.3f}x\n",
            wb::format_time(winner->seconds), wb::format_time(otherwise),
            otherwise / winner->seconds);
  const double calls = std::ceil(winner->search_seconds / gain);
  wb::print("The search took {:.0f} s{}.\n", winner->search_seconds,
            !(gain > 0)    ? ", and the default stays"
            : calls < 1000 ? fmt::format(": paid for after {:.0f} calls", calls)
                           : fmt::format(": paid for after {} calls", wb::format_count(calls)));
}

}  // namespace tune
