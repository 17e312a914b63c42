// The roofline as a picture (Williams, Waterman, Patterson, "Roofline: an insightful visual
// performance model", CACM 52(4), 2009), drawn by gnuplot from roofline.gp.
#pragma once

#include <string>

#include "model/row.h"
#include "report/gnuplot.h"

namespace wb::report {

// Every lesson of `backend` from baseline to optimized (a lesson's first case; all cases where
// there is only one lesson). SVG and PNG show % of roof beside the roofline, so that rows without
// floating-point work have their place too. For the terminal `width` is in columns. Returns the
// picture's bytes; empty when no row of this backend has a speed and ceilings. Throws Failure
// without gnuplot, and std::runtime_error with what it said.
std::string roofline(const Results& results, const std::string& backend, Picture picture,
                     int width = 100);

}  // namespace wb::report
