#include "third.h"

WB_CPU(Third, baseline, Third::as_a_lesson);
