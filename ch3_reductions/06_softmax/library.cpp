// The yardstick: oneDNN (../softmax/onednn.h).
#include "../softmax/onednn.h"
#include "softmax.h"

WB_CPU(Softmax, library, make_onednn);
