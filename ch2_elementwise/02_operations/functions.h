// The operations with the C library's functions, in fp32, as one writes them. CUDA has functions of
// the same names, so this serves both.
#pragma once

#include <math.h>

#include "operations.h"

#ifdef __CUDACC__
#define ON_BOTH __host__ __device__
#else
#define ON_BOTH
#endif

ON_BOTH inline float evaluate(op::Add, float x, float y) { return x + y; }
ON_BOTH inline float evaluate(op::Sub, float x, float y) { return x - y; }
ON_BOTH inline float evaluate(op::Mul, float x, float y) { return x * y; }
ON_BOTH inline float evaluate(op::Div, float x, float y) { return x / y; }
ON_BOTH inline float evaluate(op::Relu, float x, float) { return x < 0 ? 0 : x; }
ON_BOTH inline float evaluate(op::LeakyRelu, float x, float) { return x < 0 ? op::kSlope * x : x; }
ON_BOTH inline float evaluate(op::Exp, float x, float) { return expf(x); }
ON_BOTH inline float evaluate(op::Sigmoid, float x, float) { return 1 / (1 + expf(-x)); }
ON_BOTH inline float evaluate(op::Silu, float x, float) { return x / (1 + expf(-x)); }
ON_BOTH inline float evaluate(op::Tanh, float x, float) { return tanhf(x); }
ON_BOTH inline float evaluate(op::Gelu, float x, float) {
  return 0.5f * x * (1 + erff(x * 0.70710678f));
}
