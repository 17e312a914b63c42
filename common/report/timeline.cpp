#include "report/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/table.h"

namespace wb {

namespace {

// How each activity is drawn. The colours are told apart by eyes that can't tell red from green. A
// mark of 0 alternates between two, so that the eye finds where a chunk ends.
struct Look {
  Activity activity;
  const char* svg;
  const char* terminal;
  char mark;
};
constexpr Look kLooks[] = {{Activity::compute, "#0072b2", "\033[34m", 0},
                           {Activity::copy, "#f0c850", "\033[33m", 0},
                           {Activity::to_device, "#e69f00", "\033[33m", 0},
                           {Activity::to_host, "#cc79a7", "\033[33m", 0},
                           {Activity::allocate, "#d55e00", "\033[31m", 'a'},
                           {Activity::launch, "#56b4e9", "\033[36m", 'l'},
                           {Activity::wait, "#d0d0d0", "\033[90m", '.'},
                           {Activity::host, "#909090", "\033[90m", 0}};

const Look& look(Activity activity) {
  return *std::find_if(std::begin(kLooks), std::end(kLooks),
                       [&](const Look& l) { return l.activity == activity; });
}

// The part of the pass that is drawn: from its middle, where it is in steady state; one iteration,
// or four where an iteration is only a few records.
struct Window {
  double start, end;
  int iterations;
  explicit Window(const Trace& trace) : start(0), end(trace.wall), iterations(1) {
    if (trace.iterations < 2) return;
    const double records = static_cast<double>(trace.intervals.size()) / trace.iterations;
    iterations = records < 8 ? std::min(4, trace.iterations) : 1;
    const double one = trace.wall / trace.iterations;
    const int before = (trace.iterations - iterations) / 2;
    start = one * before;
    end = start + one * iterations;
  }
};

// Records inside the window by lane, clipped to it, in order of start.
std::vector<std::vector<Interval>> lanes(const Trace& trace, const Window& window) {
  std::vector<std::vector<Interval>> lanes(std::size(kLanes));
  for (Interval i : trace.intervals) {
    i.start = std::max(i.start, window.start);
    i.end = std::min(i.end, window.end);
    if (i.end > i.start) lanes[lane_of(i.activity)].push_back(i);
  }
  for (auto& lane : lanes)
    std::sort(lane.begin(), lane.end(), [](auto& a, auto& b) { return a.start < b.start; });
  return lanes;
}

std::string split_line(const Trace& trace) {
  const Split s = split(trace);
  return fmt::format("compute {}  copies {}  allocation {}  launch gaps {}  idle {}",
                     format_percent(s.compute), format_percent(s.copies),
                     format_percent(s.allocation), format_percent(s.launch),
                     format_percent(s.idle));
}

std::string span_line(const Trace& trace, const Window& window) {
  return fmt::format("{} of wall time: {} of {} traced iterations",
                     format_time(window.end - window.start), window.iterations,
                     std::max(trace.iterations, 1));
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '&')
      out += "&amp;";
    else
      out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return out;
}

}  // namespace

std::string draw_timeline(const TracedRow& row, int width, bool colour) {
  const Trace& trace = row.trace;
  if (!trace.missing.empty() || trace.wall <= 0)
    return row.title +
           "\n  no timeline: " + (trace.missing.empty() ? "nothing was traced" : trace.missing) +
           "\n";
  const Window window(trace);
  const int columns = std::max(width - 13, 20);
  const double step = (window.end - window.start) / columns;
  std::string out = row.title + "\n";
  const auto by_lane = lanes(trace, window);
  for (std::size_t lane = 0; lane < by_lane.size(); ++lane) {
    if (by_lane[lane].empty()) continue;
    // Each column shows what covers most of it.
    std::vector<double> cover(columns, 1e-6 * step);  // less is rounding
    std::vector<std::pair<char, Activity>> marks(columns, {' ', Activity::host});
    for (std::size_t n = 0; n < by_lane[lane].size(); ++n) {
      const Interval& i = by_lane[lane][n];
      const char mark = look(i.activity).mark;
      const char shape = mark ? mark : n % 2 ? '+' : '#';
      const int last = std::min(columns - 1, static_cast<int>((i.end - window.start) / step));
      for (int c = static_cast<int>((i.start - window.start) / step); c <= last; ++c) {
        const double from = std::max(i.start, window.start + c * step);
        const double part = std::min(i.end, window.start + (c + 1) * step) - from;
        if (part > cover[c]) {
          cover[c] = part;
          marks[c] = {shape, i.activity};
        }
      }
    }
    out += fmt::format("{:>10} |", kLanes[lane]);
    for (const auto& [shape, activity] : marks)
      out += colour && shape != ' ' ? fmt::format("{}{}\033[0m", look(activity).terminal, shape)
                                    : std::string(1, shape);
    out += "|\n";
  }
  out += fmt::format("{:>10}  {}\n", "", span_line(trace, window));
  out += fmt::format("{:>10}  {}\n", "", split_line(trace));
  return out;
}

std::string timeline_svg(const std::vector<TracedRow>& rows) {
  constexpr double kLeft = 90, kWidth = 860, kLaneHeight = 22;
  std::string body;
  double y = 10;
  for (const TracedRow& row : rows) {
    const auto write = [&](double x, const char* style, const std::string& text) {
      body +=
          fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" {}>{}</text>\n", x, y, style, escaped(text));
    };
    y += 18;
    write(10, "font-weight=\"bold\"", row.title);
    if (!row.trace.missing.empty() || row.trace.wall <= 0) {
      y += 18;
      write(10, "", "no timeline: " + row.trace.missing);
      continue;
    }
    const Window window(row.trace);
    const double scale = kWidth / (window.end - window.start);
    const auto by_lane = lanes(row.trace, window);
    y += 6;
    for (std::size_t lane = 0; lane < by_lane.size(); ++lane) {
      if (by_lane[lane].empty()) continue;
      body +=
          fmt::format("<rect x=\"{}\" y=\"{:.0f}\" width=\"{}\" height=\"{}\" fill=\"#f6f6f6\"/>\n",
                      kLeft, y + 2, kWidth, kLaneHeight - 4);
      double drawn_to = -1;  // thousands of records in a pixel are drawn once
      for (const Interval& i : by_lane[lane]) {
        const double x = kLeft + (i.start - window.start) * scale;
        const double w = std::max((i.end - i.start) * scale, 0.4);
        if (x + w < drawn_to + 0.2) continue;
        drawn_to = x + w;
        body += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\" "
            "stroke=\"#fff\" stroke-width=\"{}\"><title>{}, {}</title></rect>\n",
            x, y + 2, w, kLaneHeight - 4, look(i.activity).svg, w > 3 ? 0.6 : 0.0,
            escaped(i.name.empty() ? name(i.activity) : i.name), format_time(i.end - i.start));
      }
      y += kLaneHeight;
      body += fmt::format("<text x=\"{}\" y=\"{:.0f}\" text-anchor=\"end\">{}</text>\n", kLeft - 8,
                          y - 7, kLanes[lane]);
    }
    y += 14;
    write(kLeft, "fill=\"#555\"", span_line(row.trace, window) + ": " + split_line(row.trace));
    y += 12;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n{2}</svg>\n",
      kLeft + kWidth + 20, y + 10, body);
}

}  // namespace wb
