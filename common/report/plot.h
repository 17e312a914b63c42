// The roofline as a picture (Williams, Waterman, Patterson, "Roofline: an insightful visual
// performance model", CACM 52(4), 2009), drawn by gnuplot from roofline.gp.
#pragma once

#include <string>
#include <vector>

#include "model/row.h"

namespace wb {

// Throws Failure (code 2) when gnuplot is missing; says what to install.
void require_gnuplot();

enum class Picture { terminal, svg, png };

// For report/sweep.cpp too. Text in single quotes for a script; what gnuplot drew by a script
// (throws std::runtime_error with what it said); that without the padding and the form feed
// it adds in a terminal.
std::string gnuplot_text(const std::string& text);
std::string run_gnuplot(const std::string& script);
std::string tidy_picture(const std::string& drawn, Picture picture);

// Every lesson of `backend` from baseline to optimized (a lesson's first case; all cases where
// there is only one lesson). SVG and PNG show % of roof beside the roofline, so that rows without
// floating-point work have their place too. For the terminal `width` is in columns. Returns the
// picture's bytes; empty when no row of this backend has a speed and ceilings. Throws Failure
// without gnuplot, and std::runtime_error with what it said.
std::string roofline(const Results& results, const std::string& backend, Picture picture,
                     int width = 100);

}  // namespace wb
