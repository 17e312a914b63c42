#include "model/trace_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "base/json.h"
#include "base/output.h"

namespace wb {

using nlohmann::json;

std::string chrome_trace(const std::vector<TracedRow>& rows) {
  std::string out = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [";
  const char* separator = "\n";
  const auto add = [&](const json& event) {
    out += separator + dump_json(event);
    separator = ",\n";
  };
  const auto add_name = [&](const char* of, std::size_t pid, std::size_t tid, const json& args) {
    add({{"ph", "M"}, {"pid", pid}, {"tid", tid}, {"name", of}, {"args", args}});
  };
  for (std::size_t pid = 0; pid < rows.size(); ++pid) {
    const auto& [title, trace] = rows[pid];
    add_name("process_name", pid, 0,
             {{"name", title},
              {"wall_seconds", trace.wall},
              {"iterations", trace.iterations},
              {"missing", trace.missing}});
    std::map<std::size_t, std::string> threads;
    for (const Interval& i : trace.intervals) {
      const std::size_t tid = static_cast<std::size_t>(i.rank) * 100000 +
                              lane_of(i.activity) * 1000 + static_cast<std::size_t>(i.lane);
      threads[tid] = fmt::format("{} {} of rank {}", kLanes[lane_of(i.activity)], i.lane, i.rank);
      add({{"ph", "X"},
           {"pid", pid},
           {"tid", tid},
           {"ts", i.start * 1e6},
           {"dur", (i.end - i.start) * 1e6},
           {"name", i.name.empty() ? name(i.activity) : i.name},
           {"cat", name(i.activity)},
           {"args", {{"lane", i.lane}, {"rank", i.rank}}}});
    }
    for (const auto& [tid, name] : threads) add_name("thread_name", pid, tid, {{"name", name}});
  }
  return out + "\n]}\n";
}

std::vector<TracedRow> read_chrome_trace(const std::string& text) {
  try {
    const json root = parse_json(text);
    std::map<std::int64_t, TracedRow> rows;
    for (const json& event : root.at("traceEvents")) {
      const std::string phase = event.at("ph");
      const std::int64_t pid = event.at("pid");
      if (phase == "M" && event.at("name") == "process_name") {
        TracedRow& row = rows[pid];
        const json& args = event.at("args");
        row.title = args.at("name");
        row.trace.wall = args.at("wall_seconds");
        row.trace.iterations = args.at("iterations");
        row.trace.missing = args.at("missing");
      } else if (phase == "X") {
        const auto known = std::ranges::find(kActivities, event.at("cat").get<std::string>());
        const int rank = event.at("args").value("rank", 0);  // older files have none
        if (known == std::end(kActivities) || !rows.count(pid) || rank < 0 || rank >= kMostRanks)
          throw std::runtime_error("an event of an unknown row, kind or rank");
        const double start = event.at("ts"), length = event.at("dur");
        rows[pid].trace.intervals.push_back({start * 1e-6, (start + length) * 1e-6,
                                             static_cast<Activity>(known - kActivities),
                                             event.at("name"), event.at("args").at("lane"), rank});
      }
    }
    std::vector<TracedRow> all;
    for (auto& [pid, row] : rows) all.push_back(std::move(row));
    return all;
  } catch (const std::exception& e) {
    throw std::runtime_error("not a trace of this workbook: " + one_line(e));
  }
}

}  // namespace wb
