// For the CPU; see queries.h.
#include "queries.h"
