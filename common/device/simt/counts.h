// What requests of warps cost, added up for each place of the program and for each source line.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "device/simt/requests.h"
#include "model/counts.h"

namespace simt {

// What is counted at a place.
struct AtPlace {
  wb::Counts counts{};
  wb::Access first = {};  // of the warp whose number is least
  std::uint64_t warp = ~std::uint64_t{0};
  int cost = 0;                                                // of the first: sectors, or cycles
  std::unordered_map<std::uintptr_t, double> on_address = {};  // atomics
};
using Places = std::unordered_map<std::uint32_t, AtPlace>;

// Sectors and cycles of a request, by the rules of wb/coalescing.h. NVIDIA does not tell two more;
// they are what Nsight Compute counts of the addresses of single instructions on an H200
// (results/h200_counts.csv: products of matrices):
// - 16 lanes that ask for 16 bytes each go together, and not 8, where the lanes i and i + 1, or i
//   and i + 2, want the same.
// - A copy in the background of 4 or 8 bytes goes through L1, line by line of 128 bytes: the lanes
//   that read of one line write together. One of 16 bytes goes past L1, and only where it writes
//   counts. This explains 8 of the 15 cycles of copies to rows of 80 bytes, which begin at any
//   multiple of 16; what the others are is not known.
int sectors_of(const Request& request);
struct Cycles {
  int cycles, least;
};
Cycles cycles_of(const Request& request);

// Launches from here on are counted, and checked for their bounds alone.
void begin_counts();
// Sorted by file and line.
std::vector<wb::LineCounts> end_counts();

extern bool counting;
extern Places places;
extern double counted_blocks;
extern double counted_calls;  // of the host: launches, copies, memory; a graph is one

}  // namespace simt
