#include "report/gnuplot.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "base/build_info.h"
#include "base/failure.h"
#include "base/files.h"
#include "base/process.h"

namespace wb::report {

void require_gnuplot() {
  if (!in_path("gnuplot"))
    throw Failure(2,
                  "gnuplot draws the roofline and is not installed: apt-get install gnuplot-nox");
}

std::string run_gnuplot(const std::string& script, double time_limit) {
  const Scratch scratch;
  write_atomically(scratch.file("script.gp"), script);
  const Outcome outcome = run_process({"env", "GNUTERM=dumb", "gnuplot", "script.gp"}, time_limit,
                                      {}, {}, scratch.file(""));
  if (outcome.code == 127) require_gnuplot();
  if (outcome.timed_out)
    throw std::runtime_error(
        fmt::format("gnuplot failed: it drew for more than {:g} s and was stopped", time_limit));
  if (outcome.flooded)
    throw std::runtime_error(
        fmt::format("gnuplot failed: it drew more than {} MiB and was stopped", kMostOutput >> 20));
  if (!outcome.fine()) throw std::runtime_error("gnuplot failed: " + outcome.errors.substr(0, 300));
  return outcome.output;
}

std::string gnuplot_text(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? "''" : std::string(1, c < ' ' ? ' ' : c);
  return out + "'";
}

GnuplotScript::GnuplotScript(Picture picture, int columns, int pixels) : picture_(picture) {
  set("TERMINAL", static_cast<int>(picture));
  set("WIDTH", picture == Picture::terminal ? std::clamp(columns, 60, 160) : pixels);
}

void GnuplotScript::set(const char* variable, double value) {
  text_ += fmt::format("{} = {:.9g}\n", variable, value);
}

void GnuplotScript::set(const char* variable, const std::string& text) {
  text_ += fmt::format("{} = {}\n", variable, gnuplot_text(text));
}

void GnuplotScript::data(const char* block, const std::string& lines) {
  std::string end = "EOD";  // a line that does not occur
  while (lines.find(end) != std::string::npos) end += '_';
  text_ += fmt::format("${0} << {1}\n{2}{1}\n", block, end, lines);
}

std::string GnuplotScript::draw(const std::string& script) const {
  std::string drawn =
      run_gnuplot(text_ + read_file(std::string(source_folder()) + "/common/report/" + script));
  if (drawn.find_first_not_of(" \n\f") == std::string::npos)
    throw std::runtime_error("gnuplot failed: it drew nothing; try it: gnuplot -e 'test'");
  if (picture_ != Picture::terminal) return drawn;
  std::string lines;
  for (const char c : drawn) {
    if (c == '\n') lines.erase(lines.find_last_not_of(' ') + 1);
    if (c != '\f' && !(c == '\n' && lines.empty())) lines += c;
  }
  return lines;
}

}  // namespace wb::report
