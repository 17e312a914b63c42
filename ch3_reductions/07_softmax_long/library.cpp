// The yardstick: oneDNN (../softmax/onednn.h).
#include "../softmax/onednn.h"
#include "softmax_long.h"

WB_CPU(SoftmaxLong, library, make_onednn);
