// How many blocks: what work there is asks for, and what the device has room for.
#pragma once

#include <algorithm>

#include "resident.cuh"
#include "wb/cuda.h"

namespace {

using wb::i64;

inline unsigned blocks(i64 n, i64 per_block) {
  return static_cast<unsigned>((n + per_block - 1) / per_block);
}

inline int multiprocessors() {
  int device = 0, count = 0;
  WB_CHECK(cudaGetDevice(&device));
  WB_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device));
  return count;
}

// A wave: as many blocks of a kernel as the device holds at a time.
template <class Kernel> unsigned wave(Kernel kernel, int threads) {
  int each = 0;
  WB_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, 0));
  return static_cast<unsigned>(multiprocessors() * std::max(each, 1));
}

}  // namespace
