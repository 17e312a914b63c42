// C = A B^T in 16 bits, the problem of 02_tensor_cores (../shared/product16.h).
#pragma once

#include "../shared/product16.h"

struct TensorCores : Product16 {
  static constexpr const char* case_names[] = {"{m} x {n} x {k}, {dtype}"};
};
