// See checks.h.
#include "checks.h"
