#include "report/timeline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/explain.h"

namespace wb::report {

namespace {

// How each activity is drawn. The colours are told apart by eyes that can't tell red from green. A
// mark of 0 alternates between two, so that the eye finds where a chunk ends.
struct ActivityStyle {
  const char* svg;
  const char* terminal;
  char mark;
};
// In the order of Activity: compute, copies, to device, to host; allocate, launch, wait, host.
constexpr ActivityStyle kActivityStyles[] = {
    {"#0072b2", "\033[34m", 0},   {"#f0c850", "\033[33m", 0},   {"#e69f00", "\033[33m", 0},
    {"#cc79a7", "\033[33m", 0},   {"#d55e00", "\033[31m", 'a'}, {"#56b4e9", "\033[36m", 'l'},
    {"#d0d0d0", "\033[90m", '.'}, {"#909090", "\033[90m", 0}};

const ActivityStyle& style_of(Activity activity) {
  return kActivityStyles[static_cast<int>(activity)];
}

// The part of the pass that is drawn: from its middle, where it is in steady state; one iteration,
// or four where an iteration is only a few records.
struct Window {
  double seconds;
  int iterations = 1;
  // Records inside it by rank and place in kLanes, clipped to it and in seconds from its start, in
  // order of start.
  std::map<std::pair<int, std::size_t>, std::vector<Interval>> lanes;

