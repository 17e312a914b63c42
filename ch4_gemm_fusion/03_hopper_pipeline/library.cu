// The yardstick is the same as in 02_tensor_cores.
#include "../02_tensor_cores/library.cu"
