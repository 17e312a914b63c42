#include "third.h"

WB_CPU(Third, optimized, Third::as_a_lesson);
