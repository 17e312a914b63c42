// Wrong values and wrong places on the CPU.
#include "bank/values.h"
