// Wrong products on a GPU.
#include "bank/gemm.h"
