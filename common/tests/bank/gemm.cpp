// Wrong products on the CPU.
#include "bank/gemm.h"
