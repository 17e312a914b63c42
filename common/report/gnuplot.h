// Scripts for gnuplot, and what it draws by them.
#pragma once

#include <string>

#include "report/document.h"

namespace wb::report {

// Throws Failure (code 2) when gnuplot is missing; says what to install.
void require_gnuplot();

// What gnuplot writes to its standard output. Throws std::runtime_error with what it said when it
// fails, or when it takes longer than the limit in seconds, and as require_gnuplot() does.
std::string run_gnuplot(const std::string& script, double time_limit = 30);

std::string gnuplot_text(const std::string& text);  // in single quotes

// Variables and data for one of the scripts beside this file.
class GnuplotScript {
 public:
  // As wide as `columns` in a terminal, and `pixels` elsewhere.
  GnuplotScript(Picture picture, int columns, int pixels);
  void set(const char* variable, double value);
  void set(const char* variable, const std::string& text);
  void data(const char* block, const std::string& lines);
  void add(const std::string& lines) { text_ += lines; }
  // The picture's bytes; in a terminal without gnuplot's padding. Throws as run_gnuplot().
  std::string draw(const std::string& script) const;

 private:
  const Picture picture_;
  std::string text_;
};

}  // namespace wb::report
