// For a GPU; see queries.h.
#include "queries.h"
