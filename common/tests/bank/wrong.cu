// Wrong values and wrong places on a GPU.
#include "bank/values.h"