  explicit Window(const Trace& trace) : seconds(trace.wall) {
    double start = 0;
    if (trace.iterations >= 2) {
      const bool few = static_cast<double>(trace.intervals.size()) / trace.iterations < 8;
      iterations = few ? std::min(4, trace.iterations) : 1;
      const double one = trace.wall / trace.iterations;
      const int before = (trace.iterations - iterations) / 2;
      start = one * before;
      seconds = one * iterations;
    }
    for (Interval i : trace.intervals) {
      i.start = std::max(i.start - start, 0.0);
      i.end = std::min(i.end - start, seconds);
      if (i.end > i.start) lanes[{i.rank, lane_of(i.activity)}].push_back(i);
    }
    for (auto& [key, lane] : lanes) std::ranges::sort(lane, {}, &Interval::start);
  }
  bool several() const { return !lanes.empty() && lanes.rbegin()->first.first > 0; }
  std::string label(const std::pair<int, std::size_t>& key) const {
    return kLanes[key.second] + (several() ? fmt::format(" {}", key.first) : "");
  }
};

// The activities that are drawn of any of them.
std::set<Activity> seen(const std::vector<TracedRow>& rows) {
  std::set<Activity> all;
  for (const TracedRow& row : rows)
    if (row.trace.missing.empty())
      for (const Interval& i : row.trace.intervals) all.insert(i.activity);
  return all;
}

// Why nothing is drawn; empty when something is.
std::string missing(const Trace& trace) {
  if (trace.missing.empty() && trace.wall > 0) return "";
  return "no timeline: " + (trace.missing.empty() ? "nothing was traced" : trace.missing);
}

std::string split_line(const Trace& trace) {
  const Split s = split(trace);
  return "compute " + format_percent(s.compute) + parts(s, "  ", " ");
}

std::string span_line(const Trace& trace, const Window& window) {
  return fmt::format("{} of wall time: {} of {} traced iterations", format_time(window.seconds),
                     window.iterations, std::max(trace.iterations, 1));
}

// A character for each of the lane's columns of `step` seconds: what covers most of it.
std::string drawn_lane(const std::vector<Interval>& lane, int columns, double step, bool colour) {
  std::vector<double> cover(columns, 1e-6 * step);  // less is rounding
  std::vector<std::string> marks(columns, " ");
  for (std::size_t n = 0; n < lane.size(); ++n) {
    const Interval& i = lane[n];
    const ActivityStyle& l = style_of(i.activity);
    std::string mark(1, l.mark ? l.mark : n % 2 ? '+' : '#');
    if (colour) mark = l.terminal + mark + "\033[0m";
    const int last = std::min(columns - 1, static_cast<int>(i.end / step));
    for (int c = static_cast<int>(i.start / step); c <= last; ++c) {
      const double part = std::min(i.end, (c + 1) * step) - std::max(i.start, c * step);
      if (part > cover[c]) cover[c] = part, marks[c] = mark;
    }
  }
  return fmt::format("{}", fmt::join(marks, ""));
}

}  // namespace

std::string draw_timeline(const TracedRow& row, int width, bool colour) {
  const Trace& trace = row.trace;
  std::string title = row.title;  // which has no blanks: one too long is broken before its case
  if (const auto slash = title.rfind('/'); std::ssize(title) > width && slash != title.npos)
    title.insert(slash + 1, "\n  ");
  if (const std::string why = missing(trace); !why.empty()) return title + "\n  " + why + "\n";
  const Window window(trace);
  const int left = window.several() ? 13 : 10, columns = std::max(width - left - 3, 20);
  std::string out = title + "\n";
  for (const auto& [key, lane] : window.lanes)
    out += fmt::format("{:>{}} |{}|\n", window.label(key), left,
                       drawn_lane(lane, columns, window.seconds / columns, colour));
  return out + fmt::format("{0:>{3}}  {1}\n{0:>{3}}  {2}\n", "", span_line(trace, window),
                           split_line(trace), left);
}

std::string timeline_legend(const std::vector<TracedRow>& rows) {
  std::string text = "# and + take turns: where they change, the next record begins";
  for (const Activity activity : seen(rows))
    if (const char mark = style_of(activity).mark)
      text += fmt::format("; {} {}", mark, name(activity));
  return text;
}

std::string timeline_svg(const std::vector<TracedRow>& rows) {
  constexpr double kLeft = 90, kWidth = 860, kLaneHeight = 22;
  std::string body;
  double y = 10;
  for (const TracedRow& row : rows) {
    const auto write = [&](double x, const char* style, const std::string& text) {
      body += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" {}>{}</text>\n", x, y, style,
                          for_markup(text));
    };
    y += 18;
    write(10, "font-weight=\"bold\"", row.title);
    if (const std::string why = missing(row.trace); !why.empty()) {
      y += 18;
      write(10, "", why);
      continue;
    }
    const Window window(row.trace);
    const double scale = kWidth / window.seconds;
    y += 6;
    for (const auto& [key, lane] : window.lanes) {
      body +=
          fmt::format("<rect x=\"{}\" y=\"{:.0f}\" width=\"{}\" height=\"{}\" fill=\"#f6f6f6\"/>\n",
                      kLeft, y + 2, kWidth, kLaneHeight - 4);
      double drawn_to = -1;  // thousands of records in a pixel are drawn once
      for (const Interval& i : lane) {
        const double x = kLeft + i.start * scale;
        const double w = std::max((i.end - i.start) * scale, 0.4);
        if (x + w < drawn_to + 0.2) continue;
        drawn_to = x + w;
        body += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\" "
            "stroke=\"#fff\" stroke-width=\"{}\"><title>{}, {}</title></rect>\n",
            x, y + 2, w, kLaneHeight - 4, style_of(i.activity).svg, w > 3 ? 0.6 : 0.0,
            for_markup(i.name.empty() ? name(i.activity) : i.name), format_time(i.end - i.start));
      }
      y += kLaneHeight;
      body += fmt::format("<text x=\"{}\" y=\"{:.0f}\" text-anchor=\"end\">{}</text>\n", kLeft - 8,
                          y - 7, window.label(key));
    }
    y += 14;
    write(kLeft, "fill=\"#555\"", span_line(row.trace, window) + ": " + split_line(row.trace));
    y += 12;
  }
  y += 16;
  double x = kLeft;
  for (const Activity activity : seen(rows)) {
    body += fmt::format(
        "<rect x=\"{0:.0f}\" y=\"{1:.0f}\" width=\"12\" height=\"12\" fill=\"{2}\"/>\n"
        "<text x=\"{3:.0f}\" y=\"{4:.0f}\" fill=\"#555\">{5}</text>\n",
        x, y - 10, style_of(activity).svg, x + 17, y, name(activity));
    x += 100;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{2}</svg>\n",
      kLeft + kWidth + 20, y + 10, body);
}

}  // namespace wb::report
