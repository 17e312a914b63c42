// A product that is bound by memory: many rows of 16 numbers, each times the same 16 x 16 matrix,
// as when points or colours are transformed. (Only the cases with n = k = 16; others are skipped.)
// A thread makes one number of C. It is right, and slow: 32 loads for 16 multiply-adds.
//
// TODO 1: before you change anything, place it: FLOPs, bytes, AI. Which roof is above it?
// TODO 2: let a thread make more than one number, e.g. 4 x 4, so that what it loads serves more
//         than one of them.
// Goal: 2.5 times baseline at op=matmul,m=4194304,n=16,k=16
// Goal: at most 10000 requests at op=matmul,n=16,m=4096,k=16
// Hints are in README.md.
#include "roofline.h"
#include "wb/cuda.h"

namespace {

constexpr int kWidth = 16;  // columns of A and C, rows and columns of B
constexpr int kThreads = 256;

__global__ void multiply(wb::i64 m, const float* a, const float* b, float* c) {
  const wb::i64 i = static_cast<wb::i64>(blockIdx.x) * kThreads + threadIdx.x;
  const wb::i64 row = i / kWidth, column = i % kWidth;
  if (row >= m) return;
  float sum = 0;
  for (int l = 0; l < kWidth; ++l) sum += a[row * kWidth + l] * b[l * kWidth + column];
  c[i] = sum;
}

auto make(const Roofline::Args& p) {
  if (p.op != Op::matmul || p.n != kWidth || p.k != kWidth)
    throw wb::Unsupported("the exercise is the product with n = k = 16");
  return [p](cudaStream_t stream) {
    if (p.m == 0) return;
    multiply<<<(p.m * kWidth + kThreads - 1) / kThreads, kThreads, 0, stream>>>(p.m, p.a, p.b, p.c);
    WB_CHECK(cudaGetLastError());
  };
}

}  // namespace

WB_CUDA(Roofline, exercise, make);
