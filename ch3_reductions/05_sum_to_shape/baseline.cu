// The gradient as its definition says it: set it to 0, and add each element of x to its place
// (atomics.cuh). Right for every shape, with one kernel; for 16-bit types the sums are kept in an
// array of floats and converted at the end. The order of the additions changes from run to run, and
// with it the last bits where additions round.
//
// Predict: 8192x8192 to 8192, to 8192x1 and to 1 have the same number of atomic additions. In which
// of them do the 32 additions of a warp go to one address? Which is the slowest?
#include "atomics.cuh"

WB_CUDA(SumToShape, baseline, make_atomics);
